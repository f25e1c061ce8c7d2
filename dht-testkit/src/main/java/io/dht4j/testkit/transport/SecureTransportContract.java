package io.dht4j.testkit.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.testkit.tls.TestCertificates;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Frame;
import io.dht4j.spi.FrameHandler;
import io.dht4j.spi.TlsFiles;
import io.dht4j.spi.Transport;
import io.dht4j.spi.TransportException;
import io.dht4j.spi.TransportException.Outcome;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The contract of transports with TLS, in addition to {@link TransportContract}: both sides authenticate, and frames of
 * other callers reach no handler. Nodes n1 and n2 are valid; all others must be refused.
 */
public abstract class SecureTransportContract extends TransportHarness {

    private static final String ANY_PORT = "127.0.0.1:0";

    private TestCertificates authority;
    private Counted handler;

    @TempDir
    private Path directory;

    /** Constructor for subclasses. */
    @SuppressWarnings("NullAway.Init") // set before each test
    protected SecureTransportContract() {}

    /**
     * Creates a transport that has not been started.
     *
     * @param tls keys and certificates; if empty, the transport speaks plaintext
     * @param address the listening address; port 0 stands for any free one
     * @return a new transport, which the contract closes
     */
    protected abstract Transport newTransport(Optional<TlsFiles> tls, String address);

    /**
     * Returns a request with an empty frame in wire format, for a caller without a certificate.
     *
     * @return the bytes; by default none, for protocols in which such a caller cannot send a request
     */
    protected byte[] requestBytes() {
        return NO_BYTES;
    }

    @Override
    protected final Transport newTransport() {
        return newTransport(ANY_PORT);
    }

    @Override
    protected final Transport newTransport(String address) {
        return newTransport(Optional.of(authority.mutual("n1")), address);
    }

    @BeforeEach
    final void makeAuthority() {
        authority = TestCertificates.in(directory);
        handler = new Counted("n1", "n2");
    }

    /** Echoes and counts requests, and allows some names to call. */
    private static final class Counted implements FrameHandler {

        private final List<String> callers;
        private final Recorder recorder = new Recorder(echo());
        private final Set<Set<String>> proven = ConcurrentHashMap.newKeySet();
        private volatile Optional<NodeId> self = Optional.empty();

        Counted(String... callers) {
            this.callers = List.of(callers);
        }

        @Override
        public CompletionStage<byte[]> handle(byte[] request, CallContext context) {
            proven.add(context.callerNames());
            return recorder.handle(request, context);
        }

        @Override
        public Optional<NodeId> self() {
            return self;
        }

        @Override
        public boolean mayCall(String name) {
            return callers.contains(name);
        }

        int count() {
            return recorder.count();
        }
    }

    private Started secure(TlsFiles files, FrameHandler frames) {
        Transport transport = newTransport(Optional.of(files), ANY_PORT);
        transports.add(transport);
        return start(transport, frames);
    }

    private Started plaintext(FrameHandler frames) {
        Transport transport = newTransport(Optional.empty(), ANY_PORT);
        transports.add(transport);
        return start(transport, frames);
    }

    private static CompletableFuture<byte[]> call(Started caller, String name, Started callee, byte[] frame) {
        return caller.transport()
                .call(Node.of(name, callee.address()), Frame.of(frame), within(PATIENCE))
                .toCompletableFuture();
    }

    private static void assertServes(Started caller, String name, Started callee) {
        assertThat(reply(call(caller, name, callee, bytes("good")))).isEqualTo(bytes("good"));
    }

    @Test
    @Tag("core")
    void nodesWithGoodCertificatesCallEachOther() {
        Started one = secure(authority.mutual("n1"), handler);
        Started two = secure(authority.mutual("n2"), handler);
        byte[] large = new byte[2 << 20];
        new SplittableRandom(1).nextBytes(large);
        for (byte[] frame : List.of(NO_BYTES, bytes("a"), large)) {
            assertThat(Arrays.equals(reply(call(one, "n2", two, frame)), frame)).isTrue();
            assertThat(Arrays.equals(reply(call(two, "n1", one, frame)), frame)).isTrue();
        }
        assertThat(handler.count()).isEqualTo(6);
    }

    // Wrong callees

    @Test
    @Tag("core")
    void aCalleeOfAForeignAuthorityGetsNothing() {
        TransportException error =
                assertRefusesCallee(TestCertificates.in(directory).mutual("n2"));
        assertThat(error).hasMessageMatching("(?is).*(certif|PKIX|trust).*");
    }

    @Test
    @Tag("core")
    void aCalleeWhoseCertificateHasExpiredGetsNothing() {
        TransportException error = assertRefusesCallee(
                authority.issueExpired("n2", "localhost", "127.0.0.1").mutual());
        assertThat(error).hasMessageMatching("(?is).*(expired|NotAfter|validity).*");
    }

