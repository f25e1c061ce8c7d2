package io.dht4j.lab.compare;

import io.dht4j.lab.internal.verdict.Verdict;
import java.util.List;
import java.util.Locale;

/**
 * A cost of two transports. A pure function of the repetitions. Immutable.
 *
 * @param name of the cost, for example {@code processor time per operation}
 * @param unit of the values
 * @param a the repetitions of the transport that sets the standard, 1 or more
 * @param b those of the other one, 1 or more
 */
public record CostComparison(String name, String unit, List<Double> a, List<Double> b) {

    /**
     * Keeps unmodifiable copies.
     *
     * @throws IllegalArgumentException if a list is empty
     */
    public CostComparison {
        if (a.isEmpty() || b.isEmpty()) {
            throw new IllegalArgumentException(name + " needs at least one repetition of each");
        }
        a = List.copyOf(a);
        b = List.copyOf(b);
    }

    /**
     * Returns by how much the second transport costs more.
     *
     * @return the change of the medians in percent; below 0 if it costs less
     */
    public double morePercent() {
        double standard = median(a);
        double judged = median(b);
        return judged == standard ? 0 : 100 * (judged / standard - 1);
    }

    /**
     * Returns whether chance explains the difference of the repetitions in fewer than 5 of 100 cases.
     *
     * @return false also for too few repetitions
     */
    public boolean exceedsNoise() {
        Verdict verdict = Verdict.of(a, b).verdict();
        return verdict == Verdict.GREATER || verdict == Verdict.SMALLER;
    }

    /** Returns whether any outcome of as many repetitions could exceed the noise. */
    boolean canTell() {
        return Verdict.of(a, b).verdict() != Verdict.CANNOT_TELL;
    }

    boolean isWorse(double allowedPercent) {
        return Verdict.of(a, b).verdict() == Verdict.GREATER && morePercent() > allowedPercent;
    }

    /**
     * Returns both figures with their ranges, and whether their difference exceeds the noise, for people.
     *
     * @return one line
     */
    @Override
    public String toString() {
        double more = morePercent();
        return String.format(
                Locale.ROOT,
                "%s %s against %s %s, %.1f %% %s, %s",
                name,
                text(b),
                text(a),
                unit,
                Math.abs(more),
                more < 0 ? "less" : "more",
                noise());
    }

    private String noise() {
        Verdict.Judged judged = Verdict.of(a, b);
        return switch (judged.verdict()) {
            case GREATER, SMALLER ->
                String.format(Locale.ROOT, "which exceeds the noise (p = %.3f)", judged.probability());
            case WITHIN_NOISE -> String.format(Locale.ROOT, "within the noise (p = %.3f)", judged.probability());
            case CANNOT_TELL -> "from too few repetitions to tell it from noise";
        };
    }

    private static String text(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        return figure(median(values)) + " (" + figure(sorted.get(0)) + " to " + figure(sorted.get(sorted.size() - 1))
                + ")";
    }

    private static String figure(double value) {
        return String.format(Locale.ROOT, value < 1000 ? "%.1f" : "%,.0f", value);
    }

    private static double median(List<Double> values) {
        double[] sorted =
                values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
