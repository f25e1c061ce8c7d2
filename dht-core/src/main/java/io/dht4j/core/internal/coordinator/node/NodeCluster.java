package io.dht4j.core.internal.coordinator.node;

import io.dht4j.CallOptions;
import io.dht4j.ClockProblem;
import io.dht4j.Cluster;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.InvalidRequestException;
import io.dht4j.Key;
import io.dht4j.KeyPlacement;
import io.dht4j.KeyRange;
import io.dht4j.KeyValue;
import io.dht4j.NodeStatus;
import io.dht4j.Ordering;
import io.dht4j.OverloadCounts;
import io.dht4j.RepairStatus;
import io.dht4j.ReplicationPolicy;
import io.dht4j.Scan;
import io.dht4j.ScanScope;
import io.dht4j.Topology;
import io.dht4j.UnavailableException;
import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.core.internal.admission.Admission;
import io.dht4j.core.internal.admission.ByteBudget;
import io.dht4j.core.internal.admission.RetryBudget;
import io.dht4j.core.internal.clock.HybridClock;
import io.dht4j.core.internal.coordinator.config.NodeComponents;
import io.dht4j.core.internal.coordinator.config.NodeConfig;
import io.dht4j.core.internal.coordinator.peer.ReplicaClient;
import io.dht4j.core.internal.coordinator.read.LocalFastRead;
import io.dht4j.core.internal.coordinator.read.ReadOperation;
import io.dht4j.core.internal.coordinator.read.ReadRepair;
import io.dht4j.core.internal.coordinator.read.ReadStage;
import io.dht4j.core.internal.coordinator.scan.ClusterScan;
import io.dht4j.core.internal.coordinator.scan.SnapshotOpening;
import io.dht4j.core.internal.coordinator.scan.Values;
import io.dht4j.core.internal.coordinator.write.VersionQuery;
import io.dht4j.core.internal.coordinator.write.WriteOperation;
import io.dht4j.core.internal.refill.PartitionReadBarrier;
import io.dht4j.core.internal.repair.session.AntiEntropy;
import io.dht4j.core.internal.snapshot.Snapshots;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Entry;
import io.dht4j.spi.Environment;
import io.dht4j.spi.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A cluster as seen from one of its nodes: validates calls, lets them in, and hands them to the operations. */
public final class NodeCluster implements Cluster {

    private static final Logger LOG = LoggerFactory.getLogger(NodeCluster.class);

    private final NodeRuntime machinery;
    private final NodeComponents parts;
    private final NodeConfig limits;
    private final Environment environment;
    private final boolean ownsEnvironment;
    private final ReplicaClient peers;
    private final CallRules rules;
    private final PartitionReadBarrier unfilled;
    private final LocalFastRead ownMemory;
    private final ReadRepair readRepair;
    private final Admission admission;
    private final ByteBudget reads;
    private final StatusReport status;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final CompletableFuture<String> failure = new CompletableFuture<>();

    /**
     * A node that is not started yet.
     *
     * @param given what it is made of
     * @param limits the numbers it runs by
     * @param clock its hybrid clock
     * @param ownsEnvironment whether closing closes the environment too
     */
    public NodeCluster(NodeComponents given, NodeConfig limits, HybridClock clock, boolean ownsEnvironment) {
        this.machinery = new NodeRuntime(given, limits, clock);
        this.parts = machinery.parts;
        this.limits = limits;
        this.environment = parts.environment();
        this.ownsEnvironment = ownsEnvironment;
        this.peers = machinery.peers;
        this.unfilled = machinery.unfilled;
        this.rules = new CallRules(parts, limits);
        this.ownMemory = new LocalFastRead(parts, limits.readFanOut());
        this.readRepair = new ReadRepair(parts, limits, peers);
        this.admission = new Admission("calls under way", limits.maxInFlight(), limits.maxInFlightBytes());
        this.reads = new ByteBudget(limits.maxReadBytes());
        this.status = new StatusReport(
                parts,
                limits,
                machinery.handoff,
                machinery::refillStatus,
                machinery::suspects,
                machinery::disagreeing,
                machinery.clocks::problem,
                this::counts);
    }

