package io.dht4j.core.internal.wire;

import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.core.internal.placement.PartitionSet;
import java.util.List;

/** A request of one replica to another to find differences, and to agree on purges. */
public sealed interface RepairRequest extends Request {

    /**
     * Returns the partitions that the request names. {@link Entries} names keys instead.
     *
     * @return their numbers, which are not checked
     */
    default PartitionSet partitionsNamed() {
        return PartitionSet.empty();
    }

    /**
     * Requests the sums of partitions, or their watermarks.
     *
     * @param partitions the partitions
     * @param detail the requested detail of each
     * @param seal with {@link Detail#PARTITIONS}: the version at which the replica seals the partitions; zero for none.
     *     From then on it records whether older entries arrive
     */
    record Sums(PartitionSet partitions, Detail detail, Version seal) implements RepairRequest {

        @Override
        public PartitionSet partitionsNamed() {
            return partitions;
        }
    }

    /** The detail that {@link Sums} requests of a partition. */
    enum Detail {
        /** Its sum, including everything applied before, and its purge and fence watermarks. */
        PARTITIONS,
        /** The sums of its buckets, at present. */
        BUCKETS,
        /** Its purge and fence watermarks, at once, and whether it can be copied. */
        WATERMARKS,
        /** The highest ballot that it has promised, for any register. Earlier versions do not know this detail. */
        PROMISES
    }

    /**
     * Requests a page of a replica's content in some buckets, in key order.
     *
     * @param start where the page starts
     * @param buckets the buckets
     */
    record Versions(Key start, List<Buckets> buckets) implements RepairRequest {

        @Override
        public PartitionSet partitionsNamed() {
            return PartitionSet.builder()
                    .addAll(buckets.stream().mapToInt(Buckets::partition))
                    .build();
        }
    }

    /**
     * Buckets of a partition.
     *
     * @param partition its number
     * @param mask a bit for each selected bucket
     */
    record Buckets(int partition, long mask) {}

    /**
     * Requests the participant's vote in the two-phase commit of a purge. It votes yes in partitions without older
     * arrivals since the seal, and refuses older entries from then on. The reply is {@link RepairReply.Vote}.
     *
     * @param partitions the partitions in which the coordinator found all replicas equal
     * @param seal the version of the seal
     */
    record Prepare(PartitionSet partitions, Version seal) implements RepairRequest {

        @Override
        public PartitionSet partitionsNamed() {
            return partitions;
        }
    }

    /**
     * Reports the decision to a participant: transactions up to a version are committed. All replicas of these
     * partitions were equal up to it and refuse older entries, so older dead entries may be purged. The reply is
     * {@link RepairReply.Acknowledged}.
     *
     * @param partitions the partitions in which all participants have voted yes
     * @param outcome the version of the seal that is committed
     * @param seal zero right after the vote. Otherwise the newer seal of the session that found this outcome of an
     *     earlier one: a newer vote of the participant is aborted, and its fence watermark lowered
     */
    record Decision(PartitionSet partitions, Version outcome, Version seal) implements RepairRequest {

        @Override
        public PartitionSet partitionsNamed() {
            return partitions;
        }
    }

    /**
     * Reports the sender's purge watermarks and requests the receiver's. A replica with a lower watermark than the
     * other one is rolled back.
     *
     * @param from the name of the sender
     * @param partitions partitions that both nodes replicate
     * @param purged the highest purge watermark of each that is known to the sender, packed: dead entries older than
     *     this may have been purged
     */
    record Watermarks(String from, PartitionSet partitions, List<Long> purged) implements RepairRequest {

        @Override
        public PartitionSet partitionsNamed() {
            return partitions;
        }
    }

    /**
     * Reads keys for a comparison. Unlike {@link Request.ReadKeys}, it is served also while reads are refused because
     * the replica's disk was lost or rolled back. The reply is {@link Reply.Found}.
     *
     * @param queries the queries of the keys
     */
    record Entries(List<Query> queries) implements RepairRequest {}
}
