package io.dht4j.transport.grpc.internal.loops;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** An event loop that has ended is noticed, and one that was ended in order has not failed. */
class EventLoopsTest {

    @Test
    void aLoopThatHasEndedIsReported() throws Exception {
        EventLoops loops = new EventLoops(2, "test-loop");
        loops.next().executor().submit(() -> {}).get(60, TimeUnit.SECONDS);
        loops.group().shutdownGracefully(0, 0, TimeUnit.SECONDS);
        assertThat(loops.failure().toCompletableFuture().get(60, TimeUnit.SECONDS))
                .contains("test-loop", "has ended");
    }

    @Test
    void loopsThatAreClosedHaveNotFailed() {
        EventLoops loops = new EventLoops(2, "test-loop");
        assertThat(loops.close(Duration.ofSeconds(60))).isTrue();
        assertThat(loops.failure().toCompletableFuture()).isNotDone();
    }
}
