package io.dht4j.simulator.tracing;

import static io.dht4j.simulator.cluster.SimulatedCluster.id;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.ScanScope;
import io.dht4j.TraceContext;
import io.dht4j.Version;
import io.dht4j.core.options.Batching;
import io.dht4j.core.options.HintedHandoff;
import io.dht4j.simulator.cluster.SimulatedCluster;
import io.dht4j.spi.Observer;
import io.dht4j.spi.Observer.Outcome;
import io.dht4j.spi.Tracer;
import io.dht4j.testkit.network.Fault;
import io.dht4j.testkit.store.ForwardingStore;
import io.dht4j.testkit.store.ModelStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The spans of a call on all nodes of a cluster. */
class TracedCallsTest {

    private static final Key KEY = Key.of("key");
    private static final CallOptions ALL_OF_THREE = CallOptions.defaults().withPolicy(3, 3);
    private static final Duration HOP = Duration.ofMillis(20);

    private final RecordingTracer tracer = new RecordingTracer(true);

    /** Starts a cluster whose nodes know of each other that they read trace contexts. */
    private SimulatedCluster cluster(Tracer used, boolean memoryFast, Batching batching) {
        SimulatedCluster cluster = SimulatedCluster.of(1, 3)
                .stores(i -> new ForwardingStore(new ModelStore()) {
                    @Override
                    public boolean isMemoryFast() {
                        return memoryFast;
                    }
                })
                .options(builder -> builder.tracer(used).batching(batching).handoff(HintedHandoff.off()))
                .start();
        cluster.await(cluster.node(0).put(Key.of("first"), new byte[1], ALL_OF_THREE));
        cluster.env.advance(Duration.ofSeconds(3));
        tracer.spans.clear();
        return cluster;
    }

    private SimulatedCluster cluster() {
        return cluster(tracer, true, Batching.on());
    }

