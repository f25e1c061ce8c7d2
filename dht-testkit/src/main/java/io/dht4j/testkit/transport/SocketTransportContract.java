package io.dht4j.testkit.transport;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.testkit.network.SilencedLink;
import io.dht4j.Node;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Frame;
import io.dht4j.spi.TransportException;
import io.dht4j.spi.TransportException.Outcome;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The contract of transports over sockets, in addition to {@link TransportContract}: faulty peers, down to single
 * bytes.
 */
public abstract class SocketTransportContract extends TransportContract {

    /**
     * The deadline of each call over a silenced link. After the link has healed, everything must happen within a few of
     * these.
     */
    private static final Duration DEADLINE = Duration.ofMillis(500);

    /** A deadline shorter than the pause, which is shorter than the silence at which a peer counts as gone. */
    private static final Duration HURRY = Duration.ofMillis(20);

    private static final Duration PAUSE = Duration.ofMillis(250);
    /** A peer with a longer pause may count as gone. */
    private static final Duration LONGEST_SILENCE = Duration.ofMillis(900);

    private static final int ATTEMPTS = 5;

    private static final int CALLS_BEFORE = 8;
    private static final int CALLS_WHILE_SILENT = 3;
    /** Fewer than the number of connections: not every one of them may cost a call its deadline. */
    private static final int CALLS_AFTER = 6;

    /** Constructor for subclasses. */
    protected SocketTransportContract() {}

    /**
     * Returns the first bytes of a valid reply in the transport's protocol, ending within its frame.
     *
     * @return the bytes that a peer may have written when it dies
     */
    protected abstract byte[] beginningOfReply();

    /**
     * Returns whether a peer must send bytes before the transport sends it a request, as in a TLS handshake or HTTP/2
     * settings. Such a transport may report that a request to a silent peer was not sent.
     *
     * @return false by default
     */
    protected boolean greets() {
        return false;
    }

    private void assertNothingWrongIsSaid(TransportException failure) {
        if (greets()) {
            assertThat(failure.outcome()).isIn(Outcome.UNKNOWN, Outcome.NOT_SENT);
        } else {
            assertThat(failure.outcome()).isEqualTo(Outcome.UNKNOWN);
        }
    }

    @Test
    void twoNamesOfOneEndpointAreFound() {
        Started client = start(echo());
        List<Set<String>> endpoints = client.transport()
                .endpoints(List.of(
                        Node.of("n1", "127.0.0.1:8080"),
                        Node.of("n2", "localhost:8080"),
                        Node.of("n3", "127.0.0.1:8081"),
                        Node.of("n4", "[2001:db8::1]:8080"),
                        Node.of("n5", "no-such-host.invalid:8080")))
                .toCompletableFuture()
                .orTimeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
                .join();
        assertThat(endpoints.get(0)).containsExactly("127.0.0.1:8080");
        assertThat(endpoints.get(1)).contains("127.0.0.1:8080");
        assertThat(endpoints.get(2)).containsExactly("127.0.0.1:8081");
        assertThat(endpoints.get(3)).hasSize(1).doesNotContain("127.0.0.1:8080");
        assertThat(endpoints.get(4)).isEmpty();
    }

    @Test
    @Tag("core")
    void aPeerThatAcceptsAndSaysNothingLeavesTheOutcomeUnknownAtTheDeadline() throws IOException {
        try (RawPeer peer =
                new RawPeer(socket -> socket.getInputStream().transferTo(OutputStream.nullOutputStream()))) {
            Started client = start(echo());
            withEnoughTime(time -> {
                CallContext context = within(time);
                TransportException failure = failure(peer.calledBy(client, context));
                assertThat(context.isExpired()).isTrue();
                if (!greets() && failure.outcome() == Outcome.NOT_SENT) {
                    return false;
                }
                assertNothingWrongIsSaid(failure);
                return true;
            });
        }
    }

    @Test
    @Tag("core")
    void aPeerThatHangsUpOnARequestLeavesTheOutcomeUnknown() throws IOException {
        try (RawPeer peer = new RawPeer(socket -> socket.getInputStream().read())) {
            Started client = start(echo());
            assertNothingWrongIsSaid(failure(peer.calledBy(client, within(Duration.ofHours(1)))));
        }
    }

    @Test
    @Tag("core")
    void aPeerThatDiesWithinAReplyLeavesTheOutcomeUnknownWhereverItStops() throws IOException {
        byte[] reply = beginningOfReply();
        int[] lengths = {
            0, 1, 2, reply.length / 4, reply.length / 2, reply.length * 3 / 4, reply.length - 1, reply.length
        };
        for (boolean abruptly : new boolean[] {false, true}) {
            for (int length : lengths) {
                assertUnknownWhenReplyEndsAfter(Math.min(length, reply.length), abruptly);
            }
        }
    }

