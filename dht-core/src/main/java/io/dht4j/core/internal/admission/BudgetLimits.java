package io.dht4j.core.internal.admission;

/**
 * The limits of second attempts; the builder has validated them.
 *
 * @param share the share of the requests, 0 to 1
 * @param perSecond the number per second in addition, so that a node with few requests can retry
 */
public record BudgetLimits(double share, int perSecond) {}
