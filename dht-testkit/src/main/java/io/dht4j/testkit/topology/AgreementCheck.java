package io.dht4j.testkit.topology;

import io.dht4j.spi.TopologyLogException;
import io.dht4j.spi.TopologyLogException.Outcome;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

/**
 * Records everything that the members of one cluster have applied, restored and confirmed, and checks that it agrees.
 * Violations are collected, because a log catches exceptions of an applier.
 */
final class AgreementCheck {

    private final NavigableMap<Long, String> agreed = new TreeMap<>();
    private final Map<String, Long> confirmed = new HashMap<>();
    private final Set<String> refused = new HashSet<>();
    private final List<String> violations = new ArrayList<>();

    void require(boolean holds, String otherwise) {
        if (!holds) {
            violations.add(otherwise);
        }
    }

    void applied(String member, long before, long index, String command) {
        Long agreedBefore = agreed.lowerKey(index);
        require(
                before == (agreedBefore == null ? 0 : agreedBefore),
                member + " applies " + index + " after " + before + ", though " + agreedBefore + " is before it");
        String other = agreed.get(index);
        if (other == null) {
            require(
                    agreed.isEmpty() || index > agreed.lastKey(),
                    member + " applies '" + shown(command) + "' at " + index + ", behind which others have been");
            require(!refused.contains(command), member + " applies '" + shown(command) + "', which was refused");
            agreed.put(index, command);
        } else {
            require(
                    other.equals(command),
                    member + " applies '" + shown(command) + "' at " + index + ", others '" + shown(other) + "'");
        }
    }

    void restored(String member, long index, NavigableMap<Long, String> commands) {
        require(
                agreed.headMap(index, true).equals(commands),
                member + " restores " + commands.size() + " commands up to " + index + ", but "
                        + agreed.headMap(index, true).size() + " were agreed");
    }

    void confirmed(String command, long index) {
        confirmed.put(command, index);
        require(command.equals(agreed.get(index)), "'" + shown(command) + "' was confirmed at " + index);
    }

    /** An append has failed: unless its outcome is unknown, the command will never be applied. */
    void failed(String command, Throwable failure) {
        require(failure instanceof TopologyLogException, "an append failed with " + failure);
        if (failure instanceof TopologyLogException known && known.outcome() != Outcome.UNKNOWN) {
            refused.add(command);
            require(!agreed.containsValue(command), "'" + shown(command) + "' was refused, and applied");
        }
    }

    int confirmedCount() {
        return confirmed.size();
    }

    NavigableMap<Long, String> agreed() {
        return agreed;
    }

    /** Returns the violations, also of a member that claims to be up to date. */
    List<String> violations() {
        List<String> all = new ArrayList<>(violations);
        confirmed.forEach((command, index) -> {
            if (!command.equals(agreed.get(index))) {
                all.add("'" + shown(command) + "' was confirmed at " + index + ", and is lost");
            }
        });
        return all;
    }

    private static String shown(String command) {
        return command.length() > 40 ? command.substring(0, 40) + "..." : command;
    }
}
