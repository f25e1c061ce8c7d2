package io.dht4j.core.internal.wire;

import io.dht4j.NodeId;
import io.dht4j.Version;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Makes the headers of the frames that a node sends. Safe for use by any number of threads. */
public final class OwnHeader {

    private final NodeId self;
    private final ClusterSettings settings;
    private final long fingerprint;
    private final long epoch;
    private final Supplier<Version> clock;
    private final LongSupplier wallMillis;

    /**
     * The headers of a node.
     *
     * @param self its name
     * @param settings what it requires of the others
     * @param epoch the epoch of its topology
     * @param clock its hybrid clock
     * @param wallMillis its wall clock in milliseconds since 1970
     */
    public OwnHeader(
            NodeId self, ClusterSettings settings, long epoch, Supplier<Version> clock, LongSupplier wallMillis) {
        this.self = self;
        this.settings = settings;
        this.fingerprint = settings.fingerprint();
        this.epoch = epoch;
        this.clock = clock;
        this.wallMillis = wallMillis;
    }

    /**
     * The header of a frame that is sent now.
     *
     * @param recipient whom it is for
     * @return a new header
     */
    public FrameHeader to(Optional<NodeId> recipient) {
        return new FrameHeader(self, recipient, fingerprint, epoch, clock.get(), wallMillis.getAsLong());
    }

    /**
     * The node's name.
     *
     * @return as every frame tells it
     */
    public NodeId self() {
        return self;
    }

    /**
     * What the node requires of the others.
     *
     * @return its settings, whose fingerprint every frame tells
     */
    public ClusterSettings settings() {
        return settings;
    }

    /**
     * The fingerprint of the settings.
     *
     * @return as every frame tells it
     */
    public long fingerprint() {
        return fingerprint;
    }

    /**
     * The epoch of the node's topology.
     *
     * @return as every frame tells it
     */
    public long epoch() {
        return epoch;
    }
}
