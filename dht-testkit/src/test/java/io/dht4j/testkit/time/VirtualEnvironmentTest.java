package io.dht4j.testkit.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.ErrorCode;
import io.dht4j.UnavailableException;
import io.dht4j.spi.Environment;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class VirtualEnvironmentTest {

    private final VirtualEnvironment env = VirtualEnvironment.seeded(7);
    private final List<String> events = new ArrayList<>();

    @Test
    void timeStandsStillUntilItIsAdvanced() {
        long nanos = env.nanoTime();
        assertThat(env.currentTimeMillis()).isEqualTo(VirtualEnvironment.START_MILLIS);

        env.advance(Duration.ofMillis(1500));

        assertThat(env.nanoTime() - nanos).isEqualTo(1_500_000_000L);
        assertThat(env.currentTimeMillis()).isEqualTo(VirtualEnvironment.START_MILLIS + 1500);
        assertThat(env.elapsed()).isEqualTo(Duration.ofMillis(1500));
    }

    @Test
    void executorsRunTasksLaterNeverAtOnce() {
        env.executor().execute(() -> events.add("task"));
        env.storeExecutor().execute(() -> events.add("store"));
        assertThat(events).isEmpty();

        env.advance(Duration.ZERO);

        assertThat(events).containsExactlyInAnyOrder("task", "store");
        assertThat(env.elapsed()).isZero();
    }

    @Test
    void timersRunAtTheirTimeAndInItsOrder() {
        env.schedule(() -> events.add("late at " + env.elapsed().toMillis()), millis(20));
        env.schedule(() -> events.add("soon at " + env.elapsed().toMillis()), millis(10));
        env.schedule(() -> events.add("never"), Long.MAX_VALUE);
        env.schedule(() -> events.add("overdue at " + env.elapsed().toMillis()), -5);

        env.advance(Duration.ofMillis(15));
        assertThat(events).containsExactly("overdue at 0", "soon at 10");
        env.advance(Duration.ofMillis(5));
        assertThat(events).containsExactly("overdue at 0", "soon at 10", "late at 20");
    }

    @Test
    void aCancelledTimerDoesNotRun() {
        Environment.Timer timer = env.schedule(() -> events.add("timer"), millis(10));
        timer.cancel();
        timer.cancel();

        env.runUntilIdle();

        assertThat(events).isEmpty();
        assertThat(env.elapsed()).isZero();
    }

    @Test
    void runUntilIdlePassesAsMuchTimeAsTheLastTimerNeeds() {
        env.schedule(() -> env.schedule(() -> events.add("chained"), millis(30)), millis(10));

        env.runUntilIdle();

        assertThat(events).containsExactly("chained");
        assertThat(env.elapsed()).isEqualTo(Duration.ofMillis(40));
    }

    @Test
    void runUntilStopsAtOnceWhenTheConditionHolds() {
        env.schedule(() -> events.add("first"), millis(10));
        env.schedule(() -> events.add("second"), millis(20));

        env.runUntil(() -> !events.isEmpty(), Duration.ofSeconds(1));

        assertThat(events).containsExactly("first");
        assertThat(env.elapsed()).isEqualTo(Duration.ofMillis(10));
    }

    @Test
    void runUntilFailsWithTheSeedWhenTheBoundPasses() {
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> env.runUntil(() -> false, Duration.ofSeconds(1)))
                .withMessageContaining("seed 7")
                .withMessageContaining("PT1S");
        assertThat(env.elapsed()).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void awaitReturnsTheResultOrTheUnwrappedFailure() {
        CompletableFuture<String> result = new CompletableFuture<>();
        env.schedule(() -> result.complete("done"), millis(10));
        assertThat(env.await(result, Duration.ofSeconds(1))).isEqualTo("done");

        UnavailableException refusal = new UnavailableException(ErrorCode.NOT_SERVING, "closed");
        CompletableFuture<String> failed =
                CompletableFuture.<String>failedFuture(refusal).thenApply(s -> s);
        assertThatThrownBy(() -> env.await(failed, Duration.ofSeconds(1))).isSameAs(refusal);

        IOException checked = new IOException("disk");
        assertThatThrownBy(() -> env.await(CompletableFuture.failedFuture(checked), Duration.ofSeconds(1)))
                .isInstanceOf(CompletionException.class)
                .hasCause(checked);
    }

    @Test
    void anEndlessLoopFailsAndNamesTheSeed() {
        VirtualEnvironment bounded = VirtualEnvironment.seeded(99, 1000);
        loop(bounded);

        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> bounded.advance(Duration.ofSeconds(1)))
                .withMessageContaining("1000 steps")
                .withMessageContaining("seed 99");
    }

    private static void loop(VirtualEnvironment env) {
        env.executor().execute(() -> loop(env));
    }

    @Test
    void aTaskThatThrowsFailsTheRunAndNamesTheSeed() {
        IllegalStateException fault = new IllegalStateException("boom");
        env.executor().execute(() -> {
            throw fault;
        });

        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(env::runUntilIdle)
                .withMessageContaining("boom")
                .withMessageContaining("seed 7")
                .withCause(fault);
    }

    @Test
    void nodesShareTimeAndMayHaveWrongWallClocks() {
        VirtualEnvironment ahead = env.withClockOffset(Duration.ofMinutes(2));
        VirtualEnvironment behind = env.withClockOffset(Duration.ofSeconds(-3));
        ahead.schedule(() -> events.add("ahead"), millis(10));

        env.advance(Duration.ofMillis(10));

        assertThat(events).containsExactly("ahead");
        assertThat(ahead.nanoTime()).isEqualTo(env.nanoTime());
        assertThat(ahead.currentTimeMillis() - env.currentTimeMillis()).isEqualTo(120_000);
        assertThat(behind.currentTimeMillis() - env.currentTimeMillis()).isEqualTo(-3000);
        assertThat(ahead.newNode().currentTimeMillis()).isEqualTo(ahead.currentTimeMillis());
    }

    @Test
    void aClockMayDriftWhileTimersGoRight() {
        VirtualEnvironment fast = env.newNode();
        VirtualEnvironment slow = env.newNode();
        fast.setClockDrift(500);
        slow.setClockDrift(-250_000);
        fast.schedule(() -> events.add("timer"), millis(1000));

        env.advance(Duration.ofSeconds(1));
        assertThat(events).containsExactly("timer");

        env.advance(Duration.ofDays(1000).minusSeconds(1));
        assertThat(ahead(fast)).isEqualTo(Duration.ofDays(1000).toMillis() / 2000);
        assertThat(ahead(slow)).isEqualTo(-Duration.ofDays(250).toMillis());
    }

    @Test
    void clockAndItsDriftAreSetIndependently() {
        VirtualEnvironment node = env.newNode();
        node.setClockDrift(100_000);
        env.advance(Duration.ofSeconds(10));
        node.setClockDrift(-50_000);
        assertThat(ahead(node)).isEqualTo(1000);
        VirtualEnvironment next = node.newNode();

        env.advance(Duration.ofSeconds(10));
        assertThat(ahead(node)).isEqualTo(500);
        assertThat(ahead(next)).isEqualTo(500);

        node.setClockOffset(Duration.ofSeconds(3));
        assertThat(ahead(node)).isEqualTo(3000);
        env.advance(Duration.ofSeconds(10));
        assertThat(ahead(node)).isEqualTo(2500);
        assertThat(ahead(next)).isZero();
    }

    @Test
    void aSlowClockNeverGoesBack() {
        VirtualEnvironment slow = env.newNode();
        slow.setClockDrift(-999_999);
        long before = slow.currentTimeMillis();
        for (int i = 0; i < 10_000; i++) {
            env.advance(Duration.ofNanos(333_333));
            assertThat(slow.currentTimeMillis()).isGreaterThanOrEqualTo(before);
            before = slow.currentTimeMillis();
        }
    }

    @Test
    void aClockThatStandsStillIsRefused() {
        assertThatThrownBy(() -> env.setClockDrift(-1_000_000))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("-1000000");
        assertThatThrownBy(() -> env.setClockDrift(1_000_001))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1000001");
    }

    private long ahead(VirtualEnvironment node) {
        return node.currentTimeMillis()
                - VirtualEnvironment.START_MILLIS
                - env.elapsed().toMillis();
    }

    @Test
    void closingOneNodeDropsItsTimersAndRefusesItsTasksOnly() {
        VirtualEnvironment other = env.newNode();
        env.schedule(() -> events.add("timer of the closed"), millis(10));
        other.schedule(() -> events.add("timer of the other"), millis(10));
        env.executor().execute(() -> events.add("task under way"));
        env.close();
        env.close();
        env.schedule(() -> events.add("timer after the close"), 0);

        other.runUntilIdle();

        assertThat(events).containsExactly("task under way", "timer of the other");
        assertThatExceptionOfType(RejectedExecutionException.class)
                .isThrownBy(() -> env.executor().execute(() -> events.add("late")));
    }

    @Test
    void anotherThreadIsRefused() {
        CompletableFuture<Void> other = CompletableFuture.runAsync(() -> env.schedule(() -> {}, 0));
        assertThatThrownBy(other::join)
                .hasCauseInstanceOf(IllegalStateException.class)
                .hasMessageContaining("one thread");
    }

    @Test
    void aTaskCannotDriveTheSimulation() {
        env.executor().execute(env::runUntilIdle);
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(env::runUntilIdle)
                .withMessageContaining("must not drive");
    }

    @Test
    void theSameSeedGivesTheSameHistory() {
        for (long seed = 0; seed < 20; seed++) {
            assertThat(historyOf(seed)).isEqualTo(historyOf(seed)).hasSizeGreaterThan(100);
        }
    }

    @Test
    void differentSeedsTryDifferentOrders() {
        Set<List<String>> histories = new HashSet<>();
        for (long seed = 0; seed < 20; seed++) {
            histories.add(historyOf(seed));
        }
        assertThat(histories).hasSize(20);

        Set<List<Integer>> orders = new HashSet<>();
        for (long seed = 0; seed < 50; seed++) {
            VirtualEnvironment one = VirtualEnvironment.seeded(seed);
            List<Integer> order = new ArrayList<>();
            IntStream.range(0, 3).forEach(i -> one.executor().execute(() -> order.add(i)));
            one.runUntilIdle();
            orders.add(order);
        }
        assertThat(orders).hasSize(6);
    }

    /** Tasks and timers of three nodes that beget others by chance. */
    private static List<String> historyOf(long seed) {
        VirtualEnvironment first = VirtualEnvironment.seeded(seed);
        List<VirtualEnvironment> nodes = List.of(first, first.newNode(), first.withClockOffset(Duration.ofSeconds(1)));
        List<String> history = new ArrayList<>();
        nodes.forEach(node -> node.executor().execute(() -> beget(nodes, node, history)));
        first.runUntilIdle();
        history.add("fingerprint " + first.fingerprint());
        return history;
    }

    private static void beget(List<VirtualEnvironment> nodes, VirtualEnvironment self, List<String> history) {
        history.add(nodes.indexOf(self) + " at " + self.elapsed() + " by "
                + self.random().nextLong());
        if (history.size() > 200) {
            return;
        }
        VirtualEnvironment other = nodes.get(self.random().nextInt(nodes.size()));
        self.executor().execute(() -> beget(nodes, other, history));
        Environment.Timer timer =
                self.schedule(() -> beget(nodes, self, history), self.random().nextLong(millis(5)));
        if (self.random().nextInt(4) == 0) {
            timer.cancel();
        }
    }

    private static long millis(long millis) {
        return Duration.ofMillis(millis).toNanos();
    }
}