    private void assertUnknownWhenReplyEndsAfter(int length, boolean abruptly) throws IOException {
        try (RawPeer peer = new RawPeer(socket -> {
            socket.getInputStream().read();
            socket.getOutputStream().write(beginningOfReply(), 0, length);
            socket.getOutputStream().flush();
            if (abruptly) {
                socket.setSoLinger(true, 0);
            }
        })) {
            Started good = start(echo());
            Started client = start(echo());
            assertNothingWrongIsSaid(failure(peer.calledBy(client, within(Duration.ofHours(1)))));
            assertThat(reply(client.call(good, bytes("next"), within(PATIENCE))))
                    .isEqualTo(bytes("next"));
            client.transport().close();
            good.transport().close();
        }
    }

    @Test
    void callersThatSendNoiseLeaveAListeningTransportToTheOthers() throws IOException {
        Recorder recorder = new Recorder(echo());
        Started server = start(recorder);
        Started client = start(echo());
        int port = port(server);
        SplittableRandom random = new SplittableRandom(1);
        List<Socket> rude = new ArrayList<>();
        try {
            for (int i = 0; i < 50; i++) {
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
                rude.add(socket);
                byte[] noise = new byte[random.nextInt(200)];
                random.nextBytes(noise);
                socket.getOutputStream().write(noise);
                if (i % 3 == 0) {
                    socket.setSoLinger(true, 0);
                    socket.close();
                }
                assertThat(reply(client.call(server, bytes("a"), within(PATIENCE))))
                        .isEqualTo(bytes("a"));
            }
        } finally {
            for (Socket socket : rude) {
                socket.close();
            }
        }
        assertThat(recorder.count()).isEqualTo(50);
    }

    @Test
    void aPeerThatAnswersWithNoiseLeavesTheOutcomeUnknown() throws IOException {
        try (RawPeer peer = new RawPeer(socket -> {
            socket.getInputStream().read();
            socket.getOutputStream().write(bytes("\0\1\2 this is no protocol that anybody speaks\r\n\r\n\r\n"));
            socket.getOutputStream().flush();
        })) {
            Started client = start(echo());
            assertNothingWrongIsSaid(failure(peer.calledBy(client, within(Duration.ofHours(1)))));
        }
    }

    @Test
    void badPeersDoNotKeepGoodOnesFromBeingCalled() throws IOException {
        try (RawPeer peer =
                new RawPeer(socket -> socket.getInputStream().transferTo(OutputStream.nullOutputStream()))) {
            Started good = start(echo());
            Started client = start(echo());
            CallContext forgotten = within(Duration.ofHours(1));
            for (int i = 0; i < 500; i++) {
                peer.calledBy(client, forgotten);
            }
            for (int i = 0; i < 50; i++) {
                assertThat(reply(client.call(good, bytes("still here"), within(PATIENCE))))
                        .isEqualTo(bytes("still here"));
            }
            forgotten.cancel();
        }
    }

    @Test
    @Tag("core")
    void aLinkOverWhichNothingComesBackIsUsedAgainSoonAfterItHeals() throws IOException {
        assertIsUsedAgainAfter(SilencedLink.Cut.BACK);
    }

    @Test
    @Tag("full")
    void aLinkOverWhichNothingGoesOutIsUsedAgainSoonAfterItHeals() throws IOException {
        assertIsUsedAgainAfter(SilencedLink.Cut.TO_PEER);
    }

    @Test
    @Tag("full")
    void aLinkThatWasSilentBothWaysIsUsedAgainSoonAfterItHeals() throws IOException {
        assertIsUsedAgainAfter(SilencedLink.Cut.BOTH);
    }

    @Test
    @Tag("core")
    void aPeerThatIsSlowIsNotTakenForOneThatIsGone() {
        CompletableFuture<byte[]> held = new CompletableFuture<>();
        Recorder recorder = new Recorder((request, context) -> held);
        Started server = start(recorder);
        Started client = start(echo());
        CompletableFuture<byte[]> slow = client.call(server, bytes("slow"), within(PATIENCE));
        recorder.awaitCount(1);
        for (int i = 0; i < CALLS_WHILE_SILENT; i++) {
            failure(client.call(server, bytes("in vain"), within(DEADLINE)));
        }
        held.complete(bytes("late"));
        assertThat(reply(slow)).isEqualTo(bytes("late"));
    }

