package io.dht4j.benchmarks.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/** A latency distribution as a line over a percentile axis like that of HdrHistogram's plots. */
final class LatencyLine {

    /** The percentiles that the tables show. */
    static final List<Double> SHOWN = List.of(50.0, 90.0, 99.0, 99.9, 99.99, 100.0);

    private static final int TICKS_PER_HALF_DISTANCE = 5;

    private LatencyLine() {}

    /**
     * Returns a percentile; empty if there are too few operations for it.
     *
     * @param percentile 0 to 100; 100 is the greatest value
     */
    static Optional<Double> micros(Histogram histogram, double percentile) {
        long count = histogram.getTotalCount();
        boolean isKnown = count > 0 && (percentile == 100 || count * (1 - percentile / 100) >= 1);
        return isKnown ? Optional.of(histogram.getValueAtPercentile(percentile) / 1e3) : Optional.empty();
    }

    /**
     * Returns the points of the line: the number of operations per slower one (2 at the median, 100 at p99), and
     * microseconds.
     *
     * @return ascending; empty without operations
     */
    static List<double[]> points(Histogram histogram) {
        List<double[]> points = new ArrayList<>();
        double end = histogram.getTotalCount();
        for (HistogramIterationValue value : histogram.percentiles(TICKS_PER_HALF_DISTANCE)) {
            double share = value.getPercentileLevelIteratedTo() / 100;
            double x = share >= 1 ? end : Math.min(end, 1 / (1 - share));
            points.add(new double[] {x, value.getValueIteratedTo() / 1e3});
        }
        return points;
    }
}
