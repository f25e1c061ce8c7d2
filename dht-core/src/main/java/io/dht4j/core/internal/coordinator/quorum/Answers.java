package io.dht4j.core.internal.coordinator.quorum;

import io.dht4j.Node;
import io.dht4j.spi.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the replicas of a key have answered to a read so far, and whether the read was settled on it. Immutable: each
 * answer makes a new one, so that whoever adds an answer knows all that came before it.
 *
 * @param last the newest link of the list; null if there is none yet
 * @param before those before it; null if there are none
 * @param settled whether the read was settled before the last one came
 */
public record Answers(
        @Nullable ReplicaAnswer last, @Nullable Answers before, boolean settled) {

    public static final Answers NONE = new Answers(null, null, false);

    /**
     * Where an entry is, by what replicas have answered.
     *
     * @param holders who hold it or something newer
     * @param behind who hold less
     */
    public record Whereabouts(List<Node> holders, List<Node> behind) {}

    public Answers with(ReplicaAnswer sighting) {
        return new Answers(sighting, this, settled);
    }

    public Answers thatSettle() {
        return new Answers(last, before, true);
    }

    /** Of the answers that came with their entries, the one that wins. Empty if none did. */
    public Optional<ReplicaAnswer> newest() {
        ReplicaAnswer newest = null;
        for (Answers at = this; at != null && at.last != null; at = at.before) {
            Optional<Entry> entry = at.last.entry();
            if (entry.isPresent()
                    && (newest == null || entry.get().supersedes(newest.entry().orElseThrow()))) {
                newest = at.last;
            }
        }
        return Optional.ofNullable(newest);
    }

    /** An answer that may win, and whose entry did not come along. */
    public Optional<ReplicaAnswer> missing() {
        Optional<ReplicaAnswer> newest = newest();
        for (Answers at = this; at != null && at.last != null; at = at.before) {
            ReplicaAnswer sighting = at.last;
            if (sighting.isNamedOnly() && mayWin(sighting, newest) && !isHere(sighting)) {
                return Optional.of(sighting);
            }
        }
        return Optional.empty();
    }

    private static boolean mayWin(ReplicaAnswer named, Optional<ReplicaAnswer> newest) {
        return newest.isEmpty()
                || named.version()
                                .orElseThrow()
                                .compareTo(newest.get().version().orElseThrow())
                        >= 0;
    }

    private boolean isHere(ReplicaAnswer named) {
        for (Answers at = this; at != null && at.last != null; at = at.before) {
            if (at.last.entry().isPresent() && at.last.isSameAs(named)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Which of some nodes have answered with an entry, or with something newer, and which with less.
     *
     * @param newest one that came with its entry
     */
    public Whereabouts whereabouts(List<Node> nodes, ReplicaAnswer newest) {
        List<Node> holders = new ArrayList<>(nodes.size());
        List<Node> behind = new ArrayList<>();
        for (Node node : nodes) {
            boolean answered = false;
            boolean holds = false;
            for (Answers at = this; at != null && at.last != null && !holds; at = at.before) {
                if (at.last.node().equals(node)) {
                    answered = true;
                    holds = !at.last.isBehind(newest);
                }
            }
            if (holds) {
                holders.add(node);
            } else if (answered) {
                behind.add(node);
            }
        }
        return new Whereabouts(holders, behind);
    }
}
