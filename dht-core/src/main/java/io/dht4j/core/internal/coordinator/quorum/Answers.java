package io.dht4j.core.internal.coordinator.quorum;

import io.dht4j.Node;
import io.dht4j.spi.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The answers of a key's replicas to a read so far, and whether the read was settled on them. An immutable linked list:
 * the thread that adds an answer sees all earlier ones.
 *
 * @param last the newest answer; null if there is none
 * @param before the earlier answers; null if there are none
 * @param settled whether the read was settled before the newest answer
 */
public record Answers(
        @Nullable ReplicaAnswer last, @Nullable Answers before, boolean settled) {

    /** No answers. */
    public static final Answers NONE = new Answers(null, null, false);

    /**
     * The replicas of an entry, by their answers.
     *
     * @param holders those that hold it or a newer one
     * @param behind those that hold an older one or none
     */
    public record Whereabouts(List<Node> holders, List<Node> behind) {}

    /**
     * Adds an answer.
     *
     * @param answer the newest answer
     * @return a new list
     */
    public Answers with(ReplicaAnswer answer) {
        return new Answers(answer, this, settled);
    }

    /**
     * Settles the read on these answers.
     *
     * @return a new list
     */
    public Answers thatSettle() {
        return new Answers(last, before, true);
    }

    /**
     * Returns whether a node has answered.
     *
     * @param node the node
     * @return true if one of the answers is its own
     */
    public boolean hasOf(Node node) {
        for (Answers at = this; at != null && at.last != null; at = at.before) {
            if (at.last.node().equals(node)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns the newest of the answers with entries.
     *
     * @return empty if there is none
     */
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

    /**
     * Returns an answer that may be the newest and whose entry was not sent.
     *
     * @return empty if there is none
     */
    public Optional<ReplicaAnswer> missing() {
        Optional<ReplicaAnswer> newest = newest();
        for (Answers at = this; at != null && at.last != null; at = at.before) {
            ReplicaAnswer answer = at.last;
            if (answer.isNamedOnly() && mayWin(answer, newest) && !isHere(answer)) {
                return Optional.of(answer);
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
     * Finds the replicas that hold an entry, and those that are behind it.
     *
     * @param nodes the replicas of the key
     * @param newest an answer with its entry
     * @return those of the nodes that have answered
     */
    public Whereabouts whereabouts(List<Node> nodes, ReplicaAnswer newest) {
        List<Node> holders = new ArrayList<>(nodes.size());
        List<Node> behind = new ArrayList<>();
        for (Node node : nodes) {
            boolean holds = false;
            for (Answers at = this; at != null && at.last != null && !holds; at = at.before) {
                holds = at.last.node().equals(node) && !at.last.isBehind(newest);
            }
            if (holds) {
                holders.add(node);
            } else if (hasOf(node)) {
                behind.add(node);
            }
        }
        return new Whereabouts(holders, behind);
    }
}
