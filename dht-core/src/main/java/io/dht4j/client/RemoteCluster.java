package io.dht4j.client;

import static java.util.Objects.requireNonNull;

import io.dht4j.AtomicChange;
import io.dht4j.AtomicResult;
import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.ClusterMembership;
import io.dht4j.DhtException;
import io.dht4j.DhtLock;
import io.dht4j.ErrorCode;
import io.dht4j.InvalidRequestException;
import io.dht4j.Key;
import io.dht4j.KeyPlacement;
import io.dht4j.KeyRange;
import io.dht4j.KeyValue;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.NodeOperations;
import io.dht4j.NodeStatus;
import io.dht4j.ReplicationPolicy;
import io.dht4j.Scan;
import io.dht4j.ScanScope;
import io.dht4j.Snapshot;
import io.dht4j.Topology;
import io.dht4j.UnavailableException;
import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.client.RemoteCall.Kind;
import io.dht4j.core.SystemEnvironment;
import io.dht4j.core.internal.admission.RetryBudget;
import io.dht4j.core.internal.coordinator.node.Readiness;
import io.dht4j.core.internal.lock.Locks;
import io.dht4j.core.internal.snapshot.Snapshots;
import io.dht4j.core.options.OverloadProtection.Retries;
import io.dht4j.spi.ClosingThread;
import io.dht4j.spi.Environment;
import io.dht4j.spi.Observer.Call;
import io.dht4j.spi.RemoteApi;
import java.time.Duration;
import java.util.ArrayList;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A cluster accessed by a process that is not a member: each call goes to one of the nodes through a public API, and
 * that node coordinates it.
 *
 * <p>The client prefers one node as long as it answers, chosen at random so that clients spread. When the node fails,
 * the client tries the others in their order within the call's deadline. It repeats a read after every failure that
 * another node may avoid, and a write only if nothing has changed. It reports a write of unknown outcome and never
 * repeats it. A node that says that it is about to stop is tried last for ten seconds, while it still serves.
 *
 * <p>In a cluster whose nodes may change, the client asks for the status every half a minute, and also tries the nodes
 * that it learns of. The given ones it never forgets.
 *
 * <p>Repeated tries are limited to a tenth of the calls plus ten per second, so that they do not amplify an overload. A
 * node that failed is tried last for a second. A read spends half of the remaining time on a node that does not answer.
 *
 * <p>Closing fails the running calls and closes the API.
 */
public final class RemoteCluster implements Cluster {

    private static final Logger LOG = LoggerFactory.getLogger(RemoteCluster.class);
    private static final Retries RETRIES = new Retries(0.1, 10);

    private final RemoteApi api;
    private final RemoteTargets targets;
    private final RemoteOptions options;
    private final Environment environment;
    private final boolean ownsEnvironment;
    private final RemoteCalls calls;
    private final RemoteAtomics atomics;
    private final Locks locks;
    private final RemoteMembership membership;
    private final RemoteStatus status;
    private final RemoteOperations operations;
    private final Readiness readiness;

    private RemoteCluster(
            RemoteApi api,
            RemoteTargets targets,
            RemoteOptions options,
            Environment environment,
            boolean ownsEnvironment,
            RetryBudget budget,
            NodeStatus first) {
        this.api = api;
        this.targets = targets;
        this.options = options;
        this.environment = environment;
        this.ownsEnvironment = ownsEnvironment;
        this.calls = new RemoteCalls(environment, targets, budget, options, api::isClosed);
        this.atomics = new RemoteAtomics(api, calls, environment);
        this.locks = new Locks(this, environment);
        this.membership = new RemoteMembership(calls, api, environment);
        this.status = new RemoteStatus(api, calls, targets, environment, first);
        this.operations = new RemoteOperations(api, calls, status);
        this.readiness = new Readiness(environment, this::scanNothing);
    }

