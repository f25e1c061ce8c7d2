package io.dht4j.benchmarks.scenario.growth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.lab.internal.load.Conditions;
import io.dht4j.lab.internal.load.Latency;
import io.dht4j.lab.internal.load.LoadDriver;
import io.dht4j.lab.internal.load.LoadResult;
import io.dht4j.lab.internal.load.LoadSpec;
import io.dht4j.lab.internal.load.Operation;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LoadWindowsTest {

    private static final LoadSpec WINDOW = new LoadSpec(Operation.GET, 10, 0, 1, 5, 1, 1, 7);

    /** A load of which each window ends when it may. */
    private static final class Steps implements LoadDriver {

        private final Semaphore begins = new Semaphore(0);
        private final Semaphore ends = new Semaphore(0);
        private volatile boolean fails;
        private volatile boolean free;

        @Override
        public LoadResult run(LoadSpec spec) throws IOException, InterruptedException {
            begins.release();
            if (!free) {
                ends.acquire();
            }
            if (fails) {
                throw new IOException("the node has ended");
            }
            return new LoadResult(
                    spec,
                    1,
                    10,
                    10,
                    0,
                    0,
                    0,
                    Map.of(),
                    Latency.of(Latency.emptyHistogram()),
                    Map.of(),
                    new Conditions(0, 0, 0, List.of(), List.of()));
        }
    }

    private final Steps steps = new Steps();

    @Test
    void windowAcrossTwoPhasesBelongsToNeither() throws Exception {
        try (LoadWindows windows = LoadWindows.start(steps, WINDOW)) {
            steps.ends.release(2);
            windows.await(2);
            steps.begins.acquire(3);
            CompletableFuture<Void> begun = CompletableFuture.runAsync(() -> begin(windows));
            while (windows.phase() != Phase.MOVES) {
                Thread.onSpinWait();
            }
            // The third window has begun in the first phase and ends in the second one.
            steps.ends.release(1);
            begun.join();
            steps.ends.release(1);
            windows.await(1);

            assertThat(windows.of(Phase.BEFORE))
                    .extracting(result -> result.spec().seed())
                    .containsExactly(7L, 8L);
            assertThat(windows.of(Phase.MOVES))
                    .extracting(result -> result.spec().seed())
                    .containsExactly(10L);
            assertThat(windows.of(Phase.AFTER)).isEmpty();
            assertThat(windows.all()).hasSize(4);
            steps.free = true;
            steps.ends.release(1);
            windows.finish();
            assertThat(windows.all()).hasSizeGreaterThanOrEqualTo(4);
        }
    }

    private static void begin(LoadWindows windows) {
        try {
            windows.begin(Phase.MOVES);
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void theFailureOfTheLoadEndsEveryWait() throws Exception {
        try (LoadWindows windows = LoadWindows.start(steps, WINDOW)) {
            steps.fails = true;
            steps.ends.release(1);

            assertThatThrownBy(() -> windows.await(1))
                    .isInstanceOf(IOException.class)
                    .hasMessage("the load ended early: the node has ended");
            assertThatThrownBy(() -> windows.begin(Phase.MOVES)).hasMessageContaining("the node has ended");
            assertThatThrownBy(windows::finish).hasMessageContaining("the node has ended");
        }
    }

    @Test
    void closingStopsALoadThatDoesNotEnd() {
        LoadWindows windows = LoadWindows.start(steps, WINDOW);

        windows.close();

        assertThat(windows.all()).isEmpty();
    }
}
