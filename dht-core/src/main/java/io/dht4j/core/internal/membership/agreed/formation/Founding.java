package io.dht4j.core.internal.membership.agreed.formation;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.core.internal.membership.codec.CommandCodec;
import io.dht4j.core.internal.membership.command.Command;
import io.dht4j.core.internal.membership.state.AgreedSettings;
import io.dht4j.core.internal.membership.state.MemberAttributes;
import io.dht4j.core.internal.membership.state.SlotTable;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.wire.ClusterSettings;
import io.dht4j.core.internal.wire.MembershipRequest;
import io.dht4j.spi.PartitionTable;
import io.dht4j.spi.TopologyLog;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * The settings with which a node forms or joins a cluster. Immutable.
 *
 * @param settings the settings of the node
 * @param claims the settings that were set, or cannot differ, by the names of {@link AgreedSettings#values}
 * @param nodes the founders; the node alone if it joins
 * @param table the replicas by the placement of the founders
 * @param fingerprint differs if two tables differ
 * @param binding describes the static cluster of the founders, which their stores are bound to
 */
public record Founding(
        AgreedSettings settings,
        Map<String, String> claims,
        List<Node> nodes,
        PartitionTable table,
        String fingerprint,
        String binding) {

    /** Copies the collections. */
    public Founding {
        claims = Collections.unmodifiableMap(new LinkedHashMap<>(claims));
        nodes = List.copyOf(nodes);
    }

    /** Returns the partitions of which a founder is no replica. */
    PartitionSet notOwned(NodeId founder) {
        return PartitionSet.matching(
                settings.partitions(),
                partition -> table.replicas(partition, settings.replicationFactor()).stream()
                        .noneMatch(node -> node.id().equals(founder)));
    }

    public Proposal proposal() {
        Map<String, String> values = new LinkedHashMap<>(settings.values());
        values.put(Proposal.TABLE, fingerprint);
        return new Proposal(nodes, new ClusterSettings(values));
    }

    /**
     * Checks that the cluster can be formed.
     *
     * @throws IllegalArgumentException if there are too many nodes or partitions, or too few nodes
     */
    public void requireFits() {
        if (nodes.size() < settings.replicationFactor()) {
            throw new IllegalArgumentException("a cluster of replication factor " + settings.replicationFactor()
                    + " is formed by as many nodes or more, not by " + nodes.size());
        }
        List<UUID> incarnations = new ArrayList<>();
        nodes.forEach(node -> incarnations.add(new UUID(0, incarnations.size())));
        Founders sample = new Founders(new UUID(0, 0), proposal(), incarnations);
        int listBytes = FoundersCodec.encode(sample).length;
        if (listBytes > MembershipRequest.MAX_BYTES) {
            throw new IllegalArgumentException("the list of the nodes that form the cluster takes " + listBytes
                    + " bytes, and at most " + MembershipRequest.MAX_BYTES
                    + " are possible: form it by fewer nodes, and let the others join");
        }
        int bytes = CommandCodec.encode(form(sample)).length;
        if (bytes > TopologyLog.MAX_COMMAND_BYTES) {
            throw new IllegalArgumentException("a table of " + settings.partitions() + " partitions of "
                    + settings.replicationFactor() + " replicas takes " + bytes + " bytes, and at most "
                    + TopologyLog.MAX_COMMAND_BYTES + " are possible: form the cluster with fewer partitions");
        }
    }

    /**
     * Checks that a member may start again. Ignores the replication factor, which a command may have raised.
     *
     * @param self the member
     * @param agreed the settings of its cluster
     * @throws IllegalStateException if its options contradict them; the message has both values
     */
    public void requireAgreed(NodeId self, AgreedSettings agreed) {
        Map<String, String> compared = new LinkedHashMap<>(claims);
        compared.remove(AgreedSettings.REPLICATION_FACTOR);
        String contradictions = agreed.contradictions(compared, self);
        if (!contradictions.isEmpty()) {
            throw new IllegalStateException("node " + self + " contradicts the settings of its cluster: "
                    + contradictions + ". Start it with the cluster's values");
        }
    }

    /** Returns the first command of a cluster. */
    public Command form(Founders founders) {
        List<Command.Founder> members = new ArrayList<>();
        Map<NodeId, Integer> numbers = new LinkedHashMap<>();
        for (Node node : nodes) {
            numbers.put(node.id(), numbers.size() + 1);
            members.add(new Command.Founder(
                    node.id(),
                    founders.incarnation(node.id()).orElseThrow(),
                    MemberAttributes.of(node.address()).withWeight(node.weight())));
        }
        List<Integer> voters = new ArrayList<>();
        for (int number = 1; number <= founders.voters(); number++) {
            voters.add(number);
        }
        return new Command.Form(
                founders.cluster(),
                settings,
                members,
                SlotTable.of(table, settings.replicationFactor(), node -> numbers.getOrDefault(node.id(), 0)),
                voters);
    }
}
