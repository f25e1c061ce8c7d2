package io.dht4j.core.internal.repair.session;

import io.dht4j.Node;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.view.ClusterView;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * The replicas of each partition that repair compares, in the view of one node at one epoch. An heir that is still
 * receiving its copy is excluded: the copy itself brings it up to date. Immutable.
 */
final class PartitionRoles {

    private final ClusterView view;
    private final PartitionSet held;
    private final PartitionSet moving;

    /**
     * Creates the roles of the view's own node.
     *
     * @param view the replicas of each partition
     */
    PartitionRoles(ClusterView view) {
        this.view = view;
        this.held = PartitionSet.matching(
                view.partitions(), partition -> compared(partition).stream().anyMatch(this::isSelf));
        this.moving = held.filter(view::isMoving);
    }

    /** Returns the view. */
    ClusterView view() {
        return view;
    }

    private List<Node> compared(int partition) {
        return view.complete(partition);
    }

    private boolean isSelf(Node node) {
        return node.id().equals(view.self());
    }

    int partitions() {
        return view.partitions();
    }

    /** Returns the partitions that this node replicates. */
    PartitionSet held() {
        return held;
    }

    /** Returns the partitions among them with a moving slot: no purge covers them. */
    PartitionSet moving() {
        return moving;
    }

    /**
     * Returns the partitions that this node coordinates: it is the first replica that is not suspected, or the
     * partition is orphaned.
     */
    PartitionSet coordinated(Predicate<Node> isSuspected, PartitionSet orphaned) {
        return held.filter(partition -> {
            for (Node replica : compared(partition)) {
                if (isSelf(replica)) {
                    return true;
                }
                if (!isSuspected.test(replica) && !orphaned.contains(partition)) {
                    return false;
                }
            }
            return false;
        });
    }

    /** Returns the other replicas of some partitions, each with its partitions. */
    Map<Node, PartitionSet> others(PartitionSet chosen) {
        Map<Node, PartitionSet.Builder> others = new LinkedHashMap<>();
        chosen.forEach(partition -> {
            for (Node node : compared(partition)) {
                if (!isSelf(node)) {
                    others.computeIfAbsent(node, other -> PartitionSet.builder())
                            .add(partition);
                }
            }
        });
        Map<Node, PartitionSet> built = new LinkedHashMap<>();
        others.forEach((node, builder) -> built.put(node, builder.build()));
        return built;
    }
}
