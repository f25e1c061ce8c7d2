package io.dht4j.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.dht4j.NodeId;
import io.dht4j.spi.TlsFiles;
import io.dht4j.testkit.tls.TestCertificates;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that change while they are in use. */
class TlsReloadTest {

    @TempDir
    Path directory;

    private final List<Tls> open = new ArrayList<>();
    private final List<String> warnings = new CopyOnWriteArrayList<>();
    private TestCertificates certificates;
    private TestCertificates.Issued issued;
    private Tls server;
    private Tls client;

    @BeforeEach
    void load() {
        certificates = TestCertificates.in(directory);
        issued = certificates.issue("n1", "localhost");
        server = load(issued.mutual());
        client = load(certificates.mutual("n2"));
    }

    private Tls load(TlsFiles files) {
        return opened(Look.load(files, warnings::add));
    }

    private Tls opened(Tls tls) {
        open.add(tls);
        return tls;
    }

    @AfterEach
    void close() {
        open.forEach(Tls::close);
    }

    @Test
    void aNewCertificateAndKeyAreUsedByTheNextHandshake() throws Exception {
        X509Certificate before = meet();
        TestCertificates.Issued next = certificates.issue("n1", "localhost");
        TestCertificates.replace(issued.certificate(), next.certificate());
        TestCertificates.replace(issued.key(), next.key());
        Look.at(server);
        assertThat(meet()).isNotEqualTo(before);
        assertThat(warnings)
                .containsExactly(
                        issued.certificate() + ", " + issued.key() + ", " + issued.authority() + ": read again");
    }

    @Test
    void aHandshakeThatHasChosenAPairKeepsIt() {
        String alias = server.keyManager().chooseEngineServerAlias("EC", null, null);
        X509Certificate[] before = server.keyManager().getCertificateChain(alias);
        TestCertificates.Issued next = certificates.issue("n1", "localhost");
        TestCertificates.replace(issued.certificate(), next.certificate());
        TestCertificates.replace(issued.key(), next.key());
        Look.at(server);
        assertThat(server.keyManager().getCertificateChain(alias)).isEqualTo(before);
        assertThat(server.keyManager().getPrivateKey(alias)).isNotNull();
        String after = server.keyManager().chooseEngineServerAlias("EC", null, null);
        assertThat(server.keyManager().getCertificateChain(after)).isNotEqualTo(before);
        assertThat(server.keyManager().getPrivateKey("another")).isNull();
    }

    @Test
    void anAuthorityThatComesIsTrustedAndOneThatGoesIsNot() throws Exception {
        TestCertificates other = TestCertificates.in(directory);
        TestCertificates.Issued foreign = other.issue("n1", "localhost");
        Tls moved = load(TlsFiles.mutual(foreign.certificate(), foreign.key(), certificates.authority()));
        assertThatExceptionOfType(SSLException.class).isThrownBy(() -> meet(moved));
        Path own = certificates.authority();
        Path old = Files.copy(own, directory.resolve("old.pem"));
        TestCertificates.replace(own, old, other.authority());
        Look.at(client);
        meet(moved);
        meet(server);
        TestCertificates.replace(own, other.authority());
        Look.at(client);
        assertThatExceptionOfType(SSLException.class).isThrownBy(() -> meet(server));
    }

    @Test
    void aSessionIsJudgedByTheAuthoritiesOfToday() throws Exception {
        Handshake handshake = Handshake.of(server, true, client, client.trustManager(), "localhost", 443);
        handshake.run();
        SSLSession session = handshake.serversSession();
        Handshake anonymous =
                Handshake.of(server, false, load(certificates.trusting()), client.trustManager(), "localhost", 443);
        anonymous.run();
        assertThat(server.callerNames(session)).containsExactlyInAnyOrder("n2", "localhost");
        TestCertificates.replace(
                certificates.authority(), TestCertificates.in(directory).authority());
        Look.at(server);
        assertThatExceptionOfType(CertificateException.class)
                .isThrownBy(() -> server.callerNames(session))
                .withMessageContaining("no trusted authority has signed the certificate");
        assertThatExceptionOfType(SSLPeerUnverifiedException.class)
                .isThrownBy(() -> server.callerNames(anonymous.serversSession()));
    }

