package io.dht4j.core.internal.view;

import static java.util.Objects.requireNonNull;

import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.ReplicationPolicy;
import io.dht4j.Topology;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.spi.Entry;
import io.dht4j.spi.HashFunction;
import io.dht4j.spi.PartitionTable;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The nodes and the replicas of each partition at one epoch, as known to one member. An operation uses the view of its
 * beginning to its end.
 *
 * <p>The view of a static cluster consists of the topology and the table of its placement; it has neither row versions
 * nor identities. The view of an agreed cluster has a {@link Row} for each partition. Immutable; safe for use by any
 * number of threads.
 */
public final class ClusterView {

    /** The row version of a static cluster, which is not sent. */
    public static final long NO_VERSION = 0;

    private final NodeId self;
    private final Topology topology;
    private final HashFunction hash;
    private final int shift;
    private final RowTable rows;

    private final Optional<UUID> cluster;
    private final Map<NodeId, NodeIdentity> identities;
    private final Moves moves;

    /** The policies of calls without one, by the number of replicas, from the narrowest on. */
    private final List<ReplicationPolicy> majorities;

    private final PartitionSet owned;
    private final PartitionSet incoming;

    private ClusterView(
            NodeId self,
            Topology topology,
            HashFunction hash,
            RowTable rows,
            Optional<UUID> cluster,
            Map<NodeId, NodeIdentity> identities,
            Moves moves) {
        this.self = self;
        this.topology = topology;
        this.hash = hash;
        this.rows = rows;
        this.shift = Long.SIZE - 1 - Integer.numberOfTrailingZeros(rows.partitions());
        this.cluster = cluster;
        this.identities = identities;
        this.moves = moves;
        this.majorities = IntStream.rangeClosed(rows.narrowest(), rows.widest())
                .mapToObj(ReplicationPolicy::majorityOf)
                .toList();
        this.owned = cluster.isEmpty()
                ? PartitionSet.empty()
                : PartitionSet.matching(rows.partitions(), partition -> isReplica(self, partition));
        this.incoming = owned.filter(partition -> rows.moving(partition)
                .filter(slot -> slot.phase() == Phase.COPY || slot.phase() == Phase.FILL || slot.phase() == Phase.GROW)
                .filter(slot -> slot.heir().id().equals(self))
                .isPresent());
    }

    /**
     * Creates the view of a static cluster.
     *
     * @param self this member
     * @param topology the nodes
     * @param hash maps keys to partitions
     * @param table maps partitions to nodes
     * @param replicationFactor the number of replicas of calls without a policy, 1 to the number of nodes
     * @return a view without row versions
     */
    public static ClusterView fixed(
            NodeId self, Topology topology, HashFunction hash, PartitionTable table, int replicationFactor) {
        return new ClusterView(
                self,
                topology,
                hash,
                new FixedRows(requireNonNull(table, "table"), topology.size(), replicationFactor),
                Optional.empty(),
                Map.of(),
                Moves.NONE);
    }

    /**
     * Creates a view of an agreed cluster.
     *
     * @param cluster identifies the cluster
     * @param self this member
     * @param topology the nodes, with the epoch of the view
     * @param hash maps keys to partitions
     * @param rows the replicas of each partition; their number differs while replicas are added
     * @param identities the numbers and incarnations of members, as far as they are known
     * @param moves the batches that move slots of the rows
     * @return a view with row versions
     * @throws IllegalArgumentException if the number of rows is no valid number of partitions, or a row is newer than
     *     the view
     */
    public static ClusterView agreed(
            UUID cluster,
            NodeId self,
            Topology topology,
            HashFunction hash,
            List<Row> rows,
            Map<NodeId, NodeIdentity> identities,
            Moves moves) {
        return new ClusterView(
                self,
                topology,
                hash,
                new AgreedRows(rows, topology.epoch()),
                Optional.of(cluster),
                Map.copyOf(identities),
                moves);
    }

    /** Returns the epoch, which grows with every change; 0 or more. */
    public long epoch() {
        return topology.epoch();
    }

