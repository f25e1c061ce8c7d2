package io.dht4j.core.internal.wire;

import io.dht4j.NodeId;
import io.dht4j.TraceContext;
import io.dht4j.Version;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.view.NodeIdentity;
import io.dht4j.core.internal.view.Views;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Creates the headers of the frames that a node sends. Safe for use by any number of threads. */
public final class OwnHeader {

    private final NodeId self;
    private final Views views;
    private final Supplier<Version> clock;
    private final LongSupplier wallMillis;
    private volatile Required required;

    /** The required settings, and their fingerprint. */
    private record Required(ClusterSettings settings, long fingerprint) {}

    /**
     * Creates the source of a node's headers.
     *
     * @param self its name
     * @param settings the settings that it requires of the others
     * @param views the epoch, and the numbers and incarnations of members
     * @param clock its hybrid clock
     * @param wallMillis its wall clock in milliseconds since 1970
     */
    public OwnHeader(
            NodeId self, ClusterSettings settings, Views views, Supplier<Version> clock, LongSupplier wallMillis) {
        this.self = self;
        this.required = new Required(settings, settings.fingerprint());
        this.views = views;
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
        return to(recipient, null, ClusterView.NO_VERSION, null);
    }

    /**
     * Returns the header of a frame that is sent now.
     *
     * @param recipient the recipient
     * @param identity the number and incarnation of the recipient; null if unknown
     * @param rowVersion the highest row version of the partitions of a request; 0 for none
     * @param trace the trace context of a request; null if it has none, and for a batch
     * @return a new header
     */
    public FrameHeader to(
            Optional<NodeId> recipient,
            @Nullable NodeIdentity identity,
            long rowVersion,
            @Nullable TraceContext trace) {
        ClusterView view = views.current();
        NodeIdentity mine = view.identity(self);
        FrameHeader.Agreed agreed = mine == null && identity == null && rowVersion == ClusterView.NO_VERSION
                ? null
                : new FrameHeader.Agreed(mine, identity, rowVersion);
        return new FrameHeader(
                self,
                recipient,
                required.fingerprint(),
                view.epoch(),
                clock.get(),
                wallMillis.getAsLong(),
                agreed,
                trace);
    }

    /**
     * Replaces the settings that the node requires of the others.
     *
     * @param settings the settings of its present cluster
     */
    public void require(ClusterSettings settings) {
        required = new Required(settings, settings.fingerprint());
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
        return required.settings();
    }

    /**
     * Returns the fingerprint of the settings.
     *
     * @return the fingerprint in every frame
     */
    public long fingerprint() {
        return required.fingerprint();
    }

    /**
     * Returns the node's current view.
     *
     * @return the view whose epoch is in every frame
     */
    public ClusterView view() {
        return views.current();
    }
}
