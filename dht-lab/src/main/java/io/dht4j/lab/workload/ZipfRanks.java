package io.dht4j.lab.workload;

import java.util.SplittableRandom;

/**
 * Draws ranks from 0: rank r in proportion to 1/(r+1)^theta, with theta below 1. The algorithm is that of Gray,
 * Sundaresan, Englert, Baclawski and Weinberger, <i>Quickly Generating Billion-Record Synthetic Databases</i>, SIGMOD
 * 1994, which YCSB uses too. Ranks 0 and 1 have their exact probabilities. The others come from the continuous
 * distribution of the same total, whose probabilities differ by a few percent.
 *
 * <p>The normalizing sum is exact for the first terms. The Euler-Maclaurin formula replaces the others, so a billion
 * ranks cost no more than a thousand. Confined to one thread.
 */
final class ZipfRanks {

    /** The number of terms that are summed; the error of the formula beyond is about 1e-12. */
    private static final int SUMMED = 1000;

    private final double theta;
    private final double alpha;
    private final SplittableRandom random;
    private final double firstTwo;

    private long size;
    private double sum;
    private double eta;
    /** The sum over the first {@code summed} ranks, at most {@link #SUMMED}. */
    private double head;

    private int summed;

    ZipfRanks(double theta, SplittableRandom random) {
        this.theta = theta;
        this.alpha = 1 / (1 - theta);
        this.firstTwo = 1 + Math.pow(0.5, theta);
        this.random = random;
    }

    /** Sets the number of ranks, not less than before. Constant time. */
    void resize(long ranks) {
        if (ranks == size) {
            return;
        }
        size = ranks;
        while (summed < Math.min(ranks, SUMMED)) {
            summed++;
            head += Math.pow(summed, -theta);
        }
        sum = ranks <= SUMMED ? head : head + tail((double) ranks);
        eta = (1 - Math.pow(2.0 / ranks, 1 - theta)) / (1 - firstTwo / sum);
    }

    /** Returns the sum of r^-theta from {@link #SUMMED} + 1 to a last rank. */
    private double tail(double last) {
        double integral = (Math.pow(last, 1 - theta) - Math.pow(SUMMED, 1 - theta)) / (1 - theta);
        double ends = (Math.pow(last, -theta) - Math.pow(SUMMED, -theta)) / 2;
        double slopes = theta * (Math.pow(SUMMED, -theta - 1) - Math.pow(last, -theta - 1)) / 12;
        return integral + ends + slopes;
    }

    /** Returns the normalizing sum. */
    double sum() {
        return sum;
    }

    long next() {
        double u = random.nextDouble();
        double uz = u * sum;
        if (uz < 1) {
            return 0;
        }
        if (uz < firstTwo) {
            // A single rank has probability 1, so this one exists.
            return 1;
        }
        return Math.min(size - 1, (long) (size * Math.pow(eta * u - eta + 1, alpha)));
    }
}