    /** Returns this member. */
    public NodeId self() {
        return self;
    }

    /** Returns the nodes. */
    public Topology topology() {
        return topology;
    }

    /** Returns the identifier of an agreed cluster; empty in a static one. */
    public Optional<UUID> cluster() {
        return cluster;
    }

    /** Returns whether rows have versions: whether requests are fenced, and replicas check their ownership. */
    public boolean hasRowVersions() {
        return cluster.isPresent();
    }

    /** Returns the number of partitions, a power of two. */
    public int partitions() {
        return rows.partitions();
    }

    /**
     * Returns the largest number of replicas in a policy that is valid for any key: the number of nodes in a static
     * cluster, else that of the partition with the fewest replicas.
     */
    public int maxReplicas() {
        return rows.maxReplicas();
    }

    /** Returns whether replicas are being added, according to the rows: some have more replicas than others. */
    public boolean isGrowing() {
        return majorities.size() > 1;
    }

    /** Returns the number of replicas that every partition has: the replication factor, unless it is being raised. */
    public int narrowest() {
        return rows.narrowest();
    }

    /**
     * Returns the number of replicas of a partition: the replication factor, unless it is being raised.
     *
     * @param partition its number
     */
    public int width(int partition) {
        return rows.width(partition);
    }

    /**
     * Returns the policy of a call without one: the majority of the replicas of the key.
     *
     * @param key any key
     */
    public ReplicationPolicy majority(Key key) {
        return isGrowing() ? majority(partitionOf(key)) : majorities.get(0);
    }

    /**
     * Returns the policy of a call without one: the majority of the replicas of a partition.
     *
     * @param partition its number
     */
    public ReplicationPolicy majority(int partition) {
        return majorities.get(rows.width(partition) - rows.narrowest());
    }

    /** Returns the partition of a key, 0 to the number of partitions minus 1. */
    public int partitionOf(Key key) {
        // Two steps: with a single partition the shift would be by 64, which Java treats as 0.
        return (int) (hash.hash(key.unsafeBytes()) >>> 1 >>> shift);
    }

    /**
     * Returns the nodes that receive the writes of a key.
     *
     * @param key any key
     * @param from the number of replicas, 1 to the {@link #width} of its partition, or the number of nodes in a static
     *     cluster
     * @return see {@link #replicas(int, int)}
     */
    public List<Node> replicas(Key key, int from) {
        return replicas(partitionOf(key), from);
    }

    /**
     * Returns the nodes that receive the writes of a partition: its replicas, and also the heir of a slot that moves.
     *
     * @param partition its number
     * @param from the number of replicas, 1 to the {@link #width} of the partition, or the number of nodes in a static
     *     cluster
     * @return the nodes in the order of the slots, one more than {@code from} if two nodes hold one of these slots; a
     *     smaller {@code from} returns a prefix of that of a larger one
     */
    public List<Node> replicas(int partition, int from) {
        return rows.nodes(partition, from);
    }

    /**
     * Returns the slot of a partition that moves, if it is one of the first slots. At most one slot of a partition
     * moves at a time, and none in a static cluster.
     *
     * @param partition its number
     * @param from the number of slots, 1 or more
     */
    public Optional<ReplicaSlot> movingSlot(int partition, int from) {
        return rows.moving(partition, from);
    }

    /**
     * Returns the slot of a key that moves, if it is one of the first slots.
     *
     * @param key any key
     * @param from the number of slots, 1 or more
     * @return see {@link #movingSlot(int, int)}
     */
    public Optional<ReplicaSlot> movingSlot(Key key, int from) {
        return rows.isMoving() ? movingSlot(partitionOf(key), from) : Optional.empty();
    }

    /** Returns whether a slot of a partition moves. */
    public boolean isMoving(int partition) {
        return rows.moving(partition).isPresent();
    }

    /**
     * Returns the slot of a partition that moves, if one does.
     *
     * @param partition its number
     */
    public Optional<ReplicaSlot> movingSlot(int partition) {
        return rows.moving(partition);
    }

