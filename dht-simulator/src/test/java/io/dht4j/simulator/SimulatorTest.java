package io.dht4j.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.simulator.SimulationOptions.Mode;
import io.dht4j.testkit.SearchEffort;
import java.util.Map;
import java.util.TreeMap;
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

    static LongStream seeds() {
        return LongStream.range(0, SEEDS);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void noPromiseIsBroken(long seed) {
        SimulationReport report = Simulator.run(seed, SimulationOptions.defaults());

        assertThat(report.violations())
                .as("./dht simulate --seed %d: %s", seed, report)
                .isEmpty();
    }

    static LongStream agreedSeeds() {
        return LongStream.range(0, AGREED_SEEDS);
    }

    @ParameterizedTest
    @MethodSource("agreedSeeds")
    void noPromiseIsBrokenByAnAgreedCluster(long seed) {
        SimulationReport report = Simulator.run(seed, SimulationOptions.defaults(Mode.AGREED));

        assertThat(report.violations())
                .as("./dht simulate --membership agreed --seed %d: %s", seed, report)
                .isEmpty();
    }

    static LongStream changingSeeds() {
        return LongStream.range(0, CHANGING_SEEDS);
    }

    @ParameterizedTest
    @MethodSource("changingSeeds")
    void noPromiseIsBrokenWhileNodesChange(long seed) {
        SimulationReport report = Simulator.run(seed, SimulationOptions.defaults(Mode.CHANGING));

        assertThat(report.violations())
                .as("./dht simulate --membership changing --seed %d: %s", seed, report)
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 1_000_000_007})
    void oneSeedGivesOneHistory(long seed) {
        assertThat(Simulator.run(seed, SimulationOptions.defaults()))
                .isEqualTo(Simulator.run(seed, SimulationOptions.defaults()));
        SimulationOptions agreed = SimulationOptions.defaults(Mode.AGREED);
        assertThat(Simulator.run(seed, agreed)).isEqualTo(Simulator.run(seed, agreed));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 3})
    @Tag("full")
    void oneSeedGivesOneHistoryWhileNodesChange(long seed) {
        SimulationOptions changing = SimulationOptions.defaults(Mode.CHANGING);
        assertThat(Simulator.run(seed, changing)).isEqualTo(Simulator.run(seed, changing));
    }

    @Test
    void seedsDiffer() {
        assertThat(LongStream.range(0, 20)
                        .mapToObj(seed -> Simulator.run(seed, SimulationOptions.defaults())
                                .fingerprint()))
                .doesNotHaveDuplicates();
    }

    @Test
    @Tag("full")
    void everyKindOfChangeHappensAndMostCallsSucceed() {
        Map<String, Integer> changes = new TreeMap<>();
        Map<String, Integer> outcomes = new TreeMap<>();
        for (long seed = 0; seed < 20; seed++) {
            SimulationReport report = Simulator.run(seed, SimulationOptions.defaults(Mode.CHANGING));
            report.faults().forEach((change, count) -> changes.merge(change, count, Integer::sum));
            report.outcomes().forEach((outcome, count) -> outcomes.merge(outcome, count, Integer::sum));
        }

        assertThat(changes)
                .containsKeys(
                        "join",
                        "leave",
                        "loss of a disk for ever",
                        "pause of moves",
                        "undoing of moves",
                        "change of the rate",
                        "swap of addresses",
                        "full stop");
        assertThat(changes.keySet())
                .anyMatch(change -> change.matches("driver .* in copy"))
                .anyMatch(change -> change.matches("source .* in .*"))
                .anyMatch(change -> change.matches("target .* in .*"));
        assertThat(outcomes.get("done")).isGreaterThan(outcomes.get("unknown") + outcomes.get("failed"));
    }

    @Test
    void everyKindOfFaultHappensAndMostCallsSucceed() {
        Map<String, Integer> faults = new TreeMap<>();
        Map<String, Integer> outcomes = new TreeMap<>();
        for (long seed = 0; seed < 20; seed++) {
            SimulationReport report = Simulator.run(seed, SimulationOptions.defaults());
            report.faults().forEach((fault, count) -> faults.merge(fault, count, Integer::sum));
            report.outcomes().forEach((outcome, count) -> outcomes.merge(outcome, count, Integer::sum));
        }

        assertThat(faults)
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
        assertThat(outcomes.get("done")).isGreaterThan(outcomes.get("unknown") + outcomes.get("failed"));
        assertThat(outcomes.get("snapshot")).isGreaterThan(20);
    }
}
