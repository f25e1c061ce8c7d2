package io.dht4j.core.internal.wire;

import io.dht4j.Key;
import io.dht4j.Version;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;

/** What a replica answers to a {@link RepairRequest}. */
public sealed interface RepairReply extends Reply {

    /**
     * Answers {@link RepairRequest.Sums}.
     *
     * @param sealed whether the partitions were sealed as asked for
     * @param sums of each partition asked for, ascending, as {@link RepairRequest.Detail} asks: one number, as many as
     *     it has buckets, or none
     * @param purged of each partition asked for: what was dead and older than this may have been purged, packed; none
     *     with sums of buckets
     * @param fenced of each partition asked for: what is older than this is refused, packed; none with sums of buckets
     */
    record Sums(boolean sealed, List<Long> sums, List<Long> purged, List<Long> fenced) implements RepairReply {}

    /**
     * Answers {@link RepairRequest.Versions}.
     *
     * @param held ascending
     * @param resume where the next page starts, or empty at the end
     */
    record Versions(List<Held> held, Optional<Key> resume) implements RepairReply {}

    /**
     * An entry that a replica holds, without its value.
     *
     * @param key its key
     * @param version its version
     * @param digest the {@linkplain io.dht4j.spi.Entry#digest() digest} of everything else
     */
    record Held(Key key, Version version, int digest) {}

    /**
     * Answers {@link RepairRequest.Fence}.
     *
     * @param partitions in which older entries are refused from now on, also after a restart
     */
    record Fenced(BitSet partitions) implements RepairReply {}

    /** Answers {@link RepairRequest.Purge}: it is remembered, and done when there is time. */
    record Purging() implements RepairReply {}

    /**
     * Answers {@link RepairRequest.Purged}.
     *
     * @param purged of each partition asked for: what was dead and older than this may have been purged, by the node
     *     that answers or by one that has told it so, packed
     */
    record Purged(List<Long> purged) implements RepairReply {}
}