    /**
     * Connects to a cluster. Blocks until one of its nodes has answered.
     *
     * @param api the client of the nodes; owned by the cluster from now on, also if connecting fails
     * @param addresses nodes of the cluster, one or more, each in the form {@code host:port}
     * @param options timeouts and limits
     * @return the cluster, which the caller closes
     * @throws IllegalArgumentException if there is no address, or one is malformed or repeated; the message names it
     * @throws InvalidRequestException if every node refuses this client, for example without a valid token
     * @throws UnavailableException if no node has answered in time; the message names each address and its failure
     * @throws IllegalStateException if another cluster uses the client, which stays open
     */
    public static RemoteCluster connect(RemoteApi api, List<String> addresses, RemoteOptions options) {
        requireNonNull(api, "api").claim();
        SystemEnvironment environment = new SystemEnvironment("dht4j-remote", 1);
        try {
            return connecting(api, addresses, options, environment, true)
                    .get(2 * options.connectTimeout().toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw closing(api, environment, DhtException.unwrap(e));
        } catch (TimeoutException e) {
            throw closing(
                    api, environment, new UnavailableException(ErrorCode.NOT_SERVING, "no node answered in time"));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw closing(api, environment, new IllegalStateException("interrupted while connecting", e));
        } catch (RuntimeException e) {
            throw closing(api, environment, e);
        }
    }

    private static RuntimeException closing(RemoteApi api, Environment environment, Throwable failure) {
        RuntimeException thrown = failure instanceof DhtException known
                ? known.traced()
                : failure instanceof RuntimeException e ? e : new IllegalStateException("cannot connect", failure);
        try {
            api.close();
        } catch (RuntimeException e) {
            thrown.addSuppressed(e);
        }
        environment.close();
        return thrown;
    }

    /**
     * Connects to a cluster without blocking.
     *
     * @param api the client of the nodes; owned by the cluster if connecting succeeds
     * @param addresses nodes of the cluster, one or more, each in the form {@code host:port}
     * @param options timeouts and limits
     * @param environment the source of time, random numbers and timers; owned by the caller, who closes it after the
     *     cluster
     * @return a stage that completes with the cluster when one node has answered; fails with an
     *     {@link UnavailableException}, or an {@link InvalidRequestException} if every node refuses this client, that
     *     names each address and its failure
     * @throws IllegalArgumentException if there is no address, or one is malformed or repeated; the message names it
     */
    public static CompletionStage<RemoteCluster> connecting(
            RemoteApi api, List<String> addresses, RemoteOptions options, Environment environment) {
        requireNonNull(api, "api").claim();
        return connecting(api, addresses, options, requireNonNull(environment, "environment"), false);
    }

    private static CompletableFuture<RemoteCluster> connecting(
            RemoteApi api,
            List<String> addresses,
            RemoteOptions options,
            Environment environment,
            boolean ownsEnvironment) {
        requireNonNull(addresses, "addresses").forEach(address -> requireNonNull(address, "address"));
        requireNonNull(options, "options");
        RemoteTargets targets = new RemoteTargets(addresses, environment);
        api.onStopping(targets::stopping);
        RetryBudget budget = new RetryBudget(RETRIES, environment::nanoTime);
        return RemoteCall.start(
                        environment,
                        api::isClosed,
                        budget,
                        Kind.SEARCH,
                        targets.inOrder(),
                        CallOptions.defaults(),
                        options.connectTimeout(),
                        api::status)
                .thenApply(
                        first -> new RemoteCluster(api, targets, options, environment, ownsEnvironment, budget, first));
    }

    @Override
    public CompletionStage<Optional<Value>> get(Key key, CallOptions call) {
        requireNonNull(key, "key");
        requireNonNull(call, "options");
        return calls.start(Call.GET, Kind.READ, call, (address, within) -> api.get(address, key, within));
    }

    @Override
    public CompletionStage<Version> put(Key key, byte[] value, CallOptions call) {
        requireNonNull(key, "key");
        requireNonNull(value, "value");
        requireNonNull(call, "options");
        byte[] copy = value.clone();
        return calls.startPut(Call.PUT, 1, call, (address, within) -> api.put(address, key, copy, within));
    }

    @Override
    public CompletionStage<Version> delete(Key key, CallOptions call) {
        requireNonNull(key, "key");
        requireNonNull(call, "options");
        return calls.start(Call.DELETE, Kind.WRITE, call, (address, within) -> api.delete(address, key, within));
    }

    @Override
    public CompletionStage<Map<Key, Value>> getAll(Collection<Key> keys, CallOptions call) {
        requireNonNull(keys, "keys");
        requireNonNull(call, "options");
        keys.forEach(key -> requireNonNull(key, "key"));
        List<Key> distinct = List.copyOf(new LinkedHashSet<>(keys));
        Set<Key> asked = Set.copyOf(distinct);
        return calls.startReads(
                Call.GET_ALL,
                distinct.size(),
                call,
                (address, within) -> api.getAll(address, distinct, within).thenApply(found -> {
                    if (!asked.containsAll(found.keySet())) {
                        throw DhtException.of(
                                ErrorCode.INTERNAL,
                                "node at " + address
                                        + ": its answer is not what it should be: a key that was not asked for");
                    }
                    return found;
                }));
    }

    @Override
    public CompletionStage<Version> putAll(Map<Key, byte[]> values, CallOptions call) {
        requireNonNull(values, "values");
        requireNonNull(call, "options");
        Map<Key, byte[]> copy = new LinkedHashMap<>();
        values.forEach((key, value) -> copy.put(
                requireNonNull(key, "key"), requireNonNull(value, "value").clone()));
        return calls.startPut(Call.PUT_ALL, copy.size(), call, (address, within) -> api.putAll(address, copy, within));
    }

    /**
     * {@inheritDoc}
     *
     * <p>An operation has an id, so the client repeats it at other nodes even if its outcome is unknown.
     */
    @Override
    public CompletionStage<AtomicResult> execute(String map, Key key, AtomicChange change, CallOptions call) {
        requireNonNull(map, "map");
        requireNonNull(key, "key");
        requireNonNull(change, "change");
        requireNonNull(call, "options");
        return atomics.execute(map, key, change, call);
    }

    @Override
    public DhtLock lock(String map, Key key) {
        return locks.lock(requireNonNull(map, "map"), requireNonNull(key, "key"));
    }

    /**
     * {@inheritDoc}
     *
     * <p>With the scope {@link ScanScope#NODE}, all pages come from the node that is preferred when the first one is
     * requested.
     */
    @Override
    public Scan scan(KeyRange range, ScanScope scope, CallOptions call) {
        requireNonNull(range, "range");
        requireNonNull(scope, "scope");
        requireNonNull(call, "options");
        List<RemoteTargets.Target> one = new ArrayList<>(1);
        return new RemoteScan(range, rest -> {
            RemoteCall.Try<List<KeyValue>> page =
                    (address, within) -> api.scan(address, rest, scope, options.scanPageSize(), within)
                            .thenApply(got -> RemoteScan.checked(address, got, rest, options.scanPageSize()));
            if (scope == ScanScope.CLUSTER) {
                return calls.start(Call.SCAN_PAGE, Kind.READ, call, page);
            }
            if (one.isEmpty()) {
                one.add(targets.inOrder().get(0));
            }
            return calls.startAt(one.get(0), Call.SCAN_PAGE, call, page);
        });
    }

    @Override
    public CompletionStage<Snapshot> openSnapshot(Duration lease, CallOptions call) {
        requireNonNull(lease, "lease");
        requireNonNull(call, "options");
        try {
            Snapshots.requireLease(lease);
        } catch (InvalidRequestException e) {
            return CompletableFuture.failedFuture(e);
        }
        // A snapshot opened twice is harmless: the unused one ends with its lease.
        return calls.start(
                Call.OPEN_SNAPSHOT,
                Kind.REPEATABLE,
                call,
                (address, within) -> api.openSnapshot(address, lease, within).thenApply(this::snapshot));
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
            public Scan scan(KeyRange range, CallOptions call) {
                return scanSnapshot(version, range, call);
            }

            @Override
            public CompletionStage<Void> close(CallOptions call) {
                requireNonNull(call, "options");
                return calls.start(
                        Call.CLOSE_SNAPSHOT,
                        Kind.REPEATABLE,
                        call,
                        (address, within) -> api.closeSnapshot(address, version, within));
            }

            @Override
            public String toString() {
                return "snapshot " + version;
            }
        };
    }

