package io.dht4j.core.internal.coordinator.node;

import static java.util.Objects.requireNonNull;

import io.dht4j.AtomicChange;
import io.dht4j.AtomicResult;
import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.ClusterMembership;
import io.dht4j.DhtLock;
import io.dht4j.Key;
import io.dht4j.KeyPlacement;
import io.dht4j.KeyRange;
import io.dht4j.KeyValue;
import io.dht4j.NodeOperations;
import io.dht4j.ReplicationPolicy;
import io.dht4j.Scan;
import io.dht4j.ScanScope;
import io.dht4j.Snapshot;
import io.dht4j.Topology;
import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.core.internal.admission.Admission;
import io.dht4j.core.internal.admission.ByteBudget;
import io.dht4j.core.internal.clock.HybridClock;
import io.dht4j.core.internal.coordinator.atomic.RegisterCalls;
import io.dht4j.core.internal.coordinator.config.NodeComponents;
import io.dht4j.core.internal.coordinator.config.NodeConfig;
import io.dht4j.core.internal.coordinator.peer.ReplicaClient;
import io.dht4j.core.internal.coordinator.quorum.CallPolicy;
import io.dht4j.core.internal.coordinator.scan.ClusterScan;
import io.dht4j.core.internal.lock.Locks;
import io.dht4j.core.internal.membership.ViewRefresh;
import io.dht4j.core.internal.membership.agreed.AgreedMembership;
import io.dht4j.core.internal.membership.operator.OperatorMembership;
import io.dht4j.core.internal.move.SlotMoves;
import io.dht4j.core.internal.observation.Observations;
import io.dht4j.core.internal.observation.ObservedCall;
import io.dht4j.core.internal.view.BatchProgress;
import io.dht4j.core.internal.view.Views;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.ClosingThread;
import io.dht4j.spi.Observer.Call;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The cluster at one of its nodes: validates calls, and passes them to the operations. */
public final class NodeCluster implements Cluster {

    private static final Logger LOG = LoggerFactory.getLogger(NodeCluster.class);

    /** A scan that is not answered in this time begins again. */
    private static final long PROBE_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final NodeRuntime runtime;
    private final NodeComponents components;
    private final Optional<AgreedMembership> agreed;
    private final ClusterMembership membership;
    private final boolean ownsEnvironment;
    /** A node that fails to start, perhaps on a thread of its environment, does not close it. */
    private volatile boolean started;

    private final ReplicaClient client;
    private final CallRules rules;
    private final Admission admission;
    private final Observations observations;
    private final ReadCalls reads;
    private final WriteCalls writes;
    private final AtomicCalls atomics;
    private final Locks locks;
    private final ScanCalls scans;
    private final NodeOperations operations;
    private final Readiness readiness;
    private final Duration startPatience;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final CompletableFuture<String> failure = new CompletableFuture<>();

    /**
     * Creates a node that is not started.
     *
     * @param given the components of the node
     * @param config the options of the node
     * @param clock its hybrid clock
     * @param operator its membership of an agreed cluster, which ends with the transport; empty in a static cluster
     * @param ownsEnvironment whether closing the node closes the environment too, once it has started
     */
    public NodeCluster(
            NodeComponents given,
            NodeConfig config,
            HybridClock clock,
            Optional<OperatorMembership> operator,
            boolean ownsEnvironment) {
        this.agreed = operator.map(OperatorMembership::agreed);
        this.membership = operator.isPresent() ? operator.get() : Cluster.super.membership();
        this.runtime = new NodeRuntime(given, config, clock);
        this.components = runtime.local.components;
        this.ownsEnvironment = ownsEnvironment;
        this.client = runtime.peers.client;
        this.rules = new CallRules(components, config);
        this.observations = runtime.observations;
        this.admission = Admission.ofCalls(
                config.limits().maxInFlight(), config.limits().writeBytes(), components.environment());
        ByteBudget readBytes = new ByteBudget(config.limits().memory().readBytes());
        this.startPatience = config.times().startPatience();
        this.readiness = new Readiness(components.environment(), () -> nothing(readBytes));
        this.reads = new ReadCalls(runtime, config, rules, readBytes, readiness);
        this.writes = new WriteCalls(runtime, config, rules, admission);
        this.atomics = new AtomicCalls(runtime.registers, components.environment(), rules, admission, observations);
        this.locks = new Locks(this, components.environment());
        this.scans = new ScanCalls(runtime, admission, rules, writes, readiness, readBytes);
        LoadReport load = new LoadReport(
                runtime,
                components.transport(),
                admission,
                readBytes,
                config.limits().snapshotBytes());
        StatusReport status = new StatusReport(
                components,
                runtime.background.handoff,
                runtime.background::refillStatus,
                runtime.peers::suspects,
                runtime.peers.disagreements::ofCalled,
                runtime.peers.clocks::problem,
                load::overload);
        this.operations = new LocalOperations(runtime, agreed, admission, rules, reads, load, status, closed::get);
        agreed.ifPresent(this::takePart);
    }

