package io.dht4j.lab.internal.load.closed;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.dht4j.lab.internal.load.LoadResult;
import io.dht4j.lab.internal.load.LoadSpec;
import io.dht4j.lab.internal.load.Operation;
import io.dht4j.lab.internal.load.Outcome;
import io.dht4j.lab.internal.load.open.OpenLoad;
import io.dht4j.lab.internal.load.open.RecordingLoadClient;
import io.dht4j.lab.workload.KeySpace;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class ClosedLoopTest {

    private static LoadSpec spec(double warmUp, double seconds, int inFlight, int threads) {
        return new LoadSpec(Operation.PUT, 0, warmUp, seconds, 100, inFlight, threads, 1);
    }

    private static LoadResult run(RecordingLoadClient client, LoadSpec spec) throws InterruptedException {
        return new ClosedLoop(client, Duration.ofMinutes(2), KeySpace::new, () -> {}).run(spec);
    }

    private static CompletableFuture<Outcome> done() {
        return CompletableFuture.completedFuture(Outcome.DONE);
    }

    private static CompletableFuture<Outcome> doneAfter(int millis) {
        return new CompletableFuture<Outcome>().completeOnTimeout(Outcome.DONE, millis, MILLISECONDS);
    }

    @Test
    void asManyOperationsAsWantedAreInFlightAndNoMore() throws Exception {
        CompletableFuture<Outcome> whenAllHaveBegun = new CompletableFuture<>();
        RecordingLoadClient client = new RecordingLoadClient(number -> {
            if (number == 7) {
                whenAllHaveBegun.completeAsync(() -> Outcome.DONE);
            }
            return number < 8 ? whenAllHaveBegun : doneAfter(10);
        });

        LoadResult result = run(client, spec(0, 1, 8, 2));

        assertThat(client.mostUnderWay()).isEqualTo(8);
        assertThat(client.underWay()).isZero();
        assertThat(result.served()).isEqualTo(result.offered()).isEqualTo(client.begun());
        assertThat(result.latency().decode().getTotalCount()).isEqualTo(result.served());
        assertThat(result.notSent()).isZero();
    }

    @Test
    void aFailureCountsAndTheNextOperationFollows() throws Exception {
        RecordingLoadClient client = new RecordingLoadClient(
                number -> number % 4 == 0 ? CompletableFuture.failedFuture(new IOException("refused")) : doneAfter(1));

        LoadResult result = run(client, spec(0, 1, 2, 1));

        assertThat(result.failed()).isEqualTo((client.begun() + 3) / 4);
        assertThat(result.served()).isEqualTo(client.begun() - result.failed());
        assertThat(result.errors()).hasSize(1).containsValue(result.failed());
    }

    @Test
    void aSlowAnswerDelaysTheNextOperationAndCountsOnce() throws Exception {
        RecordingLoadClient client = new RecordingLoadClient(number -> number == 0 ? doneAfter(1500) : done());

        LoadResult result = run(client, spec(0, 1, 1, 1));

        assertThat(client.begun()).isEqualTo(1);
        assertThat(result.served()).isEqualTo(1);
        assertThat(result.latency().micros(100)).isGreaterThanOrEqualTo(1_490_000);
        assertThat(result.tookSeconds()).isGreaterThan(1.49);
    }

    @Test
    void operationsThatBeginInTheWarmUpDoNotCount() throws Exception {
        RecordingLoadClient client = new RecordingLoadClient(
                number -> number == 0 ? CompletableFuture.failedFuture(new IOException("not warm")) : doneAfter(5));

        LoadResult result = run(client, spec(1, 0.5, 1, 1));

        assertThat(result.failed()).isZero();
        assertThat(result.offered()).isPositive().isLessThan(client.begun());
    }

    @Test
    void whatNeverEndsHasFailed() throws Exception {
        RecordingLoadClient client =
                new RecordingLoadClient(number -> number == 3 ? new CompletableFuture<>() : done());

        LoadResult result =
                new ClosedLoop(client, Duration.ofMillis(50), KeySpace::new, () -> {}).run(spec(0, 1, 1, 1));

        assertThat(result.served()).isEqualTo(3);
        assertThat(result.failed()).isEqualTo(1);
        assertThat(result.errors()).isEqualTo(Map.of("never ended", 1L));
        assertThat(result.conditions().doubts()).contains("1 operations had not ended when the run was given up");
    }

    @Test
    void aRateBelongsToAnOpenLoop() {
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> run(RecordingLoadClient.prompt(), spec(0, 1, 1, 1).at(5)))
                .withMessage("a closed loop has no rate, such as 5.0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> OpenLoad.on(RecordingLoadClient.prompt()).run(spec(0, 1, 1, 1)))
                .withMessage("an open loop needs a rate");
    }
}
