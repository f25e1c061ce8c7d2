package io.dht4j.transport.http.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dht4j.DhtException;
import io.dht4j.Node;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Frame;
import io.dht4j.spi.FrameHandler;
import io.dht4j.spi.TransportException;
import io.dht4j.spi.TransportException.Outcome;
import io.dht4j.testkit.tls.TestCertificates;
import io.dht4j.transport.http.HttpClientKind;
import io.dht4j.transport.http.HttpTransport;
import io.dht4j.transport.http.HttpTransportOptions;
import io.dht4j.transport.http.TransportInternals;
import io.dht4j.transport.http.internal.peer.PeerProtocol;
import io.dht4j.transport.http.internal.server.HttpTransportServer;
import io.vertx.core.http.HttpVersion;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What clients promise besides the contracts of transports: protocol, connections and threads. A subclass has a static
 * method {@code kinds()} that returns the kinds to try.
 */
public abstract class HttpClientKindContract {

    protected static final FrameHandler ECHO = (request, context) -> CompletableFuture.completedFuture(request);

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Queue<HttpTransport> transports = new ConcurrentLinkedQueue<>();

    @TempDir
    private Path directory;

    @AfterEach
    void close() {
        transports.forEach(HttpTransport::close);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void everyRequestUsesTheVersionThatTheClientIsChosenFor(HttpClientKind kind) throws Exception {
        assertThat(versions(kind, options -> options)).containsOnly(version(kind));
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void everyRequestUsesThatVersionWithTlsToo(HttpClientKind kind) throws Exception {
        TestCertificates authority = TestCertificates.in(directory);
        assertThat(versions(kind, options -> options.withTls(authority.mutual("node"))))
                .containsOnly(version(kind));
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void connectionIsNotSharedByNodesOfOneAddress(HttpClientKind kind) throws Exception {
        TestCertificates authority = TestCertificates.in(directory);
        HttpTransport server = started(HttpTransportOptions.at("127.0.0.1", 0).withTls(authority.mutual("node")), ECHO);
        HttpTransport client = started(
                HttpTransportOptions.callingOnly()
                        .withTls(authority.mutual("caller"))
                        .withConnectTimeout(PATIENCE)
                        .withClient(kind),
                ECHO);
        for (int round = 0; round < 2; round++) {
            assertThat(call(client, server, new byte[3]).get(30, TimeUnit.SECONDS))
                    .hasSize(3);
            CallContext context =
                    new CallContext(System::nanoTime, Duration.ofSeconds(30).toNanos());
            CompletableFuture<byte[]> wrong = client.call(
                            Node.of("other", "127.0.0.1:" + server.port()), Frame.of(new byte[3]), context)
                    .toCompletableFuture();
            assertThat(failure(wrong))
                    .hasMessageContaining("other")
                    .extracting(TransportException::outcome)
                    .isEqualTo(Outcome.NOT_SENT);
        }
    }

    private static HttpVersion version(HttpClientKind kind) {
        return kind.label().endsWith("-h2") ? HttpVersion.HTTP_2 : HttpVersion.HTTP_1_1;
    }

    private Set<HttpVersion> versions(HttpClientKind kind, UnaryOperator<HttpTransportOptions> more) throws Exception {
        HttpTransport server = started(more.apply(HttpTransportOptions.at("127.0.0.1", 0)), ECHO);
        Set<HttpVersion> seen = ConcurrentHashMap.newKeySet();
        HttpTransportServer endpoint = TransportInternals.server(server);
        TransportInternals.listener(server).attachPeer(request -> {
            if (request.getHeader(PeerProtocol.DEADLINE_HEADER) != null) {
                seen.add(request.version());
            }
            endpoint.handle(request);
        });
        // On a busy machine 32 connections are not made in two seconds, certificates checked on both sides.
        HttpTransportOptions patient = HttpTransportOptions.at("127.0.0.1", 0).withConnectTimeout(PATIENCE);
        HttpTransport client = started(more.apply(patient).withClient(kind), ECHO);
        List<CompletableFuture<byte[]>> calls = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            calls.add(call(client, server, new byte[i]));
        }
        for (int i = 0; i < 100; i++) {
            assertThat(calls.get(i).get(30, TimeUnit.SECONDS)).hasSize(i);
        }
        return seen;
    }

    /** So a node may know another one by any name: no page can set this header. */
    @ParameterizedTest
    @MethodSource("kinds")
    void peerRequestsHaveTheirHeaderAndAuthority(HttpClientKind kind) throws Exception {
        HttpTransport server = started(HttpTransportOptions.at("127.0.0.1", 0), ECHO);
        Set<String> seen = ConcurrentHashMap.newKeySet();
        HttpTransportServer endpoint = TransportInternals.server(server);
        TransportInternals.listener(server).attachPeer(request -> {
            seen.add(request.getHeader(PeerProtocol.PEER_HEADER) + " " + request.authority());
            endpoint.handle(request);
        });
        HttpTransport client = started(HttpTransportOptions.at("127.0.0.1", 0).withClient(kind), ECHO);
        for (int i = 0; i < 3; i++) {
            assertThat(call(client, server, new byte[3]).get(30, TimeUnit.SECONDS))
                    .hasSize(3);
        }
        assertThat(seen).containsExactly("1 127.0.0.1:" + server.port());
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void connectionsPerPeerAreLimited(HttpClientKind kind) throws Exception {
        CompletableFuture<byte[]> held = new CompletableFuture<>();
        HttpTransport server = started(HttpTransportOptions.at("127.0.0.1", 0), (request, context) -> held);
        HttpTransport client =
                started(HttpTransportOptions.at("127.0.0.1", 0).withClient(kind).withConnectionsPerPeer(4), ECHO);
        List<CompletableFuture<byte[]>> calls = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            calls.add(call(client, server, new byte[1]));
        }
        await().until(() -> openConnections(server) == 4);
        assertThat(threads("dht4j-http-one-nio")).isLessThanOrEqualTo(4);
        held.complete(new byte[2]);
        for (CompletableFuture<byte[]> call : calls) {
            assertThat(call.get(30, TimeUnit.SECONDS)).hasSize(2);
        }
        assertThat(openConnections(server)).isEqualTo(4);
    }

    private static int openConnections(HttpTransport server) {
        return TransportInternals.listener(server).connections().open();
    }

    private static long threads(String prefix) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith(prefix))
                .count();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void callingOnlyTransportDoesNotListen(HttpClientKind kind) throws Exception {
        HttpTransport server = started(HttpTransportOptions.at("127.0.0.1", 0), ECHO);
        HttpTransport client = started(HttpTransportOptions.callingOnly().withClient(kind), ECHO);
        assertThat(client.port()).isZero();
        assertThat(call(client, server, new byte[7]).get(30, TimeUnit.SECONDS)).hasSize(7);
    }

    protected HttpTransport started(HttpTransportOptions options, FrameHandler handler) throws Exception {
        HttpTransport transport = HttpTransport.create(options.withDrainTimeout(Duration.ofMillis(100)));
        transports.add(transport);
        transport.start(handler).toCompletableFuture().get(30, TimeUnit.SECONDS);
        return transport;
    }

    private static CompletableFuture<byte[]> call(HttpTransport from, HttpTransport to, byte[] frame) {
        return call(from, "127.0.0.1:" + to.port(), frame);
    }

    protected static CompletableFuture<byte[]> call(HttpTransport from, String address, byte[] frame) {
        CallContext context =
                new CallContext(System::nanoTime, Duration.ofSeconds(30).toNanos());
        return from.call(Node.of("node", address), Frame.of(frame), context).toCompletableFuture();
    }

    protected static TransportException failure(CompletableFuture<byte[]> call)
            throws InterruptedException, TimeoutException {
        try {
            call.get(30, TimeUnit.SECONDS);
            throw new AssertionError("expected a failure");
        } catch (ExecutionException e) {
            return (TransportException) DhtException.unwrap(e);
        }
    }
}
