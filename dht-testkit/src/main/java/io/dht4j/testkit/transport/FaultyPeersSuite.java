package io.dht4j.testkit.transport;

import static io.dht4j.testkit.transport.Calls.PATIENCE;
import static io.dht4j.testkit.transport.Calls.bytes;
import static io.dht4j.testkit.transport.Calls.echo;
import static io.dht4j.testkit.transport.Calls.failure;
import static io.dht4j.testkit.transport.Calls.reply;
import static io.dht4j.testkit.transport.Calls.withEnoughTime;
import static io.dht4j.testkit.transport.Calls.within;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.spi.CallContext;
import io.dht4j.spi.TransportException;
import io.dht4j.spi.TransportException.Outcome;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Peers that are silent, close the connection, die within a reply or send invalid bytes. A part of
 * {@link SocketTransportContract}.
 */
interface FaultyPeersSuite extends TransportHarness {

    /** Returns the first bytes of a valid reply, ending within its frame. */
    byte[] beginningOfReply();

    /** Returns whether a peer must send bytes before the transport sends it a request. */
    boolean greets();

    private void assertNothingWrongIsSaid(TransportException failure) {
        if (greets()) {
            assertThat(failure.outcome()).isIn(Outcome.UNKNOWN, Outcome.NOT_SENT);
        } else {
            assertThat(failure.outcome()).isEqualTo(Outcome.UNKNOWN);
        }
    }

    @Test
    @Tag("core")
    default void callToASilentPeerEndsAsUnknownAtTheDeadline() throws IOException {
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
    default void aPeerThatHangsUpOnARequestLeavesTheOutcomeUnknown() throws IOException {
        try (RawPeer peer = new RawPeer(socket -> socket.getInputStream().read())) {
            Started client = start(echo());
            assertNothingWrongIsSaid(failure(peer.calledBy(client, within(Duration.ofHours(1)))));
        }
    }

    @Test
    @Tag("core")
    default void callEndsAsUnknownWhenThePeerDiesWithinItsReply() throws IOException {
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
    default void noiseFromCallersDisturbsNoOthers() throws IOException {
        Recorder recorder = new Recorder(echo());
        Started server = start(recorder);
        Started client = start(echo());
        int port = server.port();
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
    default void aPeerThatAnswersWithNoiseLeavesTheOutcomeUnknown() throws IOException {
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
    default void badPeersDoNotKeepGoodOnesFromBeingCalled() throws IOException {
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
}
