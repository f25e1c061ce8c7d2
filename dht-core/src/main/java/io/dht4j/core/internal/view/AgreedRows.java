package io.dht4j.core.internal.view;

import io.dht4j.Node;
import io.dht4j.spi.PartitionTable;
import java.util.List;
import java.util.Optional;

/** The rows of an agreed cluster, each with its version. Their widths differ while replicas are added. */
final class AgreedRows implements RowTable {

    private final List<Row> rows;
    private final int narrowest;
    private final int widest;
    private final boolean isMoving;
    private final long newestVersion;

    /**
     * Creates a table.
     *
     * @throws IllegalArgumentException if the number of rows is no valid number of partitions, or a row is newer than
     *     the epoch
     */
    AgreedRows(List<Row> rows, long epoch) {
        this.rows = List.copyOf(rows);
        PartitionTable.requirePartitions(rows.size());
        this.narrowest = this.rows.stream().mapToInt(Row::width).min().orElseThrow();
        this.widest = this.rows.stream().mapToInt(Row::width).max().orElseThrow();
        this.isMoving = this.rows.stream().anyMatch(Row::isMoving);
        this.newestVersion = this.rows.stream().mapToLong(Row::version).max().orElseThrow();
        if (newestVersion > epoch) {
            throw new IllegalArgumentException(
                    "a row of version " + newestVersion + " is newer than the view of epoch " + epoch);
        }
    }

    @Override
    public int partitions() {
        return rows.size();
    }

    @Override
    public int narrowest() {
        return narrowest;
    }

    @Override
    public int widest() {
        return widest;
    }

    @Override
    public int maxReplicas() {
        return narrowest;
    }

    @Override
    public int width(int partition) {
        return rows.get(partition).width();
    }

    @Override
    public List<Node> nodes(int partition) {
        return rows.get(partition).nodes();
    }

    @Override
    public List<Node> nodes(int partition, int from) {
        return rows.get(partition).nodes(from);
    }

    @Override
    public List<ReplicaSlot> slots(int partition) {
        return rows.get(partition).slots();
    }

    @Override
    public List<ReplicaSlot> slots(int partition, int from) {
        return slots(partition).subList(0, from);
    }

    @Override
    public boolean isMoving() {
        return isMoving;
    }

    @Override
    public Optional<ReplicaSlot> moving(int partition) {
        return rows.get(partition).moving();
    }

    @Override
    public Optional<ReplicaSlot> moving(int partition, int from) {
        return rows.get(partition).moving(from);
    }

    @Override
    public long version(int partition) {
        return rows.get(partition).version();
    }

    @Override
    public long newestVersion() {
        return newestVersion;
    }
}
