package io.dht4j.simulator.observation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.Scan;
import io.dht4j.ScanScope;
import io.dht4j.Version;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.HashFunctions;
import io.dht4j.simulator.cluster.SimulatedCluster;
import io.dht4j.spi.HashFunction;
import io.dht4j.spi.Observer.Outcome;
import io.dht4j.testkit.network.Fault;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Each call is reported once, whatever its outcome, before its caller gets it. */
class ObservedCallsTest {

    private static final Key KEY = Key.of("key");
    private static final CallOptions ALL_OF_THREE = CallOptions.defaults().withPolicy(3, 3);
    private static final Duration HOP = Duration.ofMillis(20);

    private final RecordingObserver observer = new RecordingObserver();

    private SimulatedCluster.Setup observed(UnaryOperator<ClusterBuilder> options) {
        return SimulatedCluster.of(1, 3)
                .options((i, builder) -> options.apply(i == 0 ? builder.observer(observer) : builder));
    }

    private SimulatedCluster.Setup observed() {
        return observed(builder -> builder);
    }

    private static Scan scan(Cluster node) {
        return node.scan(KeyRange.all(), ScanScope.CLUSTER, CallOptions.defaults());
    }

    @Test
    void eachKindOfCallIsReportedOnce() {
        try (SimulatedCluster cluster = observed().start()) {
            Cluster node = cluster.node(0);
            cluster.await(node.put(KEY, new byte[1]));
            cluster.await(node.get(KEY));
            cluster.await(node.getAll(List.of(KEY)));
            cluster.await(node.putAll(Map.of(KEY, new byte[1])));
            cluster.await(node.delete(KEY));
            Version snapshot = cluster.await(node.openSnapshot(Duration.ofMinutes(1), CallOptions.defaults()))
                    .version();
            cluster.await(node.snapshot(snapshot).close(CallOptions.defaults()));
            assertThat(observer.takeCalls())
                    .containsExactly(
                            "PUT SUCCESS",
                            "GET SUCCESS",
                            "GET_ALL SUCCESS",
                            "PUT_ALL SUCCESS",
                            "DELETE SUCCESS",
                            "OPEN_SNAPSHOT SUCCESS",
                            "CLOSE_SNAPSHOT SUCCESS");
        }
    }

    @Test
    void eachPageOfAScanIsReportedUntilTheScanIsClosed() {
        try (SimulatedCluster cluster = observed().start()) {
            cluster.await(cluster.node(0).put(KEY, new byte[1]));
            observer.takeCalls();
            Scan scan = scan(cluster.node(0));
            assertThat(cluster.await(scan.next())).hasSize(1);
            assertThat(cluster.await(scan.next())).isEmpty();
            scan.close();
            cluster.await(scan.next());
            assertThat(observer.takeCalls()).containsExactly("SCAN_PAGE SUCCESS", "SCAN_PAGE SUCCESS");
        }
    }

    @Test
    void theDurationIsThatOfTheSlowestReplicaThatIsNeeded() {
        try (SimulatedCluster cluster = observed().start()) {
            Cluster node = cluster.node(0);
            cluster.await(node.put(KEY, new byte[1], ALL_OF_THREE));
            cluster.links.get(0).towardAll(Fault.delay(HOP, HOP));
            observer.takeCalls();
            cluster.await(node.put(KEY, new byte[1], ALL_OF_THREE));
            cluster.await(node.get(KEY, ALL_OF_THREE));
            assertThat(observer.calls)
                    .hasSize(2)
                    .allSatisfy(call -> assertThat(call.nanos()).isBetween(2 * HOP.toNanos(), 3 * HOP.toNanos()));
        }
    }

    @Test
    void failuresAreReportedWithTheirErrors() {
        try (SimulatedCluster cluster =
                observed(builder -> builder.maxValueBytes(1 << 16).maxBatch(1)).start()) {
            Cluster node = cluster.node(0);
            cluster.failureOf(node.put(KEY, new byte[1 << 17]));
            cluster.failureOf(node.get(KEY, CallOptions.defaults().withTimeToLive(HOP)));
            cluster.failureOf(node.getAll(List.of(KEY, Key.of("other"))));
            cluster.links.get(0).towardAll(Fault.refuse());
            cluster.failureOf(node.get(KEY, ALL_OF_THREE));
            cluster.failureOf(node.put(KEY, new byte[1], ALL_OF_THREE));
            assertThat(observer.takeCalls())
                    .containsExactly(
                            "PUT VALUE_TOO_LARGE",
                            "GET TTL_INVALID",
                            "GET_ALL BATCH_TOO_LARGE",
                            "GET NOT_ENOUGH_REPLICAS",
                            "PUT WRITE_INDETERMINATE");
        }
    }

    @Test
    void refusedCallsAreReported() {
        try (SimulatedCluster cluster =
                observed(builder -> builder.maxInFlight(1)).start()) {
            Cluster node = cluster.node(0);
            cluster.await(node.put(KEY, new byte[1], ALL_OF_THREE));
            observer.takeCalls();
            cluster.links.get(0).towardAll(Fault.delay(HOP, HOP));
            CompletionStage<?> admitted = node.get(KEY, ALL_OF_THREE);
            cluster.failureOf(node.get(KEY));
            cluster.failureOf(node.put(KEY, new byte[1]));
            cluster.failureOf(scan(node).next());
            cluster.await(admitted);
            assertThat(observer.takeCalls())
                    .containsExactly("GET OVERLOADED", "PUT OVERLOADED", "SCAN_PAGE OVERLOADED", "GET SUCCESS");
        }
    }

