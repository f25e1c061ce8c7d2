package io.dht4j.core.internal.admission;

/**
 * The numbers by which a node keeps working when more is asked of it than it can do; the builder has checked them.
 *
 * @param queue how long work may wait for the store
 * @param peer how many requests to a node may be outstanding
 * @param retries how many requests may be made a second time
 */
public record OverloadLimits(QueueLimits queue, PeerLimits peer, BudgetLimits retries) {}
