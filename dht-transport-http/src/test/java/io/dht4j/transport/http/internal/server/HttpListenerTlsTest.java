package io.dht4j.transport.http.internal.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dht4j.security.Tls;
import io.dht4j.spi.TlsFiles;
import io.dht4j.spi.TransportException;
import io.dht4j.testkit.tls.TestCertificates;
import io.dht4j.transport.common.options.ConnectionLimits;
import io.dht4j.transport.common.options.WireSecurity;
import io.dht4j.transport.http.fixture.RawHttp;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The listener's TLS, and where it may do without. */
@Timeout(60)
class HttpListenerTlsTest {

    @TempDir
    private Path directory;

    private final List<AutoCloseable> opened = new ArrayList<>();
    private TestCertificates authority;
    private TestCertificates.Issued server;

    @BeforeEach
    void issueCertificates() {
        authority = TestCertificates.in(directory);
        server = authority.issue("n1", "localhost", "127.0.0.1");
    }

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
    }

    private HttpListener started(TlsFiles files, boolean forPeers) throws Exception {
        HttpListener listener = new HttpListener(ListenerFixtures.secured(
                "127.0.0.1", 0, WireSecurity.onLoopback().withTls(files), forPeers));
        opened.add(listener::close);
        listener.start().toCompletableFuture().get(10, TimeUnit.SECONDS);
        return listener;
    }

    private SSLContext context(TlsFiles files) throws Exception {
        Tls tls = Tls.load(files, warning -> {});
        opened.add(tls);
        KeyManager[] keys = files.certificate().isPresent() ? new KeyManager[] {tls.keyManager()} : new KeyManager[0];
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys, new TrustManager[] {tls.trustManager()}, null);
        return context;
    }

    private HttpResponse<String> get(HttpListener listener, TlsFiles files, HttpClient.Version version)
            throws Exception {
        return HttpClient.newBuilder()
                .sslContext(context(files))
                .version(version)
                .build()
                .send(
                        HttpRequest.newBuilder(URI.create("https://localhost:" + listener.port() + "/path?query"))
                                .timeout(Duration.ofSeconds(20))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }

    /** Answers with the names in the client's certificate. */
    private static void tellWhoCalls(HttpListener listener) {
        listener.attachPublic(request -> {
            SSLSession session = request.connection().sslSession();
            request.response().end(session.getProtocol() + " " + who(session));
        });
    }

    private static String who(SSLSession session) {
        try {
            Certificate[] chain = session.getPeerCertificates();
            return Tls.names((X509Certificate) chain[0]).toString();
        } catch (SSLPeerUnverifiedException e) {
            return "nobody";
        }
    }

    @Test
    void httpsIsSpokenInBothVersionsOfHttp() throws Exception {
        HttpListener listener = started(server.server(), false);
        tellWhoCalls(listener);
        for (HttpClient.Version version : HttpClient.Version.values()) {
            HttpResponse<String> answer = get(listener, authority.trusting(), version);
            assertThat(answer.version()).isEqualTo(version);
            assertThat(answer.body()).isEqualTo("TLSv1.3 nobody");
        }
    }

    @Test
    void aClientWithoutACertificateIsServedWherePeersCallToo() throws Exception {
        HttpListener listener = started(server.mutual(), true);
        tellWhoCalls(listener);
        assertThat(get(listener, authority.trusting(), HttpClient.Version.HTTP_1_1)
                        .body())
                .isEqualTo("TLSv1.3 nobody");
        assertThat(get(listener, authority.mutual("n2"), HttpClient.Version.HTTP_2)
                        .body())
                .contains("n2");
    }

    @Test
    void aForeignCertificateMakesAClientNobody() throws Exception {
        HttpListener listener = started(server.mutual(), true);
        tellWhoCalls(listener);
        TestCertificates.Issued foreign = TestCertificates.in(directory).issue("n2");
        TlsFiles files = TlsFiles.mutual(foreign.certificate(), foreign.key(), authority.authority());
        assertThat(get(listener, files, HttpClient.Version.HTTP_1_1).body()).isEqualTo("TLSv1.3 nobody");
    }

    @Test
    void noCertificateIsAskedForWhereOnlyThePublicComes() throws Exception {
        HttpListener listener = started(server.mutual(), false);
        tellWhoCalls(listener);
        assertThat(get(listener, authority.mutual("n2"), HttpClient.Version.HTTP_1_1)
                        .body())
                .isEqualTo("TLSv1.3 nobody");
    }

    @Test
    void oldVersionsOfTlsAreRefused() throws Exception {
        HttpListener listener = started(server.server(), false);
        try (SSLSocket socket = (SSLSocket) context(authority.trusting())
                .getSocketFactory()
                .createSocket(InetAddress.getLoopbackAddress(), listener.port())) {
            socket.setEnabledProtocols(new String[] {"TLSv1.1"});
            assertThatThrownBy(socket::startHandshake).isInstanceOf(SSLException.class);
        }
        try (SSLSocket socket = (SSLSocket) context(authority.trusting())
                .getSocketFactory()
                .createSocket(InetAddress.getLoopbackAddress(), listener.port())) {
            socket.setEnabledProtocols(new String[] {"TLSv1.2"});
            socket.startHandshake();
            assertThat(socket.getSession().getProtocol()).isEqualTo("TLSv1.2");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theRulesOfRequestsHoldForTheFirstOneToo(boolean forPeers) throws Exception {
        HttpListener listener = started(forPeers ? server.mutual() : server.server(), forPeers);
        tellWhoCalls(listener);
        try (SSLSocket socket = (SSLSocket) context(authority.trusting())
                .getSocketFactory()
                .createSocket(InetAddress.getLoopbackAddress(), listener.port())) {
            socket.setSoTimeout(30_000);
            socket.getOutputStream().write("GET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(UTF_8));
            String answer = new String(socket.getInputStream().readAllBytes(), UTF_8);
            assertThat(answer)
                    .startsWith("HTTP/1.1 400")
                    .contains("Host must stand once")
                    .doesNotContain("200 OK");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whoeverDoesNotEvenShakeHandsGivesWay(boolean forPeers) throws Exception {
        WireSecurity security = WireSecurity.onLoopback().withTls(forPeers ? server.mutual() : server.server());
        HttpListener listener = new HttpListener(ListenerFixtures.of(
                "127.0.0.1",
                0,
                ConnectionLimits.defaults().withMax(8),
                HttpListenerOptions.DEFAULT_HEAD_TIMEOUT,
                security,
                forPeers));
        opened.add(listener::close);
        listener.start().toCompletableFuture().get(10, TimeUnit.SECONDS);
        tellWhoCalls(listener);
        List<RawHttp> silent = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            silent.add(new RawHttp(listener.port()));
        }
        assertThat(get(listener, authority.trusting(), HttpClient.Version.HTTP_2)
                        .statusCode())
                .isEqualTo(200);
        for (RawHttp each : silent) {
            each.close();
        }
    }

    @Test
    void plaintextIsNotUnderstoodAndTheNextClientIsServed() throws Exception {
        HttpListener listener = started(server.server(), false);
        tellWhoCalls(listener);
        try (RawHttp raw = new RawHttp(listener.port())) {
            raw.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
            assertThat(raw.untilClosed()).doesNotContain("HTTP/1.1 200");
        }
        assertThat(get(listener, authority.trusting(), HttpClient.Version.HTTP_1_1)
                        .statusCode())
                .isEqualTo(200);
    }

    @Test
    void aNewCertificateIsShownWithoutARestart() throws Exception {
        HttpListener listener = started(server.server(), false);
        tellWhoCalls(listener);
        TestCertificates other = TestCertificates.in(directory);
        assertThatThrownBy(() -> get(listener, other.trusting(), HttpClient.Version.HTTP_1_1))
                .isInstanceOf(SSLHandshakeException.class);
        TestCertificates.Issued renewed = other.issue("n1", "localhost");
        Files.move(renewed.key(), server.key(), StandardCopyOption.REPLACE_EXISTING);
        Files.move(renewed.certificate(), server.certificate(), StandardCopyOption.REPLACE_EXISTING);
        await().atMost(Duration.ofSeconds(20))
                .ignoreExceptions()
                .until(() -> get(listener, other.trusting(), HttpClient.Version.HTTP_1_1)
                                .statusCode()
                        == 200);
    }

    @Test
    void aBadFileIsNamedAtStart() throws Exception {
        Path bad = Files.writeString(directory.resolve("not-a-key.pem"), "hello");
        assertThatThrownBy(() -> started(TlsFiles.server(server.certificate(), bad), false))
                .cause()
                .isInstanceOf(TransportException.class)
                .hasMessageContaining("not-a-key.pem")
                .hasMessageContaining("127.0.0.1");
    }

    @Test
    void filesThatDoNotSufficeAreRefusedWithTheOptions() {
        WireSecurity plaintext = WireSecurity.onLoopback();
        assertThatThrownBy(
                        () -> ListenerFixtures.secured("127.0.0.1", 0, plaintext.withTls(authority.trusting()), false))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("certificate");
        assertThatThrownBy(() -> ListenerFixtures.secured("127.0.0.1", 0, plaintext.withTls(server.server()), true))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("authorities");
    }

    @Test
    void plaintextStaysOnLoopbackUnlessItIsAllowedFurther() throws Exception {
        WireSecurity onLoopback = WireSecurity.onLoopback();
        HttpListener refused = new HttpListener(ListenerFixtures.at("0.0.0.0", 0));
        opened.add(refused::close);
        assertThatThrownBy(() -> refused.start().toCompletableFuture().get(10, TimeUnit.SECONDS))
                .cause()
                .isInstanceOf(TransportException.class)
                .hasMessageContaining("0.0.0.0")
                .hasMessageContaining("withPlaintextAllowed()");
        HttpListener allowed =
                new HttpListener(ListenerFixtures.secured("0.0.0.0", 0, onLoopback.withPlaintextAllowed(), false));
        opened.add(allowed::close);
        allowed.start().toCompletableFuture().get(10, TimeUnit.SECONDS);
        assertThat(allowed.port()).isPositive();
        HttpListener secured =
                new HttpListener(ListenerFixtures.secured("0.0.0.0", 0, onLoopback.withTls(server.server()), false));
        opened.add(secured::close);
        secured.start().toCompletableFuture().get(10, TimeUnit.SECONDS);
        assertThat(secured.port()).isPositive();
    }
}
