package io.dht4j.core.internal.coordinator.config;

/**
 * How requests to a node are put together.
 *
 * @param enabled whether they are
 * @param maxEntries the most keys or entries in a frame
 * @param maxBytes the most bytes in a frame
 * @param maxFrames how many frames of a kind may be under way to a node before requests wait for one another
 */
public record BatchLimits(boolean enabled, int maxEntries, int maxBytes, int maxFrames) {}
