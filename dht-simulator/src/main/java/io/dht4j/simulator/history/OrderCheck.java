package io.dht4j.simulator.history;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Checks the order of acknowledged writes of a key: a write that began after another was acknowledged has a greater
 * version. For histories whose policies all overlap. Confined to the thread of its history.
 */
public final class OrderCheck {

    private OrderCheck() {}

    /**
     * Checks all writes of a completed history.
     *
     * @param history the history
     * @return the violations; empty if there are none
     */
    public static List<String> violations(History history) {
        List<String> found = new ArrayList<>();
        history.keys().forEach(key -> violation(history.writesOf(key)).ifPresent(found::add));
        return found;
    }

    private static Optional<String> violation(List<Operation> writes) {
        List<Operation> done = writes.stream()
                .filter(write -> write.outcome() == Operation.Outcome.DONE
                        && write.version().isPresent())
                .toList();
        List<Operation> byEnd =
                done.stream().sorted(Comparator.comparingInt(Operation::ended)).toList();
        List<Operation> byBegin =
                done.stream().sorted(Comparator.comparingInt(Operation::begun)).toList();
        Optional<Operation> newest = Optional.empty();
        int ended = 0;
        for (Operation write : byBegin) {
            for (; ended < byEnd.size() && byEnd.get(ended).ended() < write.begun(); ended++) {
                Operation earlier = byEnd.get(ended);
                if (newest.isEmpty() || earlier.entry().supersedes(newest.get().entry())) {
                    newest = Optional.of(earlier);
                }
            }
            if (newest.isPresent() && !write.entry().supersedes(newest.get().entry())) {
                return Optional.of(
                        write + " is superseded by " + newest.get() + ", which was acknowledged before it began");
            }
        }
        return Optional.empty();
    }
}
