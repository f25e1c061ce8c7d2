package io.dht4j.compat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.dht4j.Cluster;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Topology;
import io.dht4j.TraceContext;
import io.dht4j.Value;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.opentelemetry.OpenTelemetryTracer;
import io.dht4j.spi.Observer;
import io.dht4j.spi.Tracer;
import io.dht4j.spi.Transport;
import io.dht4j.store.mvstore.MvStore;
import io.dht4j.store.mvstore.MvStoreOptions;
import io.dht4j.transport.grpc.GrpcTransport;
import io.dht4j.transport.grpc.GrpcTransportOptions;
import io.dht4j.transport.http.HttpTransport;
import io.dht4j.transport.http.HttpTransportOptions;
import io.dht4j.transport.tcp.TcpTransport;
import io.dht4j.transport.tcp.TcpTransportOptions;
import io.opentelemetry.api.OpenTelemetry;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two nodes beside the framework's own server, on the class path that the framework's BOM makes. The properties {@code
 * compat.http} and {@code compat.grpc} state what is expected: {@code works}, or words of the refusal. TCP needs no
 * library, so it works everywhere, and so does the tracer with the API of OpenTelemetry that the BOM manages.
 */
abstract class TransportsContract {
    @TempDir
    Path directory;

    @Test
    void httpTransportBesideTheFrameworksServer() throws Exception {
        check("compat.http", port -> HttpTransport.create(HttpTransportOptions.at("127.0.0.1", port)));
    }

    @Test
    void grpcTransportBesideTheFrameworksServer() throws Exception {
        check("compat.grpc", port -> GrpcTransport.create(GrpcTransportOptions.at("127.0.0.1", port)));
    }

    @Test
    void tcpTransportBesideTheFrameworksServer() throws Exception {
        assertEquals("hello", get(port()));
        putAndGet(port -> TcpTransport.create(TcpTransportOptions.at("127.0.0.1", port)));
        assertEquals("hello", get(port()));
    }

    /** Without an SDK each span passes on the context of its parent. */
    @Test
    void tracerByTheApiOfOpenTelemetryOfTheFramework() {
        TraceContext caller = new TraceContext(1, 2, 3, 1, "a=1");
        Tracer tracer = OpenTelemetryTracer.of(OpenTelemetry.noop());
        Tracer.Span call = tracer.startCall(Observer.Call.PUT, 1, Optional.of(caller));
        call.keyHash(1);
        Tracer.Span request = call.startRequest(Node.of("n2", "127.0.0.1:1"), Observer.Request.WRITE);
        Tracer.Span served = tracer.startServed(Observer.Request.WRITE, new NodeId("n1"), caller);
        Tracer.Span store = served.startStore(Observer.Request.WRITE, 2);
        for (Tracer.Span span : List.of(call, request, served, store)) {
            assertEquals(Optional.of(caller), span.context());
            span.end(Observer.Outcome.of(ErrorCode.OVERLOADED));
        }
    }

    private void check(String property, IntFunction<Transport> transports) throws Exception {
        String expected = System.getProperty(property);
        assertEquals("hello", get(port()));
        if (expected.equals("works")) {
            putAndGet(transports);
        } else {
            RuntimeException refused = assertThrows(RuntimeException.class, () -> transports.apply(freePort()));
            assertTrue(refused.getMessage().contains(expected), refused.getMessage());
            assertFalse(refused.getMessage().contains("\n"), refused.getMessage());
        }
        assertEquals("hello", get(port()));
    }

    /** Returns the port of the framework's server, which answers {@code /hello} with {@code hello}. */
    abstract int port();

    private void putAndGet(IntFunction<Transport> transports) throws Exception {
        int first = freePort();
        int second = freePort();
        Topology nodes = Topology.of(Node.of("n1", "127.0.0.1:" + first), Node.of("n2", "127.0.0.1:" + second));
        try (Cluster one = node("n1", nodes, transports.apply(first));
                Cluster two = node("n2", nodes, transports.apply(second))) {
            one.put(Key.of("greeting"), "hello".getBytes("UTF-8"))
                    .toCompletableFuture()
                    .get(30, TimeUnit.SECONDS);
            Value value = two.get(Key.of("greeting"))
                    .toCompletableFuture()
                    .get(30, TimeUnit.SECONDS)
                    .orElseThrow();
            assertEquals("hello", value.text());
        }
    }

    private Cluster node(String name, Topology nodes, Transport transport) {
        return ClusterBuilder.of(name, nodes)
                .transport(transport)
                .store(MvStore.open(directory.resolve(name), MvStoreOptions.defaults()))
                .start();
    }

    private static String get(int port) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/hello"))
                .build();
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofString())
                .body();
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
