package io.dht4j.core.internal.coordinator;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.InvalidRequestException;
import io.dht4j.Key;
import io.dht4j.KeyPlacement;
import io.dht4j.KeyRange;
import io.dht4j.KeyValue;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.NodeStatus;
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
import io.dht4j.core.internal.admission.RetryBudget;
import io.dht4j.core.internal.clock.HybridClock;
import io.dht4j.core.internal.detection.Suspicion;
import io.dht4j.core.internal.handoff.Handoff;
import io.dht4j.core.internal.refill.Refill;
import io.dht4j.core.internal.refill.RefillSource;
import io.dht4j.core.internal.repair.AntiEntropy;
import io.dht4j.core.internal.repair.Content;
import io.dht4j.core.internal.repair.Fence;
import io.dht4j.core.internal.replica.PeerEndpoint;
import io.dht4j.core.internal.replica.Replica;
import io.dht4j.core.internal.snapshot.Cuts;
import io.dht4j.core.internal.wire.FrameCodec;
import io.dht4j.core.internal.wire.FrameHeader;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Entry;
import io.dht4j.spi.Environment;
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
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A cluster as seen from one of its nodes: validates calls, lets them in, and hands them to the operations. */
public final class NodeCluster implements Cluster {

    private static final Logger LOG = LoggerFactory.getLogger(NodeCluster.class);
    private static final Duration START_TIMEOUT = Duration.ofSeconds(30);
    private static final Duration PING_TIMEOUT = Duration.ofSeconds(2);
    private static final Duration MIN_LEASE = Duration.ofSeconds(1);
    private static final Duration MAX_LEASE = Duration.ofHours(1);

    private final Parts parts;
    private final Limits limits;
    private final Environment environment;
    private final boolean ownsEnvironment;
    private final HybridClock clock;
    private final Cuts cuts;
    private final Replica replica;
    private final PeerEndpoint endpoint;
    private final List<Node> others;
    private final Peers peers;
    private final OwnMemory ownMemory;
    private final ReadRepair readRepair;
    private final Handoff handoff;
    private final Fence fence;
    private final Optional<AntiEntropy> antiEntropy;
    private final Refill refill;
    private final Suspicion suspicion;
    private final Admission admission;
    private final ReplicationPolicy defaultPolicy;
    private final StatusReport status;
    private final AtomicBoolean closed = new AtomicBoolean();

    /**
     * A node that is not started yet.
     *
     * @param given what it is made of
     * @param limits the numbers it runs by
     * @param clock its hybrid clock
     * @param ownsEnvironment whether closing closes the environment too
     */
    public NodeCluster(Parts given, Limits limits, HybridClock clock, boolean ownsEnvironment) {
        this.cuts = new Cuts(given.store(), given.environment(), clock, limits.snapshotBytes());
        Parts parts = given.withStore(cuts.store());
        this.parts = parts;
        this.limits = limits;
        this.clock = clock;
        this.environment = parts.environment();
        this.ownsEnvironment = ownsEnvironment;
        int partitions = parts.table().partitions();
        this.fence = new Fence(parts.store(), partitions, parts::partitionOf);
        Content content = new Content(
                parts.store(),
                fence,
                partitions,
                parts::partitionOf,
                environment::currentTimeMillis,
                limits.repair().purgeAfter());
        this.refill =
                new Refill(environment, parts.self(), parts.table(), limits.refill(), parts.refill(), this::bringPage);
        this.replica = new Replica(
                parts.store(),
                fence,
                content,
                environment,
                clock,
                cuts,
                parts::partitionOf,
                limits.maxValueBytes(),
                limits.maxInFlight(),
                limits.maxInFlightBytes(),
                limits.overload().queue(),
                refill.unfilled());
        long epoch = parts.topology().epoch();
        long fingerprint = parts.fingerprint();
        Supplier<FrameHeader> header = () -> new FrameHeader(epoch, fingerprint, clock.current());
        int maxFrameBytes = limits.maxValueBytes() + FrameCodec.FRAME_OVERHEAD;
        this.endpoint = new PeerEndpoint(replica, header, clock, maxFrameBytes, parts::mayCall);
        if (!parts.isNode()) {
            endpoint.stop("this member of the cluster stores nothing");
        }
        this.others = parts.topology().nodes().stream()
                .filter(node -> !node.id().equals(parts.self()))
                .toList();
        this.suspicion = new Suspicion(environment, others, parts.detector(), this::ping);
        this.peers = new Peers(parts, limits, replica, header, clock, suspicion, this::heard);
        this.handoff =
                new Handoff(environment, others, parts.hints(), limits.handoff(), new PeerHints(parts, limits, peers));
        this.ownMemory = new OwnMemory(parts, limits.readFanOut());
        this.readRepair = new ReadRepair(parts, limits, peers);
        this.admission = new Admission("calls under way", limits.maxInFlight(), limits.maxInFlightBytes());
        this.defaultPolicy = ReplicationPolicy.majorityOf(limits.replicationFactor());
        this.antiEntropy = parts.isNode()
                ? Optional.of(new AntiEntropy(
                        environment,
                        parts.self(),
                        content,
                        new PeerRepair(parts, peers),
                        limits.repair(),
                        partitions,
                        partition -> parts.table().replicas(partition, limits.replicationFactor())))
                : Optional.empty();
        this.status = new StatusReport(parts, limits, handoff, refill, this::counts);
        resumeClock();
    }

