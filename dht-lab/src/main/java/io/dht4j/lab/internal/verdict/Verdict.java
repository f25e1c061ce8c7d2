package io.dht4j.lab.internal.verdict;

import java.util.List;
import org.apache.commons.statistics.inference.MannWhitneyUTest;

/**
 * The comparison of one measurement's repetitions in two runs.
 *
 * <p>It uses the Mann-Whitney U test, which needs only the order of the values. The distribution of throughputs and
 * latencies is unknown. The probability is exact for up to 50 values without ties, and approximated by the normal
 * distribution otherwise.
 */
public enum Verdict {
    /** Greater by more than chance. */
    GREATER,
    /** Smaller by more than chance. */
    SMALLER,
    /** Chance alone often makes such a difference. */
    WITHIN_NOISE,
    /** Too few repetitions for any outcome to exclude chance. */
    CANNOT_TELL;

    /** The greatest probability of chance for a significant difference. */
    public static final double LIKELY = 0.05;

    /**
     * A verdict with the probability that chance alone makes such a difference.
     *
     * @param verdict on the values
     * @param probability 0 to 1
     */
    public record Judged(Verdict verdict, double probability) {}

    /**
     * Judges a later run's values against an earlier one's.
     *
     * @param before the earlier one's; may be empty
     * @param after the later one's; may be empty
     */
    public static Judged of(List<Double> before, List<Double> after) {
        if (2 / ways(before.size(), after.size()) >= LIKELY) {
            return new Judged(CANNOT_TELL, 1);
        }
        double[] a = before.stream().mapToDouble(Double::doubleValue).toArray();
        double[] b = after.stream().mapToDouble(Double::doubleValue).toArray();
        MannWhitneyUTest.Result result = MannWhitneyUTest.withDefaults().test(b, a);
        // It cannot be computed from equal values.
        double probability = Double.isNaN(result.getPValue()) ? 1 : result.getPValue();
        if (probability >= LIKELY) {
            return new Judged(WITHIN_NOISE, probability);
        }
        boolean greater = result.getStatistic() > a.length * (double) b.length / 2;
        return new Judged(greater ? GREATER : SMALLER, probability);
    }

    /** Returns the number of orders of both sides' values; in two of them the sides are disjoint. */
    private static double ways(int a, int b) {
        double ways = 1;
        for (int i = 1; i <= b; i++) {
            ways = ways * (a + i) / i;
        }
        return ways;
    }
}
