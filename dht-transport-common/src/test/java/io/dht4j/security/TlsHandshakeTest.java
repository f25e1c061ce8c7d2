package io.dht4j.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.dht4j.NodeId;
import io.dht4j.spi.TlsFiles;
import io.dht4j.testkit.tls.TestCertificates;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who lets whom in: real handshakes, with certificates of every kind. */
@Tag("jdk")
class TlsHandshakeTest {

    @TempDir
    Path directory;

    private final List<Tls> open = new ArrayList<>();
    private TestCertificates certificates;

    @BeforeEach
    void makeAuthority() {
        certificates = TestCertificates.in(directory);
    }

    @AfterEach
    void close() {
        open.forEach(Tls::close);
    }

    @ParameterizedTest
    @CsvSource({"EC, TLSv1.3", "RSA, TLSv1.3", "Ed25519, TLSv1.3", "EC, TLSv1.2", "RSA, TLSv1.2"})
    void nodesWithTheRightNamesMeet(String keys, String protocol) throws Exception {
        Tls n1 = load(certificates.issueWithKey(keys, "n1").mutual());
        Tls n2 = load(certificates.issueWithKey(keys, "n2").mutual());
        Handshake handshake = call(n2, n1, "n1").over(protocol);
        assertThat(Tls.names((X509Certificate) handshake.run())).containsExactly("n1");
        assertThat(Tls.names((X509Certificate) handshake.clientsCertificate())).containsExactly("n2");
    }

    @Test
    void authoritiesBelowTheTrustedOneAreTrusted() throws Exception {
        TestCertificates below = certificates.below("site").below("rack");
        Handshake handshake = call(load(below.mutual("n2")), load(certificates.mutual("n1")), "n1");
        handshake.run();
        assertThat(Tls.names((X509Certificate) handshake.clientsCertificate())).contains("n2");
    }

    @Test
    void aNodeOfAForeignAuthorityIsRefusedByTheCaller() {
        TestCertificates.Issued foreign = TestCertificates.in(directory).issue("n1");
        Tls server = load(TlsFiles.mutual(foreign.certificate(), foreign.key(), certificates.authority()));
        assertRefused(() -> call(load(certificates.mutual("n2")), server, "n1").run(), "certification path");
    }

    @Test
    void aCallerOfAForeignAuthorityIsRefusedByTheNode() {
        TestCertificates.Issued foreign = TestCertificates.in(directory).issue("n2");
        Tls client = load(TlsFiles.mutual(foreign.certificate(), foreign.key(), certificates.authority()));
        assertThatExceptionOfType(SSLException.class)
                .isThrownBy(() ->
                        call(client, load(certificates.mutual("n1")), "n1").run());
    }

    @Test
    void refusalOfAnotherNodeNamesBothNodes() {
        assertRefused(
                () -> call(load(certificates.mutual("n3")), load(certificates.mutual("n2")), "n1")
                        .run(),
                "the certificate of peer.example:7001 names [localhost, n2], not n1, the node that is called");
    }

    @Test
    void anAddressWhereNoNodeIsExpectedIsRefused() {
        Tls client = load(certificates.mutual("n2"));
        assertRefused(
                () -> Handshake.of(
                                load(certificates.mutual("n1")),
                                true,
                                client,
                                client.trustManager((host, port) -> Optional.empty()),
                                "peer.example",
                                7001)
                        .run(),
                "no node is expected at peer.example:7001");
    }

    @Test
    void connectionWithoutACalledNodeIsRefused() throws Exception {
        Tls client = load(certificates.mutual("n2"));
        Tls server = load(certificates.mutual("n1"));
        X509Certificate[] chain =
                server.keyManager().getCertificateChain(server.keyManager().getServerAliases("EC", null)[0]);
        assertThatExceptionOfType(java.security.cert.CertificateException.class)
                .isThrownBy(() -> client.trustManager((host, port) -> Optional.of(new NodeId("n1")))
                        .checkServerTrusted(chain, "ECDHE_ECDSA"))
                .withMessageContaining("does not tell which node it calls");
    }

