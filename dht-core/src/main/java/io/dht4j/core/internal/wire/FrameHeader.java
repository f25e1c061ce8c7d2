package io.dht4j.core.internal.wire;

import io.dht4j.Version;

/**
 * What every frame says of its sender.
 *
 * @param epoch the epoch of the sender's topology
 * @param placement a fingerprint of the sender's partition table and hash function
 * @param clock the sender's hybrid clock
 */
public record FrameHeader(long epoch, long placement, Version clock) {}
