package io.dht4j.core.internal.handoff;

import java.time.Duration;

/**
 * The numbers that hinted handoff runs by; the builder has checked them.
 *
 * @param enabled whether anything is kept at all
 * @param maxAge how old a hint may become
 * @param bytesPerSecond how much is handed over to a node at most
 * @param maxWaiting how many missed writes may wait to be kept
 * @param maxWaitingBytes how many bytes they may have together
 */
public record HandoffLimits(
        boolean enabled, Duration maxAge, long bytesPerSecond, int maxWaiting, long maxWaitingBytes) {}
