package io.dht4j.transport.http.internal.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dht4j.CallOptions;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.ScanScope;
import io.dht4j.spi.RemoteApi;
import io.dht4j.spi.TlsFiles;
import io.dht4j.testkit.network.SilencedLink;
import io.dht4j.testkit.tls.TestCertificates;
import io.dht4j.transport.http.HttpApi;
import io.dht4j.transport.http.HttpApiOptions;
import io.dht4j.transport.http.HttpRemote;
import io.dht4j.transport.http.HttpRemoteOptions;
import io.dht4j.transport.http.fixture.ApiNodes;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.PemKeyCertOptions;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The remote client over TLS and with tokens. */
@Timeout(60)
class HttpRemoteSecurityTest {

    private static final CallOptions OPTIONS = CallOptions.defaults().withTimeout(Duration.ofSeconds(30));
    private static final Key KEY = Key.of("key");
    private static final String READ = "read-read-read-read-1";
    private static final String ADMIN = "admin-admin-admin-admin-1";

    @TempDir
    private Path directory;

    private TestCertificates authority;
    private ApiNodes nodes;
    private HttpApi api;

    @BeforeEach
    void serve() throws IOException {
        authority = TestCertificates.in(directory);
        Path tokens = Files.writeString(directory.resolve("tokens"), "read " + READ + "\nadmin " + ADMIN + "\n");
        nodes = ApiNodes.of(1, builder -> builder, HttpApiOptions.defaults());
        api = HttpApi.listening(
                "127.0.0.1",
                0,
                nodes.cluster(0),
                HttpApiOptions.defaults()
                        .withTls(authority.issue("api", "localhost").server())
                        .withTokens(tokens));
    }

    @AfterEach
    void stop() {
        api.close();
        nodes.close();
    }

    private static <T> T result(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(30, TimeUnit.SECONDS);
    }

    private static DhtException failure(CompletionStage<?> stage) throws Exception {
        try {
            throw new AssertionError("expected a failure, not " + result(stage));
        } catch (ExecutionException e) {
            return (DhtException) e.getCause();
        }
    }

    private RemoteApi remote(TlsFiles files, String token) {
        return HttpRemote.create(HttpRemoteOptions.defaults().withTls(files).withToken(token));
    }

    @Test
    void tokensGoOverTlsAndDecideWhatIsAllowed() throws Exception {
        String address = "localhost:" + api.port();
        try (RemoteApi admin = remote(authority.trusting(), ADMIN);
                RemoteApi reader = remote(authority.trusting(), READ);
                RemoteApi stranger = remote(authority.trusting(), "nobody-gave-this-out");
                RemoteApi nobody =
                        HttpRemote.create(HttpRemoteOptions.defaults().withTls(authority.trusting()))) {
            result(admin.put(address, KEY, new byte[] {1}, OPTIONS));
            assertThat(result(reader.get(address, KEY, OPTIONS))).isPresent();
            assertThat(failure(reader.put(address, KEY, new byte[1], OPTIONS)).code())
                    .isEqualTo(ErrorCode.PERMISSION_DENIED);
            assertThat(failure(reader.scan(address, KeyRange.all(), ScanScope.NODE, 1, OPTIONS))
                            .code())
                    .isEqualTo(ErrorCode.PERMISSION_DENIED);
            assertThat(result(admin.scan(address, KeyRange.all(), ScanScope.NODE, 1, OPTIONS)))
                    .hasSize(1);
            DhtException unknown = failure(stranger.get(address, KEY, OPTIONS));
            assertThat(unknown.code()).isEqualTo(ErrorCode.UNAUTHENTICATED);
            assertThat(unknown).hasMessageNotContaining("nobody-gave-this-out");
            assertThat(failure(nobody.get(address, KEY, OPTIONS)).code()).isEqualTo(ErrorCode.UNAUTHENTICATED);
        }
    }

    @Test
    void aServerOfAnotherNameOrAuthorityIsSentNothing() throws Exception {
        try (RemoteApi remote = remote(authority.trusting(), ADMIN);
                RemoteApi foreign = remote(TestCertificates.in(directory).trusting(), ADMIN)) {
            // The certificate names localhost, not the address.
            assertThat(failure(remote.get("127.0.0.1:" + api.port(), KEY, OPTIONS))
                            .code())
                    .isEqualTo(ErrorCode.NOT_SENT);
            assertThat(failure(foreign.get("localhost:" + api.port(), KEY, OPTIONS))
                            .code())
                    .isEqualTo(ErrorCode.NOT_SENT);
            assertThat(result(remote.get("localhost:" + api.port(), KEY, OPTIONS)))
                    .isEmpty();
        }
    }

