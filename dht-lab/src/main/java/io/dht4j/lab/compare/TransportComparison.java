package io.dht4j.lab.compare;

import io.dht4j.Ranges;
import io.dht4j.lab.Candidates;
import io.dht4j.lab.TransportCandidate;
import java.util.List;

/**
 * The costs of a transport compared with another one: processor time and allocated bytes per operation, of three nodes
 * for each in this JVM, with stores in memory. Half of the operations are puts at 2/3, half are gets at 2/3. Both
 * transports get the same offered rate, independent of their maximum (an open loop), in repetitions that alternate in
 * rotating order, so that other work of the machine affects both alike.
 *
 * <p>The costs are those of the whole process, load included, without the JVM's compilers where the system counts
 * those. No other work should run in this JVM during the comparison. Immutable.
 *
 * @param a the transport that sets the standard
 * @param b the transport that is compared with it
 * @param repetitions of each, 1 to 100; fewer than {@value #LEAST_TO_JUDGE} cannot show a difference
 * @param perSecond offered operations per second, 1 to 1,000,000
 * @param seconds length of a repetition, 0.1 to 600
 * @param warmUpSeconds least load of each before measuring, 0 to 600 seconds; up to four times as long while the JVM's
 *     compilers are at work, and without a warm-up if it is 0
 * @param valueBytes size of a value, 0 to 1,048,576
 */
public record TransportComparison(
        TransportCandidate a,
        TransportCandidate b,
        int repetitions,
        double perSecond,
        double seconds,
        double warmUpSeconds,
        int valueBytes) {

    /** The least number of repetitions of each with which a difference can exceed the noise. */
    public static final int LEAST_TO_JUDGE = ComparisonResult.LEAST_TO_JUDGE;

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException if a number is out of its range
     * @throws io.dht4j.lab.CandidateException if a name is malformed, or both are equal
     */
    public TransportComparison {
        a = Candidates.guarded(a);
        b = Candidates.guarded(b);
        Candidates.requireDistinctNames(List.of(), List.of(a, b));
        Ranges.require("repetitions", repetitions, 1, 100);
        Ranges.require("operations per second", perSecond, 1, 1_000_000);
        Ranges.require("seconds", seconds, 0.1, 600);
        Ranges.require("seconds of warm-up", warmUpSeconds, 0, 600);
        Ranges.require("size of a value in bytes", valueBytes, 0, 1 << 20);
    }

    static TransportComparison of(TransportCandidate a, TransportCandidate b) {
        return new TransportComparison(a, b, 5, 2000, 2, 5, 100);
    }

    /**
     * Returns a copy with another number of repetitions. More of them show smaller differences.
     *
     * @param number of each, 1 to 100
     * @return a copy
     */
    public TransportComparison withRepetitions(int number) {
        return new TransportComparison(a, b, number, perSecond, seconds, warmUpSeconds, valueBytes);
    }

    /**
     * Returns a copy with another offered rate.
     *
     * @param rate operations per second, 1 to 1,000,000; both transports must hold it
     * @return a copy
     */
    public TransportComparison withRate(double rate) {
        return new TransportComparison(a, b, repetitions, rate, seconds, warmUpSeconds, valueBytes);
    }

    /**
     * Returns a copy with other durations.
     *
     * @param warmUp least seconds of load on each before measuring, 0 to 600
     * @param repetition seconds of each repetition, 0.1 to 600
     * @return a copy
     */
    public TransportComparison lasting(double warmUp, double repetition) {
        return new TransportComparison(a, b, repetitions, perSecond, repetition, warmUp, valueBytes);
    }

    /**
     * Returns a copy with values of another size.
     *
     * @param bytes 0 to 1,048,576
     * @return a copy
     */
    public TransportComparison withValueBytes(int bytes) {
        return new TransportComparison(a, b, repetitions, perSecond, seconds, warmUpSeconds, bytes);
    }

    /**
     * Measures. Blocks for two warm-ups and all repetitions.
     *
     * @return what both cost
     * @throws io.dht4j.lab.CandidateException if a transport throws where it must not
     * @throws IllegalStateException if nodes do not start, a transport does not hold the rate, or the thread is
     *     interrupted
     */
    public ComparisonResult run() {
        return ComparisonRun.of(this);
    }

    /**
     * Measures as {@link #run} does, and fails if {@link #b} is worse.
     *
     * @param percent by how much it may cost more, 0 to 1,000
     * @throws AssertionError if a cost is worse, or there are too few repetitions to decide; the first line is the
     *     answer
     * @throws IllegalArgumentException if the percentage is out of range
     * @throws IllegalStateException if no cost could be measured, as by {@link #run}
     */
    public void assertNotWorse(double percent) {
        ComparisonResult.requirePercent(percent);
        run().assertNotWorse(percent);
    }
}
