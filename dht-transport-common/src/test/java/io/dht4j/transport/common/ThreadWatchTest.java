package io.dht4j.transport.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ThreadWatchTest {

    private static final String REPORT = "a thread has ended";

    /** A thread of which one cannot be told whether it has ended, until the attempts are used up. */
    private static final class Unreadable extends Thread {

        private final AtomicInteger attempts;

        Unreadable(int attempts) {
            this.attempts = new AtomicInteger(attempts);
        }

        @Override
        public State getState() {
            if (attempts.getAndDecrement() > 0) {
                throw new OutOfMemoryError("for the test");
            }
            return State.TERMINATED;
        }
    }

    private static String await(ThreadWatch watch) {
        return watch.failure()
                .toCompletableFuture()
                .orTimeout(30, TimeUnit.SECONDS)
                .join();
    }

    @Test
    void endedThreadAmongOthersIsReported() {
        CountDownLatch end = new CountDownLatch(1);
        try (ThreadWatch watch = ThreadWatch.start("watch", REPORT)) {
            watch.add(Thread.currentThread());
            watch.over(Thread::new).newThread(() -> {});
            Thread ending = watch.over(Thread::new).newThread(() -> {
                try {
                    end.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            });
            ending.start();
            assertThat(watch.hasFailed()).isFalse();
            end.countDown();
            assertThat(await(watch)).isEqualTo(REPORT);
        }
    }

    @Test
    void goesOnAfterErrorsAndInterrupts() {
        try (ThreadWatch watch = ThreadWatch.start("interrupted watch", REPORT)) {
            watch.add(new Unreadable(3));
            ThreadWatch.running().stream()
                    .filter(each -> each.getName().equals("interrupted watch"))
                    .forEach(Thread::interrupt);
            assertThat(await(watch)).isEqualTo(REPORT);
        }
    }

    @Test
    void runsUntilItIsClosedAndReportsNothingThen() throws InterruptedException {
        ThreadWatch watch = ThreadWatch.start("closed watch", REPORT);
        Thread watcher = ThreadWatch.running().stream()
                .filter(each -> each.getName().equals("closed watch"))
                .findFirst()
                .orElseThrow();
        watch.close();
        watch.add(new Unreadable(0));
        watcher.join(TimeUnit.SECONDS.toMillis(30));
        assertThat(watcher.isAlive()).isFalse();
        assertThat(watch.hasFailed()).isFalse();
    }
}
