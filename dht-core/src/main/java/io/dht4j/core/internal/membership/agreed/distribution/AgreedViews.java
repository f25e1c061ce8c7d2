package io.dht4j.core.internal.membership.agreed.distribution;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Topology;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.Lifecycle;
import io.dht4j.core.internal.membership.state.Member;
import io.dht4j.core.internal.membership.state.MemberList;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.view.Moves;
import io.dht4j.core.internal.view.NodeIdentity;
import io.dht4j.core.internal.view.ReplicaSlot;
import io.dht4j.core.internal.view.Row;
import io.dht4j.core.internal.view.Slot;
import io.dht4j.spi.HashFunction;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Converts agreed states to the views that a node uses for coordination and serving. */
public final class AgreedViews {

    private AgreedViews() {}

    /**
     * Returns the view of a state. Members are nodes from their join to their removal. A dead member is a node until
     * another one has its name.
     *
     * @param state the state
     * @param self the node
     * @param hash maps keys to partitions
     * @throws IllegalArgumentException if a replaced member holds a slot
     */
    static ClusterView of(ClusterState state, NodeId self, HashFunction hash) {
        MemberList members = state.members();
        Map<NodeId, Member> byName = new LinkedHashMap<>();
        members.all().stream()
                .filter(member -> member.lifecycle() == Lifecycle.DEAD)
                .forEach(member -> byName.put(member.name(), member));
        members.all().stream()
                .filter(member -> member.lifecycle().isPresent())
                .forEach(member -> byName.put(member.name(), member));
        Map<Integer, Node> nodes = new HashMap<>();
        Map<NodeId, NodeIdentity> identities = new HashMap<>();
        List<Node> topology = new ArrayList<>();
        byName.values().stream()
                .sorted((one, other) -> Integer.compare(one.number(), other.number()))
                .forEach(member -> {
                    Node node = new Node(
                            member.name(),
                            member.details().address(),
                            member.details().weight());
                    nodes.put(member.number(), node);
                    topology.add(node);
                    identities.put(
                            member.name(),
                            new NodeIdentity(
                                    member.number(), member.incarnation().orElseThrow()));
                });
        return ClusterView.agreed(
                state.cluster(),
                self,
                new Topology(state.epoch(), topology),
                hash,
                rows(state, nodes),
                identities,
                moves(state));
    }

    /** Returns the batches, and the dead members that are not replaced. */
    private static Moves moves(ClusterState state) {
        Set<NodeId> dead = new HashSet<>();
        for (Member member : state.members().all()) {
            if (member.lifecycle() == Lifecycle.DEAD) {
                dead.add(member.name());
            } else if (member.lifecycle().isPresent()) {
                dead.remove(member.name());
            }
        }
        return new Moves(state.batches(), state.rebalance(), dead);
    }

    private static List<Row> rows(ClusterState state, Map<Integer, Node> nodes) {
        List<Row> rows = new ArrayList<>(state.partitions());
        for (int partition = 0; partition < state.partitions(); partition++) {
            rows.add(row(state, partition, nodes));
        }
        return rows;
    }

    private static Row row(ClusterState state, int partition, Map<Integer, Node> nodes) {
        long version = state.rowVersion(partition);
        if (state.batchOf(partition).isPresent()) {
            List<ReplicaSlot> slots = new ArrayList<>(state.width(partition));
            for (Slot slot : state.row(partition)) {
                slots.add(new ReplicaSlot(
                        slot.phase(),
                        holder(state, partition, slot.owner(), nodes),
                        holder(state, partition, slot.heir(), nodes)));
            }
            return Row.of(version, slots);
        }
        int width = state.width(partition);
        List<Node> owners = new ArrayList<>(width);
        for (int slot = 0; slot < width; slot++) {
            owners.add(holder(state, partition, state.slots().owner(partition, slot), nodes));
        }
        return Row.stable(version, owners);
    }

    private static Node holder(ClusterState state, int partition, int member, Map<Integer, Node> nodes) {
        Node node = nodes.get(member);
        if (node == null) {
            throw new IllegalArgumentException("the state " + state + " gives partition " + partition + " to member "
                    + member + ", which is replaced");
        }
        return node;
    }
}
