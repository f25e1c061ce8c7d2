package io.dht4j.core.internal.refill;

import java.util.BitSet;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Which partitions of this node must not be read yet, and why. Safe for use by any number of threads; does not block.
 */
public final class PartitionReadBarrier {

    /** Why a partition must not be read. */
    public enum Why {
        /** What was held is gone. */
        LOST("this replica lost what it held and is getting it back from the others; until then it is not read"),

        /** What is held is older than what the others have purged since. */
        SET_BACK("the disk of this replica was set back to before what the others have deleted and purged; until it is"
                + " repaired it is not read"),

        /** Another node says what cannot be, by this node's clock. */
        UNCLEAR("another node says that more was purged of it than can have been by this node's clock; until "
                + "that is clear"
                + " it is not read: check both clocks"),

        /** Nobody has said yet whether what is held is too old. */
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

    /** All of them together; replaced as a whole, never changed. */
    private volatile BitSet partitions = new BitSet();

    private final CompletableFuture<Void> checked = new CompletableFuture<>();

    /** Nothing is missing until something else is {@linkplain #set said}. */
    public PartitionReadBarrier() {}

    /**
     * Says which partitions must not be read for one reason, in place of what was said before.
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
     * The partitions that must not be read for one reason.
     *
     * @param why the reason
     * @return a copy
     */
    public synchronized BitSet of(Why why) {
        BitSet some = reasons.get(why);
        return some == null ? new BitSet() : (BitSet) some.clone();
    }

    /**
     * Whether every partition may be read.
     *
     * @return true when nothing is missing, or no longer
     */
    public boolean isEmpty() {
        return partitions.isEmpty();
    }

    /**
     * Whether a partition must not be read yet.
     *
     * @param partition its number
     * @return true if something may be missing
     */
    public boolean contains(int partition) {
        return partitions.get(partition);
    }

    /**
     * Whether one of several partitions must not be read yet.
     *
     * @param several their numbers
     * @return true if something may be missing
     */
    public boolean containsAny(BitSet several) {
        return partitions.intersects(several);
    }

    /**
     * The first moments of a node: what is {@linkplain Why#UNCHECKED unchecked} is about to be known.
     *
     * @return completes soon after the start, on any thread
     */
    public CompletableFuture<Void> checked() {
        return checked;
    }

    /**
     * Why some partitions must not be read.
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
