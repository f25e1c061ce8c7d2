package io.dht4j.core.internal.snapshot;

import io.dht4j.Version;

/**
 * An open snapshot, as its node sees it.
 *
 * @param version its version, or its identifier until the version is fixed
 * @param epoch the epoch of the node's view when the snapshot was opened. Moves that complete a copy later than that
 *     take a replica from the snapshot when they end
 * @param ageNanos the time since then, in nanoseconds
 */
public record OpenSnapshot(Version version, long epoch, long ageNanos) {}
