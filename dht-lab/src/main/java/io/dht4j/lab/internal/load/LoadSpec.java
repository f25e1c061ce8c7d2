package io.dht4j.lab.internal.load;

/**
 * A load at a fixed rate: operations have intended times at equal distances, independent of the fate of earlier ones.
 * Without a rate it is a closed loop, in which {@code maxInFlight} operations are in flight at all times.
 *
 * @param operation the operation
 * @param perSecond offered operations per second; 0 for a closed loop
 * @param warmUpSeconds uncounted time of the same load before; 0 or more
 * @param seconds counted time; greater than 0
 * @param keys number of keys, from which operations choose at random; 1 or more
 * @param maxInFlight operations in flight over all threads, 1 or more; at a rate, further ones count as not sent
 * @param threads threads that send; 1 to {@code maxInFlight}
 * @param seed of the choice of keys
 * @param sendEveryMicros least time between two wake-ups of a thread in microseconds, 0 to 10,000; operations due in
 *     between begin together, and their delay counts as latency; 0 to wake for each operation. Without effect in a
 *     closed loop
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

    /** The greatest time between two wake-ups. */
    public static final int MOST_SEND_EVERY_MICROS = 10_000;

    /** Validates the ranges. */
    public LoadSpec {
        require(perSecond >= 0 && perSecond <= 1e9, "rate", perSecond, "0 to 1,000,000,000 per second");
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

    /** Returns whether it is a closed loop, which has no rate. Named so that JSON leaves it out. */
    public boolean closedLoop() {
        return perSecond == 0;
    }

    /** Describes a load that wakes for each operation. */
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
     * Returns a copy with another rate.
     *
     * @param rate operations per second; 0 for a closed loop
     */
    public LoadSpec at(double rate) {
        return new LoadSpec(operation, rate, warmUpSeconds, seconds, keys, maxInFlight, threads, seed, sendEveryMicros);
    }

    /**
     * Returns a copy with other durations.
     *
     * @param warmUp seconds before counting
     * @param counted seconds
     */
    public LoadSpec lasting(double warmUp, double counted) {
        return new LoadSpec(operation, perSecond, warmUp, counted, keys, maxInFlight, threads, seed, sendEveryMicros);
    }

    /**
     * Returns a copy with another bound on operations in flight.
     *
     * @param bound at least the threads
     */
    public LoadSpec withMaxInFlight(int bound) {
        return new LoadSpec(operation, perSecond, warmUpSeconds, seconds, keys, bound, threads, seed, sendEveryMicros);
    }

    /**
     * Returns a copy with another choice of keys.
     *
     * @param other the seed
     */
    public LoadSpec withSeed(long other) {
        return new LoadSpec(
                operation, perSecond, warmUpSeconds, seconds, keys, maxInFlight, threads, other, sendEveryMicros);
    }

    /**
     * Returns a copy with another time between wake-ups.
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
