package io.dht4j.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.simulator.SimulationOptions.Mode;
import io.dht4j.testkit.SearchEffort;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("search")
class SimulatorTest {

    /** More are tried by {@code ./dht simulate}. */
    private static final int SEEDS = Integer.getInteger("dht4j.seeds", SearchEffort.of(200));

    /** Fewer: the clusters are the same, but for how they are formed. */
    private static final int AGREED_SEEDS = Integer.getInteger("dht4j.seeds", SearchEffort.of(40));

    /** Fewer still, since each takes seconds. */
    private static final int CHANGING_SEEDS = Integer.getInteger("dht4j.seeds", SearchEffort.of(14));

    /** A seed and its mode. */
    private record Run(Mode mode, long seed) {}

    /** What several tests look at runs once. */
    private static final Map<Run, SimulationReport> REPORTS = new ConcurrentHashMap<>();

    private static SimulationReport report(Mode mode, long seed) {
        return REPORTS.computeIfAbsent(
                new Run(mode, seed), run -> Simulator.run(run.seed(), SimulationOptions.defaults(run.mode())));
    }

    static LongStream seeds() {
        return LongStream.range(0, SEEDS);
    }

    static LongStream agreedSeeds() {
        return LongStream.range(0, AGREED_SEEDS);
    }

    static LongStream changingSeeds() {
        return LongStream.range(0, CHANGING_SEEDS);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void noPromiseIsBroken(long seed) {
        assertKeepsPromises(Mode.STATIC, seed);
    }

    @ParameterizedTest
    @MethodSource("agreedSeeds")
    void noPromiseIsBrokenByAnAgreedCluster(long seed) {
        assertKeepsPromises(Mode.AGREED, seed);
    }

    @ParameterizedTest
    @MethodSource("changingSeeds")
    void noPromiseIsBrokenWhileNodesChange(long seed) {
        assertKeepsPromises(Mode.CHANGING, seed);
    }

    private static void assertKeepsPromises(Mode mode, long seed) {
        SimulationReport report = report(mode, seed);
        assertThat(report.violations())
                .as("./dht simulate --membership %s --seed %d: %s", mode.name().toLowerCase(Locale.ROOT), seed, report)
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 1_000_000_007})
    void oneSeedGivesOneHistory(long seed) {
        assertRepeats(Mode.STATIC, seed);
        assertRepeats(Mode.AGREED, seed);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 3})
    @Tag("full")
    void oneSeedGivesOneHistoryWhileNodesChange(long seed) {
        assertRepeats(Mode.CHANGING, seed);
    }

    private static void assertRepeats(Mode mode, long seed) {
        assertThat(Simulator.run(seed, SimulationOptions.defaults(mode))).isEqualTo(report(mode, seed));
    }

    @Test
    void seedsDiffer() {
        assertThat(LongStream.range(0, 20)
                        .mapToObj(seed -> report(Mode.STATIC, seed).fingerprint()))
                .doesNotHaveDuplicates();
    }

    /** What happens in some seeds. */
    private static final class Counts {

        final Map<String, Integer> faults = new TreeMap<>();
        final Map<String, Integer> outcomes = new TreeMap<>();

        static Counts of(Mode mode) {
            Counts counts = new Counts();
            for (long seed = 0; seed < 24; seed++) {
                SimulationReport report = report(mode, seed);
                report.faults().forEach((fault, count) -> counts.faults.merge(fault, count, Integer::sum));
                report.outcomes().forEach((outcome, count) -> counts.outcomes.merge(outcome, count, Integer::sum));
            }
            return counts;
        }
    }

    @Test
    @Tag("full")
    void everyKindOfChangeHappensAndMostCallsSucceed() {
        Counts counts = Counts.of(Mode.CHANGING);

        assertThat(counts.faults)
                .containsKeys(
                        "join",
                        "leave",
                        "loss of a disk for ever",
                        "pause of moves",
                        "undoing of moves",
                        "change of the rate",
                        "swap of addresses",
                        "raising of the replication factor",
                        "disk full at a coordinator in copy",
                        "full stop");
        assertThat(counts.faults.keySet())
                .anyMatch(change -> change.matches("driver .* in copy"))
                .anyMatch(change -> change.matches("source .* in .*"))
                .anyMatch(change -> change.matches("target .* in .*"));
        assertThat(counts.outcomes.get("done"))
                .isGreaterThan(counts.outcomes.get("unknown") + counts.outcomes.get("failed"));
    }

    @Test
    void everyKindOfFaultHappensAndMostCallsSucceed() {
        Counts counts = Counts.of(Mode.STATIC);

        assertThat(counts.faults)
                .containsOnlyKeys(
                        "change of the network",
                        "crash",
                        "cut",
                        "cut in one direction",
                        "disk full",
                        "drift of a broken clock",
                        "drift of a clock",
                        "failed write of a disk",
                        "jump of a clock",
                        "loss of a disk",
                        "loss of power",
                        "pause",
                        "restart");
        assertThat(counts.outcomes.get("done"))
                .isGreaterThan(counts.outcomes.get("unknown") + counts.outcomes.get("failed"));
        assertThat(counts.outcomes.get("snapshot")).isGreaterThan(20);
    }
}
