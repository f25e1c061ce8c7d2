package io.dht4j.core.internal.refill;

import io.dht4j.core.internal.placement.PartitionSet;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Holds the partitions whose reads this node refuses, with the reasons. Safe for use by any number of threads; does not
 * block.
 */
public final class PartitionReadBarrier {

    /** The reason why reads are refused. */
    public enum Reason {
        /** The content of this replica is lost. */
        LOST("this replica lost its content and is getting it back from the others; until then reads are refused"),

        /**
         * A recovery has discarded changes that this replica has agreed on. Also {@linkplain #ROLLED_BACK rolled back}.
         */
        DIVERGED("this replica has taken part in changes that a recovery has set aside; until it is compared with the "
                + "others reads are refused"),

        /** The content is older than a purge of the others. */
        ROLLED_BACK("the disk of this replica was rolled back to before what the others have deleted and purged; until "
                + "it is repaired reads are refused"),

        /** Another node reports a purge watermark that is impossible by this node's clock. */
        IMPLAUSIBLE("another node reports that more has been purged than is possible by this node's clock; until that "
                + "changes reads are refused: check both clocks"),

        /** The other replicas have not yet reported whether the content is too old. */
        UNCHECKED("this replica has just started and asks the others whether its disk was rolled back; until they "
                + "have answered, for some seconds at most, reads are refused");

        private final String message;

        Reason(String message) {
            this.message = message;
        }
    }

    // Guarded by this.
    private final Map<Reason, PartitionSet> reasons = new EnumMap<>(Reason.class);

    /** The union of all reasons. */
    private volatile PartitionSet partitions = PartitionSet.empty();

    private final CompletableFuture<Void> checked = new CompletableFuture<>();

    /** Creates a barrier that refuses no reads until partitions are {@linkplain #set set}. */
    public PartitionReadBarrier() {}

    /**
     * Sets the partitions that are refused for one reason, in place of the previous ones.
     *
     * @param why the reason
     * @param left their numbers
     */
    public synchronized void set(Reason why, PartitionSet left) {
        reasons.put(why, left);
        PartitionSet.Builder all = PartitionSet.builder();
        reasons.values().forEach(all::addAll);
        partitions = all.build();
    }

    /**
     * Returns the partitions that are refused for one reason.
     *
     * @param why the reason
     * @return their numbers
     */
    public synchronized PartitionSet of(Reason why) {
        return reasons.getOrDefault(why, PartitionSet.empty());
    }

    /**
     * Returns whether every partition may be read.
     *
     * @return true if no partition is refused
     */
    public boolean isEmpty() {
        return partitions.isEmpty();
    }

    /**
     * Returns whether reads of a partition are refused.
     *
     * @param partition its number
     * @return true if entries may be missing
     */
    public boolean contains(int partition) {
        return partitions.contains(partition);
    }

    /**
     * Returns whether reads of one of several partitions are refused.
     *
     * @param several their numbers
     * @return true if entries may be missing
     */
    public boolean containsAny(PartitionSet several) {
        return partitions.intersects(several);
    }

    /**
     * Returns a future on which reads of {@linkplain Reason#UNCHECKED unchecked} partitions wait in the first moments
     * of a node.
     *
     * @return completes soon after the start, on any thread
     */
    public CompletableFuture<Void> checked() {
        return checked;
    }

    /**
     * Describes why reads of some partitions are refused.
     *
     * @param several their numbers; empty for all
     * @return one line for people
     */
    public synchronized String why(PartitionSet several) {
        for (Map.Entry<Reason, PartitionSet> reason : reasons.entrySet()) {
            if (several.isEmpty()
                    ? !reason.getValue().isEmpty()
                    : reason.getValue().intersects(several)) {
                return reason.getKey().message;
            }
        }
        return Reason.LOST.message;
    }
}