    private Scan scanSnapshot(Version snapshot, KeyRange range, CallOptions call) {
        requireNonNull(range, "range");
        requireNonNull(call, "options");
        return new RemoteScan(
                range,
                rest -> calls.start(
                        Call.SCAN_PAGE,
                        Kind.READ,
                        call,
                        (address, within) -> api.scanSnapshot(address, snapshot, rest, options.scanPageSize(), within)
                                .thenApply(got -> RemoteScan.checked(address, got, rest, options.scanPageSize()))));
    }

    @Override
    public CompletionStage<KeyPlacement> locate(Key key) {
        requireNonNull(key, "key");
        return calls.start(Kind.READ, CallOptions.defaults(), (address, within) -> api.locate(address, key, within))
                .thenCompose(located -> {
                    if (topology().nodes().stream().map(Node::id).toList().containsAll(located.replicas())) {
                        return CompletableFuture.completedFuture(placement(located));
                    }
                    // The nodes have changed since this client last refreshed the topology.
                    return status.fetch().thenApply(refreshed -> placement(located));
                });
    }

    private KeyPlacement placement(RemoteApi.Located located) {
        Topology topology = topology();
        List<Node> replicas = new ArrayList<>(located.replicas().size());
        for (NodeId id : located.replicas()) {
            replicas.add(topology.node(id)
                    .orElseThrow(() -> DhtException.of(
                            ErrorCode.STALE_TOPOLOGY, "the nodes do not agree on whether there is a node " + id)));
        }
        return new KeyPlacement(located.partition(), replicas);
    }

