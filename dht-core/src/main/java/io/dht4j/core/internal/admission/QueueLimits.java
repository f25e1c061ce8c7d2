package io.dht4j.core.internal.admission;

/**
 * How long work may wait in a queue; the builder has validated the numbers.
 *
 * @param standingAfterNanos a queue that has not been empty for longer is standing
 * @param standingAgeNanos how long work may wait in a standing queue
 */
public record QueueLimits(long standingAfterNanos, long standingAgeNanos) {}