    @Test
    void aCertificateWithoutItsNewKeyLeavesTheOldPairInUse() throws Exception {
        X509Certificate before = meet();
        TestCertificates.Issued next = certificates.issue("n1", "localhost");
        TestCertificates.replace(issued.certificate(), next.certificate());
        Look.at(server);
        Look.at(server);
        assertThat(meet()).isEqualTo(before);
        assertThat(warnings)
                .containsExactly(issued.key() + " is not the key of the certificate in " + issued.certificate()
                        + "; what was read before stays in use");
        TestCertificates.replace(issued.key(), next.key());
        Look.at(server);
        assertThat(meet()).isNotEqualTo(before);
    }

    @Test
    void filesThatAreCutOffOrGoneLeaveTheOldOnesInUseAndAreToldOncePerContent() throws Exception {
        for (Path file : List.of(issued.certificate(), issued.key(), issued.authority())) {
            warnings.clear();
            byte[] whole = Files.readAllBytes(file);
            for (int length : new int[] {whole.length - 1, whole.length / 2, 30, 0}) {
                Files.write(file, Arrays.copyOf(whole, length));
                Look.at(server);
                Look.at(server);
                meet();
            }
            assertThat(warnings).filteredOn(line -> line.contains("is cut off")).hasSizeBetween(2, 3);
            assertThat(warnings).last().asString().startsWith(file + " is empty; what was");
            Files.delete(file);
            Look.at(server);
            Look.at(server);
            meet();
            assertThat(warnings).last().asString().startsWith(file + " does not exist; what was");
            int told = warnings.size();
            Files.write(file, whole);
            Look.at(server);
            assertThat(warnings).hasSize(told + 1).last().asString().endsWith("read again");
        }
    }

    @Test
    void aFileThatIsBeingWrittenIsLeftAloneUntilItStands() throws Exception {
        byte[] whole = Files.readAllBytes(issued.key());
        // One look each: no content is seen twice.
        for (int length = 0; length <= whole.length; length += 20) {
            Files.write(issued.key(), Arrays.copyOf(whole, length));
            Look.once(server);
        }
        Files.write(issued.key(), whole);
        Look.at(server);
        meet();
    }

    @Test
    void anExpiredCertificateTakesNoGoodOnesPlace() throws Exception {
        X509Certificate before = meet();
        put(certificates.issueExpired("n1", "localhost"));
        Look.at(server);
        Look.at(server);
        assertThat(meet()).isEqualTo(before);
        assertThat(warnings)
                .singleElement()
                .asString()
                .startsWith(issued.certificate() + ": the certificate of CN=n1 is valid from ")
                .endsWith(", not now; what was read before stays in use");
        put(certificates.issue("n1", "localhost"));
        Look.at(server);
        assertThat(meet()).isNotEqualTo(before);
    }

    @Test
    void aCertificateOfTomorrowIsUsedFromTomorrowOn() throws Exception {
        MovableClock clock = new MovableClock();
        Tls tls = opened(Look.load(issued.mutual(), warnings::add, clock));
        String before = serial(tls);
        put(certificates.issueForTomorrow("n1", "localhost"));
        Look.at(tls);
        Look.at(tls);
        assertThat(serial(tls)).isEqualTo(before);
        assertThat(warnings).singleElement().asString().endsWith(", not now; what was read before stays in use");
        clock.now = clock.now.plus(Duration.ofDays(2));
        Look.once(tls);
        assertThat(serial(tls)).isNotEqualTo(before);
        assertThat(warnings).hasSize(2).last().asString().endsWith("read again");
    }

    @Test
    void aCertificateTakesThePlaceOfAnExpiredOneWhateverItsDate() {
        MovableClock clock = new MovableClock();
        Tls tls = opened(Look.load(issued.mutual(), warnings::add, clock));
        String before = serial(tls);
        clock.now = clock.now.plus(Duration.ofDays(1000));
        put(certificates.issueExpired("n1", "localhost"));
        Look.at(tls);
        assertThat(serial(tls)).isNotEqualTo(before);
        assertThat(warnings).anyMatch(line -> line.endsWith("not now"));
    }

    @Test
    void theCertificateOfAnotherNodeTakesNoGoodOnesPlace() throws Exception {
        X509Certificate before = meet();
        put(certificates.issue("n2", "localhost"));
        Look.at(server);
        Look.at(server);
        assertThat(meet()).isEqualTo(before);
        assertThat(warnings)
                .containsExactly(issued.certificate()
                        + ": the certificate names [localhost, n2], not n1 as the one before it:"
                        + " it is somebody else's; what was read before stays in use");
        put(certificates.issue("n2", "n1", "localhost"));
        Look.at(server);
        assertThat(meet()).isNotEqualTo(before);
    }