    private void heard(NodeId node, long now) {
        suspicion.heard(node, now);
        handoff.answered(node);
    }

    /**
     * Asks a node for a sign of life, which comes to {@link #heard} if it comes. Its answer carries its clock, so that a node whose own is behind gives
     * versions that are new; and a cluster whose nodes place keys differently is noticed at once.
     */
    private void ping(Node node) {
        CallContext context = new CallContext(environment::nanoTime, PING_TIMEOUT.toNanos());
        peers.ask(node, Outgoing.alone(new Request.Ping()), context, new ReplyHandler() {
            @Override
            public void replied(Reply reply) {
                LOG.debug("{} is there", node.id());
            }

            @Override
            public void failed(PeerFailure failure) {
                if (failure.code() == ErrorCode.PLACEMENT_MISMATCH) {
                    LOG.error("{}", failure);
                } else {
                    LOG.debug("{}", failure);
                }
            }
        });
    }

    private OverloadCounts counts() {
        RetryBudget budget = peers.budget();
        return new OverloadCounts(
                admission.refused() + peers.room().refusedCalls(),
                replica.dropped(),
                peers.room().refusedRequests(),
                budget.retries(),
                budget.hedges(),
                budget.denied());
    }

    /** The refill begins when the ways to the other nodes are there. */
    private void bringPage(Node node, BitSet partitions, Key start, RefillSource.Outcome outcome) {
        new PeerPages(parts, limits, peers).bring(node, partitions, start, outcome);
    }

    private void resumeClock() {
        Version newest = parts.store().newestAtOpen();
        long ahead = newest.millis() - environment.currentTimeMillis();
        if (ahead > clock.maxSkewMillis()) {
            LOG.warn(
                    "the store's newest entry is {} ms ahead of this node's clock; peers whose clocks are right refuse"
                            + " its writes until then: check the clock",
                    ahead);
        }
        clock.resume(newest);
    }

