package io.dht4j.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dht4j.benchmarks.results.LoadLevel;
import io.dht4j.benchmarks.results.Measurement;
import io.dht4j.benchmarks.results.SampleResults;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CurvesTest {

    @Test
    void aLineHasThePercentilesOfEachRateByWhatWasServed() throws Exception {
        Measurement measured = SampleResults.everything().measurements().get(0);

        JsonNode group = new ObjectMapper()
                .readTree(ChartData.of(SampleResults.everything()))
                .path("groups")
                .get(0);

        JsonNode points = group.path("curves").get(0).path("points");
        assertThat(group.path("curves")).hasSize(8);
        assertThat(points).hasSameSizeAs(measured.levels());
        for (int i = 0; i < points.size(); i++) {
            LoadLevel level = measured.levels().get(i);
            assertThat(points.get(i).path("served").doubleValue())
                    .isEqualTo(level.result().servedPerSecond());
            assertThat(points.get(i).path("p50").doubleValue())
                    .isEqualTo(level.result().latency().micros(50));
            assertThat(points.get(i).path("p99").doubleValue())
                    .isEqualTo(level.result().latency().micros(99));
            assertThat(points.get(i).path("knee").booleanValue()).isEqualTo(level.percent() == LoadLevel.ALL);
        }
    }

    @Test
    void distributionsAreDrawnOnlyAtPartsThatEveryVariantHas() throws Exception {
        List<Measurement> two =
                new ArrayList<>(SampleResults.everything().measurements().subList(0, 2));
        Measurement other = two.get(1);
        two.set(
                1,
                withLevels(
                        other,
                        other.levels().stream()
                                .map(level -> level.percent() == 70 ? new LoadLevel(140, level.result()) : level)
                                .toList()));

        JsonNode group = new ObjectMapper()
                .readTree(ChartData.of(SampleResults.with(two)))
                .path("groups")
                .get(0);

        List<Integer> percents = new ArrayList<>();
        group.path("latencies")
                .forEach(level -> percents.add(level.path("percent").intValue()));
        assertThat(percents).containsExactly(10, 50, 90, 100);
        assertThat(group.path("curves").get(1).path("points")).hasSize(5);
    }

    @Test
    void aSingleRateMakesNoLine() throws Exception {
        Measurement measured = SampleResults.everything().measurements().get(0);
        List<LoadLevel> one = measured.levels().subList(4, 5);

        String data = ChartData.of(SampleResults.with(List.of(withLevels(measured, one))));

        assertThat(new ObjectMapper().readTree(data).path("groups").get(0).path("curves"))
                .isEmpty();
        assertThat(GroupView.hasCurve(withLevels(measured, one))).isFalse();
    }

    private static Measurement withLevels(Measurement m, List<LoadLevel> levels) {
        return new Measurement(
                m.group(),
                m.variant(),
                m.unit(),
                m.moreIsBetter(),
                m.values(),
                m.settings(),
                levels,
                m.costs(),
                m.profiles(),
                m.doubts());
    }
}
