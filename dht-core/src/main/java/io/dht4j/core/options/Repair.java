package io.dht4j.core.options;

import io.dht4j.Ranges;
import java.time.Duration;

/**
 * Background repair: compares the replicas of a partition, sends missing entries to those that lack them, and purges
 * dead entries once all replicas have seen them. Immutable.
 *
 * @param enabled whether the node starts sessions by itself; requested sessions always run
 * @param interval the approximate time between two sessions, 1 second to 30 days
 * @param bytesPerSecond the largest transfer rate of a session, 16 KiB to 1 GiB per second
 * @param confirmDelay how long two replicas must differ in a key before an entry is sent, zero to 1 minute; longer than
 *     writes usually take
 * @param purgeAfter the age at which a tombstone or an expired value may be purged, 1 second to 3,650 days; raised to
 *     at least four times the cluster's {@code maxClockSkew}. A write delayed by more than this, in transit or by its
 *     node's slow clock, may be refused
 */
public record Repair(
        boolean enabled, Duration interval, long bytesPerSecond, Duration confirmDelay, Duration purgeAfter) {

    private static final Duration SECOND = Duration.ofSeconds(1);

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException if one is out of its range
     */
    public Repair {
        Ranges.require("interval", interval, SECOND, Duration.ofDays(30));
        Ranges.require("bytesPerSecond", bytesPerSecond, 16L << 10, 1L << 30);
        Ranges.require("confirmDelay", confirmDelay, Duration.ZERO, Duration.ofMinutes(1));
        Ranges.require("purgeAfter", purgeAfter, SECOND, Duration.ofDays(3650));
    }

    /**
     * Returns the default: every ten minutes, up to 16 MiB per second, differences that last a second; dead entries are
     * purged after an hour.
     *
     * @return the default
     */
    public static Repair on() {
        return new Repair(true, Duration.ofMinutes(10), 16L << 20, SECOND, Duration.ofHours(1));
    }

    /**
     * Returns options under which entries are repaired and purged on request only.
     *
     * @return disabled background repair
     */
    public static Repair off() {
        return on().withEnabled(false);
    }

    /**
     * Returns these options with background repair enabled or disabled.
     *
     * @param on whether the node starts sessions by itself
     * @return these options with this one changed
     */
    public Repair withEnabled(boolean on) {
        return new Repair(on, interval, bytesPerSecond, confirmDelay, purgeAfter);
    }

    /**
     * Returns these options with another time between sessions.
     *
     * @param time 1 second to 30 days
     * @return these options with this one changed
     */
    public Repair withInterval(Duration time) {
        return new Repair(enabled, time, bytesPerSecond, confirmDelay, purgeAfter);
    }

    /**
     * Returns these options with another transfer rate.
     *
     * @param bytes the largest transfer rate of a session, 16 KiB to 1 GiB per second
     * @return these options with this one changed
     */
    public Repair withBytesPerSecond(long bytes) {
        return new Repair(enabled, interval, bytes, confirmDelay, purgeAfter);
    }

    /**
     * Returns these options with another age at which dead entries may be purged.
     *
     * @param age 1 second to 3,650 days
     * @return these options with this one changed
     */
    public Repair withPurgeAfter(Duration age) {
        return new Repair(enabled, interval, bytesPerSecond, confirmDelay, age);
    }
}
