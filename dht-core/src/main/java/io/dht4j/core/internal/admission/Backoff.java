package io.dht4j.core.internal.admission;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * Exponential backoff: how long to wait between the attempts of something that keeps failing. The first wait is the
 * base; each further one is the factor times the last, up to the cap. Jitter shortens each wait by a random part, so
 * that callers that have failed together do not all return together: with M. Brooker, <em>Exponential Backoff And
 * Jitter</em>, 2015, a jitter of 0.5 is "equal" and of 1 is "full".
 *
 * <p>A value without state: the caller counts its failures, and starts from zero after a success. It reads no clock.
 *
 * @param baseNanos the first wait, at least 1
 * @param capNanos the longest wait, at least the base
 * @param factor the growth from one wait to the next, at least 1
 * @param jitter the greatest random reduction of a wait, as a part of it, 0 to 1
 */
public record Backoff(long baseNanos, long capNanos, double factor, double jitter) {

    /**
     * Creates a backoff.
     *
     * @throws IllegalArgumentException if a number is out of range
     */
    public Backoff {
        if (baseNanos < 1 || capNanos < baseNanos) {
            throw new IllegalArgumentException(
                    "a backoff needs 1 <= base <= cap, in nanoseconds, not base=" + baseNanos + ", cap=" + capNanos);
        }
        if (!(factor >= 1)) {
            throw new IllegalArgumentException("the factor of a backoff is at least 1, not " + factor);
        }
        if (!(jitter >= 0 && jitter <= 1)) {
            throw new IllegalArgumentException("the jitter of a backoff is 0 to 1, not " + jitter);
        }
    }

    /**
     * Creates a backoff whose waits double, without jitter.
     *
     * @param base the first wait
     * @param cap the longest wait
     * @return a new backoff
     * @throws IllegalArgumentException if the base is not positive or the cap is shorter than the base
     */
    public static Backoff doubling(Duration base, Duration cap) {
        return new Backoff(base.toNanos(), cap.toNanos(), 2, 0);
    }

    /**
     * Returns the same backoff with another jitter.
     *
     * @param part the greatest random reduction of a wait, as a part of it, 0 to 1
     * @return a new backoff
     * @throws IllegalArgumentException if the part is out of range
     */
    public Backoff withJitter(double part) {
        return new Backoff(baseNanos, capNanos, factor, part);
    }

    /**
     * Returns the wait after some failures, without jitter.
     *
     * @param failures the number of failures before the last one: 0 after the first
     * @return nanoseconds, from the base to the cap
     */
    public long nanos(int failures) {
        // Beyond the range of a double the product is infinite, and the cap applies.
        return (long) Math.min((double) capNanos, (double) baseNanos * Math.pow(factor, failures));
    }

    /**
     * Returns the wait after some failures, with jitter.
     *
     * @param failures the number of failures before the last one: 0 after the first
     * @param random the source of random numbers
     * @return nanoseconds, from a part {@code 1 - jitter} of the wait to all of it, each with the same probability
     */
    public long nanos(int failures, RandomGenerator random) {
        long longest = nanos(failures);
        long spread = (long) ((double) longest * jitter);
        return longest - spread + random.nextLong(spread + 1);
    }
}
