package io.dht4j.core;

import static java.util.Objects.requireNonNull;

import io.dht4j.Cluster;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Topology;
import io.dht4j.core.internal.coordinator.config.NodeConfig;
import io.dht4j.core.internal.coordinator.node.NoStore;
import io.dht4j.core.options.Batching;
import io.dht4j.core.options.HintedHandoff;
import io.dht4j.core.options.Membership;
import io.dht4j.core.options.OverloadProtection;
import io.dht4j.core.options.Repair;
import io.dht4j.spi.Environment;
import io.dht4j.spi.FailureDetector;
import io.dht4j.spi.HintLog;
import io.dht4j.spi.MemoryBudget;
import io.dht4j.spi.PartitionTable;
import io.dht4j.spi.RefillMarker;
import io.dht4j.spi.Store;
import io.dht4j.spi.StoreException;
import io.dht4j.spi.Transport;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Builds a node of a cluster, or a member {@linkplain #withoutStore without a store}. A transport and, for a node, a
 * store are required; all other settings have defaults. Topology, placement, hash function and number of partitions
 * must be the same on every node; nodes with different ones refuse each other. Each method checks its argument and
 * throws {@link IllegalArgumentException} with the allowed range. Confined to one thread.
 *
 * <p>A builder starts one node: after {@link #start()} or {@link #begin()}, also a failed one, both are refused, and
 * close nothing. The node owns the transport, the store and the hint log. Closing the cluster, or a failed start,
 * closes them. Each node needs its own: a hint log that another node uses would be closed under it. If the start finds
 * that the store is {@linkplain io.dht4j.spi.StoreException#isInUse() in use}, or that the transport was
 * {@linkplain io.dht4j.spi.TransportException.Reason#STARTED started before}, another node may use all three, and none
 * is closed.
 */
public final class ClusterBuilder extends ClusterOptions<ClusterBuilder> {

    /** The default number of partitions. */
    public static final int DEFAULT_PARTITIONS = 1024;

    /** The default limit of a value, in bytes: 16 MiB. */
    public static final int DEFAULT_MAX_VALUE_BYTES = MemoryBudget.DEFAULT_MAX_VALUE_BYTES;

    private static final Duration PATIENCE = Duration.ofMillis(500);

    /** The clocks of purging nodes and of reading nodes may each be off in both directions. */
    private static final int CLOCK_MARGIN = 4;

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

    Batching batching = Batching.on();
    HintedHandoff handoff = HintedHandoff.on();
    Repair repair = Repair.on();
    OverloadProtection overload = OverloadProtection.defaults();
    RefillMarker refill = RefillMarker.none();
    Set<NodeId> refillWithout = Set.of();
    private final Optional<Membership> membership;
    /** Whether a start has taken the transport, the store and the hints. */
    private boolean used;

    private ClusterBuilder(NodeId self, Topology topology, boolean stores, Optional<Membership> membership) {
        super(
                topology.size(),
                membership.filter(ClusterBuilder::joins).isPresent() ? PartitionTable.MAX_DEPTH : topology.size());
        topology.nodes().forEach(ClusterBuilder::requireNoPort);
        this.self = self;
        this.membership = membership;
        this.topology = topology;
        this.stores = stores;
    }

    /**
     * Refuses a node whose port was probably passed as its weight. Not a rule of {@link Node}: a cluster may have
     * agreed on such a weight, and its nodes must be able to read their state.
     */
    private static void requireNoPort(Node node) {
        if (node.weight() != 1 && node.weight() == node.port()) {
            throw new IllegalArgumentException("node " + node.id() + ": the weight " + node.weight()
                    + " is the port of its address " + node.address() + ", probably by mistake; without a weight it is"
                    + " 1");
        }
    }

    private static boolean joins(Membership membership) {
        return membership.origin() == Membership.Origin.JOIN;
    }

    /**
     * Creates a builder for a node.
     *
     * @param self the node's name
     * @param topology the nodes of the cluster, including this one
     * @return a builder with defaults
     * @throws IllegalArgumentException if the topology has no node of that name, or the weight of a node is the port of
     *     its address, unless that is 1
     */
    public static ClusterBuilder of(NodeId self, Topology topology) {
        requireNonNull(self, "self");
        requireNonNull(topology, "topology");
        if (topology.node(self).isEmpty()) {
            throw new IllegalArgumentException("node " + self + " is not in the topology: " + names(topology));
        }
        return new ClusterBuilder(self, topology, true, Optional.empty());
    }

    /**
     * Creates a builder for a node.
     *
     * @param self the node's name
     * @param topology the nodes of the cluster, including this one
     * @return a builder with defaults
     * @throws IllegalArgumentException if the topology has no node of that name, or the weight of a node is the port of
     *     its address, unless that is 1
     */
    public static ClusterBuilder of(String self, Topology topology) {
        return of(new NodeId(requireNonNull(self, "self")), topology);
    }

    /**
     * Creates a builder for a node of an agreed cluster, whose nodes may change while it serves. A node that
     * {@linkplain Membership#join joins} takes all settings from the cluster, and is refused if one that is set here
     * differs.
     *
     * @param membership how the node becomes a member
     * @return a builder with defaults
     * @throws IllegalArgumentException if the weight of this node, or of a founder, is the port of its address, unless
     *     that is 1
     */
    public static ClusterBuilder of(Membership membership) {
        requireNonNull(membership, "membership");
        Topology founders = new Topology(
                1,
                membership.origin() == Membership.Origin.BOOTSTRAP ? membership.nodes() : List.of(membership.self()));
        return new ClusterBuilder(membership.self().id(), founders, true, Optional.of(membership));
    }

    /**
     * Creates a builder for a member without a store, which coordinates its own calls, each in one hop. It needs a
     * transport and refuses requests of others. Nodes that authenticate their peers must {@linkplain #trusting trust}
     * it explicitly.
     *
     * @param self the member's name, unique in the cluster
     * @param topology the nodes of the cluster, without this member
     * @return a builder with defaults
     * @throws IllegalArgumentException if the topology has a node of that name, or the weight of a node is the port of
     *     its address, unless that is 1
     */
    public static ClusterBuilder withoutStore(NodeId self, Topology topology) {
        requireNonNull(self, "self");
        requireNonNull(topology, "topology");
        if (topology.node(self).isPresent()) {
            throw new IllegalArgumentException(
                    "member " + self + " without a store must not be a node of the topology: " + names(topology));
        }
        return new ClusterBuilder(self, topology, false, Optional.empty());
    }

    /**
     * Creates a builder for a member without a store.
     *
     * @param self the member's name, unique in the cluster
     * @param topology the nodes of the cluster, without this member
     * @return a builder with defaults
     * @throws IllegalArgumentException if the topology has a node of that name, or the weight of a node is the port of
     *     its address, unless that is 1
     */
    public static ClusterBuilder withoutStore(String self, Topology topology) {
        return withoutStore(new NodeId(requireNonNull(self, "self")), topology);
    }

    @Override
    protected ClusterBuilder self() {
        return this;
    }

    /** Returns the options of the node that this builder starts. */
    NodeConfig config() {
        // An entry may be purged only when it is dead by every clock.
        Duration least = times().maxClockSkew().multipliedBy(CLOCK_MARGIN);
        boolean early = repair.purgeAfter().compareTo(least) < 0;
        return new NodeConfig(
                refillWithout,
                calls(),
                limits(),
                times(),
                batching,
                handoff,
                early ? repair.withPurgeAfter(least) : repair,
                overload,
                observation());
    }

    private static List<String> names(Topology topology) {
        return topology.nodes().stream().map(node -> node.id().value()).toList();
    }

    /**
     * Sets the transport between the nodes. Required.
     *
     * @param transport a transport that has not been started; owned by the node from now on
     * @return this builder
     */
    public ClusterBuilder transport(Transport transport) {
        this.transport = requireNonNull(transport, "transport");
        return this;
    }

    /**
     * Sets the store of this node's entries. Required, except for a member {@linkplain #withoutStore without a store}.
     *
     * @param store an open store; owned by the node from now on
     * @return this builder
     * @throws IllegalArgumentException if this is a member without a store
     */
    public ClusterBuilder store(Store store) {
        if (!stores) {
            throw new IllegalArgumentException(self
                    + " takes no store: its builder is that of ClusterBuilder.withoutStore; use ClusterBuilder.of");
        }
        this.store = requireNonNull(store, "store");
        return this;
    }

    /**
     * Sets the failure detector. Default: {@link FailureDetectors#silence} with half a second.
     *
     * @param detector a detector for this node alone
     * @return this builder
     */
    public ClusterBuilder failureDetector(FailureDetector detector) {
        this.detector = requireNonNull(detector, "detector");
        return this;
    }

    /**
     * Sets the hint log for writes that this node coordinates and replicas miss. Default: a log in memory of up to
     * {@link MemoryBudget#hintBytes()}, which ends with the process.
     *
     * @param hints an open log; owned by the node from now on
     * @return this builder
     */
    public ClusterBuilder hints(HintLog hints) {
        this.hints = requireNonNull(hints, "hints");
        return this;
    }

    /**
     * Sets the source of time, random numbers, threads and timers. Default: the node creates a
     * {@link SystemEnvironment}.
     *
     * @param environment owned by the caller, who closes it after the cluster
     * @return this builder
     */
    public ClusterBuilder environment(Environment environment) {
        this.environment = requireNonNull(environment, "environment");
        return this;
    }

    /**
     * Sets how requests to a node are combined in frames. Default: {@link Batching#on()}.
     *
     * @param batching on or off, and its bounds
     * @return this builder
     */
    public ClusterBuilder batching(Batching batching) {
        this.batching = requireNonNull(batching, "batching");
        return this;
    }

    /**
     * Sets the hinted handoff of writes that a replica missed. Default: {@link HintedHandoff#on()}.
     *
     * @param handoff on or off, and its bounds
     * @return this builder
     */
    public ClusterBuilder handoff(HintedHandoff handoff) {
        this.handoff = requireNonNull(handoff, "handoff");
        return this;
    }

    /**
     * Sets the background repair of replicas. Default: {@link Repair#on()}.
     *
     * @param repair on or off, and its bounds
     * @return this builder
     */
    public ClusterBuilder repair(Repair repair) {
        this.repair = requireNonNull(repair, "repair");
        return this;
    }

    /**
     * Sets the protection against overload. Default: {@link OverloadProtection#defaults()}.
     *
     * @param overload ages of queues, limits for each node, and the budget of retries
     * @return this builder
     */
    public ClusterBuilder overload(OverloadProtection overload) {
        this.overload = requireNonNull(overload, "overload");
        return this;
    }

    /**
     * Sets the partitions whose entries were lost or may be stale and are refilled from the other replicas. Until its
     * refill, the node accepts writes of such a partition and refuses reads, which the other replicas serve. The refill
     * reads every other replica of the partition; as long as one of them does not answer, reads stay refused. Default:
     * {@link RefillMarker#none()}.
     *
     * <p>Partitions for which the other replicas detect a rolled-back disk are refilled in the same way, even if the
     * marker does not name them. Their refill does not wait for the excluded nodes either.
     *
     * @param marker the partitions to refill; read when the node starts, and updated with the remaining ones
     * @param without nodes to exclude from the refill; entries that only they and this node had are then lost
     * @return this builder
     * @throws IllegalArgumentException if an excluded node is this node or not in the topology
     */
    public ClusterBuilder refill(RefillMarker marker, NodeId... without) {
        requireNonNull(marker, "marker");
        for (NodeId node : requireNonNull(without, "without")) {
            requireNonNull(node, "without");
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
     * Adds members without a store that may send requests to this node, in addition to the nodes of the topology.
     * Relevant with transports that authenticate their peers: a caller's certificate must contain one of these names.
     * Default: none.
     *
     * @param members their names
     * @return this builder
     */
    public ClusterBuilder trusting(NodeId... members) {
        for (NodeId member : requireNonNull(members, "members")) {
            trusted.add(requireNonNull(member, "member"));
        }
        return this;
    }

    /**
     * Starts the node. Blocks until its transport accepts requests of peers; does not wait for peers, except that a
     * node of an agreed cluster waits at its first start until it is a member; see {@link Membership#startTimeout}.
     *
     * @return the cluster as accessed through this node, which the caller closes
     * @throws IllegalStateException if this builder was used, or has a membership and an environment of virtual time,
     *     which closes nothing; if the transport or the store is missing; or if the node cannot start, for example on
     *     the data in its store, with its memory, or as a member. The message names the remedy. The cause is that of
     *     the component, for example a {@link io.dht4j.spi.TransportException} if the transport cannot listen.
     *     Transport, store and hints are then closed, unless another node uses the store or has started the transport
     */
    public Cluster start() {
        if (!used && membership.isPresent() && environment != null && environment.isVirtual()) {
            throw new IllegalStateException("start() would wait for ever in virtual time: call begin(), and let the"
                    + " environment await its cluster()");
        }
        NodeAssembly assembly = assembly();
        try {
            return assembly.start();
        } catch (RuntimeException e) {
            // The trace shows the caller; that of the cause may be of a thread of the node.
            throw new IllegalStateException(e.getMessage() == null ? e.toString() : e.getMessage(), e);
        }
    }

    /**
     * Begins to start a node of an agreed cluster, which may wait for other nodes. Does not block.
     *
     * @return the start, which the caller closes, or the cluster that it results in
     * @throws IllegalStateException if this builder was used, or has no {@linkplain #of(Membership) membership}, which
     *     closes nothing; if the transport or the store is missing, which closes the other and the hints; or if another
     *     node uses the store, which closes nothing
     */
    public NodeStart begin() {
        if (membership.isEmpty()) {
            throw new IllegalStateException("only a node of an agreed cluster waits for others: use start()");
        }
        NodeAssembly start = assembly();
        start.begin();
        return start;
    }

    private NodeAssembly assembly() {
        if (used) {
            throw new IllegalStateException("this builder was used: the node that it started owns its transport, store"
                    + " and hints, or they were closed when the start failed. Start each node with a new builder, and"
                    + " new ones");
        }
        used = true;
        claimStore();
        try {
            return new NodeAssembly(
                    this,
                    membership,
                    required(transport, "transport"),
                    stores ? required(store, "store") : new NoStore());
        } catch (RuntimeException | Error e) {
            close(e);
            throw e;
        }
    }

    /** Claims the store. If another node uses it, that may use the transport and the hints too: none is closed. */
    private void claimStore() {
        if (store == null) {
            return;
        }
        try {
            store.claim(self);
        } catch (StoreException e) {
            if (!e.isInUse()) {
                close(e);
            }
            throw new IllegalStateException(e.getMessage(), e);
        }
    }

    /** Closes the parts. Their failures become suppressed ones. */
    private void close(Throwable failures) {
        NodeAssembly.release(transport, failures);
        NodeAssembly.release(store, failures);
        NodeAssembly.release(hints, failures);
    }

    private static <T> T required(@Nullable T part, String name) {
        if (part == null) {
            throw new IllegalStateException("a node needs a " + name + ": call " + name + "(...) before start()");
        }
        return part;
    }
}