    /**
     * Starts to listen. Blocks until the transport accepts requests.
     *
     * @throws io.dht4j.spi.TransportException if it cannot listen; the node is then closed
     */
    public void start() {
        parts.store().bind(parts.description());
        fence.load();
        antiEntropy.ifPresent(AntiEntropy::start);
        try {
            CompletionStage<Void> started = parts.transport().start(endpoint);
            started.toCompletableFuture().get(START_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            close();
            Throwable cause = DhtException.unwrap(e);
            throw cause instanceof RuntimeException failure ? failure : new IllegalStateException(cause);
        } catch (TimeoutException e) {
            close();
            throw new IllegalStateException("the transport did not start within " + START_TIMEOUT, e);
        } catch (InterruptedException e) {
            close();
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the transport was starting", e);
        }
        others.forEach(this::ping);
        handoff.start();
        refill.start();
    }

    @Override
    public CompletionStage<Optional<Value>> get(Key key, CallOptions options) {
        return call(0, () -> {
            ReplicationPolicy policy = readPolicy(options);
            Optional<OwnMemory.Held> own = refill.unfilled().isEmpty() ? ownMemory.read(key, policy) : Optional.empty();
            return own.isPresent()
                    ? CompletableFuture.completedFuture(visible(own.get().entry()))
                    : read(List.of(key), policy, options, entries -> visible(entries.get(0)));
        });
    }

    @Override
    public CompletionStage<Version> put(Key key, byte[] value, CallOptions options) {
        return call((long) key.length() + value.length, () -> {
            long expiry = expiry(options);
            requireFits(key, value);
            // A copy: the store keeps the array, and the caller may use its own again.
            return write(options, version -> List.of(Entry.value(key, version, value.clone(), expiry)));
        });
    }

    @Override
    public CompletionStage<Version> delete(Key key, CallOptions options) {
        return call(key.length(), () -> {
            refuseTimeToLive(options);
            return write(options, version -> List.of(Entry.tombstone(key, version)));
        });
    }

    @Override
    public CompletionStage<Map<Key, Value>> getAll(Collection<Key> keys, CallOptions options) {
        return call(0, () -> {
            List<Key> distinct = new ArrayList<>(new LinkedHashSet<>(keys));
            requireBatch(distinct.size());
            if (distinct.isEmpty()) {
                policy(options);
                return CompletableFuture.completedFuture(Map.of());
            }
            return read(distinct, readPolicy(options), options, entries -> {
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
            requireBatch(values.size());
            long expiry = expiry(options);
            values.forEach(this::requireFits);
            return write(options, version -> {
                List<Entry> entries = new ArrayList<>(values.size());
                values.forEach((key, value) -> entries.add(Entry.value(key, version, value.clone(), expiry)));
                return entries;
            });
        });
    }

    @Override
    public Scan scan(KeyRange range, ScanScope scope, CallOptions options) {
        Supplier<ClusterScan> begin = () -> {
            refuseTimeToLive(options);
            if (scope == ScanScope.NODE && !parts.isNode()) {
                throw new InvalidRequestException(
                        ErrorCode.SCAN_INVALID, "this member stores nothing: ask a node for its own entries");
            }
            return new ClusterScan(parts, peers, range, scope, policy(options), Optional.empty());
        };
        return pages(begin, options);
    }

    @Override
    public CompletionStage<Version> openSnapshot(Duration lease, CallOptions options) {
        return call(0, () -> {
            refuseTimeToLive(options);
            if (lease.compareTo(MIN_LEASE) < 0 || lease.compareTo(MAX_LEASE) > 0) {
                throw new InvalidRequestException(
                        ErrorCode.BAD_REQUEST,
                        "a snapshot's lease must be " + MIN_LEASE.toMillis() + " to " + MAX_LEASE.toMillis()
                                + " ms, not " + lease.toMillis());
            }
            return SnapshotOpening.start(parts, peers, clock, cuts, policy(options), lease.toNanos(), context(options));
        });
    }

    @Override
    public Scan scanSnapshot(Version snapshot, KeyRange range, CallOptions options) {
        return pages(
                () -> {
                    refuseTimeToLive(options);
                    return new ClusterScan(
                            parts, peers, range, ScanScope.CLUSTER, policy(options), Optional.of(snapshot));
                },
                options);
    }

    @Override
    public CompletionStage<Void> closeSnapshot(Version snapshot, CallOptions options) {
        return call(0, () -> SnapshotOpening.end(parts, peers, snapshot, context(options)));
    }

    private Scan pages(Supplier<ClusterScan> begin, CallOptions options) {
        return new Scan() {
            // Handed from one page to the next by the caller, who asks for one at a time.
            private volatile Optional<ClusterScan> running = Optional.empty();
            private volatile boolean over;

            @Override
            public CompletionStage<List<KeyValue>> next() {
                if (over) {
                    return CompletableFuture.completedFuture(List.of());
                }
                return call(0, () -> {
                    ClusterScan scan = running.orElseGet(begin);
                    running = Optional.of(scan);
                    return scan.next(() -> context(options));
                });
            }

            @Override
            public void close() {
                over = true;
                running.ifPresent(ClusterScan::close);
            }
        };
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
        return defaultPolicy;
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
        BitSet chosen = new BitSet();
        int count = parts.table().partitions();
        for (int partition : partitions) {
            if (partition < 0 || partition >= count) {
                return CompletableFuture.failedFuture(new InvalidRequestException(
                        ErrorCode.BAD_REQUEST, "a partition is 0 to " + (count - 1) + ", not " + partition));
            }
            chosen.set(partition);
        }
        return repairing(each -> each.repair(chosen));
    }

    @Override
    public CompletionStage<RepairStatus> repairStatus() {
        return repairing(AntiEntropy::status);
    }

    private CompletionStage<RepairStatus> repairing(Function<AntiEntropy, RepairStatus> ask) {
        try {
            return CompletableFuture.completedFuture(ask.apply(antiEntropy.orElseThrow(() ->
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
        await(admission.close(), "calls");
        suspicion.close();
        antiEntropy.ifPresent(AntiEntropy::close);
        refill.close();
        await(handoff.drain(), "hints for other nodes");
        endpoint.stop("this node is shutting down");
        try {
            parts.transport().close();
        } finally {
            await(replica.close(), "requests of peers");
            try {
                // What calls missed that ended with the transport is kept too.
                await(handoff.settle(), "missed writes");
                handoff.close();
            } finally {
                closeStore();
            }
        }
    }

    private void closeStore() {
        try {
            parts.store().close();
        } finally {
            if (ownsEnvironment) {
                environment.close();
            }
        }
    }

    private void await(CompletableFuture<Void> drained, String what) {
        try {
            if (!drained.isDone()) {
                drained.get(limits.drainTimeout().toMillis(), TimeUnit.MILLISECONDS);
            }
        } catch (TimeoutException e) {
            LOG.warn("{} were still under way after {}; closing all the same", what, limits.drainTimeout());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            LOG.warn("interrupted while {} were under way; closing at once", what);
        } catch (ExecutionException e) {
            throw new IllegalStateException("this future never fails", e);
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
        } catch (RuntimeException e) {
            LOG.error("a call failed in an unexpected way", e);
            running = CompletableFuture.failedFuture(DhtException.of(ErrorCode.INTERNAL, "internal error: " + e));
        }
        // The caller gets the stage behind this one, so that its next call finds the room that this one leaves.
        return running.whenComplete((result, error) -> admission.leave(bytes));
    }

    private <T> CompletableFuture<T> read(
            List<Key> keys, ReplicationPolicy policy, CallOptions options, Function<List<Optional<Entry>>, T> finish) {
        ReadOperation operation = ReadOperation.start(parts, limits, peers, readRepair, keys, policy, context(options));
        ReadStage<T> stage = ReadStage.of(operation);
        operation.result().whenComplete((entries, error) -> {
            if (error == null) {
                try {
                    stage.complete(finish.apply(entries));
                } catch (RuntimeException e) {
                    LOG.error("a read failed in an unexpected way", e);
                    stage.completeExceptionally(DhtException.of(ErrorCode.INTERNAL, "internal error: " + e));
                }
            } else {
                stage.completeExceptionally(error);
            }
        });
        return stage;
    }

    private CompletableFuture<Version> write(CallOptions options, Function<Version, List<Entry>> entriesOf) {
        ReplicationPolicy policy = policy(options);
        // Before there is a version: a snapshot waits for the writes that may be older than it is.
        Cuts.Write underWay = cuts.writeBegins();
        CompletableFuture<Void> written;
        Version version = clock.next();
        try {
            List<Entry> entries = entriesOf.apply(version);
            written = entries.isEmpty()
                    ? CompletableFuture.completedFuture(null)
                    : WriteOperation.start(
                            parts, peers, handoff, entries, policy, context(options), limits.maxValueBytes());
        } catch (RuntimeException | Error e) {
            underWay.ended();
            throw e;
        }
        return written.whenComplete((done, error) -> underWay.ended()).thenApply(done -> version);
    }

    private Optional<Value> visible(Optional<Entry> entry) {
        return entry.filter(e -> e.isLive(environment.currentTimeMillis())).map(Values::of);
    }

    private CallContext context(CallOptions options) {
        Duration timeout = options.timeout().orElse(limits.timeout());
        return new CallContext(environment::nanoTime, timeout.toNanos());
    }

    private ReplicationPolicy readPolicy(CallOptions options) {
        refuseTimeToLive(options);
        return policy(options);
    }

    private ReplicationPolicy policy(CallOptions options) {
        ReplicationPolicy policy = options.policy().orElse(defaultPolicy);
        int nodes = parts.topology().size();
        if (policy.from() > nodes) {
            throw new InvalidRequestException(
                    ErrorCode.POLICY_INVALID,
                    "a policy needs 1 <= ack <= from <= " + nodes + " (the number of nodes), not ack=" + policy.ack()
                            + ", from=" + policy.from());
        }
        return policy;
    }

    private long expiry(CallOptions options) {
        return options.timeToLive()
                .map(ttl -> environment.currentTimeMillis() + ttl.toMillis())
                .orElse(Entry.NEVER);
    }

    private static void refuseTimeToLive(CallOptions options) {
        if (options.timeToLive().isPresent()) {
            throw new InvalidRequestException(ErrorCode.TTL_INVALID, "a time to live is for put and putAll only");
        }
    }

    private void requireFits(Key key, byte[] value) {
        if (value.length > limits.maxValueBytes()) {
            throw new InvalidRequestException(
                    ErrorCode.VALUE_TOO_LARGE,
                    "a value has at most " + limits.maxValueBytes() + " bytes, that of key " + key + " has "
                            + value.length);
        }
    }

    private void requireBatch(int size) {
        if (size > limits.maxBatch()) {
            throw new InvalidRequestException(
                    ErrorCode.BATCH_TOO_LARGE, "a batch has at most " + limits.maxBatch() + " keys, not " + size);
        }
    }
}
