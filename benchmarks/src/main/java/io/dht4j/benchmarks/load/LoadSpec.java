package io.dht4j.benchmarks.load;

/**
 * A load at a fixed rate: operations have intended times, one after the other at equal distances, whatever becomes of
 * those before.
 *
 * @param operation what is done
 * @param perSecond offered operations per second; greater than 0
 * @param warmUpSeconds how long the same load runs before anything is counted; 0 or more
 * @param seconds how long it is counted; greater than 0
 * @param keys how many keys there are to choose from, at random; 1 or more
 * @param maxInFlight operations under way, over all threads; what comes on top counts as not sent; 1 or more
 * @param threads threads that send; 1 to {@code maxInFlight}
 * @param seed where the choice of keys begins
 * @param sendEveryMicros how far apart a thread wakes at least, in microseconds; what comes due meanwhile is begun
 *     together, late by so much and a wake-up at most, which counts as latency; 0 to wake for each operation; 0 to
 *     10,000
 */
public record LoadSpec(
        Operation operation,
        double perSecond,
        double warmUpSeconds,
        double seconds,
        long keys,
        int maxInFlight,
        int threads,
        long seed,
        int sendEveryMicros) {

    /** The longest rest of a thread. */
    public static final int MOST_SEND_EVERY_MICROS = 10_000;

    /** Checks the ranges. */
    public LoadSpec {
        require(perSecond > 0 && perSecond <= 1e9, "rate", perSecond, "over 0 to 1,000,000,000 per second");
        require(warmUpSeconds >= 0 && warmUpSeconds <= 86_400, "warm-up", warmUpSeconds, "0 to 86,400 seconds");
        require(seconds > 0 && seconds <= 86_400, "length", seconds, "over 0 to 86,400 seconds");
        require(keys >= 1, "keys", keys, "1 or more");
        require(maxInFlight >= 1 && maxInFlight <= 1_000_000, "operations in flight", maxInFlight, "1 to 1,000,000");
        require(
                threads >= 1 && threads <= Math.min(256, maxInFlight),
                "threads",
                threads,
                "1 to 256, at most the operations in flight");
        require(
                sendEveryMicros >= 0 && sendEveryMicros <= MOST_SEND_EVERY_MICROS,
                "rest of a thread",
                sendEveryMicros,
                "0 to 10,000 microseconds");
    }

    /** A load that wakes for each operation. */
    public LoadSpec(
            Operation operation,
            double perSecond,
            double warmUpSeconds,
            double seconds,
            long keys,
            int maxInFlight,
            int threads,
            long seed) {
        this(operation, perSecond, warmUpSeconds, seconds, keys, maxInFlight, threads, seed, 0);
    }

    /**
     * The same load at another rate.
     *
     * @param rate operations per second
     */
    public LoadSpec at(double rate) {
        return new LoadSpec(operation, rate, warmUpSeconds, seconds, keys, maxInFlight, threads, seed, sendEveryMicros);
    }

    /**
     * The same load for another time.
     *
     * @param warmUp seconds before counting
     * @param counted seconds
     */
    public LoadSpec lasting(double warmUp, double counted) {
        return new LoadSpec(operation, perSecond, warmUp, counted, keys, maxInFlight, threads, seed, sendEveryMicros);
    }

    /**
     * The same load with another bound of what is under way.
     *
     * @param bound at least the threads
     */
    public LoadSpec withMaxInFlight(int bound) {
        return new LoadSpec(operation, perSecond, warmUpSeconds, seconds, keys, bound, threads, seed, sendEveryMicros);
    }

    /**
     * The same load with keys chosen in another order.
     *
     * @param other where the choice begins
     */
    public LoadSpec withSeed(long other) {
        return new LoadSpec(
                operation, perSecond, warmUpSeconds, seconds, keys, maxInFlight, threads, other, sendEveryMicros);
    }

    /**
     * The same load by threads that rest for other times.
     *
     * @param micros 0 to 10,000
     */
    public LoadSpec sendingEvery(int micros) {
        return new LoadSpec(operation, perSecond, warmUpSeconds, seconds, keys, maxInFlight, threads, seed, micros);
    }

    private static void require(boolean holds, String what, Number value, String range) {
        if (!holds) {
            throw new IllegalArgumentException(what + " of a load: " + value + " is not " + range);
        }
    }
}
