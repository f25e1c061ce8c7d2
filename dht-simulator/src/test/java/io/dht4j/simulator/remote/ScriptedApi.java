package io.dht4j.simulator.remote;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.dht4j.AtomicChange;
import io.dht4j.AtomicResult;
import io.dht4j.CallOptions;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.KeyValue;
import io.dht4j.MembershipChange;
import io.dht4j.MembershipStatus;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.NodeStatus;
import io.dht4j.OverloadCounts;
import io.dht4j.RebalancePlan;
import io.dht4j.RefillStatus;
import io.dht4j.RepairStatus;
import io.dht4j.RequestId;
import io.dht4j.ScanScope;
import io.dht4j.Topology;
import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.spi.RemoteApi;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** A remote API whose nodes do what the test says, within virtual time; the wire between is a model. */
final class ScriptedApi implements RemoteApi {

    /** What a node does with a call. */
    interface Behaviour {
        /** Completes with nothing to answer well. */
        CompletionStage<Void> answer(Duration timeout);
    }

    /** A call that was made. */
    record Call(String method, String address, Duration timeout) {}

    final List<Call> calls = new ArrayList<>();
    final List<KeyValue> entries = new ArrayList<>();
    /** The request ids of the operations on atomic keys. */
    final List<Optional<RequestId>> requestIds = new ArrayList<>();

    boolean closed;
    NodeStatus status = status(3, Node.of("n0", "a:1"), Node.of("n1", "b:1"), Node.of("n2", "c:1"));
    /** What nodes make of honest pages, by their addresses. */
    final Map<String, UnaryOperator<List<KeyValue>>> lies = new LinkedHashMap<>();

    /** Which nodes answer batches with a key that nobody has asked for. */
    final Set<String> addsForeignKeys = new HashSet<>();

    private final Map<String, Behaviour> behaviours = new LinkedHashMap<>();
    private final Set<String> stopping = new HashSet<>();
    private Consumer<String> onStopping = address -> {};
    private final VirtualEnvironment env;
    private final List<CompletableFuture<?>> underWay = new ArrayList<>();

    ScriptedApi(VirtualEnvironment env) {
        this.env = env;
    }

    static NodeStatus status(int factor, Node... nodes) {
        return new NodeStatus(
                nodes[0].id(),
                Topology.of(nodes),
                factor,
                64,
                "p",
                "h",
                "t",
                "s",
                "v",
                7,
                Duration.ZERO,
                0,
                0,
                OverloadCounts.none(),
                List.of(),
                RefillStatus.NONE,
                List.of(),
                List.of(),
                Optional.empty(),
                Duration.ofSeconds(1),
                Map.of());
    }

    /** Lets a node say in its further answers whether it is about to stop. */
    void saysThatItStops(String address, boolean stops) {
        if (stops) {
            stopping.add(address);
        } else {
            stopping.remove(address);
        }
    }

    @Override
    public void onStopping(Consumer<String> listener) {
        onStopping = listener;
    }

    void at(String address, Behaviour behaviour) {
        behaviours.put(address, behaviour);
    }

    void healthy(String address) {
        behaviours.remove(address);
    }

    static Behaviour failing(ErrorCode code) {
        return timeout -> CompletableFuture.failedFuture(DhtException.of(code, "scripted " + code));
    }

    /** Says nothing, so that the call ends at its timeout with an unknown outcome. */
    Behaviour hanging() {
        return timeout -> {
            CompletableFuture<Void> stage = new CompletableFuture<>();
            env.schedule(
                    () -> stage.completeExceptionally(DhtException.of(ErrorCode.INTERNAL, "no answer in time")),
                    timeout.toNanos());
            return stage;
        };
    }

    /** Answers well, late. */
    Behaviour slow(Duration delay) {
        return timeout -> {
            CompletableFuture<Void> stage = new CompletableFuture<>();
            env.schedule(() -> stage.complete(null), delay.toNanos());
            return stage;
        };
    }

    List<String> askedOf(String method) {
        return calls.stream()
                .filter(call -> call.method.equals(method))
                .map(Call::address)
                .toList();
    }

    private <T> CompletionStage<T> call(String method, String address, CallOptions options, Supplier<T> result) {
        Duration timeout = options.timeout().orElseThrow();
        calls.add(new Call(method, address, timeout));
        CompletableFuture<T> stage = new CompletableFuture<>();
        underWay.add(stage);
        Behaviour behaviour = behaviours.getOrDefault(address, t -> CompletableFuture.completedFuture(null));
        behaviour.answer(timeout).whenComplete((nothing, error) -> {
            if (stopping.contains(address)) {
                onStopping.accept(address);
            }
            if (error == null) {
                stage.complete(result.get());
            } else {
                stage.completeExceptionally(error);
            }
        });
        return stage;
    }

