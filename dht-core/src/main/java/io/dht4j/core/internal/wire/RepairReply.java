package io.dht4j.core.internal.wire;

import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.core.internal.placement.PartitionSet;
import java.util.List;
import java.util.Optional;

/** A replica's reply to a {@link RepairRequest}. */
public sealed interface RepairReply extends Reply {

    /**
     * The reply to {@link RepairRequest.Sums}.
     *
     * @param sealed whether the partitions are sealed as requested; with {@link RepairRequest.Detail#WATERMARKS},
     *     whether one of them is closed because of a rollback, a loss or a recovery, so that no copy of it is complete
     * @param sums for each requested partition, ascending, as {@link RepairRequest.Detail} requests: one number, one
     *     for each of its buckets, none, or a packed version
     * @param purged the purge watermark of each requested partition, packed: dead entries older than this may have been
     *     purged; none with sums of buckets
     * @param fenced the fence watermark of each requested partition, packed: older entries are refused; none with sums
     *     of buckets
     */
    record Sums(boolean sealed, List<Long> sums, List<Long> purged, List<Long> fenced) implements RepairReply {}

    /**
     * The reply to {@link RepairRequest.Versions}.
     *
     * @param held ascending
     * @param resume where the next page starts, or empty at the end
     */
    record Versions(List<Held> held, Optional<Key> resume) implements RepairReply {}

    /**
     * An entry of a replica, without its value.
     *
     * @param key its key
     * @param version its version
     * @param digest the {@linkplain io.dht4j.spi.Entry#digest() digest} of the rest of the entry
     */
    record Held(Key key, Version version, int digest) {}

    /**
     * The reply to {@link RepairRequest.Prepare}.
     *
     * @param partitions the partitions in which the participant votes yes: it refuses older entries from now on, also
     *     after a restart
     */
    record Vote(PartitionSet partitions) implements RepairReply {}

    /** The reply to {@link RepairRequest.Decision}: the decision is stored. A purge follows later. */
    record Acknowledged() implements RepairReply {}

    /**
     * The reply to {@link RepairRequest.Watermarks}.
     *
     * @param purged the highest purge watermark of each requested partition that is known to the replying node, packed:
     *     dead entries older than this may have been purged
     */
    record Watermarks(List<Long> purged) implements RepairReply {}
}
