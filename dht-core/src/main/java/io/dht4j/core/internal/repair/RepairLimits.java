package io.dht4j.core.internal.repair;

import java.time.Duration;

/**
 * The limits of repair; the builder has validated them.
 *
 * @param enabled whether repair runs by itself
 * @param interval the time between two sessions
 * @param bytesPerSecond the maximum rate at which repair reads and sends
 * @param confirmDelay the time that a difference must last before it is reconciled
 * @param purgeAfter the minimum age of a tombstone or expired value before it is purged
 * @param startPatience the maximum time that reads wait, after a start, for nodes that do not answer
 */
public record RepairLimits(
        boolean enabled,
        Duration interval,
        long bytesPerSecond,
        Duration confirmDelay,
        Duration purgeAfter,
        Duration startPatience) {}
