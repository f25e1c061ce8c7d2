package io.dht4j.core.internal.wire;

import io.dht4j.NodeId;
import io.dht4j.Version;
import java.util.Optional;

/**
 * The header of every frame.
 *
 * @param sender the sender
 * @param recipient the recipient; empty in the reply to a request without a readable sender
 * @param settings the fingerprint of the sender's {@link ClusterSettings}
 * @param epoch the epoch of the sender's topology
 * @param clock the sender's hybrid clock
 * @param wallMillis the sender's wall clock in milliseconds since 1970
 */
public record FrameHeader(
        NodeId sender, Optional<NodeId> recipient, long settings, long epoch, Version clock, long wallMillis) {}
