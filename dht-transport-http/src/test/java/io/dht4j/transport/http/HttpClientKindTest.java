package io.dht4j.transport.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dht4j.DhtException;
import io.dht4j.Node;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Frame;
import io.dht4j.spi.FrameHandler;
import io.dht4j.spi.TransportException;
import io.dht4j.spi.TransportException.Outcome;
import io.dht4j.testkit.tls.TestCertificates;
import io.vertx.core.http.HttpVersion;
import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
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
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the clients promise besides the contracts: protocol, connections, threads, and what is needed to use them. */
class HttpClientKindTest {

    private static final FrameHandler ECHO = (request, context) -> CompletableFuture.completedFuture(request);

    private final Queue<HttpTransport> transports = new ConcurrentLinkedQueue<>();

    @TempDir
    private Path directory;

    @AfterEach
    void close() {
        transports.forEach(HttpTransport::close);
    }

    @ParameterizedTest
    @EnumSource(HttpClientKind.class)
    void everyRequestUsesTheVersionThatTheClientIsChosenFor(HttpClientKind kind) throws Exception {
        assertThat(versions(kind, options -> options)).containsOnly(version(kind));
    }

    @ParameterizedTest
    @EnumSource(HttpClientKind.class)
    void everyRequestUsesThatVersionWithTlsToo(HttpClientKind kind) throws Exception {
        TestCertificates authority = TestCertificates.in(directory);
        assertThat(versions(kind, options -> options.withTls(authority.mutual("node"))))
                .containsOnly(version(kind));
    }