    @Test
    void callsWhoseCallerCompletesTheirFuturesAreReportedOnce() {
        try (SimulatedCluster cluster = observed().start()) {
            Cluster node = cluster.node(0);
            cluster.await(node.put(KEY, new byte[1], ALL_OF_THREE));
            observer.takeCalls();
            Map<String, Supplier<CompletionStage<?>>> calls = Map.of(
                    "GET", () -> node.get(KEY, ALL_OF_THREE),
                    "PUT", () -> node.put(KEY, new byte[1], ALL_OF_THREE),
                    "SCAN_PAGE", () -> scan(node).next(),
                    "OPEN_SNAPSHOT", () -> node.openSnapshot(Duration.ofMinutes(1), CallOptions.defaults()));
            calls.forEach((kind, call) -> {
                cluster.links.get(0).towardAll(Fault.delay(HOP, HOP));
                CompletableFuture<?> given = call.get().toCompletableFuture();
                assertThat(given.completeExceptionally(new IllegalStateException("the caller waits no longer")))
                        .isTrue();
                cluster.env.advance(SimulatedCluster.BOUND);
                cluster.heal();
                assertThat(observer.takeCalls()).containsExactly(kind + " SUCCESS");
            });
        }
    }

    @Test
    void aCancelledReadIsReportedAsCancelled() {
        try (SimulatedCluster cluster = observed().start()) {
            cluster.await(cluster.node(0).put(KEY, new byte[1], ALL_OF_THREE));
            observer.takeCalls();
            cluster.links.get(0).towardAll(Fault.delay(HOP, HOP));
            cluster.node(0).get(KEY, ALL_OF_THREE).toCompletableFuture().cancel(false);
            cluster.env.advance(SimulatedCluster.BOUND);
            assertThat(observer.takeCalls()).containsExactly("GET CANCELLED");
        }
    }

    @Test
    void callsThatMeetAnErrorAreReportedOnce() {
        HashFunction xxh3 = HashFunctions.xxh3();
        try (SimulatedCluster cluster =
                observed(builder -> builder.hash(failingOn(xxh3))).start()) {
            Cluster node = cluster.node(0);
            List<Function<Key, CompletionStage<?>>> calls =
                    List.of(node::get, node::delete, key -> node.put(key, new byte[1]));
            calls.forEach(call -> cluster.failureOf(call.apply(Key.of("fails"))));
            assertThat(observer.calls)
                    .extracting(RecordingObserver.EndedCall::outcome)
                    .hasSize(3)
                    .allMatch(outcome -> outcome.equals(Outcome.of(ErrorCode.INTERNAL))
                            || outcome.equals(Outcome.of(ErrorCode.OVERLOADED)));
        }
    }

    private static HashFunction failingOn(HashFunction good) {
        return new HashFunction() {
            @Override
            public String name() {
                return good.name();
            }

            @Override
            public long hash(byte[] key) {
                if (new String(key, UTF_8).equals("fails")) {
                    throw new StackOverflowError("says this test");
                }
                return good.hash(key);
            }
        };
    }

    @Test
    void theReportComesBeforeTheOutcome() {
        try (SimulatedCluster cluster = observed().start()) {
            CompletionStage<List<String>> seen =
                    cluster.node(0).put(KEY, new byte[1], ALL_OF_THREE).thenApply(version -> observer.takeCalls());
            assertThat(cluster.await(seen)).containsExactly("PUT SUCCESS");
            CompletionStage<List<String>> read =
                    cluster.node(0).get(KEY, ALL_OF_THREE).thenApply(value -> observer.takeCalls());
            assertThat(cluster.await(read)).containsExactly("GET SUCCESS");
        }
    }

    @Test
    void anObserverThatThrowsChangesNoCall() {
        List<Throwable> thrown = List.of(
                new IllegalStateException("says this test"),
                new StackOverflowError("so too"),
                new IOException("a checked one"),
                new IllegalStateException() {
                    @Override
                    public String getMessage() {
                        throw new IllegalArgumentException("it has no message");
                    }
                });
        for (Throwable one : thrown) {
            try (SimulatedCluster cluster = SimulatedCluster.of(1, 3)
                    .options(builder -> builder.observer(new ThrowingObserver(one)))
                    .start()) {
                Cluster node = cluster.node(0);
                cluster.await(node.put(KEY, new byte[] {7}, ALL_OF_THREE));
                assertThat(cluster.await(node.get(KEY, ALL_OF_THREE))
                                .orElseThrow()
                                .bytes())
                        .containsExactly(7);
                assertThat(cluster.drain(scan(node))).hasSize(1);
                cluster.failureOf(node.get(KEY, CallOptions.defaults().withTimeToLive(HOP)));
            }
        }
    }
}
