package io.dht4j.lab.workload;

import java.util.Arrays;
import java.util.SplittableRandom;

/** Chooses an index in proportion to weights. Immutable. */
final class Shares {

    /** The sum of the weights up to each index, that one included. */
    private final long[] sums;

    /** Creates a choice; at least one weight is above zero, none is below. */
    Shares(int[] weights) {
        sums = Arrays.stream(weights).asLongStream().toArray();
        Arrays.parallelPrefix(sums, Long::sum);
    }

    int next(SplittableRandom random) {
        long drawn = random.nextLong(sums[sums.length - 1]);
        int low = 0;
        int high = sums.length - 1;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (drawn < sums[middle]) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }
}
