package io.dht4j.testkit.transport;

import static io.dht4j.testkit.transport.Calls.PATIENCE;
import static io.dht4j.testkit.transport.Calls.bytes;
import static io.dht4j.testkit.transport.Calls.echo;
import static io.dht4j.testkit.transport.Calls.failure;
import static io.dht4j.testkit.transport.Calls.outcomeOf;
import static io.dht4j.testkit.transport.Calls.reply;
import static io.dht4j.testkit.transport.Calls.within;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.spi.TransportException;
import io.dht4j.spi.TransportException.Outcome;
import io.dht4j.testkit.network.SilencedLink;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Links that fall silent and heal, and peers that pause. A part of {@link SocketTransportContract}. */
interface SilencedLinksSuite extends TransportHarness {

    /**
     * The deadline of each call over a silenced link. After the link has healed, all events must occur within a few of
     * these.
     */
    Duration DEADLINE = Duration.ofMillis(500);

    /** A deadline shorter than the pause, which is shorter than the silence after which a peer counts as dead. */
    Duration HURRY = Duration.ofMillis(20);

    /** The length of a pause. */
    Duration PAUSE = Duration.ofMillis(250);

    /** A peer with a longer pause may count as dead. */
    Duration LONGEST_SILENCE = Duration.ofMillis(900);

    /** How often a pause that became too long on a busy machine is repeated. */
    int ATTEMPTS = 5;

    /** Calls before a link falls silent. */
    int CALLS_BEFORE = 8;

    /** Calls while a link is silent. */
    int CALLS_WHILE_SILENT = 3;

    /** Fewer than the number of connections: not every one of them may cost a call its deadline. */
    int CALLS_AFTER = 6;

    @Test
    @Tag("core")
    default void linkWithoutRepliesRecoversSoon() throws IOException {
        assertIsUsedAgainAfter(SilencedLink.Cut.BACK);
    }

    @Test
    @Tag("full")
    default void linkWithoutRequestsRecoversSoon() throws IOException {
        assertIsUsedAgainAfter(SilencedLink.Cut.TO_PEER);
    }

    @Test
    @Tag("full")
    default void linkSilentBothWaysRecoversSoon() throws IOException {
        assertIsUsedAgainAfter(SilencedLink.Cut.BOTH);
    }

    @Test
    @Tag("core")
    default void aPeerThatIsSlowIsNotTakenForOneThatIsGone() {
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
    default void peerPausedBeyondADeadlineKeepsItsConnection() throws IOException {
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
        try (SilencedLink link = new SilencedLink(server.port())) {
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
        try (SilencedLink link = new SilencedLink(server.port())) {
            Started linked = new Started(server.transport(), link.address());
            List<CompletableFuture<byte[]>> before = new ArrayList<>();
            for (int i = 0; i < CALLS_BEFORE; i++) {
                before.add(client.call(linked, bytes("before " + i), within(PATIENCE)));
            }
            before.forEach(Calls::reply);

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
}