    @Test
    void whoHasNoMainNameKeepsOneOfTheOthers() {
        TestCertificates.Issued nameless = certificates.issue("localhost", "a.example", "b.example");
        Tls tls = opened(Look.load(nameless.mutual(), warnings::add));
        String before = serial(tls);
        put(nameless, certificates.issue("c.example"));
        Look.at(tls);
        assertThat(serial(tls)).isEqualTo(before);
        assertThat(warnings)
                .containsExactly(nameless.certificate()
                        + ": the certificate names [c.example], not any of [a.example, b.example, localhost] as the one"
                        + " before it: it is somebody else's; what was read before stays in use");
        put(nameless, certificates.issue("b.example", "c.example"));
        Look.at(tls);
        assertThat(serial(tls)).isNotEqualTo(before);
    }

    @Test
    void aNodeThatIsKnownByNameKeepsItsNameWhateverElseItsCertificatesShare() {
        TestCertificates.Issued shared = certificates.issue("n1", "host.example", "localhost");
        Tls tls = opened(Look.load(shared.mutual(), warnings::add));
        tls.expectName(new NodeId("n1"));
        assertThat(warnings).isEmpty();
        String before = serial(tls);
        put(shared, certificates.issue("n2", "host.example", "localhost"));
        Look.at(tls);
        assertThat(serial(tls)).isEqualTo(before);
        assertThat(warnings)
                .containsExactly(shared.certificate()
                        + ": the certificate names [host.example, localhost, n2], not n1: it is somebody else's;"
                        + " what was read before stays in use");
        put(shared, certificates.issue("n1"));
        Look.at(tls);
        assertThat(serial(tls)).as("other names may go").isNotEqualTo(before);
    }

    @Test
    void aNodeWithACertificateThatIsNotItsOwnMayGetItsOwn() {
        Tls tls = opened(Look.load(issued.mutual(), warnings::add));
        tls.expectName(new NodeId("n7"));
        String before = serial(tls);
        put(certificates.issue("n7"));
        Look.at(tls);
        assertThat(serial(tls)).isNotEqualTo(before);
    }

    @Test
    void authoritiesThatAreAllOverTakeNoGoodOnesPlace() throws Exception {
        Path over = certificates.issueExpired("over").certificate();
        Path own = certificates.authority();
        Path old = Files.copy(own, directory.resolve("old.pem"));
        TestCertificates.replace(own, over);
        Look.at(client);
        meet();
        assertThat(warnings).singleElement().asString().startsWith(own + ": ").endsWith("stays in use");
        TestCertificates.replace(own, old, over);
        Look.at(client);
        meet();
        assertThat(warnings).last().asString().endsWith("read again");
    }

    private void put(TestCertificates.Issued by) {
        put(issued, by);
    }

    private static void put(TestCertificates.Issued files, TestCertificates.Issued by) {
        TestCertificates.replace(files.certificate(), by.certificate());
        TestCertificates.replace(files.key(), by.key());
    }

    private static String serial(Tls tls) {
        String alias = tls.keyManager().chooseEngineServerAlias("EC", null, null);
        return tls.keyManager().getCertificateChain(alias)[0].getSerialNumber().toString();
    }

    /** Shows what a test says. */
    private static final class MovableClock extends Clock {

        private Instant now = Instant.now();

        @Override
        public Instant instant() {
            return now;
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }
    }

