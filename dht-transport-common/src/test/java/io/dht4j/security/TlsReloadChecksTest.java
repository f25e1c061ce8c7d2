package io.dht4j.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.NodeId;
import io.dht4j.spi.TlsFiles;
import io.dht4j.testkit.tls.TestCertificates;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Certificates that are whole and yet must not take the place of the ones in use. */
class TlsReloadChecksTest extends TlsReload {

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
    void anyCertificateReplacesAnExpiredOne() {
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
    void renewedCertificateKeepsOneOfItsNames() {
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
    void renewedCertificateMustKeepTheNodeName() {
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
    void aNodeThatCallsOthersUnderAnotherNameIsWarnedOnce() {
        Tls tls = opened(Look.load(issued.mutual(), warnings::add));
        tls.expectName(new NodeId("n7"));
        assertThat(warnings).as("a node that calls no other one").isEmpty();
        tls.trustManager((host, port) -> Optional.of(new NodeId("n8")));
        tls.trustManager((host, port) -> Optional.of(new NodeId("n9")));
        assertThat(warnings)
                .singleElement()
                .asString()
                .startsWith(issued.certificate() + ": the certificate names [")
                .endsWith("], not n7, which presents it: the other nodes will refuse this one");
        Tls own = opened(Look.load(certificates.issue("n7").mutual(), warnings::add));
        own.expectName(new NodeId("n7"));
        own.trustManager((host, port) -> Optional.of(new NodeId("n8")));
        assertThat(warnings).hasSize(1);
    }

    @Test
    void aNodeWhoseOwnAuthoritiesDoNotTrustItIsWarned() {
        TestCertificates others = TestCertificates.in(directory);
        TestCertificates.Issued foreign = others.issue("n7");
        Tls tls = opened(Look.load(
                TlsFiles.mutual(foreign.certificate(), foreign.key(), certificates.authority()), warnings::add));
        tls.expectName(new NodeId("n7"));
        assertThat(warnings).as("a node that calls no other one").isEmpty();
        tls.trustManager((host, port) -> Optional.of(new NodeId("n8")));
        tls.trustManager((host, port) -> Optional.of(new NodeId("n9")));
        assertThat(warnings)
                .singleElement()
                .asString()
                .startsWith(foreign.certificate() + ": the certificate of CN=n7, issued by CN=")
                .endsWith(", is not trusted by " + certificates.authority()
                        + ": nodes with these authorities will refuse this one");
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
}
