package io.dht4j.core.internal.admission;

/**
 * Between which bounds, and by what, the limit of requests to one node moves; the builder has checked the numbers.
 *
 * @param min it never falls below
 * @param max where it begins, and what it never exceeds
 * @param slowNanos a reply that takes so much longer than the quickest makes it fall
 */
public record PeerLimits(int min, int max, long slowNanos) {}