    private void takePart(AgreedMembership member) {
        client.refresh().follow(member.source());
        member.reports().from(moves());
        member.reports().pending(runtime.background.handoff::bytes, runtime.local.snapshots::openCount);
        member.incomplete(runtime.local.repaired.rollbacks()::incomplete);
    }

    /**
     * Starts to listen. Blocks until the transport accepts requests.
     *
     * @throws io.dht4j.spi.TransportException if it cannot listen; the node is then closed, its environment is not
     */
    public void start() {
        try {
            runtime.start();
            readiness.bePatient(startPatience);
            components.transport().failure().thenAccept(this::failed);
            started = true;
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    /**
     * Returns the views of this node.
     *
     * @return the holder in which newer views are installed
     */
    public Views views() {
        return components.views();
    }

    /**
     * Returns the part of this node in the agreement of its cluster.
     *
     * @return empty in a static cluster
     */
    public Optional<AgreedMembership> agreed() {
        return agreed;
    }

    /** Returns the atomic operations of this node. */
    public RegisterCalls registers() {
        return runtime.registers;
    }

    @Override
    public ClusterMembership membership() {
        return membership;
    }

    /** Returns what reports how far this node is in taking over slots. */
    public BatchProgress.Reporter moves() {
        return () -> runtime.background.moves.map(SlotMoves::progress).orElse(List.of());
    }

    /**
     * Returns what fetches newer views.
     *
     * @return the refresh of this node, which fails until it has a source
     */
    public ViewRefresh refresh() {
        return client.refresh();
    }

    /** Scans next to nothing, without being admitted or observed. */
    private CompletableFuture<List<KeyValue>> nothing(ByteBudget readBytes) {
        return new ClusterScan(
                        components,
                        client,
                        readBytes,
                        Readiness.NOTHING,
                        ScanScope.CLUSTER,
                        CallPolicy.of(Optional.empty()),
                        Optional.empty())
                .next(probe(), this::probe, null);
    }

    private CallContext probe() {
        return new CallContext(components.environment()::nanoTime, PROBE_NANOS);
    }

    @Override
    public CompletionStage<Void> ready() {
        return readiness.await();
    }

    /** Refuses calls and requests of peers from now on. */
    private void failed(String why) {
        if (!closed.get()) {
            String refusal = "this node can no longer serve: " + why;
            try {
                runtime.fail(refusal);
                readiness.close(refusal);
                admission.close(refusal);
            } finally {
                try {
                    // Before it is logged: no line that says that the node serves may come after that.
                    failure.complete(why);
                } finally {
                    log(why);
                    locks.close(refusal);
                }
            }
        }
    }

    private void log(String why) {
        if (membership.isRemoved()) {
            LOG.info("this node was removed from the cluster: {}", why);
        } else {
            LOG.error("this node can no longer serve: {}", why);
        }
    }

    @Override
    public CompletionStage<String> failure() {
        return failure.minimalCompletionStage();
    }

    @Override
    public CompletionStage<Optional<Value>> get(Key key, CallOptions options) {
        requireNonNull(key, "key");
        requireNonNull(options, "options");
        ObservedCall observed = observations.begin(Call.GET, key, options);
        return admission.run(observed, () -> reads.get(key, options, observed));
    }

    @Override
    public CompletionStage<Version> put(Key key, byte[] value, CallOptions options) {
        requireNonNull(key, "key");
        requireNonNull(value, "value");
        requireNonNull(options, "options");
        return writes.put(key, value, options, observations.begin(Call.PUT, key, options));
    }

    @Override
    public CompletionStage<Version> delete(Key key, CallOptions options) {
        requireNonNull(key, "key");
        requireNonNull(options, "options");
        return writes.delete(key, options, observations.begin(Call.DELETE, key, options));
    }

    @Override
    public CompletionStage<Map<Key, Value>> getAll(Collection<Key> keys, CallOptions options) {
        requireNonNull(keys, "keys");
        requireNonNull(options, "options");
        keys.forEach(key -> requireNonNull(key, "key"));
        ObservedCall observed = observations.begin(Call.GET_ALL, keys.size(), options);
        return admission.run(
                observed, () -> reads.getAll(new ArrayList<>(new LinkedHashSet<>(keys)), options, observed));
    }

    @Override
    public CompletionStage<Version> putAll(Map<Key, byte[]> values, CallOptions options) {
        requireNonNull(values, "values");
        requireNonNull(options, "options");
        long bytes = 0;
        for (Map.Entry<Key, byte[]> value : values.entrySet()) {
            bytes += requireNonNull(value.getKey(), "key").length() + requireNonNull(value.getValue(), "value").length;
        }
        return writes.putAll(values, bytes, options, observations.begin(Call.PUT_ALL, values.size(), options));
    }

    @Override
    public CompletionStage<AtomicResult> execute(String map, Key key, AtomicChange change, CallOptions options) {
        requireNonNull(map, "map");
        requireNonNull(key, "key");
        requireNonNull(change, "change");
        requireNonNull(options, "options");
        return atomics.execute(map, key, change.copy(), options);
    }

    @Override
    public DhtLock lock(String map, Key key) {
        return locks.lock(requireNonNull(map, "map"), requireNonNull(key, "key"));
    }

    @Override
    public Scan scan(KeyRange range, ScanScope scope, CallOptions options) {
        requireNonNull(range, "range");
        requireNonNull(scope, "scope");
        requireNonNull(options, "options");
        return scans.scan(range, scope, options, Optional.empty());
    }

    @Override
    public CompletionStage<Snapshot> openSnapshot(Duration lease, CallOptions options) {
        requireNonNull(lease, "lease");
        requireNonNull(options, "options");
        ObservedCall observed = observations.begin(Call.OPEN_SNAPSHOT, 0, options);
        return admission.run(observed, () -> scans.openSnapshot(lease, options).thenApply(this::snapshot));
    }

    @Override
    public Snapshot snapshot(Version version) {
        requireNonNull(version, "version");
        return new Snapshot() {
            @Override
            public Version version() {
                return version;
            }

            @Override
            public Scan scan(KeyRange range, CallOptions options) {
                requireNonNull(range, "range");
                requireNonNull(options, "options");
                return scans.scan(range, ScanScope.CLUSTER, options, Optional.of(version));
            }

            @Override
            public CompletionStage<Void> close(CallOptions options) {
                requireNonNull(options, "options");
                ObservedCall observed = observations.begin(Call.CLOSE_SNAPSHOT, 0, options);
                return admission.run(observed, () -> scans.closeSnapshot(version, options));
            }

            @Override
            public String toString() {
                return "snapshot " + version;
            }
        };
    }

    @Override
    public CompletionStage<KeyPlacement> locate(Key key) {
        requireNonNull(key, "key");
        return CompletableFuture.completedFuture(PlacementReport.of(components.view(), key));
    }

    @Override
    public Topology topology() {
        return components.view().topology();
    }

    @Override
    public ReplicationPolicy defaultPolicy() {
        return rules.defaultPolicy();
    }

    @Override
    public NodeOperations operations() {
        return operations;
    }

    @Override
    public void close() {
        if (!closed.get()) {
            ClosingThread.check("node " + components.self(), false, LOG::warn);
        }
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        try {
            readiness.close("this node is closed");
            locks.close("this node is closed");
            runtime.close(admission.close());
        } finally {
            writes.close();
            if (ownsEnvironment && started) {
                components.environment().close();
            }
        }
    }

    @Override
    public String toString() {
        return "node " + components.self();
    }
}
