package io.dht4j.simulator.contract;

import io.dht4j.AtomicChange;
import io.dht4j.AtomicResult;
import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.KeyValue;
import io.dht4j.MembershipChange;
import io.dht4j.MembershipStatus;
import io.dht4j.Node;
import io.dht4j.NodeStatus;
import io.dht4j.RebalancePlan;
import io.dht4j.RepairStatus;
import io.dht4j.Scan;
import io.dht4j.ScanScope;
import io.dht4j.Snapshot;
import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.spi.Environment;
import io.dht4j.spi.RemoteApi;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** A remote API without a wire: calls clusters of this process, found by address. */
public final class DirectRemoteApi implements RemoteApi {

    private final Map<String, Cluster> listening;
    private final Environment environment;
    private final Set<CompletableFuture<?>> underWay = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    public DirectRemoteApi(Map<String, Cluster> listening, Environment environment) {
        this.listening = listening;
        this.environment = environment;
    }

    private <T> CompletionStage<T> call(
            String address, CallOptions options, Function<Cluster, CompletionStage<T>> method) {
        Cluster cluster = listening.get(address);
        if (closed) {
            return CompletableFuture.failedFuture(DhtException.of(ErrorCode.NOT_SERVING, "this client is closed"));
        }
        if (cluster == null) {
            return CompletableFuture.failedFuture(DhtException.of(ErrorCode.NOT_SENT, "nothing listens on " + address));
        }
        CompletableFuture<T> result = new CompletableFuture<>();
        underWay.add(result);
        Duration timeout = options.timeout().orElseThrow();
        Environment.Timer deadline = environment.schedule(
                () -> result.completeExceptionally(unknown("no answer of " + address)), timeout.toNanos());
        result.whenComplete((value, error) -> {
            deadline.cancel();
            underWay.remove(result);
        });
        method.apply(cluster).whenComplete((value, error) -> {
            if (error != null) {
                result.completeExceptionally(DhtException.unwrap(error));
            } else {
                result.complete(value);
            }
        });
        return result;
    }

    private static DhtException unknown(String message) {
        return DhtException.of(ErrorCode.INTERNAL, message);
    }

    @Override
    public String name() {
        return "direct";
    }

    @Override
    public CompletionStage<Optional<Value>> get(String address, Key key, CallOptions options) {
        return call(address, options, cluster -> cluster.get(key, options));
    }

    @Override
    public CompletionStage<Version> put(String address, Key key, byte[] value, CallOptions options) {
        return call(address, options, cluster -> cluster.put(key, value, options));
    }

    @Override
    public CompletionStage<Version> delete(String address, Key key, CallOptions options) {
        return call(address, options, cluster -> cluster.delete(key, options));
    }

    @Override
    public CompletionStage<Map<Key, Value>> getAll(String address, Collection<Key> keys, CallOptions options) {
        return call(address, options, cluster -> cluster.getAll(keys, options));
    }

    @Override
    public CompletionStage<Version> putAll(String address, Map<Key, byte[]> values, CallOptions options) {
        return call(address, options, cluster -> cluster.putAll(values, options));
    }

    @Override
    public CompletionStage<AtomicResult> execute(
            String address, String map, Key key, AtomicChange change, CallOptions options) {
        return call(address, options, cluster -> cluster.execute(map, key, change, options));
    }

    @Override
    public CompletionStage<List<KeyValue>> scan(
            String address, KeyRange range, ScanScope scope, int limit, CallOptions options) {
        return call(address, options, cluster -> collect(cluster.scan(range, scope, options), limit, List.of()));
    }

    private static CompletionStage<List<KeyValue>> collect(Scan scan, int limit, List<KeyValue> before) {
        return scan.next().thenCompose(page -> {
            List<KeyValue> all = new ArrayList<>(before);
            all.addAll(page);
            if (page.isEmpty() || all.size() >= limit) {
                scan.close();
                return CompletableFuture.completedFuture(all.subList(0, Math.min(limit, all.size())));
            }
            return collect(scan, limit, all);
        });
    }

    @Override
    public CompletionStage<Version> openSnapshot(String address, Duration lease, CallOptions options) {
        return call(
                address,
                options,
                cluster -> cluster.openSnapshot(lease, options).thenApply(Snapshot::version));
    }

    @Override
    public CompletionStage<List<KeyValue>> scanSnapshot(
            String address, Version snapshot, KeyRange range, int limit, CallOptions options) {
        return call(
                address,
                options,
                cluster -> collect(cluster.snapshot(snapshot).scan(range, options), limit, List.of()));
    }

    @Override
    public CompletionStage<Void> closeSnapshot(String address, Version snapshot, CallOptions options) {
        return call(address, options, cluster -> cluster.snapshot(snapshot).close(options));
    }

    @Override
    public CompletionStage<Located> locate(String address, Key key, CallOptions options) {
        return call(
                address,
                options,
                cluster -> cluster.locate(key)
                        .thenApply(placement -> new Located(
                                placement.partition(),
                                placement.replicas().stream().map(Node::id).toList())));
    }

    @Override
    public CompletionStage<NodeStatus> status(String address, CallOptions options) {
        return call(address, options, cluster -> cluster.operations().status());
    }

    @Override
    public CompletionStage<RepairStatus> repair(String address, Set<Integer> partitions, CallOptions options) {
        return call(address, options, cluster -> cluster.operations().repair(partitions));
    }

    @Override
    public CompletionStage<RepairStatus> repairStatus(String address, CallOptions options) {
        return call(address, options, cluster -> cluster.operations().repairStatus());
    }

    @Override
    public CompletionStage<MembershipStatus> membership(String address, CallOptions options) {
        return call(address, options, cluster -> cluster.membership().status());
    }

    @Override
    public CompletionStage<RebalancePlan> plan(String address, CallOptions options) {
        return call(address, options, cluster -> cluster.membership().plan());
    }

    @Override
    public CompletionStage<Long> change(String address, MembershipChange change, CallOptions options) {
        return call(address, options, cluster -> cluster.membership().change(change));
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    @Override
    public void close() {
        closed = true;
        List.copyOf(underWay).forEach(call -> call.completeExceptionally(unknown("the client was closed")));
    }
}
