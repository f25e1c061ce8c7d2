package io.dht4j.simulator;

import io.dht4j.Key;
import io.dht4j.ReplicationPolicy;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.simulator.history.Operation;
import io.dht4j.simulator.internal.membership.BalanceCheck;
import io.dht4j.simulator.internal.membership.SlotCheck;
import io.dht4j.simulator.internal.node.SimulatedDisk;
import io.dht4j.simulator.internal.node.SimulatedNode;
import io.dht4j.simulator.internal.node.SimulatedNodes;
import io.dht4j.spi.Entry;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.ToIntFunction;

/**
 * Checks on the disks whether each slot has the acknowledged writes, after each acknowledged write and each change of
 * the membership. Confined to the simulation's thread.
 */
final class SlotInvariants {

    private final SimulatedNodes nodes;
    private final ToIntFunction<Key> partitions;
    private final Map<Key, Operation> newest = new LinkedHashMap<>();
    private final List<String> violations = new ArrayList<>();
    /** Returns whether the cluster is divided: then slots may lack acknowledged writes. */
    private BooleanSupplier divided = () -> false;

    /**
     * Creates the invariants of a cluster without writes.
     *
     * @param nodes the nodes and their disks
     * @param partitions returns the partition of a key
     */
    SlotInvariants(SimulatedNodes nodes, ToIntFunction<Key> partitions) {
        this.nodes = nodes;
        this.partitions = partitions;
    }

    /** Sets the predicate of a divided cluster, which is not checked. */
    void exceptWhile(BooleanSupplier test) {
        divided = test;
    }

    /** Returns the violations. */
    List<String> violations() {
        return violations;
    }

    /** Receives an acknowledged write. */
    void acknowledged(Operation write) {
        Operation newer =
                newest.merge(write.key(), write, (one, other) -> other.entry().supersedes(one.entry()) ? other : one);
        nodes.states().newest().ifPresent(state -> check(newer, state));
    }

    /** Checks the newest acknowledged write of every key. */
    void check(ClusterState state) {
        newest.values().forEach(write -> check(write, state));
    }

    private void check(Operation write, ClusterState state) {
        Entry entry = write.entry();
        if (!violations.isEmpty() || divided.getAsBoolean() || mayBePurged(entry)) {
            return;
        }
        int partition = partitions.applyAsInt(entry.key());
        // With up to three replicas, a slot that is added has all that the earlier ones have acknowledged.
        ReplicationPolicy majority = ReplicationPolicy.majorityOf(state.width(partition));
        String wrong = SlotCheck.violation(state, partition, majority.ack(), majority.from(), new SlotCheck.Disks() {
            @Override
            public boolean hold(UUID incarnation) {
                return nodes.disk(incarnation)
                        .filter(disk -> disk.hasAtLeast(entry))
                        .isPresent();
            }

            @Override
            public boolean isLost(UUID incarnation) {
                return nodes.disk(incarnation).filter(SimulatedDisk::isLost).isPresent();
            }
        });
        if (!wrong.isEmpty()) {
            violations.add("acknowledged " + write + " " + wrong);
        }
    }

    /** Returns whether a replica may have purged the entry that supersedes another one. */
    private boolean mayBePurged(Entry entry) {
        return nodes.disks().stream()
                .flatMap(SimulatedDisk::everKept)
                .anyMatch(each -> each.key().equals(entry.key())
                        && !entry.supersedes(each)
                        && (each.isTombstone() || each.expiresAtMillis() != Entry.NEVER));
    }

    /** Checks that only members that own a partition have its entries. */
    void checkOwners() {
        ClusterState state = nodes.states().newest().orElseThrow();
        for (SimulatedNode node : nodes.present()) {
            Optional<UUID> incarnation = node.disk().incarnation();
            for (Entry entry : node.disk().content()) {
                int partition = partitions.applyAsInt(entry.key());
                if (incarnation.isEmpty() || !BalanceCheck.involves(state, partition, incarnation.get())) {
                    violations.add(node.node.id() + " owns no slot of partition " + partition + ", "
                            + state.row(partition) + ", and holds " + entry);
                }
            }
        }
    }
}
