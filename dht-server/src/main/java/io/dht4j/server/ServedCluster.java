package io.dht4j.server;

import io.dht4j.AtomicChange;
import io.dht4j.AtomicResult;
import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.ClusterMembership;
import io.dht4j.ErrorCode;
import io.dht4j.HotKeys;
import io.dht4j.Key;
import io.dht4j.KeyPlacement;
import io.dht4j.KeyRange;
import io.dht4j.KeyReplica;
import io.dht4j.NodeDiagnostics;
import io.dht4j.NodeGauges;
import io.dht4j.NodeOperations;
import io.dht4j.NodeStatus;
import io.dht4j.RepairStatus;
import io.dht4j.ReplicationPolicy;
import io.dht4j.Scan;
import io.dht4j.ScanScope;
import io.dht4j.SlowCall;
import io.dht4j.Snapshot;
import io.dht4j.Topology;
import io.dht4j.UnavailableException;
import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.server.log.ShellWords;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The cluster of a node that the server's APIs serve, already before its start. Until the node serves, calls are
 * refused as {@link ErrorCode#NOT_SERVING}, with what the start waits for. Remedies in messages are
 * {@linkplain ShellAnswers commands}. Does not close the node. Safe for use by any number of threads.
 */
final class ServedCluster implements Cluster {

    private volatile @Nullable Cluster started;
    private final CompletableFuture<Cluster> starting = new CompletableFuture<>();
    private final ServedOperations operations = new ServedOperations();
    private volatile Supplier<String> waiting = () -> "the node has just been started";

    /** Sets the source of the description of what the start waits for. */
    void waits(Supplier<String> what) {
        waiting = () -> ShellWords.of(what.get());
    }

    /** Serves calls by a cluster from now on. */
    void started(Cluster cluster) {
        started = cluster;
        starting.complete(cluster);
    }

    /** Describes what the start waits for, one line for people; empty once the node serves. */
    String waiting() {
        return started == null ? waiting.get() : "";
    }

    private UnavailableException notYet() {
        return new UnavailableException(ErrorCode.NOT_SERVING, "this node does not serve yet: " + waiting.get());
    }

    private <T> CompletionStage<T> call(Function<Cluster, CompletionStage<T>> call) {
        Cluster cluster = started;
        return cluster == null ? CompletableFuture.failedFuture(notYet()) : ShellAnswers.of(call.apply(cluster));
    }

    private Cluster cluster() {
        Cluster cluster = started;
        if (cluster == null) {
            throw notYet();
        }
        return cluster;
    }

    @Override
    public CompletionStage<Optional<Value>> get(Key key, CallOptions options) {
        return call(cluster -> cluster.get(key, options));
    }

    @Override
    public CompletionStage<Version> put(Key key, byte[] value, CallOptions options) {
        return call(cluster -> cluster.put(key, value, options));
    }

    @Override
    public CompletionStage<Version> delete(Key key, CallOptions options) {
        return call(cluster -> cluster.delete(key, options));
    }

    @Override
    public CompletionStage<Map<Key, Value>> getAll(Collection<Key> keys, CallOptions options) {
        return call(cluster -> cluster.getAll(keys, options));
    }

    @Override
    public CompletionStage<Version> putAll(Map<Key, byte[]> values, CallOptions options) {
        return call(cluster -> cluster.putAll(values, options));
    }

    @Override
    public CompletionStage<AtomicResult> execute(String map, Key key, AtomicChange change, CallOptions options) {
        return call(cluster -> cluster.execute(map, key, change, options));
    }

    @Override
    public Scan scan(KeyRange range, ScanScope scope, CallOptions options) {
        return ShellAnswers.of(cluster().scan(range, scope, options));
    }

    @Override
    public CompletionStage<Snapshot> openSnapshot(Duration lease, CallOptions options) {
        return call(cluster -> cluster.openSnapshot(lease, options)).thenApply(opened -> snapshot(opened.version()));
    }

    @Override
    public Snapshot snapshot(Version version) {
        return new Snapshot() {
            @Override
            public Version version() {
                return version;
            }

            @Override
            public Scan scan(KeyRange range, CallOptions options) {
                return ShellAnswers.of(cluster().snapshot(version).scan(range, options));
            }

            @Override
            public CompletionStage<Void> close(CallOptions options) {
                return call(cluster -> cluster.snapshot(version).close(options));
            }
        };
    }

    @Override
    public CompletionStage<KeyPlacement> locate(Key key) {
        return call(cluster -> cluster.locate(key));
    }

    @Override
    public Topology topology() {
        return cluster().topology();
    }

    @Override
    public ReplicationPolicy defaultPolicy() {
        return cluster().defaultPolicy();
    }

    @Override
    public NodeOperations operations() {
        return operations;
    }

    /** Never completes if the node does not start. */
    @Override
    public CompletionStage<Void> ready() {
        return starting.thenCompose(Cluster::ready);
    }

    @Override
    public ClusterMembership membership() {
        return ShellAnswers.of(cluster().membership());
    }

    @Override
    public void close() {
        // The node closes its cluster.
    }

    /** The operations of the node, with diagnostics once it serves. */
    private final class ServedOperations implements NodeOperations {

        @Override
        public CompletionStage<NodeStatus> status() {
            return call(cluster -> cluster.operations().status()).thenApply(ShellAnswers::of);
        }

        @Override
        public CompletionStage<RepairStatus> repair(Set<Integer> partitions) {
            return call(cluster -> cluster.operations().repair(partitions)).thenApply(ShellAnswers::of);
        }

        @Override
        public CompletionStage<RepairStatus> repairStatus() {
            return call(cluster -> cluster.operations().repairStatus()).thenApply(ShellAnswers::of);
        }

        @Override
        public Optional<NodeDiagnostics> diagnostics() {
            Cluster cluster = started;
            return cluster == null
                    ? Optional.empty()
                    : cluster.operations().diagnostics().map(ServedDiagnostics::new);
        }
    }

    /** The diagnostics of the node, with remedies for a shell. */
    private record ServedDiagnostics(NodeDiagnostics node) implements NodeDiagnostics {

        @Override
        public NodeGauges gauges() {
            return node.gauges();
        }

        @Override
        public List<SlowCall> slowCalls() {
            return node.slowCalls();
        }

        @Override
        public CompletionStage<HotKeys> hotKeys(Duration duration, int count) {
            return ShellAnswers.of(node.hotKeys(duration, count));
        }

        @Override
        public CompletionStage<List<KeyPlacement>> placements(int first, int count) {
            return ShellAnswers.of(node.placements(first, count));
        }

        @Override
        public CompletionStage<List<KeyReplica>> replicas(Key key, CallOptions options) {
            return ShellAnswers.of(node.replicas(key, options)).thenApply(ShellAnswers::of);
        }
    }
}
