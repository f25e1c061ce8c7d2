package io.dht4j.core;

import java.time.Duration;

/**
 * Background repair: replicas of a partition are compared, and those that lack something get it; what is dead is purged
 * once all have seen it. Immutable.
 *
 * @param enabled whether nodes do so by themselves; when asked to they always do
 * @param interval about how long a node waits between two rounds, 1 second to 30 days
 * @param bytesPerSecond how much a round moves at most, 16 KiB to 1 GiB per second
 * @param confirmDelay how long two replicas must differ in a key before one is sent anything, zero to 1 minute; longer
 *     than writes usually take
 * @param purgeAfter how old a tombstone or an expired value must be before it may be purged, 1 second to 3,650 days; at
 *     least four times the cluster's {@code maxClockSkew} counts. A write that comes later than this, since it was on
 *     its way for so long or since its node's clock is so far behind, may be refused
 */
public record Repair(
        boolean enabled, Duration interval, long bytesPerSecond, Duration confirmDelay, Duration purgeAfter) {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration MAX_INTERVAL = Duration.ofDays(30);
    private static final Duration MAX_CONFIRM_DELAY = Duration.ofMinutes(1);
    private static final Duration MAX_PURGE_AFTER = Duration.ofDays(3650);
    private static final long MIN_RATE = 16L << 10;
    private static final long MAX_RATE = 1L << 30;

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException if one is out of its range
     */
    public Repair {
        requireRange("interval", interval, SECOND, MAX_INTERVAL);
        requireRange("confirmDelay", confirmDelay, Duration.ZERO, MAX_CONFIRM_DELAY);
        requireRange("purgeAfter", purgeAfter, SECOND, MAX_PURGE_AFTER);
        if (bytesPerSecond < MIN_RATE || bytesPerSecond > MAX_RATE) {
            throw new IllegalArgumentException(
                    "bytesPerSecond must be " + MIN_RATE + " to " + MAX_RATE + ", not " + bytesPerSecond);
        }
    }

    private static void requireRange(String name, Duration value, Duration min, Duration max) {
        if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
            throw new IllegalArgumentException(name + " must be " + min + " to " + max + ", not " + value);
        }
    }

    /**
     * On: every ten minutes, up to 16 MiB per second, differences that last a second; what has been dead for an hour is
     * purged.
     *
     * @return the default
     */
    public static Repair on() {
        return new Repair(true, Duration.ofMinutes(10), 16L << 20, SECOND, Duration.ofHours(1));
    }

    /**
     * Nothing is repaired or purged unless somebody asks for it.
     *
     * @return off
     */
    public static Repair off() {
        return on().withEnabled(false);
    }

    /**
     * Repairs by itself, or does not.
     *
     * @param on whether it does
     * @return these options with this one changed
     */
    public Repair withEnabled(boolean on) {
        return new Repair(on, interval, bytesPerSecond, confirmDelay, purgeAfter);
    }

    /**
     * Another time between rounds.
     *
     * @param time 1 second to 30 days
     * @return these options with this one changed
     */
    public Repair withInterval(Duration time) {
        return new Repair(enabled, time, bytesPerSecond, confirmDelay, purgeAfter);
    }

    /**
     * Another rate.
     *
     * @param bytes how much a round moves at most in a second, 16 KiB to 1 GiB
     * @return these options with this one changed
     */
    public Repair withBytesPerSecond(long bytes) {
        return new Repair(enabled, interval, bytes, confirmDelay, purgeAfter);
    }

    /**
     * Another age at which what is dead may be purged.
     *
     * @param age 1 second to 3,650 days
     * @return these options with this one changed
     */
    public Repair withPurgeAfter(Duration age) {
        return new Repair(enabled, interval, bytesPerSecond, confirmDelay, age);
    }
}
