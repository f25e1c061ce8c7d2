package io.dht4j.core.internal.admission;

/**
 * The limits that keep a node working under overload; the builder has validated them.
 *
 * @param queue how long work may wait for the store
 * @param peer the number of outstanding requests to a node
 * @param retries the number of requests that may be sent a second time
 */
public record OverloadLimits(QueueLimits queue, PeerLimits peer, BudgetLimits retries) {}
