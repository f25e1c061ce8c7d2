package io.dht4j.testkit.transport;

import static io.dht4j.testkit.transport.Calls.NO_BYTES;
import static io.dht4j.testkit.transport.Calls.PATIENCE;
import static io.dht4j.testkit.transport.Calls.bytes;
import static io.dht4j.testkit.transport.Calls.echo;
import static io.dht4j.testkit.transport.Calls.failure;
import static io.dht4j.testkit.transport.Calls.number;
import static io.dht4j.testkit.transport.Calls.reply;
import static io.dht4j.testkit.transport.Calls.within;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.spi.TransportException;
import io.dht4j.spi.TransportException.Outcome;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Frames of every size arrive unchanged, and oversized frames affect no other call. A part of
 * {@link TransportContract}.
 */
interface FramesSuite extends TransportHarness {

    /**
     * Returns the size of the largest frame that the transports carry.
     *
     * @return at least 16 MiB
     */
    int maxFrameBytes();

    @Test
    @Tag("core")
    default void framesOfEverySizeArriveAndComeBack() {
        Started server = start(echo());
        Started client = start(echo());
        int[] sizes = {0, 1, 2, 100, 8_191, 8_192, 65_535, 65_536, 65_537, 1 << 20, 16 << 20, maxFrameBytes()};
        for (int size : sizes) {
            byte[] frame = new byte[size];
            new SplittableRandom(size).nextBytes(frame);
            byte[] reply = reply(client.call(server, frame, within(PATIENCE)));
            assertThat(Arrays.equals(reply, frame))
                    .as("frame of %d bytes", size)
                    .isTrue();
        }
    }

    @Test
    @Tag("core")
    default void aFrameOverTheLimitIsRefusedBeforeItIsSent() {
        Recorder recorder = new Recorder(echo());
        Started server = start(recorder);
        Started client = start(echo());
        TransportException error = failure(client.call(server, new byte[maxFrameBytes() + 1], within(PATIENCE)));
        assertThat(error.outcome()).isEqualTo(Outcome.NOT_SENT);
        assertThat(error)
                .hasMessageContaining(Integer.toString(maxFrameBytes() + 1))
                .hasMessageContaining(Integer.toString(maxFrameBytes()));
        assertThat(reply(client.call(server, bytes("next"), within(PATIENCE)))).isEqualTo(bytes("next"));
        assertThat(recorder.count()).isEqualTo(1);
    }

    @Test
    @Tag("core")
    default void aReplyOverTheLimitFailsAndTheNextCallIsAnswered() {
        Started server = start((request, context) ->
                CompletableFuture.completedFuture(request.length == 0 ? new byte[maxFrameBytes() + 1] : request));
        Started client = start(echo());
        assertThat(failure(client.call(server, NO_BYTES, within(PATIENCE))).outcome())
                .isEqualTo(Outcome.UNKNOWN);
        assertThat(reply(client.call(server, bytes("next"), within(PATIENCE)))).isEqualTo(bytes("next"));
    }

    @Test
    default void smallFramesComeThroughBetweenLargeOnes() {
        Started server = start(echo());
        Started client = start(echo());
        byte[] large = new byte[16 << 20];
        new SplittableRandom(1).nextBytes(large);
        List<CompletableFuture<byte[]>> largeOnes = new ArrayList<>();
        List<CompletableFuture<byte[]>> smallOnes = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            largeOnes.add(client.call(server, large, within(PATIENCE)));
            smallOnes.add(client.call(server, number(i), within(PATIENCE)));
        }
        for (int i = 0; i < 3; i++) {
            assertThat(reply(smallOnes.get(i))).isEqualTo(number(i));
            assertThat(Arrays.equals(reply(largeOnes.get(i)), large)).isTrue();
        }
    }

    @Test
    default void framesOverTheLimitLeaveTheCallsBesideThemAlone() {
        Started server = start((request, context) ->
                CompletableFuture.completedFuture(request.length == 1 ? new byte[maxFrameBytes() + 1] : request));
        Started client = start(echo());
        byte[] tooLarge = new byte[maxFrameBytes() + 1];
        List<CompletableFuture<byte[]>> good = new ArrayList<>();
        List<CompletableFuture<byte[]>> bad = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            good.add(client.call(server, number(i), within(PATIENCE)));
            if (i % 10 == 0) {
                bad.add(client.call(server, tooLarge, within(PATIENCE)));
                bad.add(client.call(server, new byte[1], within(PATIENCE)));
            }
        }
        for (int i = 0; i < good.size(); i++) {
            assertThat(reply(good.get(i))).isEqualTo(number(i));
        }
        bad.forEach(Calls::failure);
    }
}