    @Override
    public String name() {
        return "scripted";
    }

    @Override
    public CompletionStage<Optional<Value>> get(String address, Key key, CallOptions options) {
        return call(
                "get",
                address,
                options,
                () -> Optional.of(new Value(address.getBytes(UTF_8), new Version(1), Optional.empty())));
    }

    @Override
    public CompletionStage<Version> put(String address, Key key, byte[] value, CallOptions options) {
        return call("put", address, options, () -> new Version(value.length));
    }

    @Override
    public CompletionStage<Version> delete(String address, Key key, CallOptions options) {
        return call("delete", address, options, () -> new Version(5));
    }

    @Override
    public CompletionStage<Map<Key, Value>> getAll(String address, Collection<Key> keys, CallOptions options) {
        return call("getAll", address, options, () -> {
            Map<Key, Value> values = new LinkedHashMap<>();
            keys.forEach(key -> values.put(key, new Value(key.toByteArray(), new Version(1), Optional.empty())));
            if (addsForeignKeys.contains(address)) {
                values.put(Key.of("foreign"), new Value(new byte[1], new Version(1), Optional.empty()));
            }
            return values;
        });
    }

    @Override
    public CompletionStage<Version> putAll(String address, Map<Key, byte[]> values, CallOptions options) {
        return call("putAll", address, options, () -> new Version(values.size()));
    }

    @Override
    public CompletionStage<AtomicResult> execute(
            String address, String map, Key key, AtomicChange change, CallOptions options) {
        requestIds.add(options.requestId());
        return call(
                "execute",
                address,
                options,
                () -> new AtomicResult(true, false, new Version(9), OptionalLong.of(9), Optional.empty()));
    }

    @Override
    public CompletionStage<List<KeyValue>> scan(
            String address, KeyRange range, ScanScope scope, int limit, CallOptions options) {
        return call(
                "scan",
                address,
                options,
                () -> lies.getOrDefault(address, page -> page)
                        .apply(entries.stream()
                                .filter(entry -> range.contains(entry.key()))
                                .limit(limit)
                                .toList()));
    }

    @Override
    public CompletionStage<Version> openSnapshot(String address, Duration lease, CallOptions options) {
        return call("openSnapshot", address, options, () -> new Version(lease.toMillis()));
    }

    @Override
    public CompletionStage<List<KeyValue>> scanSnapshot(
            String address, Version snapshot, KeyRange range, int limit, CallOptions options) {
        return scan(address, range, ScanScope.CLUSTER, limit, options);
    }

    @Override
    public CompletionStage<Void> closeSnapshot(String address, Version snapshot, CallOptions options) {
        return call("closeSnapshot", address, options, () -> null);
    }

    @Override
    public CompletionStage<Located> locate(String address, Key key, CallOptions options) {
        return call(
                "locate",
                address,
                options,
                () -> new Located(
                        3, status.topology().nodes().stream().map(Node::id).toList()));
    }

    @Override
    public CompletionStage<NodeStatus> status(String address, CallOptions options) {
        return call("status", address, options, () -> status);
    }

    @Override
    public CompletionStage<RepairStatus> repair(String address, Set<Integer> partitions, CallOptions options) {
        return call("repair", address, options, ScriptedApi::unrepaired);
    }

    @Override
    public CompletionStage<RepairStatus> repairStatus(String address, CallOptions options) {
        return call("repairStatus", address, options, ScriptedApi::unrepaired);
    }

    private static RepairStatus unrepaired() {
        return new RepairStatus(new NodeId("n0"), false, 0, 0, 0, 0, 0, 0, 0, Optional.empty(), false, Map.of());
    }

    @Override
    public CompletionStage<MembershipStatus> membership(String address, CallOptions options) {
        return call("membership", address, options, ScriptedApi::none);
    }

    @Override
    public CompletionStage<RebalancePlan> plan(String address, CallOptions options) {
        return call("plan", address, options, ScriptedApi::none);
    }

    @Override
    public CompletionStage<Long> change(String address, MembershipChange change, CallOptions options) {
        return call("change", address, options, () -> 7L);
    }

    private static <T> T none() {
        throw DhtException.of(ErrorCode.BAD_REQUEST, "the nodes of this cluster are fixed");
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    @Override
    public void close() {
        closed = true;
        List.copyOf(underWay)
                .forEach(stage -> stage.completeExceptionally(DhtException.of(ErrorCode.INTERNAL, "client closed")));
    }
}