    private static String remote(String kind, int node, int items) {
        return "request " + kind + " " + id(node) + "[serve " + kind + " of " + id(0) + "[store " + kind + " " + items
                + "]]";
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aCallHasASpanForEachRequestAndEachStore(boolean memoryFast) {
        try (SimulatedCluster cluster = cluster(tracer, memoryFast, Batching.on())) {
            Cluster node = cluster.node(0);
            cluster.await(node.put(KEY, new byte[1], ALL_OF_THREE));
            cluster.await(node.get(KEY, ALL_OF_THREE));
            cluster.env.advance(HOP);
            String writes = "PUT[" + remote("WRITE", 1, 1) + ", " + remote("WRITE", 2, 1) + ", store WRITE 1]";
            String reads = "GET[" + remote("READ", 1, 1) + ", " + remote("READ", 2, 1) + ", store READ 1]";
            assertThat(tracer.trees()).containsExactly(writes, reads);
            assertThat(tracer.spans).allSatisfy(span -> assertThat(span.ends).containsExactly(Outcome.success()));
        }
    }

    @Test
    void aPageOfAScanHasTheSpansOfItsRequests() {
        try (SimulatedCluster cluster = cluster()) {
            cluster.await(cluster.node(0)
                    .scan(KeyRange.all(), ScanScope.CLUSTER, ALL_OF_THREE)
                    .next());
            cluster.env.advance(HOP);
            assertThat(tracer.trees())
                    .singleElement()
                    .asString()
                    .startsWith("SCAN_PAGE[request SCAN " + id(1) + "[serve SCAN of " + id(0) + "[store SCAN 0]]");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void eachRequestOfABatchHasItsOwnParent(boolean memoryFast) {
        try (SimulatedCluster cluster = cluster(tracer, memoryFast, new Batching(true, 1000, 256 * 1024, 1))) {
            cluster.links.get(0).towardAll(Fault.delay(HOP, HOP));
            List<CompletionStage<Version>> puts = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                puts.add(cluster.node(0).put(Key.of("key" + i), new byte[1], ALL_OF_THREE));
            }
            // The first one has a frame of its own, the others wait for its replies and share one.
            puts.forEach(cluster::await);
            cluster.env.advance(HOP);
            assertThat(tracer.trees()).hasSize(5);
            // A store that is not memory-fast merges all that have gathered.
            String own = "store WRITE " + (memoryFast ? 1 : 5);
            assertThat(tracer.trees().subList(1, 5))
                    .containsOnly("PUT[" + remote("WRITE", 1, 4) + ", " + remote("WRITE", 2, 4) + ", " + own + "]");
            assertThat(tracer.spans).allSatisfy(span -> assertThat(span.ends).containsExactly(Outcome.success()));
        }
    }

    @Test
    void aBatchMayHoldRequestsWithoutASpan() {
        Tracer everySecond = new Tracer() {
            private final RecordingTracer unsampled = new RecordingTracer(false);
            private int calls;

            @Override
            public Span startCall(Observer.Call call, int keys, Optional<TraceContext> parent) {
                return (calls++ % 2 == 0 ? tracer : unsampled).startCall(call, keys, parent);
            }

            @Override
            public Span startServed(Observer.Request request, NodeId sender, TraceContext parent) {
                return tracer.startServed(request, sender, parent);
            }
        };
        try (SimulatedCluster cluster = cluster(everySecond, true, new Batching(true, 1000, 256 * 1024, 1))) {
            cluster.links.get(0).towardAll(Fault.delay(HOP, HOP));
            List<CompletionStage<Version>> puts = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                puts.add(cluster.node(0).put(Key.of("key" + i), new byte[1], ALL_OF_THREE));
            }
            puts.forEach(cluster::await);
            cluster.env.advance(HOP);
            assertThat(tracer.trees())
                    .hasSize(4)
                    .allSatisfy(tree -> assertThat(tree)
                            .contains(
                                    "request WRITE " + id(1) + "[serve WRITE",
                                    "request WRITE " + id(2) + "[serve WRITE"));
        }
    }

    @Test
    void failuresEndTheirSpansOnce() {
        try (SimulatedCluster cluster = cluster()) {
            cluster.links.get(0).toward(id(1), Fault.refuse());
            cluster.links.get(0).toward(id(2), Fault.loseRequest());
            cluster.failureOf(cluster.node(0).put(KEY, new byte[1], ALL_OF_THREE));
            cluster.env.advance(SimulatedCluster.BOUND);
            assertThat(tracer.spans).allSatisfy(span -> assertThat(span.ends).hasSize(1));
            assertThat(tracer.spans)
                    .filteredOn(span -> span.name.equals("request WRITE " + id(1)))
                    .flatExtracting(span -> span.ends)
                    .containsExactly(Outcome.of(ErrorCode.NOT_SENT));
            assertThat(tracer.spans.get(0).ends.get(0).error()).isPresent();
        }
    }

    @Test
    void aCancelledCallEndsItsSpansOnce() {
        try (SimulatedCluster cluster = cluster()) {
            cluster.links.get(0).towardAll(Fault.delay(HOP, HOP));
            cluster.node(0).get(KEY, ALL_OF_THREE).toCompletableFuture().cancel(false);
            cluster.env.advance(SimulatedCluster.BOUND);
            assertThat(tracer.spans.get(0).ends).containsExactly(Outcome.cancelled());
            assertThat(tracer.spans).allSatisfy(span -> assertThat(span.ends).hasSize(1));
            assertThat(tracer.spans)
                    .filteredOn(span -> span.name.startsWith("request"))
                    .hasSize(2)
                    .allSatisfy(span -> assertThat(span.ends).containsExactly(Outcome.cancelled()));
        }
    }

    @Test
    void theOptionsOfACallNameItsParent() {
        try (SimulatedCluster cluster = cluster()) {
            TraceContext caller = new TraceContext(0, 77, 78, 1, "");
            cluster.await(cluster.node(0).put(KEY, new byte[1], ALL_OF_THREE.withTraceContext(caller)));
            cluster.env.advance(HOP);
            assertThat(tracer.spans)
                    .isNotEmpty()
                    .allSatisfy(span -> assertThat(span.trace).isEqualTo(77));
            assertThat(tracer.spans.get(0).parent).isEqualTo(78);
        }
    }

    @Test
    void whatATracerThrowsGoesNoFurther() {
        Tracer throwing = new Tracer() {
            @Override
            public Span startCall(Observer.Call call, int keys, Optional<TraceContext> parent) {
                Span span = tracer.startCall(call, keys, parent);
                return new Span() {
                    @Override
                    public Optional<TraceContext> context() {
                        return span.context();
                    }

                    @Override
                    public Span startRequest(Node node, Observer.Request request) {
                        throw new IllegalStateException("says this test");
                    }

                    @Override
                    public Span startStore(Observer.Request request, int items) {
                        throw new StackOverflowError("says this test");
                    }

                    @Override
                    public void end(Outcome outcome) {
                        throw new IllegalStateException("says this test");
                    }
                };
            }

            @Override
            public Span startServed(Observer.Request request, NodeId sender, TraceContext parent) {
                throw new IllegalStateException("says this test");
            }
        };
        try (SimulatedCluster cluster = cluster(throwing, true, Batching.on())) {
            cluster.await(cluster.node(0).put(KEY, new byte[1], ALL_OF_THREE));
            assertThat(cluster.await(cluster.node(0).get(KEY, ALL_OF_THREE))).isPresent();
        }
    }
}