    @ParameterizedTest
    @EnumSource(HttpClientKind.class)
    void aConnectionToOneNodeIsNoConnectionToAnotherAtTheSameAddress(HttpClientKind kind) throws Exception {
        TestCertificates authority = TestCertificates.in(directory);
        HttpTransport server = started(HttpTransportOptions.at("127.0.0.1", 0).withTls(authority.mutual("node")), ECHO);
        HttpTransport client = started(
                HttpTransportOptions.callingOnly()
                        .withTls(authority.mutual("caller"))
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
        return kind == HttpClientKind.VERTX_H2 || kind == HttpClientKind.JDK_H2
                ? HttpVersion.HTTP_2
                : HttpVersion.HTTP_1_1;
    }

    private Set<HttpVersion> versions(HttpClientKind kind, UnaryOperator<HttpTransportOptions> more) throws Exception {
        HttpTransport server = started(more.apply(HttpTransportOptions.at("127.0.0.1", 0)), ECHO);
        Set<HttpVersion> seen = ConcurrentHashMap.newKeySet();
        HttpTransportServer endpoint = server.server();
        assertThat(endpoint).isNotNull();
        server.listener().attachPeer(request -> {
            if (request.getHeader(HttpTransportServer.DEADLINE_HEADER) != null) {
                seen.add(request.version());
            }
            endpoint.handle(request);
        });
        // On a busy machine 32 connections are not made in two seconds, certificates checked on both sides.
        HttpTransportOptions patient =
                HttpTransportOptions.at("127.0.0.1", 0).withConnectTimeout(Duration.ofSeconds(30));
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

    @ParameterizedTest
    @EnumSource(HttpClientKind.class)
    void thereAreNoMoreConnectionsThanTheOptionSays(HttpClientKind kind) throws Exception {
        CompletableFuture<byte[]> held = new CompletableFuture<>();
        HttpTransport server = started(HttpTransportOptions.at("127.0.0.1", 0), (request, context) -> held);
        HttpTransport client =
                started(HttpTransportOptions.at("127.0.0.1", 0).withClient(kind).withConnectionsPerPeer(4), ECHO);
        List<CompletableFuture<byte[]>> calls = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            calls.add(call(client, server, new byte[1]));
        }
        await().until(() -> server.listener().connections().open() == 4);
        assertThat(threads("dht4j-http-one-nio")).isLessThanOrEqualTo(4);
        held.complete(new byte[2]);
        for (CompletableFuture<byte[]> call : calls) {
            assertThat(call.get(30, TimeUnit.SECONDS)).hasSize(2);
        }
        assertThat(server.listener().connections().open()).isEqualTo(4);
    }

    private static long threads(String prefix) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith(prefix))
                .count();
    }

    @ParameterizedTest
    @EnumSource(HttpClientKind.class)
    void whoOnlyCallsDoesNotListen(HttpClientKind kind) throws Exception {
        HttpTransport server = started(HttpTransportOptions.at("127.0.0.1", 0), ECHO);
        HttpTransport client = started(HttpTransportOptions.callingOnly().withClient(kind), ECHO);
        assertThat(client.port()).isZero();
        assertThat(call(client, server, new byte[7]).get(30, TimeUnit.SECONDS)).hasSize(7);
    }

    @Test
    void whoOnlyCallsSendsNoPlaintextBeyondThisMachineUnlessThatIsAllowed() throws Exception {
        HttpTransport client = started(HttpTransportOptions.callingOnly(), ECHO);
        for (String address : List.of("192.0.2.1:80", "node.invalid:80", "[2001:db8::1]:80", "127.0.0.1.invalid:80")) {
            assertThat(failure(client, address))
                    .hasMessageContaining("withPlaintextAllowed()")
                    .extracting(TransportException::outcome)
                    .isEqualTo(Outcome.NOT_SENT);
        }
        HttpTransport allowed = started(HttpTransportOptions.callingOnly().withPlaintextAllowed(), ECHO);
        assertThat(failure(allowed, "node.invalid:80")).hasMessageContaining("cannot connect");
        assertThat(failure(client, "localhost:1")).hasMessageContaining("cannot connect");
    }

    @Test
    void aClientWhoseLibraryIsMissingNamesIt() throws Exception {
        assertNamed("WEBCLIENT", "vertx-web-client", "io.vertx:vertx-web-client");
        assertNamed("ONE_NIO", "one-nio", "ru.odnoklassniki:one-nio");
    }

    /** Creates a transport among all classes but those of one library. */
    private static void assertNamed(String kind, String missing, String artifact) throws Exception {
        URL[] rest = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !new File(entry).getName().startsWith(missing))
                .map(HttpClientKindTest::url)
                .toArray(URL[]::new);
        try (URLClassLoader without = new URLClassLoader(rest, ClassLoader.getPlatformClassLoader())) {
            Class<?> options = without.loadClass(HttpTransportOptions.class.getName());
            Class<?> kinds = without.loadClass(HttpClientKind.class.getName());
            Object chosen = Stream.of(kinds.getEnumConstants())
                    .filter(constant -> constant.toString().equals(kind))
                    .findFirst()
                    .orElseThrow();
            Object with = options.getMethod("withClient", kinds)
                    .invoke(options.getMethod("callingOnly").invoke(null), chosen);
            assertThatThrownBy(() -> without.loadClass(HttpTransport.class.getName())
                            .getMethod("create", options)
                            .invoke(null, with))
                    .isInstanceOf(InvocationTargetException.class)
                    .cause()
                    .hasMessageContaining(artifact);
        }
    }

    private static URL url(String entry) {
        try {
            return new File(entry).toURI().toURL();
        } catch (MalformedURLException e) {
            throw new IllegalArgumentException(e);
        }
    }

    @Test
    void aConnectionBoundThatDoesNotSuitTheClientIsNamed() {
        assertThatThrownBy(() -> HttpTransportOptions.callingOnly()
                        .withConnectionsPerPeer(17)
                        .withClient(HttpClientKind.JDK_H2))
                .hasMessage("connectionsPerPeer must be 1 to 16, not 17");
    }

    private HttpTransport started(HttpTransportOptions options, FrameHandler handler) throws Exception {
        HttpTransport transport = HttpTransport.create(options.withDrainTimeout(Duration.ofMillis(100)));
        transports.add(transport);
        transport.start(handler).toCompletableFuture().get(30, TimeUnit.SECONDS);
        return transport;
    }

    private static CompletableFuture<byte[]> call(HttpTransport from, HttpTransport to, byte[] frame) {
        return call(from, "127.0.0.1:" + to.port(), frame);
    }

    private static CompletableFuture<byte[]> call(HttpTransport from, String address, byte[] frame) {
        CallContext context =
                new CallContext(System::nanoTime, Duration.ofSeconds(30).toNanos());
        return from.call(Node.of("node", address), Frame.of(frame), context).toCompletableFuture();
    }

    private static TransportException failure(HttpTransport from, String address)
            throws InterruptedException, TimeoutException {
        return failure(call(from, address, new byte[0]));
    }

    private static TransportException failure(CompletableFuture<byte[]> call)
            throws InterruptedException, TimeoutException {
        try {
            call.get(30, TimeUnit.SECONDS);
            throw new AssertionError("expected a failure");
        } catch (ExecutionException e) {
            return (TransportException) DhtException.unwrap(e);
        }
    }
}