    @Test
    void callerWithoutARequiredCertificateIsRefused() {
        Tls client = load(certificates.trusting());
        assertThatExceptionOfType(SSLException.class)
                .isThrownBy(() ->
                        call(client, load(certificates.mutual("n1")), "n1").run());
    }

    @Test
    void aCallerWithoutACertificateMayComeWhereNoneIsDemanded() throws Exception {
        Tls client = load(certificates.trusting());
        Handshake handshake =
                Handshake.of(load(certificates.mutual("n1")), false, client, client.trustManager(), "localhost", 7001);
        handshake.checkingHostNames().run();
        assertThatExceptionOfType(SSLPeerUnverifiedException.class).isThrownBy(handshake::clientsCertificate);
    }

    @Test
    void anExpiredCertificateIsWarnedOfAndRefusedByOthers() {
        List<String> warnings = new ArrayList<>();
        Tls server = Tls.load(certificates.issueExpired("n1").mutual(), warnings::add);
        open.add(server);
        assertThat(warnings).singleElement().asString().contains("n1-1-cert.pem", "CN=n1", "not now");
        assertRefused(() -> call(load(certificates.mutual("n2")), server, "n1").run(), "validity check failed");
    }

    @Test
    void aCommonNameCountsWhereThereAreNoAlternativeNames() throws Exception {
        call(
                        load(certificates.mutual("n2")),
                        load(certificates.issueWithoutNames("n1").mutual()),
                        "n1")
                .run();
        Tls both = load(certificates.issue("n1", "n7", "10.0.0.1").mutual());
        X509Certificate certificate = (X509Certificate)
                call(load(certificates.mutual("n2")), both, "n7").run();
        assertThat(Tls.names(certificate)).containsExactlyInAnyOrder("n1", "n7");
    }

    @Test
    void hostNamesDoNotMatterBetweenNodesWithAnyClientLibrary() throws Exception {
        call(load(certificates.mutual("n2")), load(certificates.issue("n1").mutual()), "n1")
                .checkingHostNames()
                .run();
    }

    @Test
    void clientsOfThePublicApiCheckHostNamesAsHttpsDoes() throws Exception {
        Tls client = load(certificates.trusting());
        Tls server = load(certificates.issue("n1", "api.example", "127.0.0.1").mutual());
        for (String host : List.of("api.example", "127.0.0.1")) {
            Handshake.of(server, false, client, client.trustManager(), host, 443)
                    .checkingHostNames()
                    .run();
        }
        assertRefused(
                () -> Handshake.of(server, false, client, client.trustManager(), "other.example", 443)
                        .checkingHostNames()
                        .run(),
                "other.example");
    }

    @Test
    void withoutAuthoritiesThoseOfTheJvmAreTrusted() {
        TestCertificates.Issued issued = certificates.issue("n1", "localhost");
        Tls client = load(TlsFiles.server(issued.certificate(), issued.key()));
        assertThat(client.trustManager().getAcceptedIssuers()).isNotEmpty();
        assertRefused(
                () -> Handshake.of(load(issued.server()), false, client, client.trustManager(), "localhost", 443)
                        .run(),
                "certification path");
    }

    private Tls load(TlsFiles files) {
        Tls tls = Tls.load(files, warning -> {});
        open.add(tls);
        return tls;
    }

    private static Handshake call(Tls client, Tls server, String wanted) throws GeneralSecurityException {
        return Handshake.of(
                server,
                true,
                client,
                client.trustManager((host, port) -> host.equals("peer.example") && port == 7001
                        ? Optional.of(new NodeId(wanted))
                        : Optional.empty()),
                "peer.example",
                7001);
    }

    private static void assertRefused(ThrowingCallable handshake, String why) {
        assertThatExceptionOfType(SSLException.class)
                .isThrownBy(handshake)
                .satisfies(e -> assertThat(causes(e)).contains(why));
    }

    private static String causes(Throwable error) {
        StringBuilder all = new StringBuilder();
        for (Throwable each = error; each != null; each = each.getCause()) {
            all.append(each).append('\n');
        }
        return all.toString();
    }
}
