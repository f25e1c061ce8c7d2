package io.dht4j.core.internal.admission;

/**
 * The bounds of the limit of requests to one node; the builder has validated them.
 *
 * @param min the minimum
 * @param max the maximum, and the start
 * @param slowNanos a reply that takes longer than the quickest by this time lowers the limit
 */
public record PeerLimits(int min, int max, long slowNanos) {}
