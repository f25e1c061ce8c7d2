package io.dht4j.testkit.tls;

import static io.dht4j.testkit.tls.TlsHarness.assertServes;
import static io.dht4j.testkit.tls.TlsHarness.call;
import static io.dht4j.testkit.transport.Calls.bytes;
import static io.dht4j.testkit.transport.Calls.eventually;
import static io.dht4j.testkit.transport.Calls.failure;
import static io.dht4j.testkit.transport.Calls.outcomeOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.NodeId;
import io.dht4j.spi.TlsFiles;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Files that change while transports use them. A part of {@link SecureTransportContract}. */
interface RotationSuite extends TlsHarness {

    @Test
    default void newConnectionsUseTheCalleesNewCertificate() {
        TestCertificates.Issued files = authority().issue("n2", "localhost", "127.0.0.1");
        Started callee = secure(files.mutual(), handler());
        assertServes(secure(authority().mutual("n1"), handler()), "n2", callee);

        replace(files, authority().issue("n3", "n2", "localhost", "127.0.0.1"));

        eventually().until(() -> newcomerIsAnswered("n3", callee));
        replace(files, authority().issue("n3", "localhost", "127.0.0.1"));
        eventually().until(() -> !newcomerIsAnswered("n2", callee));
        Started newcomer = secure(authority().mutual("n1"), handler());
        assertThat(failure(call(newcomer, "n2", callee, bytes("secret")))).hasMessageContaining("n3");
    }

    @Test
    default void theCertificateOfAnotherNodeTakesNoGoodOnesPlace() {
        TestCertificates.Issued files = authority().issue("n2", "shared.example", "localhost", "127.0.0.1");
        NamedCallers named = new NamedCallers("n1", "n2");
        named.isNode(new NodeId("n2"));
        Started callee = secure(files.mutual(), named);
        // The transport has no valid certificate to lose.
        NamedCallers other = new NamedCallers("n1", "n2");
        other.isNode(new NodeId("n7"));
        Started misconfigured = secure(files.mutual(), other);

        // Both read at the same intervals: when the transport that keeps its certificate has seen the second, the
        // other one has seen the first.
        for (String alias : List.of("first.example", "second.example")) {
            replace(files, authority().issue("n3", alias, "shared.example", "localhost", "127.0.0.1"));
            eventually().until(() -> newcomerIsAnswered(alias, misconfigured));
            assertThat(newcomerIsAnswered("n2", callee)).isTrue();
        }
        TestCertificates.Issued more = authority().issue("n2", "n4", "localhost", "127.0.0.1");
        replace(files, more);
        eventually().until(() -> newcomerIsAnswered("n4", callee));
    }

    private boolean newcomerIsAnswered(String name, Started callee) {
        Started newcomer = secure(authority().mutual("n1"), handler());
        boolean answered = outcomeOf(call(newcomer, name, callee, bytes("a"))) == null;
        newcomer.transport().close();
        return answered;
    }

    @Test
    @Tag("core")
    default void newConnectionsUseTheCallersNewCertificate() {
        TestCertificates.Issued files = authority().issue("stranger", "localhost", "127.0.0.1");
        Started callee = secure(authority().mutual("n2"), handler());
        NamedCallers named = new NamedCallers("n1", "n2");
        named.isNode(new NodeId("n1"));
        Started caller = secure(files.mutual(), named);
        failure(call(caller, "n2", callee, bytes("evil")));
        assertThat(handler().count()).isZero();

        replace(files, authority().issue("n1", "localhost", "127.0.0.1"));

        eventually().until(() -> outcomeOf(call(caller, "n2", callee, bytes("a"))) == null);
    }

    @Test
    default void aNewAuthorityIsTrustedWithoutARestart() {
        TestCertificates second = TestCertificates.in(directory());
        Started callee = secure(authority().mutual("n2"), handler());
        TestCertificates.Issued issued = second.issue("n1", "localhost", "127.0.0.1");
        Started caller = secure(
                TlsFiles.mutual(issued.certificate(), issued.key(), authority().authority()), handler());
        failure(call(caller, "n2", callee, bytes("evil")));
        assertThat(handler().count()).isZero();

        TestCertificates.replace(authority().authority(), authority().authority(), second.authority());

        eventually().until(() -> outcomeOf(call(caller, "n2", callee, bytes("a"))) == null);
        assertServes(secure(authority().mutual("n1"), handler()), "n2", callee);
    }

    private static void replace(TestCertificates.Issued files, TestCertificates.Issued by) {
        TestCertificates.replace(files.key(), by.key());
        TestCertificates.replace(files.certificate(), by.certificate());
    }
}
