package io.dht4j.core.internal.membership.state;

/**
 * The agreed lifecycle of a member. Whether a node answers is an observation of its peers, and does not affect the
 * lifecycle.
 */
public enum Lifecycle {
    /** An operator has allowed the name to join. The member has no incarnation yet. */
    ADMITTED(0),
    /** It coordinates and takes slots, and has not yet received its first share. */
    JOINING(1),
    /** It has its share. */
    SERVING(2),
    /** It gives all its slots and takes none. */
    LEAVING(3),
    /** An operator has declared that this incarnation never returns. Its slots are filled on other members. */
    DEAD(4),
    /** It owns no slots, and its incarnation is refused permanently. */
    REMOVED(5);

    private final int code;

    Lifecycle(int code) {
        this.code = code;
    }

    /** Returns the number of the constant in encoded states and commands. */
    public int code() {
        return code;
    }

    /** Returns whether the member takes slots. */
    public boolean takesSlots() {
        return this == JOINING || this == SERVING;
    }

    /** Returns whether the member has joined, and is neither dead nor removed. */
    public boolean isPresent() {
        return takesSlots() || this == LEAVING;
    }

    /** Returns whether rows may name the member. */
    public boolean mayOwn() {
        return isPresent() || this == DEAD;
    }
}
