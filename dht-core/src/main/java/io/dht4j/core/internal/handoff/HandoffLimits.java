package io.dht4j.core.internal.handoff;

import java.time.Duration;

/**
 * The limits of hinted handoff; the builder has validated them.
 *
 * @param enabled whether hints are kept at all
 * @param maxAge the maximum age of a hint
 * @param bytesPerSecond the maximum rate at which hints are sent to a node
 * @param maxWaiting the maximum number of missed writes that wait to be written to the log
 * @param maxWaitingBytes the maximum number of bytes of these writes
 */
public record HandoffLimits(
        boolean enabled, Duration maxAge, long bytesPerSecond, int maxWaiting, long maxWaitingBytes) {}