    /**
     * Returns all slots of a partition in the order of the replicas; in a static cluster a slot for each node.
     *
     * @param partition its number
     */
    public List<ReplicaSlot> slots(int partition) {
        return rows.slots(partition);
    }

    /**
     * Returns the first slots of a partition in the order of the replicas.
     *
     * @param partition its number
     * @param from the number of slots, as of {@link #replicas(int, int)}
     */
    public List<ReplicaSlot> slots(int partition, int from) {
        return rows.slots(partition, from);
    }

    /**
     * Returns the nodes that have the complete content of their slots of a partition: its replicas of calls without a
     * policy, except an heir that is still receiving its copy.
     *
     * @param partition its number
     */
    public List<Node> complete(int partition) {
        return !isMoving(partition)
                ? replicas(partition, width(partition))
                : slots(partition).stream()
                        .flatMap(slot -> slot.complete().stream())
                        .toList();
    }

    /** Returns the table of a static cluster; empty in an agreed one. */
    public Optional<PartitionTable> table() {
        return rows instanceof FixedRows fixed ? Optional.of(fixed.table()) : Optional.empty();
    }

    /** Returns the number and incarnation of a member; null if they are not known, as in a static cluster. */
    @Nullable
    public NodeIdentity identity(NodeId member) {
        return identities.isEmpty() ? null : identities.get(member);
    }

    /**
     * Returns whether this member is a replica of a partition, in any slot, or the heir of a slot that moves. Always
     * true in a static cluster.
     */
    public boolean owns(int partition) {
        return cluster.isEmpty() || owned.contains(partition);
    }

    /** Returns whether a member receives the writes of a key under any policy. */
    public boolean isReplica(NodeId member, Key key) {
        return isReplica(member, partitionOf(key));
    }

    private boolean isReplica(NodeId member, int partition) {
        for (Node node : rows.nodes(partition)) {
            if (node.id().equals(member)) {
                return true;
            }
        }
        return false;
    }

    /** Returns the partitions that this member replicates. Empty in a static cluster, which does not need it. */
    public PartitionSet owned() {
        return owned;
    }

    /**
     * Returns the partitions in which this member takes over a slot and may lack entries: it is the heir in
     * {@link Phase#COPY}, {@link Phase#FILL} or {@link Phase#GROW}.
     */
    public PartitionSet incoming() {
        return incoming;
    }

    /** Returns the partitions in which this member has all acknowledged entries: those owned and not incoming. */
    public PartitionSet held() {
        return owned.minus(incoming);
    }

    /** Returns the running batches and their settings. */
    public Moves moves() {
        return moves;
    }

    /** Returns the version of a partition's row; {@link #NO_VERSION} in a static cluster. */
    public long rowVersion(int partition) {
        return rows.version(partition);
    }

    /** Returns the highest row version of some partitions, or of all if the set is empty. */
    public long rowVersion(PartitionSet some) {
        if (some.isEmpty()) {
            return rows.newestVersion();
        }
        return some.stream().mapToLong(this::rowVersion).max().orElse(NO_VERSION);
    }

    /** Returns the token of a request that concerns one key; null in a static cluster. */
    @Nullable
    public FencingToken token(Key key) {
        return cluster.isEmpty() ? null : new FencingToken(this, rowVersion(partitionOf(key)));
    }

    /** Returns the token of a request that concerns some partitions, or all if the set is empty; else as above. */
    @Nullable
    public FencingToken token(PartitionSet some) {
        return cluster.isEmpty() ? null : new FencingToken(this, rowVersion(some));
    }

    /** Returns the token of a request of entries, at least one; null in a static cluster. */
    @Nullable
    public FencingToken token(List<Entry> entries) {
        if (cluster.isEmpty()) {
            return null;
        }
        long highest = NO_VERSION;
        for (Entry entry : entries) {
            highest = Math.max(highest, rowVersion(partitionOf(entry.key())));
        }
        return new FencingToken(this, highest);
    }

    @Override
    public String toString() {
        return "epoch " + epoch() + ", " + partitions() + " partitions, " + topology.size() + " nodes";
    }
}
