package io.dht4j.testkit.tls;

import static io.dht4j.testkit.tls.TlsHarness.assertServes;
import static io.dht4j.testkit.tls.TlsHarness.call;
import static io.dht4j.testkit.transport.Calls.bytes;
import static io.dht4j.testkit.transport.Calls.failure;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.spi.TlsFiles;
import io.dht4j.spi.TransportException;
import io.dht4j.spi.TransportException.Outcome;
import io.dht4j.testkit.network.SilencedLink;
import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A caller trusts only the node that it means. A part of {@link SecureTransportContract}. */
interface CalleesSuite extends TlsHarness {

    @Test
    @Tag("core")
    default void aCalleeOfAForeignAuthorityGetsNothing() {
        TransportException error =
                assertRefusesCallee(TestCertificates.in(directory()).mutual("n2"));
        assertThat(error).hasMessageMatching("(?is).*(certif|PKIX|trust).*");
    }

    @Test
    @Tag("core")
    default void aCalleeWhoseCertificateHasExpiredGetsNothing() {
        TransportException error = assertRefusesCallee(
                authority().issueExpired("n2", "localhost", "127.0.0.1").mutual());
        assertThat(error).hasMessageMatching("(?is).*(expired|NotAfter|validity).*");
    }

    @Test
    @Tag("core")
    default void aCalleeWithTheCertificateOfAnotherNodeGetsNothing() {
        TransportException error = assertRefusesCallee(authority().mutual("n3"));
        assertThat(error).hasMessageContaining("n3").hasMessageContaining("n2");
    }

    @Test
    @Tag("core")
    default void aNodeIsFoundOnceItsAddressNoLongerLeadsToAnother() throws IOException {
        NamedCallers never = new NamedCallers("n1", "n2");
        Started wrong = secure(authority().mutual("n3"), never);
        Started right = secure(authority().mutual("n2"), handler());
        Started caller = secure(authority().mutual("n1"), handler());
        try (SilencedLink link = new SilencedLink(wrong.port())) {
            Started linked = new Started(right.transport(), link.address());
            for (int i = 0; i < 5; i++) {
                assertThat(failure(call(caller, "n2", linked, bytes("secret"))).outcome())
                        .isEqualTo(Outcome.NOT_SENT);
            }
            link.redirect(right.port());
            assertServes(caller, "n2", linked);
        }
        assertThat(never.count()).isZero();
    }

    private TransportException assertRefusesCallee(TlsFiles files) {
        NamedCallers never = new NamedCallers("n1", "n2");
        Started bad = secure(files, never);
        Started good = secure(authority().mutual("n2"), handler());
        Started caller = secure(authority().mutual("n1"), handler());
        TransportException error = failure(call(caller, "n2", bad, bytes("secret")));
        for (int i = 0; i < 5; i++) {
            assertThat(failure(call(caller, "n2", bad, bytes("secret"))).outcome())
                    .isEqualTo(Outcome.NOT_SENT);
            assertServes(caller, "n2", good);
        }
        assertThat(error.outcome()).isEqualTo(Outcome.NOT_SENT);
        assertThat(never.count()).isZero();
        return error;
    }

    @Test
    @Tag("core")
    default void aCallerWithTlsSendsAPlaintextCalleeNothing() {
        NamedCallers never = new NamedCallers("n1", "n2");
        Started bad = plaintext(never);
        Started good = secure(authority().mutual("n2"), handler());
        Started caller = secure(authority().mutual("n1"), handler());
        for (int i = 0; i < 5; i++) {
            TransportException error = failure(call(caller, "n2", bad, bytes("secret")));
            assertThat(error.outcome()).isEqualTo(Outcome.NOT_SENT);
            assertThat(error.getMessage()).isNotBlank();
            assertServes(caller, "n2", good);
        }
        assertThat(never.count()).isZero();
    }
}
