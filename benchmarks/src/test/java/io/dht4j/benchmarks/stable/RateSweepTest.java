package io.dht4j.benchmarks.stable;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.benchmarks.results.LoadLevel;
import io.dht4j.lab.internal.load.LoadResult;
import io.dht4j.lab.internal.load.LoadSpec;
import io.dht4j.lab.internal.load.Operation;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RateSweepTest {

    private static final StableLoadSpec SPEC =
            StableLoadSpec.from(new LoadSpec(Operation.PUT, 1000, 0, 2, 1000, 10_000, 1, 1));

    @ParameterizedTest
    @ValueSource(doubles = {37, 990, 1100, 4200, 16_000, 123_456})
    void theKneeIsTheLimitOfTheServerAsPreciselyAsAsked(double capacity) throws Exception {
        SimulatedServer server = new SimulatedServer(capacity);

        Knee knee = knee(server, SPEC.within(0.02));

        assertThat(knee.perSecond()).isBetween(server.limit(50) / 1.03, server.limit(50) * 1.001);
        assertThat(knee.bent()).isTrue();
    }

    @Test
    void ratesRiseByTheStepAndTwoLieBeyondTheKnee() throws Exception {
        SimulatedServer server = new SimulatedServer(5000);

        List<LoadResult> points = RateSweep.run(server, SPEC, 2);

        assertThat(points)
                .extracting(point -> point.spec().perSecond())
                .startsWith(1000.0, 2000.0, 4000.0, 8000.0, 16_000.0);
        assertThat(points).filteredOn(point -> !SPEC.holds(point)).hasSizeGreaterThanOrEqualTo(2);
        assertThat(server.runs()).extracting(LoadSpec::seed).doesNotHaveDuplicates();
    }

    @Test
    void aRunThatWasSpoiledOnceIsMeasuredAgain() throws Exception {
        SimulatedServer server = new SimulatedServer(5000);
        server.spoiling(spec -> spec.perSecond() == 2000 && server.runs().size() == 2);

        assertThat(knee(server, SPEC).perSecond()).isGreaterThan(0.9 * server.limit(50));
    }

    @Test
    void aSweepThatEndsAtItsGreatestRateHasNoBend() throws Exception {
        Knee knee = knee(new SimulatedServer(100_000), SPEC.upTo(5000));

        assertThat(knee.perSecond()).isEqualTo(5000);
        assertThat(knee.bent()).isFalse();
    }

    @Test
    void aServerThatFailsAtEveryRateHasNoKnee() throws Exception {
        SimulatedServer server = new SimulatedServer(5000).failing(spec -> true);

        List<LoadResult> points = RateSweep.run(server, SPEC, 2);

        assertThat(Knee.of(points, SPEC::holds)).isEmpty();
        assertThat(points).hasSizeLessThan(20);
    }

    @Test
    void kneeLiesBelowTheLowestFailingRate() throws Exception {
        SimulatedServer server = new SimulatedServer(100_000).failing(spec -> spec.perSecond() == 3000);
        List<LoadResult> recorded = new ArrayList<>();
        for (double rate : new double[] {4000, 1000, 3000, 2000}) {
            recorded.add(server.run(SPEC.probe().at(rate)));
        }

        Knee knee = Knee.of(recorded, SPEC::holds).orElseThrow();

        // 4000 held by chance: nobody relies on a rate above one that fails.
        assertThat(knee.perSecond()).isEqualTo(2000);
        assertThat(knee.levels(recorded)).extracting(LoadLevel::percent).containsExactly(50, 100, 150, 200);
    }

    @Test
    void onlyTheKneeItselfCountsAsTheWholeLoad() throws Exception {
        SimulatedServer server = new SimulatedServer(100_000).failing(spec -> spec.perSecond() > 1000);
        List<LoadResult> recorded = new ArrayList<>();
        for (double rate : new double[] {999, 1000, 1001}) {
            recorded.add(server.run(SPEC.probe().at(rate)));
        }

        assertThat(Knee.of(recorded, SPEC::holds).orElseThrow().levels(recorded))
                .extracting(LoadLevel::percent)
                .containsExactly(99, 100, 101);
    }

    private static Knee knee(SimulatedServer server, StableLoadSpec spec) throws Exception {
        return Knee.of(RateSweep.run(server, spec, 1.5), spec::holds).orElseThrow();
    }
}
