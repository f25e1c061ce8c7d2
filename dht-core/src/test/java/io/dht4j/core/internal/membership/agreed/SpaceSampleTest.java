package io.dht4j.core.internal.membership.agreed;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.spi.StoreSpace;
import io.dht4j.testkit.store.ForwardingStore;
import io.dht4j.testkit.store.ModelStore;
import io.dht4j.testkit.time.ForwardingEnvironment;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

class SpaceSampleTest {

    private static final StoreSpace SPACE = new StoreSpace(100, 200);

    private final VirtualEnvironment env = VirtualEnvironment.seeded(1);

    /** An environment whose store threads can be busy. */
    private final class BusyStoreThreads extends ForwardingEnvironment {

        private boolean busy = true;

        BusyStoreThreads() {
            super(env);
        }

        @Override
        public Executor storeExecutor() {
            return task -> {
                if (busy) {
                    throw new RejectedExecutionException("too many tasks wait");
                }
                env.storeExecutor().execute(task);
            };
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
