package io.dht4j.transport.grpc.internal.loops;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PeriodicTaskTest {

    @ParameterizedTest
    @ValueSource(classes = {OutOfMemoryError.class, IllegalStateException.class})
    void taskThatThrowsRunsAgain(Class<? extends Throwable> failure) throws Exception {
        CountDownLatch runs = new CountDownLatch(3);
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
        try {
            PeriodicTask task = new PeriodicTask("the task of this test", () -> {
                runs.countDown();
                if (failure == OutOfMemoryError.class) {
                    throw new OutOfMemoryError("for this test");
                }
                throw new IllegalStateException("for this test");
            });
            timer.scheduleWithFixedDelay(task, 1, 1, TimeUnit.MILLISECONDS);
            assertThat(runs.await(30, TimeUnit.SECONDS)).isTrue();
        } finally {
            timer.shutdown();
        }
    }

    @Test
    void taskThatDoesNotThrowRunsOnceEachTime() {
        AtomicInteger runs = new AtomicInteger();
        PeriodicTask task = new PeriodicTask("the task of this test", runs::incrementAndGet);
        task.run();
        task.run();
        assertThat(runs).hasValue(2);
    }
}
