package io.dht4j.core.internal.refill;

import java.util.BitSet;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * The partitions of this node of which reads are refused, with the reasons. Safe for use by any number of threads; does
 * not block.
 */
public final class PartitionReadBarrier {

    /** The reason why reads are refused. */
    public enum Why {
        /** The content of this replica is lost. */
        LOST("this replica lost what it held and is getting it back from the others; until then it is not read"),

        /** The content is older than what the others have purged since. */
        SET_BACK("the disk of this replica was set back to before what the others have deleted and purged; until it is"
                + " repaired it is not read"),

        /** Another node reports a purge watermark that is impossible by this node's clock. */
        UNCLEAR("another node says that more was purged of it than can have been by this node's clock; until "
                + "that is clear"
                + " it is not read: check both clocks"),

        /** The other replicas have not yet reported whether the content is too old. */
        UNCHECKED("this replica has just started and asks the others whether its disk was set back; until they "
                + "have answered, for"
                + " some seconds at most, it is not read");

        private final String message;

        Why(String message) {
            this.message = message;
        }
    }

    // Guarded by this; each set is replaced as a whole, never changed.
    private final Map<Why, BitSet> reasons = new EnumMap<>(Why.class);

    /** The union of all reasons; replaced as a whole, never changed. */
    private volatile BitSet partitions = new BitSet();

    private final CompletableFuture<Void> checked = new CompletableFuture<>();

    /** Creates a barrier that refuses nothing until partitions are {@linkplain #set set}. */
    public PartitionReadBarrier() {}

    /**
     * Sets the partitions that are refused for one reason, in place of the previous ones.
     *
     * @param why the reason
     * @param left their numbers
     */
    public synchronized void set(Why why, BitSet left) {
        reasons.put(why, (BitSet) left.clone());
        BitSet all = new BitSet();
        reasons.values().forEach(all::or);
        partitions = all;
    }

    /**
     * Returns the partitions that are refused for one reason.
     *
     * @param why the reason
     * @return a copy
     */
    public synchronized BitSet of(Why why) {
        BitSet some = reasons.get(why);
        return some == null ? new BitSet() : (BitSet) some.clone();
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
     * @return true if something may be missing
     */
    public boolean contains(int partition) {
        return partitions.get(partition);
    }

    /**
     * Returns whether reads of one of several partitions are refused.
     *
     * @param several their numbers
     * @return true if something may be missing
     */
    public boolean containsAny(BitSet several) {
        return partitions.intersects(several);
    }

    /**
     * Returns a future on which reads of {@linkplain Why#UNCHECKED unchecked} partitions wait in the first moments of a
     * node.
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
    public synchronized String why(BitSet several) {
        for (Map.Entry<Why, BitSet> reason : reasons.entrySet()) {
            if (several.isEmpty()
                    ? !reason.getValue().isEmpty()
                    : reason.getValue().intersects(several)) {
                return reason.getKey().message;
            }
        }
        return Why.LOST.message;
    }
}