    /**
     * {@inheritDoc}
     *
     * <p>The topology is that of the latest status from any node, first fetched when connecting.
     */
    @Override
    public Topology topology() {
        return status.latest().topology();
    }

    /**
     * {@inheritDoc}
     *
     * <p>The policy is that of the node that last sent its status.
     */
    @Override
    public ReplicationPolicy defaultPolicy() {
        return ReplicationPolicy.majorityOf(status.latest().replicationFactor());
    }

    private CompletionStage<?> scanNothing() {
        return calls.start(
                Kind.READ,
                CallOptions.defaults(),
                (address, within) -> api.scan(address, Readiness.NOTHING, ScanScope.CLUSTER, 1, within));
    }

    /**
     * {@inheritDoc}
     *
     * <p>The nodes are asked through the API. The stage also completes if the token of this client does not allow it to
     * read.
     */
    @Override
    public CompletionStage<Void> ready() {
        return readiness.await();
    }

    /**
     * {@inheritDoc}
     *
     * <p>They are those of the first node in the order of tries; to select the node, connect to that node only.
     * {@link NodeOperations#status()} refreshes {@link #topology()} and {@link #defaultPolicy()}. There are no
     * diagnostics.
     */
    @Override
    public NodeOperations operations() {
        return operations;
    }

    @Override
    public ClusterMembership membership() {
        return membership;
    }

    /**
     * Fails the running calls and closes the API. Blocks for a bounded time. Later calls fail with
     * {@link ErrorCode#NOT_SERVING}. May be called repeatedly.
     *
     * @throws IllegalStateException if an action of a stage calls this on a thread of the client; nothing is closed
     *     then
     */
    @Override
    public void close() {
        if (calls.isClosed()) {
            return;
        }
        ClosingThread.check("the remote client", false, LOG::warn);
        status.close();
        readiness.close(RemoteCall.CLOSED);
        locks.close(RemoteCall.CLOSED);
        membership.close();
        Optional<CompletableFuture<Void>> drained = calls.close();
        if (drained.isPresent()) {
            try {
                api.close();
            } finally {
                if (ownsEnvironment) {
                    environment.close();
                }
            }
            if (!drained.get().isDone()) {
                LOG.warn("the remote API {} left calls without an answer", api.name());
            }
        }
    }

    @Override
    public String toString() {
        return "remote client of " + topology();
    }
}
