package io.dht4j.transport.tcp.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class EventLoopsTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static EventLoops start() throws Exception {
        return EventLoops.start(2, "test-loop", Duration.ofMillis(50));
    }

    @Test
    void aLoopThatHasEndedIsReportedAndTakesNoTasks() throws Exception {
        EventLoops loops = start();
        loops.endWithoutNotice();
        assertThat(loops.failure().toCompletableFuture().get(60, TimeUnit.SECONDS))
                .contains("test-loop", "has ended");
        assertThat(loops.next().execute(new LoopTask(() -> {}))).isFalse();
        assertThat(loops.close(PATIENCE)).isTrue();
    }

    @Test
    void loopsThatAreClosedHaveNotFailed() throws Exception {
        EventLoops loops = start();
        assertThat(loops.close(PATIENCE)).isTrue();
        assertThat(loops.failure().toCompletableFuture()).isNotDone();
    }

    @Test
    void aTaskThatFailsEndsNeitherItsLoopNorOtherTasks() throws Exception {
        EventLoops loops = start();
        EventLoop loop = loops.next();
        CountDownLatch done = new CountDownLatch(2);
        for (Error error : new Error[] {new OutOfMemoryError("as this test wants it"), new AssertionError("so too")}) {
            loop.execute(new LoopTask(() -> {
                throw error;
            }));
            loop.execute(new LoopTask(done::countDown));
        }
        assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(loops.close(PATIENCE)).isTrue();
    }

    @Test
    void timersFireInOrderByTheirEarliestSetting() throws Exception {
        EventLoops loops = start();
        EventLoop loop = loops.next();
        Queue<String> rung = new ConcurrentLinkedQueue<>();
        CountDownLatch all = new CountDownLatch(3);
        LoopTimer[] timers = new LoopTimer[4];
        for (int i = 0; i < timers.length; i++) {
            String name = "t" + i;
            timers[i] = new LoopTimer(() -> {
                rung.add(name);
                all.countDown();
            });
        }
        loop.execute(new LoopTask(() -> {
            long now = System.nanoTime();
            loop.set(timers[0], now + 30_000_000);
            loop.set(timers[1], now + TimeUnit.HOURS.toNanos(1));
            loop.set(timers[1], now + 20_000_000);
            loop.set(timers[1], now + 60_000_000);
            loop.set(timers[2], now + 10_000_000);
            loop.set(timers[3], now + 5_000_000);
            loop.unset(timers[3]);
        }));
        assertThat(all.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(rung).containsExactly("t2", "t1", "t0");
        assertThat(loops.close(PATIENCE)).isTrue();
    }

    @Test
    void residentsAreSweptUntilTheLoopEnds() throws Exception {
        EventLoops loops = start();
        EventLoop loop = loops.next();
        CountDownLatch swept = new CountDownLatch(3);
        AtomicInteger ends = new AtomicInteger();
        Resident resident = new Resident() {
            @Override
            public void sweep(long now) {
                swept.countDown();
                throw new IllegalStateException("as this test wants it");
            }

            @Override
            public void loopEnds() {
                ends.incrementAndGet();
            }
        };
        loop.execute(new LoopTask(() -> loop.add(resident)));
        assertThat(swept.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(loops.close(PATIENCE)).isTrue();
        assertThat(ends).hasValue(1);
    }

    @Test
    void aResidentThatALastTaskAddsEndsToo() throws Exception {
        EventLoops loops = start();
        EventLoop loop = loops.next();
        CountDownLatch ended = new CountDownLatch(2);
        CountDownLatch added = new CountDownLatch(1);
        Resident late = new EndsOnly(ended::countDown);
        Resident resident = new EndsOnly(() -> {
            ended.countDown();
            loop.execute(new LoopTask(() -> loop.add(late)));
        });
        loop.execute(new LoopTask(() -> {
            loop.add(resident);
            added.countDown();
        }));
        assertThat(added.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(loops.close(PATIENCE)).isTrue();
        assertThat(ended.getCount()).isZero();
    }

    private record EndsOnly(Runnable end) implements Resident {

        @Override
        public void sweep(long now) {
            // Nothing is ever overdue.
        }

        @Override
        public void loopEnds() {
            end.run();
        }
    }

    @Test
    void noTaskOfManyThreadsIsLost() throws Exception {
        EventLoops loops = start();
        EventLoop loop = loops.next();
        int count = 10_000;
        CountDownLatch done = new CountDownLatch(4 * count);
        AtomicInteger waiting = new AtomicInteger();
        LoopTask task = new LoopTask(() -> {
            for (int left = waiting.getAndSet(0); left > 0; left--) {
                done.countDown();
            }
        });
        Thread[] threads = new Thread[4];
        for (int t = 0; t < threads.length; t++) {
            threads[t] = new Thread(() -> {
                for (int i = 0; i < count; i++) {
                    waiting.incrementAndGet();
                    loop.execute(task);
                }
            });
            threads[t].start();
        }
        assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
        for (Thread thread : threads) {
            thread.join(60_000);
        }
        assertThat(loops.close(PATIENCE)).isTrue();
    }
}
