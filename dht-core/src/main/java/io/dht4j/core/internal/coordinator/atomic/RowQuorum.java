package io.dht4j.core.internal.coordinator.atomic;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.view.FencingToken;
import io.dht4j.core.internal.view.Phase;
import io.dht4j.core.internal.view.ReplicaSlot;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;

/**
 * The slots of a partition in one view, and what is a majority of them. A slot that moves has answered once both its
 * nodes have. Immutable.
 */
final class RowQuorum {

    private final List<ReplicaSlot> slots;
    private final FencingToken token;
    private final List<Node> nodes;

    RowQuorum(ClusterView view, int partition) {
        this.slots = view.slots(partition);
        this.token = new FencingToken(view, view.rowVersion(partition));
        List<Node> all = new ArrayList<>(slots.size() + 1);
        slots.forEach(slot -> all.addAll(slot.nodes()));
        this.nodes = List.copyOf(all);
    }

    FencingToken token() {
        return token;
    }

    /** Returns all nodes of the row. */
    List<Node> nodes() {
        return nodes;
    }

    /**
     * Returns whether some nodes are a majority of slots that know what was accepted. A slot whose former owner is dead
     * does not: its heir may lack what the owner had accepted.
     */
    boolean isReadQuorum(Collection<NodeId> answered) {
        return isMajority(answered::contains, RowQuorum::isReadable);
    }

    /** Returns whether some nodes are a majority of slots. */
    boolean isWriteQuorum(Collection<NodeId> answered) {
        return isMajority(answered::contains, slot -> true);
    }

    /** Returns whether the nodes that have not failed are a read quorum. */
    boolean canReachReadQuorum(Collection<NodeId> failed) {
        return isMajority(node -> !failed.contains(node), RowQuorum::isReadable);
    }

    /** Returns whether the nodes that have not failed are a write quorum. */
    boolean canReachWriteQuorum(Collection<NodeId> failed) {
        return isMajority(node -> !failed.contains(node), slot -> true);
    }

    /** Returns the number of slots that have answered, for people; for a read, of those that know what was accepted. */
    String shown(Collection<NodeId> answered, boolean isRead) {
        return count(answered::contains, slot -> !isRead || isReadable(slot)) + " of " + (slots.size() / 2 + 1)
                + " needed replicas answered";
    }

    private boolean isMajority(Predicate<NodeId> answers, Predicate<ReplicaSlot> counts) {
        return 2 * count(answers, counts) > slots.size();
    }

    private int count(Predicate<NodeId> answers, Predicate<ReplicaSlot> counts) {
        int count = 0;
        for (ReplicaSlot slot : slots) {
            if (counts.test(slot) && hasAnswered(slot, answers)) {
                count++;
            }
        }
        return count;
    }

    private static boolean hasAnswered(ReplicaSlot slot, Predicate<NodeId> answers) {
        return answers.test(slot.owner().id())
                && (!slot.isPair() || answers.test(slot.heir().id()));
    }

    private static boolean isReadable(ReplicaSlot slot) {
        return slot.phase() != Phase.FILL;
    }
}
