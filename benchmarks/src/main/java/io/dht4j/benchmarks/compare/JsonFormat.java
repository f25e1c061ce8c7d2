package io.dht4j.benchmarks.compare;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.dht4j.benchmarks.results.Results;
import io.dht4j.benchmarks.results.Spread;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A comparison as JSON. {@code docs/reference/bench.md} documents the fields. */
final class JsonFormat {

    private static final JsonMapper MAPPER =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    private record Whole(
            Run a,
            Run b,
            List<String> differences,
            double tolerancePercent,
            boolean judged,
            boolean worse,
            List<Figure> figures,
            List<String> incomparable) {}

    private record Run(String scenario, String began, String build, boolean complete, boolean quick) {

        static Run of(Results results) {
            return new Run(
                    results.scenario(),
                    Comparison.began(results).toString(),
                    results.build(),
                    results.complete(),
                    results.quick());
        }
    }

    private record Figure(
            String group,
            String variant,
            String figure,
            String unit,
            boolean moreIsBetter,
            Values before,
            Values after,
            @Nullable Double changePercent,
            String outcome,
            double probability,
            boolean worse,
            List<String> remarks) {}

    private record Values(double median, double least, double greatest, List<Double> values) {

        static Values of(List<Double> values) {
            Spread spread = Spread.of(values);
            return new Values(spread.median(), spread.least(), spread.greatest(), values);
        }
    }

    private JsonFormat() {}

    static String of(Comparison comparison, double tolerancePercent) throws JsonProcessingException {
        Whole whole = new Whole(
                Run.of(comparison.a()),
                Run.of(comparison.b()),
                RunDifferences.changes(comparison.a(), comparison.b()),
                tolerancePercent,
                comparison.isJudged(),
                comparison.worse(tolerancePercent).isPresent(),
                comparison.figures().stream()
                        .map(figure -> figure(figure, tolerancePercent))
                        .toList(),
                comparison.incomparable());
        return MAPPER.writeValueAsString(whole) + "\n";
    }

    private static Figure figure(ComparedFigure figure, double tolerancePercent) {
        // JSON has no infinite numbers.
        Double change = Double.isFinite(figure.changePercent()) ? figure.changePercent() : null;
        return new Figure(
                figure.group(),
                figure.variant(),
                figure.figure(),
                figure.unit(),
                figure.moreIsBetter(),
                Values.of(figure.before()),
                Values.of(figure.after()),
                change,
                figure.outcome().label(),
                figure.probability(),
                figure.isWorse(tolerancePercent),
                figure.remarks());
    }
}
