package io.dht4j.core;

import io.dht4j.CancellationPolicy;
import io.dht4j.Cluster;
import io.dht4j.Hedging;
import io.dht4j.NodeId;
import io.dht4j.Ordering;
import io.dht4j.ReadFanOut;
import io.dht4j.Topology;
import io.dht4j.core.internal.coordinator.node.NoStore;
import io.dht4j.spi.Environment;
import io.dht4j.spi.FailureDetector;
import io.dht4j.spi.HashFunction;
import io.dht4j.spi.HintLog;
import io.dht4j.spi.MemoryBudget;
import io.dht4j.spi.PartitionTable;
import io.dht4j.spi.Placement;
import io.dht4j.spi.RefillMarker;
import io.dht4j.spi.Store;
import io.dht4j.spi.Transport;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Builds a node of a cluster, or a member {@linkplain #withoutStore without a store}. A transport and, for a node, a
 * store are required; everything else has a default. Topology, placement, hash function and number of partitions must
 * be the same on every node, and nodes that disagree refuse each other. Each method checks its argument and throws
 * {@link IllegalArgumentException} with the allowed range. For one thread, and for one {@link #start()}.
 *
 * <p>The node owns the transport, the store and the log of hints: closing the cluster, or failing to start it, closes
 * them.
 */
public final class ClusterBuilder {

    /** The default number of partitions. */
    public static final int DEFAULT_PARTITIONS = 1024;

    /** The default limit of a value, in bytes: 16 MiB. */
    public static final int DEFAULT_MAX_VALUE_BYTES = 16 << 20;

    private static final int LARGEST_VALUE_LIMIT = 1 << 30;
    private static final int DEFAULT_REPLICATION_FACTOR = 3;
    private static final Duration PATIENCE = Duration.ofMillis(500);

    // Read by NodeAssembly.
    final NodeId self;
    final Topology topology;
    final boolean stores;
    final Set<NodeId> trusted = new LinkedHashSet<>();

    @Nullable
    Transport transport;

    @Nullable
    Store store;

    @Nullable
    HintLog hints;

    FailureDetector detector = FailureDetectors.silence(PATIENCE);

    @Nullable
    Environment environment;

    Placement placement = Placements.rendezvous();
    HashFunction hash = HashFunctions.xxh3();
    int partitions = DEFAULT_PARTITIONS;
    int replicationFactor;
    Ordering ordering = Ordering.REAL_TIME;
    ReadFanOut readFanOut = ReadFanOut.ENOUGH;
    Hedging hedging = Hedging.off();
    Duration timeout = Duration.ofSeconds(5);
    int maxValueBytes = DEFAULT_MAX_VALUE_BYTES;
    int inlineValueBytes = 4096;
    int maxInFlight = 10_000;
    /** As the other limits that may be missing, it depends on the memory unless it is given. */
    OptionalLong maxInFlightBytes = OptionalLong.empty();

    OptionalLong snapshotBytes = OptionalLong.empty();
    MemoryBudget memory = MemoryBudget.ofHeap();
    int maxBatch = 10_000;
    Duration maxClockSkew = Duration.ofSeconds(60);
    Duration drainTimeout = Duration.ofSeconds(5);
    Duration startPatience = Duration.ofSeconds(5);
    Batching batching = Batching.on();
    CancellationPolicy cancellation = CancellationPolicy.LOCAL;
    HintedHandoff handoff = HintedHandoff.on();
    Repair repair = Repair.on();
    OverloadProtection overload = OverloadProtection.defaults();
    RefillMarker refill = RefillMarker.none();
    Set<NodeId> refillWithout = Set.of();

    private ClusterBuilder(NodeId self, Topology topology, boolean stores) {
        this.self = self;
        this.topology = topology;
        this.stores = stores;
        this.replicationFactor = Math.min(DEFAULT_REPLICATION_FACTOR, topology.size());
    }

    /**
     * Begins a node.
     *
     * @param self the node's name
     * @param topology the nodes of the cluster, this one among them
     * @return a builder with defaults
     * @throws IllegalArgumentException if the topology has no node of that name
     */
    public static ClusterBuilder of(NodeId self, Topology topology) {
        if (topology.node(self).isEmpty()) {
            throw new IllegalArgumentException("node " + self + " is not in the topology: " + names(topology));
        }
        return new ClusterBuilder(self, topology, true);
    }

    /**
     * Begins a node.
     *
     * @param self the node's name
     * @param topology the nodes of the cluster, this one among them
     * @return a builder with defaults
     * @throws IllegalArgumentException if the topology has no node of that name
     */
    public static ClusterBuilder of(String self, Topology topology) {
        return of(new NodeId(self), topology);
    }

    /**
     * Begins a member that stores nothing: it knows the nodes and coordinates its calls by itself, each in one hop. It
     * needs a transport and no store; requests of others it refuses. Nodes that authenticate their peers must be told
     * to {@linkplain #trusting trust} it.
     *
     * @param self the member's name, its own in the cluster
     * @param topology the nodes of the cluster, this member not among them
     * @return a builder with defaults
     * @throws IllegalArgumentException if the topology has a node of that name
     */
    public static ClusterBuilder withoutStore(NodeId self, Topology topology) {
        if (topology.node(self).isPresent()) {
            throw new IllegalArgumentException(
                    "member " + self + " without a store must not be a node of the topology: " + names(topology));
        }
        return new ClusterBuilder(self, topology, false);
    }

    /**
     * Begins a member that stores nothing.
     *
     * @param self the member's name, its own in the cluster
     * @param topology the nodes of the cluster, this member not among them
     * @return a builder with defaults
     * @throws IllegalArgumentException if the topology has a node of that name
     */
    public static ClusterBuilder withoutStore(String self, Topology topology) {
        return withoutStore(new NodeId(self), topology);
    }

    private static List<String> names(Topology topology) {
        return topology.nodes().stream().map(node -> node.id().value()).toList();
    }

    /**
     * How the nodes talk to each other. Required.
     *
     * @param transport not started yet; owned by the node from now on
     * @return this builder
     */
    public ClusterBuilder transport(Transport transport) {
        this.transport = transport;
        return this;
    }

    /**
     * Where this node keeps its entries. Required, but for a member {@linkplain #withoutStore without a store}.
     *
     * @param store open; owned by the node from now on
     * @return this builder
     * @throws IllegalArgumentException if this is a member without a store
     */
    public ClusterBuilder store(Store store) {
        if (!stores) {
            throw new IllegalArgumentException("member " + self + " was begun without a store and takes none");
        }
        this.store = store;
        return this;
    }

    /**
     * What tells which nodes will most likely not answer. Default: {@link FailureDetectors#silence} with half a second.
     *
     * @param detector of this node alone
     * @return this builder
     */
    public ClusterBuilder failureDetector(FailureDetector detector) {
        this.detector = detector;
        return this;
    }

    /**
     * Where this node keeps what nodes missed of the writes that it coordinates. By default in memory, up to
     * {@link MemoryBudget#hintBytes()}, which ends with the process.
     *
     * @param hints open; owned by the node from now on
     * @return this builder
     */
    public ClusterBuilder hints(HintLog hints) {
        this.hints = hints;
        return this;
    }

    /**
     * Where time, chance, threads and timers come from. By default the node makes its own {@link SystemEnvironment}.
     *
     * @param environment stays the caller's, who closes it after the cluster
     * @return this builder
     */
    public ClusterBuilder environment(Environment environment) {
        this.environment = environment;
        return this;
    }

    /**
     * Which nodes hold which partitions. Default: {@link Placements#rendezvous()}. The same on every node.
     *
     * @param placement the strategy
     * @return this builder
     */
    public ClusterBuilder placement(Placement placement) {
        this.placement = placement;
        return this;
    }

    /**
     * How keys are hashed. Default: {@link HashFunctions#xxh3()}. The same on every node.
     *
     * @param hash the function
     * @return this builder
     */
    public ClusterBuilder hash(HashFunction hash) {
        this.hash = hash;
        return this;
    }

    /**
     * How many partitions the keys fall into; fixed for the life of the cluster, the same on every node. Default:
     * {@value #DEFAULT_PARTITIONS}.
     *
     * @param partitions a power of two, 1 to {@link PartitionTable#MAX_PARTITIONS}; some hundred per node spread evenly
     * @return this builder
     */
    public ClusterBuilder partitions(int partitions) {
        this.partitions = PartitionTable.requirePartitions(partitions);
        return this;
    }

    /**
     * How many replicas a key has when a call does not say otherwise; a majority of them must answer. Default: 3, or
     * the number of nodes if that is less.
     *
     * @param replicationFactor 1 to the number of nodes
     * @return this builder
     */
    public ClusterBuilder replicationFactor(int replicationFactor) {
        requireRange("replicationFactor", replicationFactor, 1, topology.size());
        this.replicationFactor = replicationFactor;
        return this;
    }

    /**
     * In which order the operations on a key take effect when a call does not say otherwise. Default:
     * {@link Ordering#REAL_TIME}. With {@link Ordering#LINEARIZABLE} calls need policies of which two overlap.
     *
     * @param ordering by real time, or linearizable
     * @return this builder
     */
    public ClusterBuilder ordering(Ordering ordering) {
        this.ordering = ordering;
        return this;
    }

    /**
     * How many replicas a read asks. Default: {@link ReadFanOut#ENOUGH}.
     *
     * @param readFanOut enough or all
     * @return this builder
     */
    public ClusterBuilder readFanOut(ReadFanOut readFanOut) {
        this.readFanOut = readFanOut;
        return this;
    }

    /**
     * When a read that still waits for an answer asks one more replica. Default: {@link Hedging#off()}.
     *
     * @param hedging never, after a fixed time, or when an answer takes longer than most
     * @return this builder
     */
    public ClusterBuilder hedging(Hedging hedging) {
        this.hedging = hedging;
        return this;
    }

    /**
     * How long a call may take when it does not say otherwise. Default: 5 seconds, which leaves room for a pause of a
     * node's collector or disk, and for the largest values.
     *
     * @param timeout 1 millisecond to 1 hour
     * @return this builder
     */
    public ClusterBuilder timeout(Duration timeout) {
        requireRange("timeout", timeout, Duration.ofMillis(1), Duration.ofHours(1));
        this.timeout = timeout;
        return this;
    }

    /**
     * The largest value, on every node the same. Default: 16 MiB. The transport's largest frame must be larger by at
     * least 256 KiB.
     *
     * @param maxValueBytes 1 byte to 1 GiB
     * @return this builder
     */
    public ClusterBuilder maxValueBytes(int maxValueBytes) {
        requireRange("maxValueBytes", maxValueBytes, 1, LARGEST_VALUE_LIMIT);
        this.maxValueBytes = maxValueBytes;
        return this;
    }

    /**
     * Up to which size values come with every replica's answer to a read; of larger ones only the first replica sends
     * the value, the others its version. Default: 4096. More saves a second request when replicas differ, less saves
     * bytes when they agree.
     *
     * @param inlineValueBytes 0 bytes to 1 GiB
     * @return this builder
     */
    public ClusterBuilder inlineValueBytes(int inlineValueBytes) {
        requireRange("inlineValueBytes", inlineValueBytes, 0, LARGEST_VALUE_LIMIT);
        this.inlineValueBytes = inlineValueBytes;
        return this;
    }

    /**
     * How much memory this node may take; hand the same to its store, its transport and its APIs. Default:
     * {@link MemoryBudget#ofHeap()}. Whatever {@linkplain #maxValueBytes largest value} it names, that of this builder
     * counts.
     *
     * @param memory a share of the heap
     * @return this builder
     */
    public ClusterBuilder memory(MemoryBudget memory) {
        this.memory = memory;
        return this;
    }

    /**
     * How many calls may be under way at this node; more are refused as overloaded. As many requests of peers may wait
     * for the store. Default: 10,000.
     *
     * @param maxInFlight 1 to 1,000,000
     * @return this builder
     */
    public ClusterBuilder maxInFlight(int maxInFlight) {
        requireRange("maxInFlight", maxInFlight, 1, 1_000_000);
        this.maxInFlight = maxInFlight;
        return this;
    }

    /**
     * How many bytes of writes may be under way at this node; more are refused as overloaded. As many bytes of peers'
     * writes may wait for the store. Default: {@link MemoryBudget#writeBytes()}. A single write passes whatever its
     * size when no other is under way.
     *
     * @param maxInFlightBytes 1 byte to 1 TiB
     * @return this builder
     */
    public ClusterBuilder maxInFlightBytes(long maxInFlightBytes) {
        requireRange("maxInFlightBytes", maxInFlightBytes, 1, 1L << 40);
        this.maxInFlightBytes = OptionalLong.of(maxInFlightBytes);
        return this;
    }

    /**
     * How many keys a batch may have. Default: 10,000.
     *
     * @param maxBatch 1 to 1,000,000
     * @return this builder
     */
    public ClusterBuilder maxBatch(int maxBatch) {
        requireRange("maxBatch", maxBatch, 1, 1_000_000);
        this.maxBatch = maxBatch;
        return this;
    }

    /**
     * How far ahead of this node's clock a version of another node may be; such a write is refused. Default: 60
     * seconds.
     *
     * @param maxClockSkew 1 millisecond to 1 day
     * @return this builder
     */
    public ClusterBuilder maxClockSkew(Duration maxClockSkew) {
        requireRange("maxClockSkew", maxClockSkew, Duration.ofMillis(1), Duration.ofDays(1));
        this.maxClockSkew = maxClockSkew;
        return this;
    }

    /**
     * How long closing waits for calls under way. Default: 5 seconds.
     *
     * @param drainTimeout zero to 1 hour
     * @return this builder
     */
    public ClusterBuilder drainTimeout(Duration drainTimeout) {
        requireRange("drainTimeout", drainTimeout, Duration.ZERO, Duration.ofHours(1));
        this.drainTimeout = drainTimeout;
        return this;
    }

    /**
     * How long this node waits, when it starts, for the others to tell whether its clock and its disk are right: writes
     * until one of them has answered, reads of what it held before until those have that share it. It never waits for
     * nodes that refuse connections. Default: 5 seconds.
     *
     * @param startPatience zero, which waits for nobody, to 10 minutes
     * @return this builder
     */
    public ClusterBuilder startPatience(Duration startPatience) {
        requireRange("startPatience", startPatience, Duration.ZERO, Duration.ofMinutes(10));
        this.startPatience = startPatience;
        return this;
    }

    /**
     * How requests to a node are put together in frames. Default: {@link Batching#on()}.
     *
     * @param batching on or off, and its bounds
     * @return this builder
     */
    public ClusterBuilder batching(Batching batching) {
        this.batching = batching;
        return this;
    }

    /**
     * What becomes of writes that a replica missed. Default: {@link HintedHandoff#on()}.
     *
     * @param handoff on or off, and its bounds
     * @return this builder
     */
    public ClusterBuilder handoff(HintedHandoff handoff) {
        this.handoff = handoff;
        return this;
    }

    /**
     * How replicas are compared and brought together in the background. Default: {@link Repair#on()}.
     *
     * @param repair on or off, and its bounds
     * @return this builder
     */
    public ClusterBuilder repair(Repair repair) {
        this.repair = repair;
        return this;
    }

    /**
     * How much this node may keep of what is written while a snapshot is read. Past it the snapshot fails, the node
     * goes on. Default: {@link MemoryBudget#snapshotBytes()}; takes no memory while there is no snapshot.
     *
     * @param snapshotBytes 0 bytes to 1 TiB, for all snapshots together
     * @return this builder
     */
    public ClusterBuilder snapshotBytes(long snapshotBytes) {
        requireRange("snapshotBytes", snapshotBytes, 0, 1L << 40);
        this.snapshotBytes = OptionalLong.of(snapshotBytes);
        return this;
    }

    /**
     * How the node keeps working when more is asked of it than it can do. Default:
     * {@link OverloadProtection#defaults()}.
     *
     * @param overload ages of queues, limits for each node, and the budget of retries
     * @return this builder
     */
    public ClusterBuilder overload(OverloadProtection overload) {
        this.overload = overload;
        return this;
    }

    /**
     * What of this node's entries was lost, or may be too old, and must be brought back from the other replicas before
     * it is read. Until then the node takes writes of these partitions, and refuses reads, which the other replicas
     * serve. Every other replica of a partition is read; as long as one of them does not answer, the partition stays
     * closed. Default: {@link RefillMarker#none()}. Whatever the marker says, partitions of which the other replicas
     * tell that this node's disk was set back are treated alike, without the nodes named here.
     *
     * @param marker what must be refilled; asked when the node starts, and told what is left
     * @param without nodes to do without: what only they and this node held is lost then
     * @return this builder
     * @throws IllegalArgumentException if one of those is no other node of the topology
     */
    public ClusterBuilder refill(RefillMarker marker, NodeId... without) {
        for (NodeId node : without) {
            if (node.equals(self) || topology.node(node).isEmpty()) {
                throw new IllegalArgumentException(
                        "a refill can do without another node of the topology, not " + node + ": " + names(topology));
            }
        }
        this.refill = marker;
        this.refillWithout = Set.of(without);
        return this;
    }

    /**
     * Which members that store nothing may send requests to this node, besides the nodes of the topology. It matters
     * with transports that authenticate their peers: a caller's certificate must bear one of these names. Adds to those
     * that were named before. Default: none.
     *
     * @param members their names
     * @return this builder
     */
    public ClusterBuilder trusting(NodeId... members) {
        trusted.addAll(List.of(members));
        return this;
    }

    /**
     * What becomes of requests to replicas whose replies to a read are no longer wanted, since enough others have
     * answered or the caller has cancelled its stage. Writes are always carried through. Default:
     * {@link CancellationPolicy#LOCAL}.
     *
     * @param cancellation never, here only, or told to the replica
     * @return this builder
     */
    public ClusterBuilder cancellation(CancellationPolicy cancellation) {
        this.cancellation = cancellation;
        return this;
    }

    /**
     * Starts the node. Blocks until its transport accepts requests of peers; does not wait for peers.
     *
     * @return the cluster as seen from this node, which the caller closes
     * @throws IllegalStateException if the transport or the store is missing
     * @throws IllegalArgumentException if the memory is too little for the largest value
     * @throws io.dht4j.spi.TransportException if the transport cannot listen; transport, store and hints are then
     *     closed
     */
    public Cluster start() {
        Store kept = stores ? store : new NoStore();
        if (transport == null || kept == null) {
            throw new IllegalStateException(
                    stores ? "a node needs a transport and a store" : "a member needs a transport");
        }
        return new NodeAssembly(this, transport, kept).start();
    }

    private static void requireRange(String option, long value, long min, long max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(option + " must be " + min + " to " + max + ", not " + value);
        }
    }

    private static void requireRange(String option, Duration value, Duration min, Duration max) {
        if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
            throw new IllegalArgumentException(option + " must be " + min + " to " + max + ", not " + value);
        }
    }
}
