package io.dht4j.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.dht4j.spi.TlsFiles;
import io.dht4j.testkit.tls.TestCertificates;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Files that change while they are in use. */
@Tag("jdk")
class TlsReloadTest extends TlsReload {

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
    void brokenFilesAreReportedOnceAndNotUsed() throws Exception {
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
            assertThat(warnings).last().asString().contains(" " + file + " is empty; what was");
            Files.delete(file);
            Look.at(server);
            Look.at(server);
            meet();
            assertThat(warnings).last().asString().contains(" " + file + " does not exist; what was");
            int told = warnings.size();
            Files.write(file, whole);
            Look.at(server);
            assertThat(warnings).hasSize(told + 1).last().asString().endsWith("read again");
        }
    }

    @Test
    void partlyWrittenFilesAreNotUsed() throws Exception {
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
}
