package io.dht4j.opentelemetry;

import static io.dht4j.opentelemetry.TracedNodes.ALL_OF_THREE;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Key;
import io.dht4j.client.RemoteCluster;
import io.dht4j.client.RemoteOptions;
import io.dht4j.spi.RemoteApi;
import io.dht4j.spi.Transport;
import io.dht4j.transport.grpc.GrpcTransport;
import io.dht4j.transport.grpc.GrpcTransportOptions;
import io.dht4j.transport.grpc.api.GrpcApi;
import io.dht4j.transport.grpc.api.GrpcApiOptions;
import io.dht4j.transport.grpc.api.GrpcRemote;
import io.dht4j.transport.grpc.api.GrpcRemoteOptions;
import io.dht4j.transport.http.HttpApi;
import io.dht4j.transport.http.HttpApiOptions;
import io.dht4j.transport.http.HttpRemote;
import io.dht4j.transport.http.HttpRemoteOptions;
import io.dht4j.transport.http.HttpTransport;
import io.dht4j.transport.http.HttpTransportOptions;
import io.dht4j.transport.tcp.TcpTransport;
import io.dht4j.transport.tcp.TcpTransportOptions;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** One trace through all nodes, over each transport and from the client of each public API. */
class TracedTransportsTest {

    private static final Key KEY = Key.of("key");
    private static final String WRITES = "[CLIENT request write n2[SERVER serve write[INTERNAL store write]], "
            + "CLIENT request write n3[SERVER serve write[INTERNAL store write]], INTERNAL store write]";
    private static final TraceState STATE =
            TraceState.builder().put("a", "1").put("b", "2").build();

    private final Spans spans = new Spans();

    @AfterEach
    void close() {
        spans.close();
    }

    /** A transport by its port. */
    record Wire(String name, IntFunction<Transport> transports) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Wire> wires() {
        return Stream.of(
                new Wire("tcp", port -> TcpTransport.create(TcpTransportOptions.at("127.0.0.1", port))),
                new Wire("http", port -> HttpTransport.create(HttpTransportOptions.at("127.0.0.1", port))),
                new Wire("grpc", port -> GrpcTransport.create(GrpcTransportOptions.at("127.0.0.1", port))));
    }

    @ParameterizedTest
    @MethodSource("wires")
    void aPutIsOneTraceThroughAllNodes(Wire wire) throws Exception {
        try (TracedNodes nodes = new TracedNodes(spans, wire.transports())) {
            SpanContext caller = caller();
            try (Scope current = Span.wrap(caller).makeCurrent()) {
                assertThat(current).isNotNull();
                TracedNodes.await(nodes.node(0).put(KEY, new byte[1], ALL_OF_THREE));
            }
            List<SpanData> roots = spans.roots(8);
            assertThat(roots).singleElement().satisfies(root -> {
                assertThat(root.getParentSpanId()).isEqualTo(caller.getSpanId());
                assertThat(spans.tree(root)).isEqualTo("CLIENT put" + WRITES);
            });
            assertThat(spans.ended()).hasSize(8).allSatisfy(span -> {
                assertThat(span.getTraceId()).isEqualTo(caller.getTraceId());
                assertThat(span.getSpanContext().getTraceState()).isEqualTo(STATE);
            });
        }
    }

    /** A public API of a node. */
    record Entrance(AutoCloseable api, int port, RemoteApi remote) {}

    private static Entrance http(TracedNodes nodes) {
        HttpApi api = HttpApi.listening("127.0.0.1", 0, nodes.node(0), HttpApiOptions.defaults());
        return new Entrance(api, api.port(), HttpRemote.create(HttpRemoteOptions.defaults()));
    }

    private static Entrance grpc(TracedNodes nodes) {
        GrpcApi api = GrpcApi.listening("127.0.0.1", 0, nodes.node(0), GrpcApiOptions.defaults());
        return new Entrance(api, api.port(), GrpcRemote.create(GrpcRemoteOptions.defaults()));
    }

    @ParameterizedTest
    @MethodSource("wires")
    @Tag("full")
    void aCallOfARemoteClientIsOneTraceOverHttp(Wire wire) throws Exception {
        remoteCallIsOneTrace(wire, true);
    }

    @ParameterizedTest
    @MethodSource("wires")
    void aCallOfARemoteClientIsOneTraceOverGrpc(Wire wire) throws Exception {
        remoteCallIsOneTrace(wire, false);
    }

    private void remoteCallIsOneTrace(Wire wire, boolean isHttp) throws Exception {
        try (TracedNodes nodes = new TracedNodes(spans, wire.transports())) {
            Entrance entrance = isHttp ? http(nodes) : grpc(nodes);
            RemoteOptions options = RemoteOptions.defaults().withTracer(OpenTelemetryTracer.of(spans.api()));
            SpanContext caller = caller();
            try (AutoCloseable api = entrance.api();
                    RemoteCluster remote =
                            RemoteCluster.connect(entrance.remote(), List.of("127.0.0.1:" + entrance.port()), options);
                    Scope current = Span.wrap(caller).makeCurrent()) {
                assertThat(api).isNotNull();
                assertThat(current).isNotNull();
                TracedNodes.await(remote.put(KEY, new byte[1], ALL_OF_THREE));
                TracedNodes.await(remote.get(KEY, ALL_OF_THREE));
            }
            List<SpanData> roots = spans.roots(18);
            assertThat(spans.ended())
                    .hasSize(18)
                    .allSatisfy(span -> assertThat(span.getTraceId()).isEqualTo(caller.getTraceId()));
            assertThat(roots.stream().map(spans::tree))
                    .containsExactlyInAnyOrder(
                            "CLIENT put[SERVER put" + WRITES + "]",
                            "CLIENT get[SERVER get" + WRITES.replace("write", "read") + "]");
            assertThat(roots)
                    .allSatisfy(root -> assertThat(root.getAttributes().get(Keys.SERVER_PORT))
                            .isEqualTo(entrance.port()));
        }
    }

    private static SpanContext caller() {
        return SpanContext.create(
                "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331", TraceFlags.getSampled(), STATE);
    }
}
