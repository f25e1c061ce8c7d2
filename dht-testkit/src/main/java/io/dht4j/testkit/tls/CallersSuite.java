package io.dht4j.testkit.tls;

import static io.dht4j.testkit.tls.TlsHarness.assertServes;
import static io.dht4j.testkit.tls.TlsHarness.call;
import static io.dht4j.testkit.transport.Calls.NO_BYTES;
import static io.dht4j.testkit.transport.Calls.PATIENCE;
import static io.dht4j.testkit.transport.Calls.bytes;
import static io.dht4j.testkit.transport.Calls.failure;
import static io.dht4j.testkit.transport.Calls.reply;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.spi.TlsFiles;
import io.dht4j.spi.TransportException;
import io.dht4j.spi.TransportException.Outcome;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A callee serves only nodes, and knows their proven names. A part of {@link SecureTransportContract}. */
interface CallersSuite extends TlsHarness {

    /** More than fit into one slice of an event loop's time. */
    int STRANGERS = 60;

    /** The type of TLS's records that carry its handshake. */
    int HANDSHAKE_RECORD = 22;

    @Test
    @Tag("core")
    default void nodesWithGoodCertificatesCallEachOther() {
        Started one = secure(authority().mutual("n1"), handler());
        Started two = secure(authority().mutual("n2"), handler());
        byte[] large = new byte[2 << 20];
        new SplittableRandom(1).nextBytes(large);
        for (byte[] frame : List.of(NO_BYTES, bytes("a"), large)) {
            assertThat(Arrays.equals(reply(call(one, "n2", two, frame)), frame)).isTrue();
            assertThat(Arrays.equals(reply(call(two, "n1", one, frame)), frame)).isTrue();
        }
        assertThat(handler().count()).isEqualTo(6);
    }

    @Test
    @Tag("core")
    default void handlerGetsTheNamesOfTheCallersCertificate() {
        Started callee = secure(authority().mutual("n2"), handler());
        Started caller =
                secure(authority().issue("n1", "alias.example", "localhost").mutual(), handler());
        assertServes(caller, "n2", callee);
        assertThat(handler().proven()).containsExactly(Set.of("n1", "alias.example", "localhost"));
    }

    @Test
    default void withoutTlsNothingIsProved() {
        NamedCallers open = new NamedCallers();
        Started callee = plaintext(open);
        assertServes(plaintext(handler()), "n2", callee);
        assertThat(open.proven()).containsExactly(Set.of());
    }

    @Test
    default void aCallerOfAForeignAuthorityReachesNoHandler() {
        TestCertificates foreign = TestCertificates.in(directory());
        TestCertificates.Issued issued = foreign.issue("n1", "localhost", "127.0.0.1");
        // The caller trusts the callee; the callee does not trust the caller.
        assertReachesNoHandler(
                TlsFiles.mutual(issued.certificate(), issued.key(), authority().authority()));
    }

    @Test
    default void aCallerWhoseCertificateHasExpiredReachesNoHandler() {
        assertReachesNoHandler(
                authority().issueExpired("n1", "localhost", "127.0.0.1").mutual());
    }

    @Test
    default void callerWithoutAnAllowedNameReachesNoHandler() {
        TransportException error = assertReachesNoHandler(authority().mutual("stranger"));
        assertThat(error).hasMessageContaining("stranger");
        assertThat(error.outcome()).isEqualTo(Outcome.NOT_SENT);
    }

    private TransportException assertReachesNoHandler(TlsFiles files) {
        Started callee = secure(authority().mutual("n2"), handler());
        Started good = secure(authority().mutual("n1"), handler());
        Started bad = secure(files, handler());
        assertServes(good, "n2", callee);
        TransportException error = failure(call(bad, "n2", callee, bytes("evil")));
        for (int i = 0; i < 5; i++) {
            failure(call(bad, "n2", callee, bytes("evil")));
            assertServes(good, "n2", callee);
        }
        assertThat(handler().count()).isEqualTo(6);
        return error;
    }

    @Test
    default void callerWithOneAllowedNameIsAccepted() {
        Started callee = secure(authority().mutual("n2"), handler());
        Started caller = secure(authority().issue("stranger", "n1", "localhost").mutual(), handler());
        assertServes(caller, "n2", callee);
    }

    @Test
    default void aCallerWithoutACertificateReachesNoHandler() throws GeneralSecurityException {
        Started callee = secure(authority().mutual("n2"), handler());
        Started good = secure(authority().mutual("n1"), handler());
        SSLContext context = authority().nameless();
        for (int i = 0; i < 5; i++) {
            knock(context, callee.port(), requestBytes());
            assertServes(good, "n2", callee);
        }
        good.transport().close();
        callee.transport().close();
        assertThat(handler().count()).isEqualTo(5);
    }

    @Test
    @Tag("core")
    default void unfinishedHandshakesKeepNoPeerOut() throws IOException, GeneralSecurityException {
        Started callee = secure(authority().mutual("n2"), handler());
        Started peer = secure(authority().mutual("n1"), handler());
        assertServes(peer, "n2", callee);
        byte[] hello = clientHello(authority().nameless());
        List<Socket> strangers = new ArrayList<>();
        try {
            for (int i = 0; i < STRANGERS; i++) {
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), callee.port());
                strangers.add(socket);
                socket.setSoTimeout((int) PATIENCE.toMillis());
                // Every other one in two parts; the second parts follow after all first ones.
                socket.getOutputStream().write(hello, 0, i % 2 == 0 ? hello.length : hello.length / 2);
            }
            for (int i = 1; i < STRANGERS; i += 2) {
                strangers.get(i).getOutputStream().write(hello, hello.length / 2, hello.length - hello.length / 2);
            }
            assertServes(peer, "n2", callee);
            assertServes(secure(authority().mutual("n1"), handler()), "n2", callee);
            for (Socket stranger : strangers) {
                assertThat(stranger.getInputStream().read())
                        .as("type of the first record")
                        .isEqualTo(HANDSHAKE_RECORD);
            }
        } finally {
            for (Socket stranger : strangers) {
                stranger.close();
            }
        }
    }

    private static byte[] clientHello(SSLContext context) throws SSLException {
        SSLEngine engine = context.createSSLEngine();
        engine.setUseClientMode(true);
        ByteBuffer out = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        engine.wrap(ByteBuffer.allocate(0), out);
        return Arrays.copyOf(out.array(), out.position());
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

    @Test
    default void aPlaintextCallerReachesNoHandlerBehindTls() {
        Started callee = secure(authority().mutual("n2"), handler());
        Started good = secure(authority().mutual("n1"), handler());
        Started bad = plaintext(handler());
        for (int i = 0; i < 5; i++) {
            assertThat(failure(call(bad, "n2", callee, bytes("evil")))).hasMessageContaining("TLS");
            assertServes(good, "n2", callee);
        }
        assertThat(handler().count()).isEqualTo(5);
    }
}
