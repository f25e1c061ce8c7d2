package io.dht4j.core.internal.wire;

import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.view.BatchProgress;
import io.dht4j.spi.StoreSpace;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** A reply to a {@link MembershipRequest}. */
@SuppressWarnings("ArrayRecordComponent") // only passed on, never compared
public sealed interface MembershipReply extends Reply {

    /**
     * The reply to {@link MembershipRequest.Found}.
     *
     * @param incarnation the incarnation of the node
     * @param cluster the cluster of the node's state; empty if there is none
     * @param founders the encoded list of founders that the node has stored; empty if there is none
     * @param refusal why the node forms no cluster with the sender, one sentence for people; empty if it does
     */
    record Founder(UUID incarnation, Optional<UUID> cluster, byte[] founders, String refusal)
            implements MembershipReply {}

    /**
     * The reply to {@link MembershipRequest.State}.
     *
     * @param cluster the cluster of the node; empty if it has no state
     * @param epoch the epoch of its state; 0 if it has none
     * @param total the size of the encoded state; 0 if the node has no newer one
     * @param bytes a part of it; empty only if {@code total} is 0
     */
    record StatePart(Optional<UUID> cluster, long epoch, int total, byte[] bytes) implements MembershipReply {}

    /**
     * The reply to {@link MembershipRequest.Append}.
     *
     * @param outcome the outcome of the command
     * @param epoch the epoch of the resulting state, if it was accepted; else 0
     * @param reason why it was not accepted, one sentence for people; else empty
     * @param leader the node that leads if known, with {@link Outcome#NOT_LEADER}
     */
    record Appended(Outcome outcome, long epoch, String reason, Optional<UUID> leader) implements MembershipReply {}

    /**
     * The reply to {@link MembershipRequest.Silence}.
     *
     * @param heardMillis how long ago the member was heard, by this node or another one, in milliseconds;
     *     {@link #UNKNOWN} if unknown
     * @param fails whether the last call of this node to it has failed recently
     * @param incomplete the partitions in which this node's replica is incomplete, although it may own a slot
     */
    record LastHeard(long heardMillis, boolean fails, PartitionSet incomplete) implements MembershipReply {

        /** An unknown time. */
        public static final long UNKNOWN = -1;
    }

    /** The outcome of a command. */
    enum Outcome {
        /** It has taken effect. */
        ACCEPTED(0),
        /** The agreed state refuses it. */
        REFUSED(1),
        /** The agreed state has another epoch than it expects. */
        STALE(2),
        /** It was not appended: this node does not lead. */
        NOT_LEADER(3),
        /** It was not appended, for another reason. */
        NOT_SENT(4),
        /** It may take effect. */
        UNKNOWN(5);

        private final int code;

        Outcome(int code) {
            this.code = code;
        }

        /** Returns its number in frames. */
        public int code() {
            return code;
        }
    }

    /** The part of a message has arrived. */
    record Taken() implements MembershipReply {}

    /**
     * The reply to {@link MembershipRequest.Report}.
     *
     * @param incarnation the incarnation of the node
     * @param epoch the epoch of the state that is durably installed; 0 if there is none
     * @param leads whether the node leads the topology log
     * @param hintBytes the size of the hints that it has not delivered yet, estimated
     * @param openSnapshots the number of snapshots that are open at it
     * @param space the used and free bytes of its store; empty if unknown
     * @param batches the batches whose slots it takes over, at most {@value #MAX_BATCHES}
     * @param waits at most {@value #MAX_WAITS} lines for people: at the leader, the obstacles of further moves and
     *     changes; else the reason why the node takes no part in the agreement although it should
     */
    record Reported(
            UUID incarnation,
            long epoch,
            boolean leads,
            long hintBytes,
            int openSnapshots,
            Optional<StoreSpace> space,
            List<BatchProgress> batches,
            List<String> waits)
            implements MembershipReply {

        /** The maximum number of waits in a report; further ones are left out. */
        public static final int MAX_WAITS = 16;

        /** The maximum number of batches in a report; further ones are left out. */
        public static final int MAX_BATCHES = 64;

        /** Copies the lists. */
        public Reported {
            batches = List.copyOf(batches.subList(0, Math.min(batches.size(), MAX_BATCHES)));
            waits = List.copyOf(waits.subList(0, Math.min(waits.size(), MAX_WAITS)));
        }

        /** Creates a report without space and waits. */
        public Reported(
                UUID incarnation,
                long epoch,
                boolean leads,
                long hintBytes,
                int openSnapshots,
                List<BatchProgress> batches) {
            this(incarnation, epoch, leads, hintBytes, openSnapshots, Optional.empty(), batches, List.of());
        }
    }
}
