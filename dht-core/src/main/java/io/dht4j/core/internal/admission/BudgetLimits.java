package io.dht4j.core.internal.admission;

/**
 * How many requests may be made a second time; the builder has checked the numbers.
 *
 * @param share of the requests, 0 to 1
 * @param perSecond besides that, so that a node with little to do can help itself
 */
public record BudgetLimits(double share, int perSecond) {}
