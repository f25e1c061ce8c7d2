package io.dht4j.benchmarks.compare;

import java.util.List;
import org.apache.commons.statistics.inference.MannWhitneyUTest;

/**
 * What the repetitions of one measurement in two runs say.
 *
 * <p>By the Mann-Whitney U test: it asks only for the order of the values, not for their distribution, which for
 * throughputs and latencies is nothing known. The probability is exact for up to 50 values without ties, and
 * approximated by the normal distribution otherwise.
 */
public enum Verdict {
    /** Greater by more than chance. */
    GREATER,
    /** Smaller by more than chance. */
    SMALLER,
    /** Chance alone makes such a difference often. */
    WITHIN_NOISE,
    /** So few repetitions that no outcome could exclude chance. */
    CANNOT_TELL;

    /** How likely chance may be at most for a difference to count. */
    static final double LIKELY = 0.05;

    /**
     * A verdict with the probability that chance alone makes a difference like this.
     *
     * @param verdict what the values say
     * @param probability 0 to 1
     */
    public record Judged(Verdict verdict, double probability) {}

    /**
     * Judges the values of a later run against those of an earlier one.
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
        // Where all values are the same there is nothing to compute it from.
        double probability = Double.isNaN(result.getPValue()) ? 1 : result.getPValue();
        if (probability >= LIKELY) {
            return new Judged(WITHIN_NOISE, probability);
        }
        boolean greater = result.getStatistic() > a.length * (double) b.length / 2;
        return new Judged(greater ? GREATER : SMALLER, probability);
    }

    /** In how many ways the values of both sides can be mixed; two of them set the sides wholly apart. */
    private static double ways(int a, int b) {
        double ways = 1;
        for (int i = 1; i <= b; i++) {
            ways = ways * (a + i) / i;
        }
        return ways;
    }
}
