package io.dht4j.transport.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import org.junit.jupiter.api.Test;

/** An event loop with a clock of its own, on which steps of handshakes take time. */
class HandshakeQueueTest {

    private static final long STEP = Duration.ofMillis(2).toNanos();

    private long now = Long.MAX_VALUE - STEP;
    private final long begun = now;
    private final PriorityQueue<Delayed> delayed = new PriorityQueue<>();
    private final List<String> done = new ArrayList<>();
    private final HandshakeQueue queue =
            new HandshakeQueue(() -> now, (task, nanos) -> delayed.add(new Delayed(now + nanos - begun, task)));

    private record Delayed(long at, Runnable task) implements Comparable<Delayed> {

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(at, other.at);
        }
    }

    private static CallerNetwork source(int number) {
        try {
            return CallerNetwork.of(InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) number}));
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    private Runnable step(String name, long nanos) {
        return () -> {
            now += nanos;
            done.add(name);
        };
    }

    private void runLoop() {
        for (Delayed next = delayed.poll(); next != null; next = delayed.poll()) {
            now = begun + Math.max(now - begun, next.at());
            next.task().run();
        }
    }

    @Test
    void aHandshakeAloneDoesNotWait() {
        queue.run(source(1), step("a", STEP));
        assertThat(done).containsExactly("a");
        now += STEP;
        queue.run(source(1), step("b", STEP));
        assertThat(done).containsExactly("a", "b");
        assertThat(delayed).isEmpty();
    }

    @Test
    void handshakesTakeHalfOfTheLoopAndOneAtATime() {
        for (int i = 0; i < 1_000; i++) {
            queue.run(source(1), step("a", STEP));
        }
        assertThat(done).hasSize(1);
        Delayed next = delayed.remove();
        assertThat(next.at()).isEqualTo(2 * STEP);
        assertThat(delayed).isEmpty();
        now += STEP;
        next.task().run();
        assertThat(done).hasSize(2);
        runLoop();
        assertThat(done).hasSize(1_000);
        assertThat(now - begun).isBetween(1_998 * STEP, 2_000 * STEP);
    }

    @Test
    void oneOfAnotherAddressDoesNotWaitForAllOfOne() {
        for (int i = 0; i < 1_000; i++) {
            for (int address = 1; address <= 3; address++) {
                queue.run(source(address), step("flood", STEP));
            }
        }
        queue.run(source(9), step("peer", STEP));
        runLoop();
        assertThat(done.indexOf("peer")).isLessThan(8);
        assertThat(done).hasSize(3_001);
    }

    @Test
    void stepsOfConnectionsThatHaveEndedTakeNoTurn() {
        queue.run(source(1), step("first", STEP));
        List<Runnable> ended = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            ended.add(step("ended", STEP));
        }
        ended.forEach(step -> queue.run(source(1), step));
        queue.run(source(1), step("last", STEP));
        ended.forEach(step -> queue.remove(source(1), step));
        runLoop();
        assertThat(done).containsExactly("first", "last");
        assertThat(now - begun).isEqualTo(3 * STEP);
    }

    @Test
    void aQueueWhoseStepsWereAllRemovedRunsTheNextOne() {
        queue.run(source(1), step("first", STEP));
        Runnable ended = step("ended", STEP);
        queue.run(source(2), ended);
        queue.remove(source(2), ended);
        queue.remove(source(2), ended);
        runLoop();
        now += STEP;
        queue.run(source(2), step("next", STEP));
        assertThat(done).containsExactly("first", "next");
    }

    @Test
    void aStepThatFailsDoesNotEndTheQueue() {
        queue.run(source(1), step("first", STEP));
        queue.run(source(1), () -> {
            throw new IllegalStateException("no memory");
        });
        queue.run(source(2), step("last", STEP));
        now += STEP;
        Delayed next = delayed.remove();
        try {
            next.task().run();
        } catch (IllegalStateException e) {
            done.add(e.getMessage());
        }
        runLoop();
        assertThat(done).containsExactly("first", "no memory", "last");
    }
}
