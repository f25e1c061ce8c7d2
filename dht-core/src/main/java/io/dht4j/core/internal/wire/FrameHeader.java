package io.dht4j.core.internal.wire;

import io.dht4j.NodeId;
import io.dht4j.TraceContext;
import io.dht4j.Version;
import io.dht4j.core.internal.view.NodeIdentity;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The header of every frame.
 *
 * @param sender the sender
 * @param recipient the recipient; empty in the reply to a request without a readable sender
 * @param settings the fingerprint of the sender's {@link ClusterSettings}
 * @param epoch the epoch of the sender's topology
 * @param clock the sender's hybrid clock
 * @param wallMillis the sender's wall clock in milliseconds since 1970
 * @param agreed the fields of a member of an agreed cluster; null in a static cluster, whose frames do not have them
 * @param trace the trace context of a request; null if it has none, and in a batch, whose parts have one each
 */
public record FrameHeader(
        NodeId sender,
        Optional<NodeId> recipient,
        long settings,
        long epoch,
        Version clock,
        long wallMillis,
        @Nullable Agreed agreed,
        @Nullable TraceContext trace) {

    /**
     * The fields of a member of an agreed cluster.
     *
     * @param sender the sender's number and incarnation; null if it has none
     * @param recipient the recipient's number and incarnation, as the sender knows them; null if it does not, and in a
     *     reply, which returns to the sender of the request
     * @param rowVersion the highest row version of the partitions that a request concerns; 0 if it concerns none, and
     *     in a batch, whose parts have one each
     */
    public record Agreed(
            @Nullable NodeIdentity sender, @Nullable NodeIdentity recipient, long rowVersion) {}

    /**
     * Creates a header without a span.
     *
     * @param sender the sender
     * @param recipient the recipient
     * @param settings the fingerprint of the sender's settings
     * @param epoch the epoch of the sender's topology
     * @param clock the sender's hybrid clock
     * @param wallMillis the sender's wall clock
     * @param agreed the fields of a member of an agreed cluster; null in a static cluster
     */
    public FrameHeader(
            NodeId sender,
            Optional<NodeId> recipient,
            long settings,
            long epoch,
            Version clock,
            long wallMillis,
            @Nullable Agreed agreed) {
        this(sender, recipient, settings, epoch, clock, wallMillis, agreed, null);
    }

    /**
     * Creates the header of a member of a static cluster.
     *
     * @param sender the sender
     * @param recipient the recipient
     * @param settings the fingerprint of the sender's settings
     * @param epoch the epoch of the sender's topology
     * @param clock the sender's hybrid clock
     * @param wallMillis the sender's wall clock
     */
    public FrameHeader(
            NodeId sender, Optional<NodeId> recipient, long settings, long epoch, Version clock, long wallMillis) {
        this(sender, recipient, settings, epoch, clock, wallMillis, null);
    }

    /**
     * Returns the row version of a request.
     *
     * @return 0 for none
     */
    public long rowVersion() {
        return agreed == null ? 0 : agreed.rowVersion();
    }
}
