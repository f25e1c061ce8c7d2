package io.dht4j.core.internal.wire;

import io.dht4j.NodeId;
import io.dht4j.Version;
import java.util.Optional;

/**
 * What every frame says of its sender and of the node that it is for.
 *
 * @param sender who sends it
 * @param recipient whom it is for; empty in the reply to a request that did not tell its sender
 * @param settings a fingerprint of the sender's {@link ClusterSettings}
 * @param epoch the epoch of the sender's topology
 * @param clock the sender's hybrid clock
 * @param wallMillis the sender's wall clock in milliseconds since 1970
 */
public record FrameHeader(
        NodeId sender, Optional<NodeId> recipient, long settings, long epoch, Version clock, long wallMillis) {}