    @Test
    @Tag("core")
    void aCalleeWithTheCertificateOfAnotherNodeGetsNothing() {
        TransportException error = assertRefusesCallee(authority.mutual("n3"));
        assertThat(error).hasMessageContaining("n3").hasMessageContaining("n2");
    }

    private TransportException assertRefusesCallee(TlsFiles files) {
        Counted never = new Counted("n1", "n2");
        Started bad = secure(files, never);
        Started good = secure(authority.mutual("n2"), handler);
        Started caller = secure(authority.mutual("n1"), handler);
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
    void aHandlerLearnsTheNamesThatTheCallersCertificateProves() {
        Started callee = secure(authority.mutual("n2"), handler);
        Started caller =
                secure(authority.issue("n1", "alias.example", "localhost").mutual(), handler);
        assertServes(caller, "n2", callee);
        assertThat(handler.proven).containsExactly(Set.of("n1", "alias.example", "localhost"));
    }

    @Test
    void withoutTlsNothingIsProved() {
        Counted open = new Counted();
        Started callee = plaintext(open);
        assertServes(plaintext(handler), "n2", callee);
        assertThat(open.proven).containsExactly(Set.of());
    }

    // Wrong callers

    @Test
    void aCallerOfAForeignAuthorityReachesNoHandler() {
        TestCertificates foreign = TestCertificates.in(directory);
        TestCertificates.Issued issued = foreign.issue("n1", "localhost", "127.0.0.1");
        // The caller trusts the callee; the callee does not trust the caller.
        assertReachesNoHandler(TlsFiles.mutual(issued.certificate(), issued.key(), authority.authority()));
    }

    @Test
    void aCallerWhoseCertificateHasExpiredReachesNoHandler() {
        assertReachesNoHandler(
                authority.issueExpired("n1", "localhost", "127.0.0.1").mutual());
    }

    @Test
    void aCallerWhoseNameIsNotAllowedReachesNoHandlerAndLearnsItsName() {
        TransportException error = assertReachesNoHandler(authority.mutual("stranger"));
        assertThat(error).hasMessageContaining("stranger");
        assertThat(error.outcome()).isEqualTo(Outcome.NOT_SENT);
    }

    private TransportException assertReachesNoHandler(TlsFiles files) {
        Started callee = secure(authority.mutual("n2"), handler);
        Started good = secure(authority.mutual("n1"), handler);
        Started bad = secure(files, handler);
        assertServes(good, "n2", callee);
        TransportException error = failure(call(bad, "n2", callee, bytes("evil")));
        for (int i = 0; i < 5; i++) {
            failure(call(bad, "n2", callee, bytes("evil")));
            assertServes(good, "n2", callee);
        }
        assertThat(handler.count()).isEqualTo(6);
        return error;
    }

    @Test
    void aCallerWithOneAllowedNameOfSeveralIsLetIn() {
        Started callee = secure(authority.mutual("n2"), handler);
        Started caller = secure(authority.issue("stranger", "n1", "localhost").mutual(), handler);
        assertServes(caller, "n2", callee);
    }

    @Test
    void aCallerWithoutACertificateReachesNoHandler() throws GeneralSecurityException {
        Started callee = secure(authority.mutual("n2"), handler);
        Started good = secure(authority.mutual("n1"), handler);
        int port = Integer.parseInt(callee.address().substring(callee.address().lastIndexOf(':') + 1));
        SSLContext context = authority.nameless();
        for (int i = 0; i < 5; i++) {
            knock(context, port, requestBytes());
            assertServes(good, "n2", callee);
        }
        good.transport().close();
        callee.transport().close();
        assertThat(handler.count()).isEqualTo(5);
    }

    private static void knock(SSLContext context, int port, byte[] request) {
        try (Socket socket = context.getSocketFactory().createSocket("127.0.0.1", port)) {
            socket.setSoTimeout(500);
            socket.getOutputStream().write(request);
            socket.getOutputStream().flush();
            socket.getInputStream().read();
        } catch (IOException e) {
            // The connection was closed or left unanswered; both are allowed.
            return;
        }
    }

    // Plaintext

    @Test
    void aPlaintextCallerReachesNoHandlerBehindTls() {
        Started callee = secure(authority.mutual("n2"), handler);
        Started good = secure(authority.mutual("n1"), handler);
        Started bad = plaintext(handler);
        for (int i = 0; i < 5; i++) {
            failure(call(bad, "n2", callee, bytes("evil")));
            assertServes(good, "n2", callee);
        }
        assertThat(handler.count()).isEqualTo(5);
    }

    @Test
    @Tag("core")
    void aCallerWithTlsTellsAPlaintextCalleeNothing() {
        Counted never = new Counted("n1", "n2");
        Started bad = plaintext(never);
        Started good = secure(authority.mutual("n2"), handler);
        Started caller = secure(authority.mutual("n1"), handler);
        for (int i = 0; i < 5; i++) {
            TransportException error = failure(call(caller, "n2", bad, bytes("secret")));
            assertThat(error.outcome()).isEqualTo(Outcome.NOT_SENT);
            assertThat(error.getMessage()).isNotBlank();
            assertServes(caller, "n2", good);
        }
        assertThat(never.count()).isZero();
    }

    // Changing files

    @Test
    void aCalleesNewCertificateIsUsedByNewConnectionsWithoutARestart() {
        TestCertificates.Issued files = authority.issue("n2", "localhost", "127.0.0.1");
        Started callee = secure(files.mutual(), handler);
        assertServes(secure(authority.mutual("n1"), handler), "n2", callee);

        replace(files, authority.issue("n3", "n2", "localhost", "127.0.0.1"));

        eventually().until(() -> newcomerIsAnswered("n3", callee));
        replace(files, authority.issue("n3", "localhost", "127.0.0.1"));
        eventually().until(() -> !newcomerIsAnswered("n2", callee));
        Started newcomer = secure(authority.mutual("n1"), handler);
        assertThat(failure(call(newcomer, "n2", callee, bytes("secret")))).hasMessageContaining("n3");
    }

    @Test
    void theCertificateOfAnotherNodeTakesNoGoodOnesPlace() {
        TestCertificates.Issued files = authority.issue("n2", "shared.example", "localhost", "127.0.0.1");
        Counted named = new Counted("n1", "n2");
        named.self = Optional.of(new NodeId("n2"));
        Started callee = secure(files.mutual(), named);
        // The transport has no valid certificate to lose.
        Counted other = new Counted("n1", "n2");
        other.self = Optional.of(new NodeId("n7"));
        Started misconfigured = secure(files.mutual(), other);

        // Both read at the same intervals: when the transport that keeps its certificate has seen the second, the
        // other one has seen the first.
        for (String alias : List.of("first.example", "second.example")) {
            replace(files, authority.issue("n3", alias, "shared.example", "localhost", "127.0.0.1"));
            eventually().until(() -> newcomerIsAnswered(alias, misconfigured));
            assertThat(newcomerIsAnswered("n2", callee)).isTrue();
        }
        TestCertificates.Issued more = authority.issue("n2", "n4", "localhost", "127.0.0.1");
        replace(files, more);
        eventually().until(() -> newcomerIsAnswered("n4", callee));
    }

    private boolean newcomerIsAnswered(String name, Started callee) {
        Started newcomer = secure(authority.mutual("n1"), handler);
        boolean answered = outcomeOf(call(newcomer, name, callee, bytes("a"))) == null;
        newcomer.transport().close();
        return answered;
    }

    @Test
    @Tag("core")
    void aCallersNewCertificateIsUsedByNewConnectionsWithoutARestart() {
        TestCertificates.Issued files = authority.issue("stranger", "localhost", "127.0.0.1");
        Started callee = secure(authority.mutual("n2"), handler);
        Counted named = new Counted("n1", "n2");
        named.self = Optional.of(new NodeId("n1"));
        Started caller = secure(files.mutual(), named);
        failure(call(caller, "n2", callee, bytes("evil")));
        assertThat(handler.count()).isZero();

        replace(files, authority.issue("n1", "localhost", "127.0.0.1"));

        eventually().until(() -> outcomeOf(call(caller, "n2", callee, bytes("a"))) == null);
    }

    @Test
    void aNewAuthorityIsTrustedWithoutARestart() {
        TestCertificates second = TestCertificates.in(directory);
        Started callee = secure(authority.mutual("n2"), handler);
        TestCertificates.Issued issued = second.issue("n1", "localhost", "127.0.0.1");
        Started caller = secure(TlsFiles.mutual(issued.certificate(), issued.key(), authority.authority()), handler);
        failure(call(caller, "n2", callee, bytes("evil")));
        assertThat(handler.count()).isZero();

        TestCertificates.replace(authority.authority(), authority.authority(), second.authority());

        eventually().until(() -> outcomeOf(call(caller, "n2", callee, bytes("a"))) == null);
        assertServes(secure(authority.mutual("n1"), handler), "n2", callee);
    }

    private static void replace(TestCertificates.Issued files, TestCertificates.Issued by) {
        TestCertificates.replace(files.key(), by.key());
        TestCertificates.replace(files.certificate(), by.certificate());
    }
}
