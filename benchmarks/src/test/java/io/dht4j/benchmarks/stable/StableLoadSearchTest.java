package io.dht4j.benchmarks.stable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.dht4j.benchmarks.results.LoadLevel;
import io.dht4j.benchmarks.stable.Probe.Phase;
import io.dht4j.lab.internal.load.LoadSpec;
import io.dht4j.lab.internal.load.Operation;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StableLoadSearchTest {

    private static final double PROBE_SECONDS = 2;
    private static final StableLoadSpec SEARCH =
            StableLoadSpec.from(new LoadSpec(Operation.PUT, 1000, 1, PROBE_SECONDS, 1000, 1000, 1, 1));

    private final List<Probe> probes = new ArrayList<>();

    @ParameterizedTest
    @ValueSource(doubles = {37, 990, 1100, 4200, 16_000, 123_456})
    void findsTheLimitOfAServerAsPreciselyAsAsked(double capacity) throws Exception {
        SimulatedServer server = new SimulatedServer(capacity);

        StableLoad stable = find(server, SEARCH.within(0.02));

        double limit = server.limit(50);
        assertThat(stable.perSecond()).isBetween(limit / 1.03, limit * 1.01);
        assertThat(stable.atLeast()).isFalse();
    }

    @Test
    void theBoundOfThe99thPercentileCanBeSet() throws Exception {
        SimulatedServer server = new SimulatedServer(16_000);

        StableLoad stable = find(server, SEARCH.within(0.02).withP99(Duration.ofMillis(5)));

        assertThat(stable.perSecond()).isBetween(server.limit(5) / 1.03, server.limit(5) * 1.01);
        assertThat(server.limit(5)).isLessThan(0.6 * server.limit(50));
    }

    @Test
    void measuresPartsOfWhatItFoundAndTheWholeForLonger() throws Exception {
        SimulatedServer server = new SimulatedServer(16_000);

        StableLoad stable = find(server, SEARCH.lasting(10, 3));

        assertThat(stable.levels()).extracting(LoadLevel::percent).containsExactly(10, 50, 70, 90, 100);
        assertThat(stable.levels()).allSatisfy(level -> {
            LoadSpec spec = level.result().spec();
            assertThat(spec.perSecond()).isCloseTo(stable.perSecond() * level.percent() / 100, within(0.01));
            assertThat(spec.seconds()).isEqualTo(level.percent() == 100 ? 10 : 3);
            assertThat(spec.warmUpSeconds()).isEqualTo(1);
        });
        assertThat(probes).extracting(probe -> probe.result().spec()).isEqualTo(server.runs());
        // The result, and the failing step above it, tried twice.
        assertThat(probes)
                .filteredOn(probe -> probe.phase() == Phase.CONFIRM)
                .extracting(Probe::stable)
                .containsExactly(true, false, false);
        assertThat(probes).filteredOn(probe -> probe.phase() == Phase.LEVEL).hasSize(4);
    }

    @Test
    void oneFailureMakesARateUnstable() throws Exception {
        SimulatedServer server = new SimulatedServer(16_000).failing(spec -> spec.perSecond() > 5000);

        StableLoad stable = find(server, SEARCH);

        assertThat(stable.perSecond()).isBetween(5000 / 1.06, 5000.0);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void aRunThatWasSpoiledBySomethingElseIsTriedAgain(long seed) throws Exception {
        Random random = new Random(seed);
        Set<Integer> spoiled = new HashSet<>();
        SimulatedServer server = new SimulatedServer(16_000);
        server.spoiling(spec -> {
            // Never two in sequence, and no longer run.
            int run = server.runs().size();
            if (spec.seconds() == PROBE_SECONDS && !spoiled.contains(run - 1) && random.nextBoolean()) {
                spoiled.add(run);
            }
            return spoiled.contains(run);
        });

        StableLoad stable = find(server, SEARCH);

        assertThat(spoiled).isNotEmpty();
        assertThat(stable.perSecond()).isBetween(server.limit(50) / 1.06, server.limit(50) * 1.01);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4, 8, 16})
    void firstRunsThatWereAllSpoiledDoNotKeepTheRateLow(int spoiled) throws Exception {
        SimulatedServer server = new SimulatedServer(16_000);
        AtomicInteger confirmations = new AtomicInteger();
        // And the first longer run on the way up.
        server.spoiling(spec -> server.runs().size() <= spoiled
                || (spec.seconds() > PROBE_SECONDS && confirmations.incrementAndGet() == 2));

        StableLoad stable = find(server, SEARCH);

        assertThat(stable.perSecond()).isBetween(server.limit(50) / 1.06, server.limit(50) * 1.01);
        assertThat(stable.atLeast()).isFalse();
    }

    @Test
    void goingUpAgainEndsAtTheGreatestRate() throws Exception {
        SimulatedServer server = new SimulatedServer(1e12);
        server.spoiling(spec -> server.runs().size() <= 6);

        StableLoad stable = find(server, SEARCH.upTo(50_000));

        assertThat(stable.perSecond()).isEqualTo(50_000);
        assertThat(stable.atLeast()).isTrue();
        assertThat(probes).allMatch(probe -> probe.result().spec().perSecond() <= 50_000);
    }

    @Test
    void fallsBackToWhatHoldsForLonger() throws Exception {
        SimulatedServer server =
                new SimulatedServer(16_000).failing(spec -> spec.seconds() > PROBE_SECONDS && spec.perSecond() > 9000);

        StableLoad stable = find(server, SEARCH);

        assertThat(stable.perSecond()).isBetween(9000 / 1.06, 9000.0);
        assertThat(probes)
                .filteredOn(probe -> probe.phase() == Phase.CONFIRM)
                .hasSizeBetween(2, 12)
                .anyMatch(Probe::stable);
        assertThat(stable.levels())
                .last()
                .satisfies(level -> assertThat(level.result().failed()).isZero());
    }

    @Test
    void runsThatOthersOnTheHostHaveSpoiledSayNothing() throws Exception {
        double undisturbed = find(new SimulatedServer(16_000), SEARCH).perSecond();
        AtomicInteger runs = new AtomicInteger();
        // All runs but each fourth: a single further attempt would not suffice.
        SimulatedServer server = new SimulatedServer(16_000)
                .spoiling(spec -> runs.getAndIncrement() % 4 != 3)
                .stealing(30);

        assertThat(find(server, SEARCH).perSecond()).isEqualTo(undisturbed);
    }

    @Test
    void aHostThatOthersAlwaysUseHasNoStableLoad() throws Exception {
        SimulatedServer server =
                new SimulatedServer(16_000).spoiling(spec -> true).stealing(30);

        assertThat(find(server, SEARCH).found()).isFalse();
        assertThat(server.runs()).hasSizeLessThan(120);
    }

    @Test
    void aServerThatIsNeverStableHasNoStableLoad() throws Exception {
        StableLoad stable = find(new SimulatedServer(16_000).failing(spec -> true), SEARCH);

        assertThat(stable.found()).isFalse();
        assertThat(stable.perSecond()).isZero();
        assertThat(stable.levels()).isEmpty();
        assertThat(probes).hasSizeLessThan(30).allMatch(probe -> probe.phase() == Phase.SEARCH);
    }

    @Test
    void aServerThatHoldsForShortRunsOnlyHasNoStableLoad() throws Exception {
        StableLoad stable = find(new SimulatedServer(16_000).failing(spec -> spec.seconds() > PROBE_SECONDS), SEARCH);

        assertThat(stable.found()).isFalse();
        assertThat(stable.levels()).isEmpty();
        assertThat(probes).hasSizeLessThan(50);
    }

    @Test
    void aServerWithoutALimitIsStableUpToTheGreatestRate() throws Exception {
        StableLoad stable = find(new SimulatedServer(1e12), SEARCH.upTo(50_000));

        assertThat(stable.perSecond()).isEqualTo(50_000);
        assertThat(stable.atLeast()).isTrue();
        assertThat(probes).allMatch(probe -> probe.result().spec().perSecond() <= 50_000);
    }

    @Test
    void aRateThatHadToBeLoweredIsNoLowerBound() throws Exception {
        StableLoad stable = find(
                new SimulatedServer(1e12).failing(spec -> spec.seconds() > PROBE_SECONDS && spec.perSecond() > 45_000),
                SEARCH.upTo(50_000));

        assertThat(stable.perSecond()).isLessThanOrEqualTo(45_000);
        assertThat(stable.atLeast()).isFalse();
    }

    @Test
    void aDriverThatFailsEndsTheSearch() {
        assertThatThrownBy(() -> StableLoadSearch.find(
                        spec -> {
                            throw new IOException("the process has died");
                        },
                        SEARCH,
                        probes::add))
                .isInstanceOf(IOException.class)
                .hasMessage("the process has died");
    }

    @Test
    void settingsOutOfRangeAreRefused() {
        assertThatThrownBy(() -> SEARCH.within(0))
                .hasMessageContaining("precision")
                .hasMessageContaining("0.001 to 1");
        assertThatThrownBy(() -> SEARCH.upTo(999)).hasMessageContaining("greatest rate");
        assertThatThrownBy(() -> SEARCH.withP99(Duration.ZERO)).hasMessageContaining("99th percentile");
        assertThatThrownBy(() -> SEARCH.lasting(1, 1)).hasMessageContaining("confirmation");
        assertThatThrownBy(() -> SEARCH.lasting(2, 0)).hasMessageContaining("level");
    }

    private StableLoad find(SimulatedServer server, StableLoadSpec search) throws Exception {
        return StableLoadSearch.find(server, search, probes::add);
    }
}