    /** A busy machine takes longer for it than to connect, above all for its first one. */
    @Test
    void aHandshakeMayTakeLongerThanToConnect() throws Exception {
        Duration connectTimeout = Duration.ofMillis(50);
        HttpRemoteOptions options = HttpRemoteOptions.defaults()
                .withTls(authority.trusting())
                .withToken(READ)
                .withConnectTimeout(connectTimeout);
        try (SilencedLink link = new SilencedLink(api.port());
                RemoteApi remote = HttpRemote.create(options)) {
            link.pause();
            CompletableFuture<?> call = remote.get(link.address().replace("127.0.0.1", "localhost"), KEY, OPTIONS)
                    .toCompletableFuture();
            await().during(connectTimeout.multipliedBy(10)).until(() -> !call.isDone());
            link.resume();
            assertThat(result(call)).isEqualTo(Optional.empty());
        }
    }

    @Test
    void aBadFileIsNamed() throws IOException {
        Path bad = Files.writeString(directory.resolve("no-authority.pem"), "hello");
        assertThatThrownBy(() -> HttpRemote.create(HttpRemoteOptions.defaults().withTls(TlsFiles.trusting(bad))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no-authority.pem");
    }

    @Test
    void plaintextClientOfAPortWithTlsGetsAHint() throws Exception {
        String hint = "it closed the connection without an answer: does this port speak TLS, or is it a port of another"
                + " transport?";
        String secure = "localhost:" + api.port();
        try (RemoteApi plain = HttpRemote.create(HttpRemoteOptions.defaults());
                RemoteApi encrypted = remote(authority.trusting(), READ)) {
            assertThat(failure(plain.get(secure, KEY, OPTIONS))).hasMessage(secure + ": " + hint);
            String known = "localhost:" + nodes.port(0);
            result(plain.get(known, KEY, OPTIONS));
            assertThat(failure(encrypted.get(known, KEY, OPTIONS)))
                    .hasMessage(known + ": it does not speak TLS; is this a plaintext port?");
        }
    }

    @Test
    void aPortWithTlsThatDoesNotSpeakHttpGetsAHint() throws Exception {
        TlsFiles files = authority.issue("other", "localhost").server();
        NetServerOptions tls = new NetServerOptions()
                .setSsl(true)
                .setKeyCertOptions(new PemKeyCertOptions()
                        .addCertPath(files.certificate().orElseThrow().toString())
                        .addKeyPath(files.key().orElseThrow().toString()));
        Vertx vertx = Vertx.vertx();
        try (RemoteApi remote = remote(authority.trusting(), READ)) {
            NetServer other = result(vertx.createNetServer(tls)
                    .connectHandler(connection -> connection.handler(bytes -> connection.close()))
                    .listen(0, "localhost")
                    .toCompletionStage());
            String address = "localhost:" + other.actualPort();
            assertThat(failure(remote.get(address, KEY, OPTIONS)))
                    .hasMessage(address
                            + ": it closed the connection without an answer: is this a port of another transport?");
        } finally {
            result(vertx.close().toCompletionStage());
        }
    }

    @Test
    void tokenOverPlaintextStaysLocalUnlessAllowed() throws Exception {
        Optional<String> outside = ownAddress();
        HttpRemoteOptions options = HttpRemoteOptions.defaults().withToken(ADMIN);
        try (RemoteApi remote = HttpRemote.create(options);
                RemoteApi allowed = HttpRemote.create(options.withPlaintextAllowed())) {
            String near = "127.0.0.1:" + nodes.port(0);
            assertThat(result(remote.get(near, KEY, OPTIONS))).isEmpty();
            String far = outside.orElse("192.0.2.1") + ":" + nodes.port(0);
            DhtException error = failure(remote.get(far, KEY, OPTIONS));
            assertThat(error.code()).isEqualTo(ErrorCode.BAD_REQUEST);
            assertThat(error)
                    .hasMessageEndingWith(" would be plaintext beyond this machine: set up TLS, or ask for it by"
                            + " withPlaintextAllowed()")
                    .hasMessageNotContaining(ADMIN);
            DhtException unknown = failure(remote.get("no-such-host.invalid:1", KEY, OPTIONS));
            assertThat(unknown.code()).isEqualTo(ErrorCode.NOT_SENT);
            assertThat(unknown).hasMessageContaining("cannot be resolved");
            if (outside.isPresent()) {
                // Nobody listens there, but now it is tried.
                assertThat(failure(allowed.get(far, KEY, OPTIONS))).hasMessageNotContaining("withPlaintextAllowed()");
            }
        }
    }

    /** An address of this machine other than loopback. Nothing is sent to find it. */
    private static Optional<String> ownAddress() throws IOException {
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.connect(new InetSocketAddress("192.0.2.1", 9));
            InetAddress local = socket.getLocalAddress();
            return local.isLoopbackAddress() || local.isAnyLocalAddress()
                    ? Optional.empty()
                    : Optional.of(local.getHostAddress());
        } catch (java.io.UncheckedIOException | IOException noRoute) {
            return Optional.empty();
        }
    }
}
