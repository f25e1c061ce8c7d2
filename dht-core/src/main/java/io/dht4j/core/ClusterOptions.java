package io.dht4j.core;

import static java.util.Objects.requireNonNull;

import io.dht4j.Ranges;
import io.dht4j.core.options.NodeOptions;
import io.dht4j.spi.HashFunction;
import io.dht4j.spi.PartitionTable;
import io.dht4j.spi.Placement;
import java.util.HashSet;
import java.util.Set;

/**
 * The settings that are the same on every node of a cluster. A node that joins an agreed cluster uses the cluster's
 * settings.
 *
 * @param <B> the builder, which each method returns
 */
abstract class ClusterOptions<B extends ClusterOptions<B>> extends NodeOptions<B> {

    private static final String PARTITIONS = "partitions";
    private static final String REPLICATION_FACTOR = "replication factor";
    private static final String LARGEST_VALUE = "largest value";

    private static final int DEFAULT_REPLICATION_FACTOR = 3;

    // Read by NodeAssembly.
    Placement placement = Placements.rendezvous();
    HashFunction hash = HashFunctions.xxh3();
    int partitions = ClusterBuilder.DEFAULT_PARTITIONS;
    int replicationFactor;

    private final int mostReplicas;
    /** The settings that were set, by their names in an agreed cluster. */
    private final Set<String> set = new HashSet<>();

    ClusterOptions(int nodes, int mostReplicas) {
        this.replicationFactor = Math.min(DEFAULT_REPLICATION_FACTOR, nodes);
        this.mostReplicas = mostReplicas;
    }

    /**
     * Sets the placement of partitions on nodes; the same on every node. Default: {@link Placements#rendezvous()}.
     *
     * @param placement the strategy
     * @return this builder
     */
    public B placement(Placement placement) {
        this.placement = requireNonNull(placement, "placement");
        return self();
    }

    /**
     * Sets the hash function of keys; the same on every node. Default: {@link HashFunctions#xxh3()}.
     *
     * @param hash the function
     * @return this builder
     */
    public B hash(HashFunction hash) {
        this.hash = requireNonNull(hash, "hash");
        return self();
    }

    /**
     * Sets the number of partitions; fixed for the life of the cluster and the same on every node. Default:
     * {@value ClusterBuilder#DEFAULT_PARTITIONS}.
     *
     * @param partitions a power of two, 1 to {@link PartitionTable#MAX_PARTITIONS}; some hundred per node spread evenly
     * @return this builder
     */
    public B partitions(int partitions) {
        this.partitions = PartitionTable.requirePartitions(partitions);
        set.add(PARTITIONS);
        return self();
    }

    /**
     * Sets the number of replicas of calls without a policy; a majority of them must answer. Default: 3, or the number
     * of nodes if that is less.
     *
     * @param replicationFactor 1 to the number of nodes
     * @return this builder
     */
    public B replicationFactor(int replicationFactor) {
        Ranges.require("replicationFactor", replicationFactor, 1, Math.max(mostReplicas, PartitionTable.MAX_DEPTH));
        Ranges.requireReplicas("replicationFactor", replicationFactor, mostReplicas);
        this.replicationFactor = replicationFactor;
        set.add(REPLICATION_FACTOR);
        return self();
    }

    @Override
    public B maxValueBytes(int maxValueBytes) {
        set.add(LARGEST_VALUE);
        return super.maxValueBytes(maxValueBytes);
    }

    /** Returns the settings that have only their defaults in this builder. */
    Set<String> unset() {
        Set<String> left = new HashSet<>(Set.of(PARTITIONS, REPLICATION_FACTOR, LARGEST_VALUE));
        left.removeAll(set);
        return left;
    }
}