    @Test
    @Tag("core")
    void aPeerThatPausesForLongerThanAShortDeadlineKeepsItsConnection() throws IOException {
        boolean kept = false;
        boolean tooLong = true;
        for (int i = 0; i < ATTEMPTS && !kept && tooLong; i++) {
            long before = System.nanoTime();
            kept = keepsConnectionOverPause();
            // On a busy machine the pause may have exceeded the longest silence of a peer.
            tooLong = System.nanoTime() - before > LONGEST_SILENCE.toNanos();
        }
        assertThat(kept).isTrue();
    }

    private boolean keepsConnectionOverPause() throws IOException {
        CompletableFuture<byte[]> held = new CompletableFuture<>();
        Recorder recorder = new Recorder((request, context) -> held);
        Started server = start(recorder);
        Started client = start(echo());
        try (SilencedLink link = new SilencedLink(port(server))) {
            Started linked = new Started(server.transport(), link.address());
            CompletableFuture<byte[]> other = client.call(linked, bytes("other"), within(PATIENCE));
            recorder.awaitCount(1);
            link.pause();
            failure(client.call(linked, bytes("in a hurry"), within(HURRY)));
            failure(client.call(linked, bytes("less so"), within(PAUSE)));
            link.resume();
            held.complete(bytes("late"));
            return outcomeOf(other) == null;
        }
    }

    private void assertIsUsedAgainAfter(SilencedLink.Cut cut) throws IOException {
        Set<String> handled = ConcurrentHashMap.newKeySet();
        Started server = start((request, context) -> {
            handled.add(new String(request, UTF_8));
            return CompletableFuture.completedFuture(request);
        });
        Started client = start(echo());
        try (SilencedLink link = new SilencedLink(port(server))) {
            Started linked = new Started(server.transport(), link.address());
            List<CompletableFuture<byte[]>> before = new ArrayList<>();
            for (int i = 0; i < CALLS_BEFORE; i++) {
                before.add(client.call(linked, bytes("before " + i), within(PATIENCE)));
            }
            before.forEach(TransportHarness::reply);

            link.silence(cut);
            for (int i = 0; i < CALLS_WHILE_SILENT; i++) {
                TransportException failure = failure(client.call(linked, bytes("silent " + i), within(DEADLINE)));
                if (handled.contains("silent " + i)) {
                    assertThat(failure.outcome()).isEqualTo(Outcome.UNKNOWN);
                }
            }

            link.heal();
            int answered = 0;
            for (int i = 0; i < CALLS_AFTER && answered < 2; i++) {
                byte[] request = bytes("after " + i);
                Outcome outcome = outcomeOf(client.call(linked, request, within(DEADLINE)));
                answered += outcome == null ? 1 : 0;
                if (outcome == Outcome.NOT_SENT) {
                    assertThat(handled).doesNotContain("after " + i);
                }
            }
            assertThat(answered)
                    .as("calls that were answered after the link had healed")
                    .isEqualTo(2);
        }
    }

    private static int port(Started started) {
        return Integer.parseInt(started.address().substring(started.address().lastIndexOf(':') + 1));
    }

    /** The behaviour of a faulty peer before it closes a connection. */
    @FunctionalInterface
    private interface Behaviour {
        void serve(Socket socket) throws IOException;
    }

    /** A socket server with arbitrary behaviour. */
    private static final class RawPeer implements AutoCloseable {

        private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        private final List<Socket> sockets = new CopyOnWriteArrayList<>();

        RawPeer(Behaviour behaviour) throws IOException {
            Thread acceptor = new Thread(() -> accept(behaviour), "raw-peer");
            acceptor.setDaemon(true);
            acceptor.start();
        }

        private void accept(Behaviour behaviour) {
            try {
                while (true) {
                    Socket socket = server.accept();
                    sockets.add(socket);
                    Thread thread = new Thread(() -> serve(socket, behaviour), "raw-peer");
                    thread.setDaemon(true);
                    thread.start();
                }
            } catch (IOException e) {
                // The peer was closed at the end of the test.
                return;
            }
        }

        private static void serve(Socket socket, Behaviour behaviour) {
            try (socket) {
                behaviour.serve(socket);
            } catch (IOException e) {
                // The transport closed the connection, as it may.
                return;
            }
        }

        CompletableFuture<byte[]> calledBy(Started client, CallContext context) {
            Node node = Node.of("raw", "127.0.0.1:" + server.getLocalPort());
            return client.transport()
                    .call(node, Frame.of(bytes("hello")), context)
                    .toCompletableFuture();
        }

        @Override
        public void close() {
            try {
                server.close();
                for (Socket socket : sockets) {
                    socket.close();
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
