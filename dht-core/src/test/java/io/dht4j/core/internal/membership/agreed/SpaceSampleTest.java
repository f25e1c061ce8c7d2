package io.dht4j.core.internal.membership.agreed;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.spi.Environment;
import io.dht4j.spi.StoreSpace;
import io.dht4j.testkit.store.ForwardingStore;
import io.dht4j.testkit.store.ModelStore;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

class SpaceSampleTest {

    private static final StoreSpace SPACE = new StoreSpace(100, 200);

    private final VirtualEnvironment env = VirtualEnvironment.seeded(1);

    /** An environment whose store threads can be busy. */
    private final class BusyStoreThreads implements Environment {

        private boolean busy = true;

        @Override
        public Executor storeExecutor() {
            return task -> {
                if (busy) {
                    throw new RejectedExecutionException("too many tasks wait");
                }
                env.storeExecutor().execute(task);
            };
        }

        @Override
        public long nanoTime() {
            return env.nanoTime();
        }

        @Override
        public long currentTimeMillis() {
            return env.currentTimeMillis();
        }

        @Override
        public RandomGenerator random() {
            return env.random();
        }

        @Override
        public Executor executor() {
            return env.executor();
        }

        @Override
        public int storeThreads() {
            return env.storeThreads();
        }

        @Override
        public Timer schedule(Runnable task, long delayNanos) {
            return env.schedule(task, delayNanos);
        }

        @Override
        public void close() {
            env.close();
        }
    }

    @Test
    void aSampleIsTakenAgainWhenTheStoreThreadsHaveRefusedOne() {
        BusyStoreThreads threads = new BusyStoreThreads();
        SpaceSample sample = new SpaceSample(
                new ForwardingStore(new ModelStore()) {
                    @Override
                    public Optional<StoreSpace> space() {
                        return Optional.of(SPACE);
                    }
                },
                threads);

        assertThat(sample.get()).isEmpty();
        threads.busy = false;
        sample.get();
        env.advance(Duration.ofMillis(100));

        assertThat(sample.get()).contains(SPACE);
    }
}
