package io.dht4j.core.internal.atomic;

/**
 * Identifies an operation across all its attempts, so that it is executed once.
 *
 * @param client identifies the member that has created it, in one of its lives
 * @param sequence its number there
 */
public record RequestId(long client, long sequence) {}