    @Test
    void filesAreWatchedWithoutBeingAsked() throws Exception {
        Tls watched = opened(Tls.load(issued.mutual(), warnings::add));
        X509Certificate before = meet(watched);
        TestCertificates.Issued next = certificates.issue("n1", "localhost");
        TestCertificates.replace(issued.certificate(), next.certificate());
        TestCertificates.replace(issued.key(), next.key());
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(warnings).anyMatch(line -> line.endsWith("read again")));
        assertThat(meet(watched)).isNotEqualTo(before);
    }

    @Test
    void theWatchSurvivesAConsumerOfWarningsThatThrowsAndEndsWhenClosed() throws Exception {
        AtomicInteger told = new AtomicInteger();
        Tls tls = Tls.load(certificates.mutual("n3"), line -> {
            told.incrementAndGet();
            throw new IllegalStateException("thrown on purpose, the watch goes on");
        });
        Path authority = certificates.authority();
        Path whole = Files.copy(authority, authority.resolveSibling("whole.pem"));
        Path nothing = Files.writeString(authority.resolveSibling("nothing.pem"), "nothing");
        TestCertificates.replace(authority, nothing);
        await().dontCatchUncaughtExceptions().atMost(Duration.ofSeconds(30)).until(() -> told.get() == 1);
        TestCertificates.replace(authority, whole);
        await().dontCatchUncaughtExceptions().atMost(Duration.ofSeconds(30)).until(() -> told.get() == 2);
        tls.close();
        tls.close();
        close();
        await().atMost(Duration.ofSeconds(30))
                .until(() -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().equals("dht4j-tls-files")));
        assertThat(tls.keyManager().chooseEngineServerAlias("EC", null, null)).isNotNull();
    }

    @Test
    void connectionsOverSocketsGoOnWhileEveryFileIsReplaced() throws Exception {
        List<Throwable> refused = new CopyOnWriteArrayList<>();
        ExecutorService threads = Executors.newCachedThreadPool();
        try (SSLServerSocket listener = (SSLServerSocket)
                context(server).getServerSocketFactory().createServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            listener.setNeedClientAuth(true);
            threads.execute(() -> echo(listener, threads, refused));
            try (SSLSocket stays = connect(listener.getLocalPort())) {
                exchange(stays);
                String authority = Files.readString(certificates.authority());
                for (int i = 0; i < 10; i++) {
                    TestCertificates.Issued next = certificates.issue("n1", "localhost");
                    TestCertificates.replace(issued.certificate(), next.certificate());
                    Look.once(server);
                    exchange(listener.getLocalPort());
                    TestCertificates.replace(issued.key(), next.key());
                    Files.writeString(certificates.authority(), authority + "# " + i + "\n");
                    Look.at(server);
                    Look.at(client);
                    exchange(listener.getLocalPort());
                    exchange(stays);
                }
            }
            assertThat(refused).isEmpty();
            assertThat(warnings).hasSizeGreaterThanOrEqualTo(10).allMatch(line -> line.endsWith("read again"));
        } finally {
            threads.shutdown();
        }
    }

    /** Serves each connection on a thread of its own until the listener is closed. */
    private static void echo(SSLServerSocket listener, ExecutorService threads, List<Throwable> refused) {
        try {
            while (true) {
                Socket accepted = listener.accept();
                threads.execute(() -> {
                    try (Socket socket = accepted) {
                        for (int next = socket.getInputStream().read();
                                next >= 0;
                                next = socket.getInputStream().read()) {
                            socket.getOutputStream().write(next);
                        }
                    } catch (SSLException e) {
                        refused.add(e);
                    } catch (IOException e) {
                        // The client hung up first.
                    }
                });
            }
        } catch (IOException e) {
            // The listener was closed: the test is over.
        }
    }

    private void exchange(int port) throws Exception {
        try (SSLSocket socket = connect(port)) {
            exchange(socket);
        }
    }

    private static void exchange(SSLSocket socket) throws IOException {
        socket.getOutputStream().write(9);
        assertThat(socket.getInputStream().read()).isEqualTo(9);
    }

    /** Each with a context of its own: no session is resumed. */
    private SSLSocket connect(int port) throws Exception {
        SSLContext calling = SSLContext.getInstance("TLS");
        calling.init(
                new KeyManager[] {client.keyManager()},
                new TrustManager[] {
                    client.trustManager((host, at) ->
                            host.equals("localhost") && at == port ? Optional.of(new NodeId("n1")) : Optional.empty())
                },
                null);
        SSLSocket socket = (SSLSocket) calling.getSocketFactory().createSocket("localhost", port);
        socket.setSoTimeout(20_000);
        return socket;
    }

    private static SSLContext context(Tls tls) throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(new KeyManager[] {tls.keyManager()}, new TrustManager[] {tls.trustManager()}, null);
        return context;
    }

    private X509Certificate meet() throws Exception {
        return meet(server);
    }

    private X509Certificate meet(Tls with) throws Exception {
        return (X509Certificate) Handshake.of(with, false, client, client.trustManager(), "localhost", 443)
                .run();
    }
}
