package io.dht4j.core.internal.repair;

import java.time.Duration;

/**
 * The numbers that repair runs by; the builder has checked them.
 *
 * @param enabled whether it happens by itself
 * @param interval the time between two rounds
 * @param bytesPerSecond how much is read from and sent to other nodes, at most
 * @param confirmDelay how long a difference must last before it is believed
 * @param purgeAfter how old a tombstone or an expired value must be before it may go
 * @param startPatience how long reads wait, after a start, for nodes that do not answer
 */
public record RepairLimits(
        boolean enabled,
        Duration interval,
        long bytesPerSecond,
        Duration confirmDelay,
        Duration purgeAfter,
        Duration startPatience) {}
