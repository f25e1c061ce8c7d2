package io.dht4j.core.internal.view;

import io.dht4j.Node;
import io.dht4j.spi.PartitionTable;
import java.util.List;
import java.util.Optional;

/**
 * The placement's table of a static cluster: rows of all nodes, without versions and moves.
 *
 * @param table maps partitions to nodes
 * @param nodes the number of nodes
 * @param replicationFactor the number of replicas of calls without a policy
 */
record FixedRows(PartitionTable table, int nodes, int replicationFactor) implements RowTable {

    @Override
    public int partitions() {
        return table.partitions();
    }

    @Override
    public int narrowest() {
        return replicationFactor;
    }

    @Override
    public int widest() {
        return replicationFactor;
    }

    @Override
    public int maxReplicas() {
        return nodes;
    }

    @Override
    public int width(int partition) {
        return replicationFactor;
    }

    @Override
    public List<Node> nodes(int partition) {
        return table.replicas(partition, nodes);
    }

    @Override
    public List<Node> nodes(int partition, int from) {
        return table.replicas(partition, from);
    }

    @Override
    public List<ReplicaSlot> slots(int partition) {
        return slots(partition, nodes);
    }

    @Override
    public List<ReplicaSlot> slots(int partition, int from) {
        return table.replicas(partition, from).stream().map(ReplicaSlot::stable).toList();
    }

    @Override
    public boolean isMoving() {
        return false;
    }

    @Override
    public Optional<ReplicaSlot> moving(int partition) {
        return Optional.empty();
    }

    @Override
    public Optional<ReplicaSlot> moving(int partition, int from) {
        return Optional.empty();
    }

    @Override
    public long version(int partition) {
        return ClusterView.NO_VERSION;
    }

    @Override
    public long newestVersion() {
        return ClusterView.NO_VERSION;
    }
}
