package io.dht4j.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.spi.TransportException;
import io.dht4j.spi.TransportException.Outcome;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Frames of every size arrive as they were sent, and those over the limit hurt nobody. A part of {@link TransportContract}. */
public abstract class TransportFramesContract extends TransportHarness {

    /** For {@link TransportContract}. */
    protected TransportFramesContract() {}

    @Test
    void frames_of_every_size_arrive_and_come_back() {
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
    void a_frame_over_the_limit_is_refused_before_it_is_sent() {
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
    void a_reply_over_the_limit_fails_and_the_next_call_is_answered() {
        Started server = start((request, context) ->
                CompletableFuture.completedFuture(request.length == 0 ? new byte[maxFrameBytes() + 1] : request));
        Started client = start(echo());
        assertThat(failure(client.call(server, NO_BYTES, within(PATIENCE))).outcome())
                .isEqualTo(Outcome.UNKNOWN);
        assertThat(reply(client.call(server, bytes("next"), within(PATIENCE)))).isEqualTo(bytes("next"));
    }
}
