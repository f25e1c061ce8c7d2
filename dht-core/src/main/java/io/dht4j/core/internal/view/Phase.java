package io.dht4j.core.internal.view;

/**
 * The phase of a slot. It determines the members that must confirm a write before the slot counts, and the member that
 * is read.
 */
public enum Phase {
    /** The slot stays at its owner. */
    STABLE(0),
    /** The heir receives a copy. The slot counts when owner and heir have confirmed, and is read from the owner. */
    COPY(1),
    /** Owner and heir are complete. The slot counts when both have confirmed, and is read from the heir. */
    BOTH(2),
    /** The former owner is dead. The slot counts when the heir has confirmed, and is never read. */
    FILL(3),
    /**
     * A move is undone after {@link #BOTH}. The slot counts when owner and heir have confirmed, and is read from the
     * owner. It lasts until the heir has installed it: an heir that still served reads of {@link #BOTH} would miss
     * writes that were acknowledged without it.
     */
    UNDO(4),
    /**
     * The partition gets one more slot, at the heir. The last slot counts when owner and heir have confirmed, and is
     * read from the owner, which keeps it. When the heir is complete, it owns a slot of its own.
     */
    GROW(5);

    private final int code;

    Phase(int code) {
        this.code = code;
    }

    /** Returns whether owner and heir of a slot in this phase are different members, which both must confirm. */
    public boolean isOfTwo() {
        return this == COPY || this == BOTH || this == UNDO || this == GROW;
    }

    /** Returns the number of the constant in encoded states and commands. */
    public int code() {
        return code;
    }
}
