package io.dht4j.lab.internal.load.open;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;
import static org.awaitility.Awaitility.await;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.lab.internal.load.LoadClient;
import io.dht4j.lab.internal.load.LoadException;
import io.dht4j.lab.internal.load.LoadResult;
import io.dht4j.lab.internal.load.LoadSpec;
import io.dht4j.lab.internal.load.Operation;
import io.dht4j.lab.internal.load.Outcome;
import io.dht4j.lab.workload.KeySpace;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class OpenLoadTest {

    @Test
    void theThreadsTakeTheOperationsInTurn() throws Exception {
        RecordingLoadClient client = RecordingLoadClient.prompt();

        LoadResult result = patient(client).run(spec(1000, 0, 0.5, 100, 4));

        assertThat(result.offered()).isEqualTo(500);
        assertThat(result.served()).isEqualTo(500);
        assertThat(client.begun()).isEqualTo(500);
        assertThat(client.keysByThread())
                .hasSize(4)
                .allSatisfy(keys -> assertThat(keys).hasSize(125));
    }

    @Test
    void noOperationBeginsBeforeItsTime() throws Exception {
        List<Long> times = Collections.synchronizedList(new ArrayList<>());
        LoadClient client = new RecordingLoadClient(number -> {
            times.add(System.nanoTime());
            return CompletableFuture.completedFuture(Outcome.DONE);
        });
        long before = System.nanoTime();

        patient(client).run(spec(500, 0.1, 0.4, 100, 2));

        assertThat(times).hasSize(250);
        for (int i = 0; i < times.size(); i++) {
            // Sorted, since the two threads' operations may overtake each other by one.
            assertThat(times.get(i) - before).isGreaterThanOrEqualTo(Math.max(0, i - 1) * 2_000_000L);
        }
    }

    @Test
    void dueOperationsStartTogetherAndTheirDelayCounts() throws Exception {
        RecordingLoadClient client = RecordingLoadClient.prompt();

        LoadResult result = patient(client).run(spec(2000, 0, 0.5, 1000, 1).sendingEvery(8000));

        assertThat(result.served()).isEqualTo(1000);
        // Uniform between 0 and 8 ms for an instant client.
        assertThat(result.latency().micros(50)).isGreaterThan(2000);
        assertThat(result.conditions().latenessP99Micros()).isGreaterThan(6000);
    }

    @Test
    void aRestThatWouldHideTheRateIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> spec(2000, 0, 0.5, 1000, 1).sendingEvery(10_001))
                .withMessage("rest of a thread of a load: 10001 is not 0 to 10,000 microseconds");
    }

    @Test
    void theWarmUpIsSentAndNotCounted() throws Exception {
        RecordingLoadClient client = new RecordingLoadClient(number -> number < 100
                ? CompletableFuture.failedFuture(new IOException("not warm"))
                : CompletableFuture.completedFuture(Outcome.DONE));

        LoadResult result = patient(client).run(spec(500, 0.2, 0.3, 100, 1));

        assertThat(result.offered()).isEqualTo(150);
        assertThat(result.served()).isEqualTo(150);
        assertThat(result.failed()).isZero();
        assertThat(result.errors()).isEmpty();
        assertThat(client.begun()).isEqualTo(250);
        assertThat(result.latency().decode().getTotalCount()).isEqualTo(150);
    }

    @Test
    void seedDrawsTheSameKeysFromTheWholeKeySpace() throws Exception {
        RecordingLoadClient first = RecordingLoadClient.prompt();
        RecordingLoadClient second = RecordingLoadClient.prompt();

        patient(first).run(spec(2000, 0, 0.3, 100, 1));
        patient(second).run(spec(2000, 0, 0.3, 100, 1));

        List<Long> keys = first.keysByThread().get(0);
        assertThat(keys).hasSize(600);
        assertThat(second.keysByThread().get(0)).isEqualTo(keys);
        assertThat(keys).allMatch(key -> key >= 0 && key < 10);
        assertThat(new HashSet<>(keys)).hasSize(10);
    }

    @Test
    void operationsOfAMixHaveTheirSharesAndLatencies() throws Exception {
        RecordingLoadClient client = RecordingLoadClient.prompt();
        Operation mix = new Operation("mix", "get=40,put=10,scan=30,rmw=20", "zipfian", 5);

        LoadResult result = patient(client).run(new LoadSpec(mix, 4000, 0.1, 0.5, 10, 100, 2, 7));

        assertThat(result.latencyByKind()).containsOnlyKeys("get", "put", "scan", "rmw");
        assertThat(result.latencyByKind().values().stream()
                        .mapToLong(each -> each.decode().getTotalCount())
                        .sum())
                .isEqualTo(2000)
                .isEqualTo(result.latency().decode().getTotalCount());
        // A read-modify-write is a get and a put.
        assertThat(client.calls().get("get")).isBetween(1320, 1560);
        assertThat(client.calls().get("put 100")).isBetween(600, 840);
        assertThat(client.calls().get("scan")).isBetween(600, 840);
    }

    @Test
    void anInsertThatIsNotSentLeavesNoHoleAmongTheKeys() throws Exception {
        RecordingLoadClient client = new RecordingLoadClient(
                number -> new CompletableFuture<Outcome>().completeOnTimeout(Outcome.DONE, 1, SECONDS));
        KeySpace space = new KeySpace(10);

        LoadResult result = patient(client)
                .over(space)
                .run(new LoadSpec(new Operation("inserts", "insert=100", "uniform", 1), 1000, 0, 0.3, 10, 5, 1, 7));

        assertThat(result.notSent()).isPositive();
        assertThat(space.size()).isEqualTo(10 + result.served());
        assertThat(client.keysByThread().get(0))
                .isEqualTo(LongStream.range(10, space.size()).boxed().toList());
    }

    @Test
    void operationsOverTheInFlightLimitAreNotSent() throws Exception {
        RecordingLoadClient client = new RecordingLoadClient(
                number -> new CompletableFuture<Outcome>().completeOnTimeout(Outcome.DONE, 3, SECONDS));

        LoadResult result = patient(client).run(spec(100, 0, 0.5, 10, 2));

        assertThat(client.mostUnderWay()).isEqualTo(10);
        assertThat(client.underWay()).isZero();
        assertThat(result.offered()).isEqualTo(50);
        assertThat(result.notSent()).isPositive();
        assertThat(result.served() + result.notSent()).isEqualTo(50);
        assertThat(result.latency().micros(0)).isGreaterThan(2_900_000);
        assertThat(result.tookSeconds()).isGreaterThan(2.9);
    }

    @Test
    void failuresCountByNameAndHaveNoLatency() throws Exception {
        RecordingLoadClient client = new RecordingLoadClient(number -> switch ((int) (number % 4)) {
            case 0 -> CompletableFuture.failedFuture(DhtException.of(ErrorCode.OVERLOADED, "full"));
            case 1 -> CompletableFuture.failedFuture(new LoadException("HTTP 503", "full"));
            case 2 -> CompletableFuture.failedFuture(new IOException("gone"));
            default -> CompletableFuture.completedFuture(Outcome.DONE);
        });

        LoadResult result = patient(client).run(spec(400, 0, 0.25, 100, 1));

        assertThat(result.served()).isEqualTo(25);
        assertThat(result.failed()).isEqualTo(75);
        assertThat(result.latency().decode().getTotalCount()).isEqualTo(25);
        assertThat(result.errors())
                .containsOnly(entry("OVERLOADED", 25L), entry("HTTP 503", 25L), entry("IOException", 25L));
    }

    @Test
    void aTargetThatThrowsCountsAsFailed() throws Exception {
        LoadClient client = new RecordingLoadClient(number -> {
            throw new IllegalStateException("broken");
        });

        LoadResult result = patient(client).run(spec(100, 0, 0.1, 1, 1));

        assertThat(result.failed()).isEqualTo(10);
        assertThat(result.errors()).containsExactly(entry("IllegalStateException", 10L));
    }

    @Test
    void errorsOfManyNamesEndUnderOne() {
        ErrorCounts errors = new ErrorCounts();

        for (int i = 0; i < 30; i++) {
            errors.add("error " + i, 2);
        }
        errors.add("error 3", 1);

        assertThat(errors.byName())
                .hasSize(ErrorCounts.NAMES + 1)
                .containsEntry("error 3", 3L)
                .containsEntry("other", 20L);
    }

    @Test
    void endlessOperationsFailAndCastDoubt() throws Exception {
        RecordingLoadClient client = new RecordingLoadClient(number -> new CompletableFuture<>());

        LoadResult result = patient(client).drainingFor(Duration.ofMillis(50)).run(spec(100, 0, 0.1, 3, 1));

        assertThat(result.failed()).isEqualTo(3);
        assertThat(result.errors()).containsExactly(entry("never ended", 3L));
        assertThat(result.conditions().doubts())
                .anySatisfy(doubt -> assertThat(doubt).contains("3 operations had not ended"));
    }

    @Test
    void readsThatFindNothingAreServedAndMakeDoubt() throws Exception {
        RecordingLoadClient client =
                new RecordingLoadClient(number -> CompletableFuture.completedFuture(Outcome.ABSENT));

        LoadResult result = patient(client).run(new LoadSpec(Operation.GET, 100, 0, 0.1, 10, 10, 1, 7));

        assertThat(result.failed()).isZero();
        assertThat(result.conditions().doubts())
                .anySatisfy(doubt -> assertThat(doubt).contains("100.0 % of the reads found nothing"));
    }

    @Test
    void blockedGeneratorCastsDoubt() throws Exception {
        // The client blocks against its contract, so the thread is late for all later operations.
        RecordingLoadClient client = new RecordingLoadClient(number -> {
            if (number == 5) {
                await().pollDelay(1300, MILLISECONDS).until(() -> true);
            }
            return CompletableFuture.completedFuture(Outcome.DONE);
        });

        LoadResult result = OpenLoad.on(client).run(spec(1000, 0, 0.5, 10, 1));

        assertThat(result.offered()).isEqualTo(500);
        assertThat(result.notSent()).isGreaterThanOrEqualTo(200);
        assertThat(result.served() + result.notSent()).isEqualTo(500);
        assertThat(result.conditions().latenessP99Micros()).isGreaterThan(1_000_000);
        assertThat(result.conditions().trusted()).isFalse();
        assertThat(String.join("\n", result.conditions().allDoubts()))
                .contains("more than 1 s late for")
                .contains("by the clock on the wall")
                .contains("after their time");
    }

    @Test
    void howLateIsTooLateCanBeChosen() throws Exception {
        RecordingLoadClient client = new RecordingLoadClient(number -> {
            if (number == 5) {
                await().pollDelay(400, MILLISECONDS).until(() -> true);
            }
            return CompletableFuture.completedFuture(Outcome.DONE);
        });

        LoadResult result =
                OpenLoad.on(client).givingUpAfter(Duration.ofMillis(250)).run(spec(1000, 0, 0.5, 10, 1));

        // The operations due in the first 150 of 400 ms.
        assertThat(result.notSent()).isGreaterThanOrEqualTo(140);
        assertThat(result.served() + result.notSent()).isEqualTo(500);
        assertThat(result.conditions().doubts())
                .anySatisfy(doubt -> assertThat(doubt).contains("more than 250 ms late for"));
        assertThatThrownBy(() -> OpenLoad.on(client).givingUpAfter(Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("lateness must be above zero, not PT0S");
    }

    @Test
    void anInterruptionStopsTheLoad() throws Exception {
        RecordingLoadClient client = RecordingLoadClient.prompt();
        FutureTask<LoadResult> run = new FutureTask<>(() -> OpenLoad.on(client).run(spec(1000, 0, 600, 100, 2)));
        Thread thread = new Thread(run);
        thread.start();
        await().until(() -> client.begun() > 10);

        thread.interrupt();

        assertThat(run)
                .failsWithin(Duration.ofSeconds(60))
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(InterruptedException.class);
        int begun = client.begun();
        await().during(Duration.ofMillis(50)).until(() -> client.begun() == begun);
    }

    /** Omits no operation after a pause of this process. */
    private static OpenLoad patient(LoadClient client) {
        return OpenLoad.on(client).givingUpAfter(Duration.ofMinutes(1));
    }

    private static LoadSpec spec(double perSecond, double warmUp, double seconds, int maxInFlight, int threads) {
        return new LoadSpec(Operation.PUT, perSecond, warmUp, seconds, 10, maxInFlight, threads, 7);
    }
}