    private OverloadCounts counts() {
        RetryBudget budget = peers.budget();
        return new OverloadCounts(
                admission.refused() + peers.room().refusedCalls(),
                machinery.replica.dropped(),
                peers.room().refusedRequests(),
                budget.retries(),
                budget.hedges(),
                budget.denied());
    }

    /**
     * Starts to listen. Blocks until the transport accepts requests.
     *
     * @throws io.dht4j.spi.TransportException if it cannot listen; the node is then closed
     */
    public void start() {
        try {
            machinery.start();
            parts.transport().failure().thenAccept(this::failed);
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    /** Refuses everything from now on: calls here, requests of peers if there is a way for them. */
    private void failed(String why) {
        if (!closed.get()) {
            try {
                LOG.error("this node can no longer serve: {}", why);
            } finally {
                // There may be no memory to log, and then not for the rest either.
                try {
                    machinery.fail(why);
                    admission.close();
                } finally {
                    failure.complete(why);
                }
            }
        }
    }

    @Override
    public CompletionStage<String> failure() {
        return failure.minimalCompletionStage();
    }

    @Override
    public CompletionStage<Optional<Value>> get(Key key, CallOptions options) {
        return call(0, () -> {
            ReplicationPolicy policy = rules.readPolicy(options);
            Ordering ordering = rules.ordering(options, policy);
            boolean mayBeAlone = unfilled.isEmpty() && ordering == Ordering.REAL_TIME;
            Optional<Store.Held> own = mayBeAlone ? ownMemory.read(key, policy) : Optional.empty();
            // One that is closed meanwhile may have been read without what it had.
            return own.isPresent() && unfilled.isEmpty()
                    ? CompletableFuture.completedFuture(visible(own.get().entry()))
                    : read(List.of(key), policy, options, entries -> visible(entries.get(0)));
        });
    }

    @Override
    public CompletionStage<Version> put(Key key, byte[] value, CallOptions options) {
        return call((long) key.length() + value.length, () -> {
            long expiry = rules.expiry(options);
            rules.requireFits(key, value);
            // A copy: the store keeps the array, and the caller may use its own again.
            byte[] copy = value.clone();
            return write(options, List.of(key), version -> List.of(Entry.value(key, version, copy, expiry)));
        });
    }

    @Override
    public CompletionStage<Version> delete(Key key, CallOptions options) {
        return call(key.length(), () -> {
            rules.refuseTimeToLive(options);
            return write(options, List.of(key), version -> List.of(Entry.tombstone(key, version)));
        });
    }

    @Override
    public CompletionStage<Map<Key, Value>> getAll(Collection<Key> keys, CallOptions options) {
        return call(0, () -> {
            List<Key> distinct = new ArrayList<>(new LinkedHashSet<>(keys));
            rules.requireBatch(distinct.size());
            if (distinct.isEmpty()) {
                rules.policy(options);
                return CompletableFuture.completedFuture(Map.of());
            }
            ReplicationPolicy policy = rules.readPolicy(options);
            // Whether it fits; an ordinary read is linearizable if it does.
            rules.ordering(options, policy);
            return read(distinct, policy, options, entries -> {
                Map<Key, Value> values = new LinkedHashMap<>();
                for (int i = 0; i < distinct.size(); i++) {
                    Key key = distinct.get(i);
                    visible(entries.get(i)).ifPresent(value -> values.put(key, value));
                }
                return values;
            });
        });
    }

    @Override
    public CompletionStage<Version> putAll(Map<Key, byte[]> values, CallOptions options) {
        long bytes = 0;
        for (Map.Entry<Key, byte[]> value : values.entrySet()) {
            bytes += value.getKey().length() + value.getValue().length;
        }
        return call(bytes, () -> {
            rules.requireBatch(values.size());
            long expiry = rules.expiry(options);
            values.forEach(rules::requireFits);
            return write(options, List.copyOf(values.keySet()), version -> {
                List<Entry> entries = new ArrayList<>(values.size());
                values.forEach((key, value) -> entries.add(Entry.value(key, version, value.clone(), expiry)));
                return entries;
            });
        });
    }

    @Override
    public Scan scan(KeyRange range, ScanScope scope, CallOptions options) {
        Supplier<ClusterScan> begin = () -> {
            rules.refuseTimeToLive(options);
            rules.refuseOrdering(options);
            if (scope == ScanScope.NODE && !parts.isNode()) {
                throw new InvalidRequestException(
                        ErrorCode.SCAN_INVALID, "this member stores nothing: ask a node for its own entries");
            }
            return new ClusterScan(parts, peers, reads, range, scope, rules.policy(options), Optional.empty());
        };
        return new Pages(begin, options);
    }

    @Override
    public CompletionStage<Version> openSnapshot(Duration lease, CallOptions options) {
        return call(0, () -> {
            rules.refuseTimeToLive(options);
            rules.refuseOrdering(options);
            rules.requireLease(lease);
            ReplicationPolicy policy = rules.policy(options);
            CallContext context = rules.context(options);
            return awaitRightClock(context)
                    .thenCompose(right -> SnapshotOpening.start(
                            parts, peers, machinery.clock, machinery.cuts, policy, lease.toNanos(), context));
        });
    }

    @Override
    public Scan scanSnapshot(Version snapshot, KeyRange range, CallOptions options) {
        return new Pages(
                () -> {
                    rules.refuseTimeToLive(options);
                    rules.refuseOrdering(options);
                    return new ClusterScan(
                            parts,
                            peers,
                            reads,
                            range,
                            ScanScope.CLUSTER,
                            rules.policy(options),
                            Optional.of(snapshot));
                },
                options);
    }

    @Override
    public CompletionStage<Void> closeSnapshot(Version snapshot, CallOptions options) {
        return call(0, () -> SnapshotOpening.end(parts, peers, snapshot, rules.context(options)));
    }

    @Override
    public CompletionStage<KeyPlacement> locate(Key key) {
        int partition = parts.partitionOf(key);
        return CompletableFuture.completedFuture(new KeyPlacement(
                partition, parts.table().replicas(partition, parts.topology().size())));
    }

    @Override
    public Topology topology() {
        return parts.topology();
    }

    @Override
    public ReplicationPolicy defaultPolicy() {
        return rules.defaultPolicy();
    }

    /**
     * {@inheritDoc}
     *
     * <p>Not subject to admission, since those who are refused ask why.
     */
    @Override
    public CompletionStage<NodeStatus> status() {
        if (closed.get()) {
            return CompletableFuture.failedFuture(
                    new UnavailableException(ErrorCode.NOT_SERVING, "this node is closed"));
        }
        return status.ask();
    }

    @Override
    public CompletionStage<RepairStatus> repair(Set<Integer> partitions) {
        return repairing(each -> {
            BitSet chosen = new BitSet();
            for (int partition : partitions) {
                rules.requirePartition(partition);
                chosen.set(partition);
            }
            return each.repair(chosen);
        });
    }

    @Override
    public CompletionStage<RepairStatus> repairStatus() {
        return repairing(AntiEntropy::status);
    }

    private CompletionStage<RepairStatus> repairing(Function<AntiEntropy, RepairStatus> ask) {
        try {
            return CompletableFuture.completedFuture(ask.apply(machinery.antiEntropy.orElseThrow(() ->
                    new InvalidRequestException(ErrorCode.BAD_REQUEST, "this member stores nothing: ask a node"))));
        } catch (DhtException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        try {
            machinery.close(admission.close());
        } finally {
            if (ownsEnvironment) {
                environment.close();
            }
        }
    }

    /** Lets a call in, starts it, and lets it out when it has ended; whatever goes wrong comes through the stage. */
    private <T> CompletionStage<T> call(long bytes, Supplier<CompletableFuture<T>> work) {
        try {
            admission.enter(bytes);
        } catch (DhtException e) {
            return CompletableFuture.failedFuture(e);
        }
        CompletableFuture<T> running;
        try {
            running = work.get();
        } catch (DhtException e) {
            running = CompletableFuture.failedFuture(e);
        } catch (RuntimeException | Error e) {
            running = unexpected(e);
        }
        if (running.isDone()) {
            admission.leave(bytes);
            return running;
        }
        // The caller gets the stage behind this one, so that its next call finds the room that this one leaves.
        return running.whenComplete((result, error) -> admission.leave(bytes));
    }

    /** An error too, of which a lack of memory is the usual one, ends the call that it met, and nothing else. */
    private static <T> CompletableFuture<T> unexpected(Throwable e) {
        LOG.error("a call failed in an unexpected way", e);
        return CompletableFuture.failedFuture(DhtException.of(ErrorCode.INTERNAL, "internal error: " + e));
    }

    private <T> CompletableFuture<T> read(
            List<Key> keys, ReplicationPolicy policy, CallOptions options, Function<List<Optional<Entry>>, T> finish) {
        ReadOperation operation =
                ReadOperation.start(parts, limits, peers, readRepair, reads, keys, policy, rules.context(options));
        ReadStage<T> stage = ReadStage.of(operation);
        operation.result().whenComplete((entries, error) -> {
            if (error == null) {
                try {
                    stage.complete(finish.apply(entries));
                } catch (RuntimeException | Error e) {
                    LOG.error("a read failed in an unexpected way", e);
                    stage.completeExceptionally(DhtException.of(ErrorCode.INTERNAL, "internal error: " + e));
                }
            } else {
                stage.completeExceptionally(error);
            }
        });
        return stage;
    }

    private CompletableFuture<Version> write(
            CallOptions options, List<Key> keys, Function<Version, List<Entry>> entriesOf) {
        ReplicationPolicy policy = rules.policy(options);
        Ordering ordering = rules.ordering(options, policy);
        if (keys.isEmpty()) {
            return CompletableFuture.completedFuture(machinery.versions.next());
        }
        CallContext context = rules.context(options);
        // Before there is a version: a snapshot waits for the writes that may be older than it is.
        Snapshots.Write underWay = machinery.cuts.writeBegins();
        CompletableFuture<Version> written;
        try {
            written = machinery.firstWord.isSaid() && machinery.clocks.problem().isEmpty()
                    ? stampAndWrite(keys, entriesOf, policy, ordering, context)
                    : awaitRightClock(context)
                            .thenCompose(right -> stampAndWrite(keys, entriesOf, policy, ordering, context));
        } catch (RuntimeException | Error e) {
            underWay.ended();
            throw e;
        }
        return written.handle((version, error) -> {
            underWay.ended();
            if (error != null) {
                throw failure(error);
            }
            return version;
        });
    }

    /** What a caller learns of a failure. */
    private static DhtException failure(Throwable error) {
        Throwable cause = DhtException.unwrap(error);
        if (cause instanceof DhtException expected) {
            return expected;
        }
        LOG.error("a write failed in an unexpected way", cause);
        return DhtException.of(ErrorCode.INTERNAL, "internal error: " + cause);
    }

    /**
     * Completes when this node may stamp; fails, before anything is stamped or kept anywhere, if its clock is wrong.
     */
    private CompletableFuture<Void> awaitRightClock(CallContext context) {
        CompletableFuture<Void> waiting = new CompletableFuture<>();
        Environment.Timer deadline = environment.schedule(
                () -> waiting.completeExceptionally(new UnavailableException(
                        ErrorCode.NOT_SERVING,
                        "nothing done: nobody has told this node in time whether its clock is right")),
                Math.max(1, context.remainingNanos()));
        machinery
                .firstWord
                .said()
                .thenCompose(said -> machinery.clocks.confirmedProblem())
                .whenComplete((problem, error) -> {
                    if (error != null) {
                        waiting.completeExceptionally(error);
                    } else if (problem.isPresent()) {
                        waiting.completeExceptionally(wrongClock(problem.get()));
                    } else {
                        waiting.complete(null);
                    }
                });
        return waiting.whenComplete((right, error) -> deadline.cancel());
    }

    private CompletableFuture<Version> stampAndWrite(
            List<Key> keys,
            Function<Version, List<Entry>> entriesOf,
            ReplicationPolicy policy,
            Ordering ordering,
            CallContext context) {
        return ordering == Ordering.REAL_TIME
                ? writeAs(machinery.versions.next(), entriesOf, policy, ordering, context)
                : VersionQuery.start(parts, peers, keys, policy, context).thenCompose(newest -> {
                    // The clock may have been set meanwhile.
                    machinery.clocks.problem().ifPresent(NodeCluster::refuseClock);
                    Version now = machinery.versions.current();
                    Version least = now.compareTo(newest) > 0 ? now : newest;
                    return writeAs(machinery.versions.above(least), entriesOf, policy, ordering, context);
                });
    }

    private CompletableFuture<Version> writeAs(
            Version version,
            Function<Version, List<Entry>> entriesOf,
            ReplicationPolicy policy,
            Ordering ordering,
            CallContext context) {
        return machinery.versions.isReserved(version)
                ? write(entriesOf.apply(version), policy, ordering, context)
                : machinery
                        .versions
                        .reserve(version, context.remainingNanos())
                        .thenCompose(reserved -> write(entriesOf.apply(version), policy, ordering, context));
    }

    private static void refuseClock(ClockProblem problem) {
        throw wrongClock(problem);
    }

    private static UnavailableException wrongClock(ClockProblem problem) {
        return new UnavailableException(
                ErrorCode.CLOCK_CONTRADICTED, "nothing done: the clock of this node is " + problem);
    }

    private CompletableFuture<Version> write(
            List<Entry> entries, ReplicationPolicy policy, Ordering ordering, CallContext context) {
        return WriteOperation.start(
                parts,
                peers,
                machinery.parked,
                machinery.versions,
                entries,
                policy,
                ordering,
                context,
                limits.maxValueBytes());
    }

    private Optional<Value> visible(Optional<Entry> entry) {
        return entry.filter(e -> e.isLive(environment.currentTimeMillis())).map(Values::of);
    }

    /** A scan as its caller sees it: one that has failed stays so, and only the caller ends it. */
    private final class Pages implements Scan {

        private final Supplier<ClusterScan> begin;
        private final CallOptions options;
        // Handed from one page to the next by the caller, who asks for one at a time.
        private volatile Optional<ClusterScan> running = Optional.empty();
        private volatile Optional<Throwable> failure = Optional.empty();
        private volatile boolean over;

        Pages(Supplier<ClusterScan> begin, CallOptions options) {
            this.begin = begin;
            this.options = options;
        }

        @Override
        public CompletionStage<List<KeyValue>> next() {
            if (over) {
                return CompletableFuture.completedFuture(List.of());
            }
            if (failure.isPresent()) {
                return CompletableFuture.failedFuture(failure.get());
            }
            CompletionStage<List<KeyValue>> page = call(0, () -> {
                ClusterScan scan = running.orElseGet(begin);
                running = Optional.of(scan);
                return scan.next(() -> rules.context(options));
            });
            return page.whenComplete(
                    (entries, error) -> failure = Optional.ofNullable(error).map(DhtException::unwrap));
        }

        @Override
        public long heldBytes() {
            return running.map(ClusterScan::heldBytes).orElse(0L);
        }

        @Override
        public void close() {
            over = true;
            running.ifPresent(ClusterScan::close);
        }
    }
}
