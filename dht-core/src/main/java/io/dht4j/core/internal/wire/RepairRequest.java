package io.dht4j.core.internal.wire;

import io.dht4j.Key;
import io.dht4j.Version;
import java.util.BitSet;
import java.util.List;

/** A request of one replica to another to find differences, and to agree on what may be purged. */
public sealed interface RepairRequest extends Request {

    /**
     * Requests the sums of partitions, or their watermarks.
     *
     * @param partitions the partitions
     * @param detail what is requested of each
     * @param seal with {@link Detail#PARTITIONS}: the version at which the replica seals the partitions; zero for none.
     *     From then on it records whether older entries arrive
     */
    record Sums(BitSet partitions, Detail detail, Version seal) implements RepairRequest {}

    /** The detail that {@link Sums} requests of a partition. */
    enum Detail {
        /** Its sum, including everything applied before, and its purge and fence watermarks. */
        PARTITIONS,
        /** The sums of its buckets, at present. */
        BUCKETS,
        /** Its purge and fence watermarks, at once. */
        REACH
    }

    /**
     * Requests a page of a replica's content in some buckets, in key order.
     *
     * @param start where the page starts
     * @param buckets the buckets
     */
    record Versions(Key start, List<Buckets> buckets) implements RepairRequest {}

    /**
     * Buckets of a partition.
     *
     * @param partition its number
     * @param mask a bit for each selected bucket
     */
    record Buckets(int partition, long mask) {}

    /**
     * Requests to refuse older entries from now on, in partitions in which nothing older has arrived since the seal.
     *
     * @param partitions the partitions in which the sender found all replicas equal
     * @param before the version of the seal
     */
    record Fence(BitSet partitions, Version before) implements RepairRequest {}

    /**
     * Orders a purge. All replicas of these partitions were equal up to a version and refuse what is older, so dead
     * entries that are older may be purged.
     *
     * @param partitions the partitions that all replicas have fenced
     * @param before the version of the fence
     * @param seal zero right after the fence. Otherwise the newer seal of the session that found this outcome of an
     *     earlier session. A replica that has fenced the partition at a newer version lowers its watermark
     */
    record Purge(BitSet partitions, Version before, Version seal) implements RepairRequest {}

    /**
     * Reports the sender's purge watermarks and requests the receiver's. A replica that knows of less than the other
     * one is rolled back.
     *
     * @param from the name of the sender
     * @param partitions partitions of which both nodes are replicas
     * @param purged the highest purge watermark of each that the sender knows of, packed: dead entries older than this
     *     may have been purged
     */
    record Purged(String from, BitSet partitions, List<Long> purged) implements RepairRequest {}

    /**
     * Reads keys for a comparison. Unlike {@link Request.ReadKeys}, it is served also where reads are refused because
     * the replica's disk was lost or rolled back. The reply is {@link Reply.Found}.
     *
     * @param queries the keys, each with what is requested of it
     */
    record Entries(List<Query> queries) implements RepairRequest {}
}
