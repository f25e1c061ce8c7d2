package io.dht4j.core.internal.wire;

import io.dht4j.NodeId;
import io.dht4j.Version;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Creates the headers of the frames that a node sends. Safe for use by any number of threads. */
public final class OwnHeader {

    private final NodeId self;
    private final ClusterSettings settings;
    private final long fingerprint;
    private final long epoch;
    private final Supplier<Version> clock;
    private final LongSupplier wallMillis;

    /**
     * Creates the source of a node's headers.
     *
     * @param self its name
     * @param settings the settings that it requires of the others
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
     * Returns the header of a frame that is sent now.
     *
     * @param recipient the recipient
     * @return a new header
     */
    public FrameHeader to(Optional<NodeId> recipient) {
        return new FrameHeader(self, recipient, fingerprint, epoch, clock.get(), wallMillis.getAsLong());
    }

    /**
     * Returns the node's name.
     *
     * @return the name in every frame
     */
    public NodeId self() {
        return self;
    }

    /**
     * Returns the settings that the node requires of the others.
     *
     * @return its settings, whose fingerprint is in every frame
     */
    public ClusterSettings settings() {
        return settings;
    }

    /**
     * Returns the fingerprint of the settings.
     *
     * @return the fingerprint in every frame
     */
    public long fingerprint() {
        return fingerprint;
    }

    /**
     * Returns the epoch of the node's topology.
     *
     * @return the epoch in every frame
     */
    public long epoch() {
        return epoch;
    }
}
