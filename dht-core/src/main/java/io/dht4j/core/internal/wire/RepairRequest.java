package io.dht4j.core.internal.wire;

import io.dht4j.Key;
import io.dht4j.Version;
import java.util.BitSet;
import java.util.List;

/** What a replica asks of another one to find out where they differ, and to agree on what may be purged. */
public sealed interface RepairRequest extends Request {

    /**
     * The sums of partitions, or how far those reach.
     *
     * @param partitions of which ones
     * @param detail what is asked of each
     * @param seal from now on the replica takes note of entries that come and are older than this, if
     *     {@link Detail#PARTITIONS} are asked for; zero to leave it
     */
    record Sums(BitSet partitions, Detail detail, Version seal) implements RepairRequest {}

    /** What {@link Sums} asks of a partition. */
    enum Detail {
        /** Its sum, once everything that was applied before is in it, and how far it was purged and is fenced. */
        PARTITIONS,
        /** The sum of each of its buckets, as they are. */
        BUCKETS,
        /** How far it was purged and is fenced, at once. */
        REACH
    }

    /**
     * A page of what a replica holds in some buckets, in the order of the keys.
     *
     * @param start where the page starts
     * @param buckets of which buckets
     */
    record Versions(Key start, List<Buckets> buckets) implements RepairRequest {}

    /**
     * Buckets of a partition.
     *
     * @param partition its number
     * @param mask the bit of each bucket that is meant
     */
    record Buckets(int partition, long mask) {}

    /**
     * Refuse what is older than this from now on, in the partitions that nothing so old has come for since they were
     * sealed.
     *
     * @param partitions of which the asking node found all replicas equal
     * @param before as they were sealed
     */
    record Fence(BitSet partitions, Version before) implements RepairRequest {}

    /**
     * All replicas of these partitions were equal up to a version and refuse what is older: what is dead and older may
     * go.
     *
     * @param partitions which all replicas have fenced
     * @param before as they were fenced
     * @param seal zero right after the fence; else the newer seal under which it was found that this is how an earlier
     *     round ended, so that a replica which has fenced the partition at a newer version lifts that
     */
    record Purge(BitSet partitions, Version before, Version seal) implements RepairRequest {}

    /**
     * How far the asking node knows that all have agreed to purge, and the question how far the one that is asked does:
     * whose disk knows of less than that was set back.
     *
     * @param from the name of the node that asks
     * @param partitions that both nodes are replicas of
     * @param purged of each of them: what was dead and older than this may have been purged, by the asking node or by
     *     one that has told it so, packed
     */
    record Purged(String from, BitSet partitions, List<Long> purged) implements RepairRequest {}

    /**
     * Reads keys for a comparison. Other than {@link Request.ReadKeys} it is served by a replica too that must not be
     * read, since its disk was lost or set back. Answered with {@link Reply.Found}.
     *
     * @param queries the keys, each with what is wanted of it
     */
    record Entries(List<Query> queries) implements RepairRequest {}
}
