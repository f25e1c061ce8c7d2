package io.dht4j.benchmarks.report;

import static io.dht4j.benchmarks.results.SampleResults.bare;
import static io.dht4j.benchmarks.results.SampleResults.costing;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.benchmarks.results.KeyFigure;
import io.dht4j.benchmarks.results.Measurement;
import io.dht4j.benchmarks.results.Results;
import io.dht4j.benchmarks.results.ResultsFile;
import io.dht4j.benchmarks.results.SampleResults;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class AnswerTest {

    private static final List<Double> SIXTIES = List.of(66.0, 68.0, 69.0, 72.0);
    private static final List<Double> SEVENTIES = List.of(70.0, 71.0, 72.0, 75.0);
    private static final List<Double> NINETIES = List.of(90.0, 91.0, 93.0, 95.0);
    private static final List<Double> HUNDREDS = List.of(120.0, 122.0, 124.0, 125.0);

    @Test
    void costsNameTheRateThatWasOfferedToAll() {
        Results results = SampleResults.with(List.of(
                costing("PUT", "vertx", SIXTIES).countedAt(2_400),
                costing("PUT", "jdk", HUNDREDS).countedAt(2_400)));

        assertThat(Answer.of(results).text())
                .startsWith("CPU per put at 2,400/s: vertx 68.5 µs: cheapest, beyond noise; ");
    }

    @Test
    void singleRepetitionNamesTheCheapestWithUnknownNoise() throws Exception {
        Results recorded;
        try (var in = AnswerTest.class.getResourceAsStream("clients-one-repetition.json")) {
            recorded = ResultsFile.parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }

        assertThat(Answer.of(recorded).sentences())
                .containsExactly(
                        "CPU per put: vertx-pipelined 64.6 µs: cheapest, but one repetition leaves the noise unknown "
                                + "(use --repetitions 4); next grpc-unary 66.5 µs; jdk 123 µs: dearest.",
                        "CPU per get: grpc-stream 54.7 µs: cheapest, but one repetition leaves the noise unknown "
                                + "(use --repetitions 4); next vertx 60.5 µs; vertx-pipelined 101 µs: dearest; "
                                + "doubted and left out: jdk 103 µs.");
    }

    @Test
    void aClearWinnerIsBeyondNoise() {
        assertThat(answer(
                        costing("PUT", "jdk", HUNDREDS),
                        costing("PUT", "vertx", SIXTIES),
                        costing("PUT", "one-nio", NINETIES)))
                .isEqualTo("CPU per put: vertx 68.5 µs: cheapest, beyond noise; next one-nio 92.0 µs; "
                        + "jdk 123 µs: dearest.");
    }

    @Test
    void overlappingRangesAreWithinNoise() {
        assertThat(answer(
                        costing("PUT", "one-nio", SEVENTIES),
                        costing("PUT", "jdk", HUNDREDS),
                        costing("PUT", "vertx", SIXTIES)))
                .isEqualTo("CPU per put: vertx 68.5 µs, one-nio 71.5 µs: within noise; jdk 123 µs: dearest.");
        assertThat(answer(costing("PUT", "vertx", SIXTIES), costing("PUT", "one-nio", SEVENTIES)))
                .isEqualTo("CPU per put: vertx 68.5 µs, one-nio 71.5 µs: within noise.");
    }

    @Test
    void equalFiguresOfOneRepetitionSayNothingAboutNoise() {
        assertThat(answer(costing("PUT", "vertx", List.of(68.0)), costing("PUT", "one-nio", List.of(68.0))))
                .isEqualTo("CPU per put: vertx 68.0 µs, one-nio 68.0 µs: equal.");
    }

    @Test
    void disjointRangesOfFewRepetitionsAreNoProof() {
        assertThat(answer(costing("PUT", "jdk", List.of(120.0, 122.0)), costing("PUT", "vertx", List.of(66.0, 68.0))))
                .isEqualTo("CPU per put: vertx 67.0 µs: cheapest, but too few repetitions to exclude noise "
                        + "(use --repetitions 4); jdk 121 µs: dearest.");
    }

    @Test
    void aDoubtedFigureDoesNotWin() {
        assertThat(answer(
                        costing("PUT", "vertx", SIXTIES, "the hypervisor took 12 %"),
                        costing("PUT", "jdk", HUNDREDS),
                        costing("PUT", "one-nio", NINETIES)))
                .isEqualTo("CPU per put: one-nio 92.0 µs: cheapest, beyond noise; jdk 123 µs: dearest; "
                        + "doubted and left out: vertx 68.5 µs.");
    }

    @Test
    void aDoubtAboutTheRateOrTheLatencyConcernsNoCost() {
        String[] ofTheRate = {
            Measurement.OF_THE_LIMIT + "the generator was 12 ms late",
            Measurement.OF_THE_STABLE_LOAD + "the generator was 12 ms late",
            Measurement.OF_THE_LATENCY + "the generator was 12 ms late",
            Measurement.AT_LEAST
        };

        assertThat(answer(costing("PUT", "vertx", SIXTIES, ofTheRate), costing("PUT", "jdk", HUNDREDS)))
                .isEqualTo("CPU per put: vertx 68.5 µs: cheapest, beyond noise; jdk 123 µs: dearest.");
    }

    @Test
    void answerSaysThatAllFiguresAreDoubted() {
        assertThat(answer(costing("PUT", "vertx", SIXTIES, "why"), costing("PUT", "jdk", HUNDREDS, "why")))
                .isEqualTo("CPU per put: every figure is doubted; vertx 68.5 µs: cheapest, beyond noise; "
                        + "jdk 123 µs: dearest.");
    }

    @Test
    void oneVariantAnswersByItsFigureAndRange() {
        assertThat(answer(costing("PUT", "vertx", SIXTIES))).isEqualTo("CPU per put: vertx 68.5 µs (66.0 to 72.0).");
    }

    @Test
    void oneTrustedVariantHasNothingToBeComparedWith() {
        assertThat(answer(costing("PUT", "vertx", SIXTIES), costing("PUT", "jdk", HUNDREDS, "why")))
                .isEqualTo("CPU per put: vertx 68.5 µs (66.0 to 72.0), with nothing to compare it with; "
                        + "doubted and left out: jdk 123 µs.");
    }

    @Test
    void everyGroupHasItsSentence() {
        assertThat(answer(
                        costing("PUT, 100 bytes", "vertx", SIXTIES),
                        costing("PUT, 100 bytes", "jdk", HUNDREDS),
                        costing("GET, 100 bytes", "vertx", HUNDREDS),
                        costing("GET, 100 bytes", "jdk", SIXTIES)))
                .isEqualTo("CPU per put, 100 bytes: vertx 68.5 µs: cheapest, beyond noise; jdk 123 µs: dearest.\n"
                        + "CPU per get, 100 bytes: jdk 68.5 µs: cheapest, beyond noise; vertx 123 µs: dearest.");
    }

    @Test
    void anAnswerByRatesNamesTheHighest() {
        Results rates = keyed(
                KeyFigure.values(),
                true,
                bare("PUT", "jdk", 900.0, 910.0, 920.0, 930.0),
                bare("PUT", "vertx", 1900.0, 1910.0, 1920.0, 1930.0));

        assertThat(Answer.of(rates).text()).isEqualTo("PUT: vertx 1,915/s: highest, beyond noise; jdk 915/s: lowest.");
    }

    @Test
    void groupsWithoutLoadsMayAnswerByTheirValues() {
        Measurement lookup = new Measurement(
                "finding a key's replicas", "ring", "ns", false, List.of(40.0), java.util.Map.of(), List.of());
        KeyFigure cpu = SampleResults.everything().keyFigure();

        assertThat(Answer.of(keyed(cpu.orValues(), true, lookup)).text())
                .isEqualTo("finding a key's replicas: ring 40.0 ns.");
        assertThat(Answer.of(keyed(cpu, true, lookup)).text()).isEqualTo("No answer: nothing was measured.");
    }

    @Test
    void answerNamesEmptyAndIncompleteRuns() {
        assertThat(answer()).isEqualTo("No answer: nothing was measured.");
        assertThat(answer(costing("PUT", "vertx", List.of()))).isEqualTo("CPU per put: not measured.");
        KeyFigure cpu = SampleResults.everything().keyFigure();
        assertThat(Answer.of(keyed(cpu, false, costing("PUT", "vertx", SIXTIES)))
                        .text())
                .isEqualTo("Incomplete, so far: CPU per put: vertx 68.5 µs (66.0 to 72.0).");
    }

    @Test
    void manyEqualsAreCounted() {
        Measurement[] many = new Measurement[200];
        for (int i = 0; i < many.length; i++) {
            many[i] = costing("PUT", "v" + i, SIXTIES);
        }

        assertThat(answer(many))
                .isEqualTo("CPU per put: v0 68.5 µs, v1 68.5 µs, v2 68.5 µs and 197 more: within noise.");
    }

    @Test
    void manyDoubtedFiguresAreCounted() {
        Measurement[] many = new Measurement[200];
        for (int i = 0; i < many.length; i++) {
            many[i] = i == 0
                    ? costing("PUT", "v0", SIXTIES)
                    : costing("PUT", "v" + i, SEVENTIES, "the hypervisor took 12 %");
        }

        assertThat(answer(many)).endsWith("; doubted and left out: v1 71.5 µs, v2 71.5 µs, v3 71.5 µs and 196 more.");
    }

    @Test
    void theConclusionOfTheScenarioComesFirst() {
        Results all = SampleResults.with(List.of(costing("PUT", "jdk", SIXTIES)));
        Results concluded = new Results(
                all.schema(),
                all.scenario(),
                all.question(),
                all.keyFigure(),
                "Within all bounds.",
                all.command(),
                all.began(),
                all.tookSeconds(),
                false,
                all.quick(),
                all.parameters(),
                all.build(),
                all.machine(),
                all.measurements(),
                all.notes(),
                all.links());

        assertThat(Answer.of(concluded).sentences())
                .hasSize(2)
                .first()
                .isEqualTo("Incomplete, so far: Within all bounds.");
    }

    private static String answer(Measurement... measurements) {
        return Answer.of(SampleResults.with(List.of(measurements))).text();
    }

    private static Results keyed(KeyFigure key, boolean complete, Measurement... measurements) {
        return SampleResults.with(key, complete, List.of(measurements));
    }
}
