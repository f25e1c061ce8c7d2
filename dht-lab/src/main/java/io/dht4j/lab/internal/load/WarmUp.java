package io.dht4j.lab.internal.load;

import io.dht4j.lab.internal.counters.Cost;
import io.dht4j.lab.internal.counters.Counters;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Warms up until compilers rest. A JVM compiles for minutes after its first request, and on few processors each large
 * compilation delays requests. So loads alternate until the compilers of the measured processes need little time,
 * within a bound. With one load after the other, code compiled for the first would be compiled again for the second.
 *
 * <p>Where the compilers' time is unknown, the least time alone decides. Confined to one thread.
 *
 * @param <E> the exception of a turn
 */
public final class WarmUp<E extends Exception> {

    /** The compilers rest below this part of one processor, summed over the processes. */
    public static final double RESTING = 0.1;

    private static final double NANOS_PER_MICRO = 1e3;

    private final double mostSeconds;
    private final Reading<E> counters;
    private final LongSupplier nanoTime;
    private double spentSeconds;
    private double busy;

    /** Reads the counters of the measured processes. */
    @FunctionalInterface
    public interface Reading<E extends Exception> {

        /**
         * Reads them.
         *
         * @return the sums of all processes
         * @throws E if a process does not answer
         * @throws InterruptedException if the thread is interrupted
         */
        Counters read() throws E, InterruptedException;
    }

    /** A load. */
    @FunctionalInterface
    public interface Turn<E extends Exception> {

        /**
         * Runs it once. Blocks.
         *
         * @return its length in seconds
         * @throws E if it fails
         * @throws InterruptedException if the thread is interrupted
         */
        double run() throws E, InterruptedException;
    }

    /**
     * Creates a warm-up.
     *
     * @param mostSeconds after which no further turn begins, though the compilers are busy
     * @param counters of the processes that are warmed up
     * @param nanoTime the monotonic clock
     */
    public WarmUp(double mostSeconds, Reading<E> counters, LongSupplier nanoTime) {
        this.mostSeconds = mostSeconds;
        this.counters = counters;
        this.nanoTime = nanoTime;
    }

    /**
     * Runs loads in turns until all have run for long enough and the compilers rest, or the time is over. Blocks.
     *
     * @param leastSeconds of all turns of this warm-up together; 0 for a single round at least
     * @param turns of a round, in order
     * @throws E if a turn fails
     * @throws InterruptedException if the thread is interrupted
     */
    public void run(double leastSeconds, List<? extends Turn<E>> turns) throws E, InterruptedException {
        do {
            Counters before = counters.read();
            long began = nanoTime.getAsLong();
            for (Turn<E> turn : turns) {
                spentSeconds += turn.run();
            }
            busy = share(counters.read().since(before), nanoTime.getAsLong() - began);
        } while (spentSeconds < leastSeconds || (isBusy() && spentSeconds < mostSeconds));
    }

    /**
     * Returns the doubt about a measurement that begins now.
     *
     * @param whose the owners of the compilers, such as {@code the nodes}
     * @return in words; empty if the compilers rest
     */
    public Optional<String> doubt(String whose) {
        return isBusy()
                ? Optional.of(String.format(
                        Locale.ROOT,
                        "after warming up for %.0f s the compilers of %s were still at work, with %.0f %% of a "
                                + "processor together",
                        spentSeconds,
                        whose,
                        100 * busy))
                : Optional.empty();
    }

    private boolean isBusy() {
        return busy > RESTING;
    }

    /** Returns the part of one processor for which the compilers worked; 0 if unknown. */
    private static double share(Counters spent, long nanos) {
        return NANOS_PER_MICRO * spent.values().getOrDefault(Cost.COMPILER_MICROS, 0L) / Math.max(1, nanos);
    }
}
