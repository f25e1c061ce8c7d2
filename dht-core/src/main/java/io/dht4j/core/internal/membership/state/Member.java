package io.dht4j.core.internal.membership.state;

import io.dht4j.NodeId;
import java.util.Optional;
import java.util.UUID;

/**
 * One incarnation of a node. Rows and frames name members by number. A replacement has the name of its predecessor, and
 * another number and incarnation.
 *
 * @param number 1 or more, never used again
 * @param name the node's name, unique among the members that are neither dead nor removed
 * @param lifecycle its state
 * @param incarnation the identity of its data directory, unique for ever; empty until it joins
 * @param attributes empty until it joins and after it was removed
 * @param versionSlot the slot of the versions that it assigns, 0 to {@link #VERSION_SLOTS} - 1, or
 *     {@link #NO_VERSION_SLOT}
 */
public record Member(
        int number,
        NodeId name,
        Lifecycle lifecycle,
        Optional<UUID> incarnation,
        Optional<MemberAttributes> attributes,
        int versionSlot) {

    /** The number of version slots for members with a store. */
    public static final int VERSION_SLOTS = 192;

    /** No version slot: the member has not joined, or its slot was released. */
    public static final int NO_VERSION_SLOT = -1;

    /**
     * Checks that the parts agree.
     *
     * @throws IllegalArgumentException if a number is out of range, or a part does not agree with the lifecycle
     */
    public Member {
        if (number < 1 || number > MemberList.MAX_MEMBERS) {
            throw new IllegalArgumentException(
                    "a member's number is 1 to " + MemberList.MAX_MEMBERS + ", not " + number);
        }
        if (versionSlot < NO_VERSION_SLOT || versionSlot >= VERSION_SLOTS) {
            throw new IllegalArgumentException(
                    "a version slot is " + NO_VERSION_SLOT + " to " + (VERSION_SLOTS - 1) + ", not " + versionSlot);
        }
        boolean joined = lifecycle.mayOwn();
        boolean consistent = switch (lifecycle) {
            case ADMITTED -> incarnation.isEmpty() && versionSlot == NO_VERSION_SLOT;
            case REMOVED -> incarnation.isPresent() || versionSlot == NO_VERSION_SLOT;
            default -> incarnation.isPresent() && versionSlot != NO_VERSION_SLOT;
        };
        if (!consistent || attributes.isPresent() != joined) {
            throw new IllegalArgumentException("member " + number + " is " + lifecycle
                    + ", which contradicts its incarnation, attributes or version slot");
        }
    }

    /** Returns a member that may join. */
    public static Member admitted(int number, NodeId name) {
        return new Member(number, name, Lifecycle.ADMITTED, Optional.empty(), Optional.empty(), NO_VERSION_SLOT);
    }

    /**
     * Returns the attributes of a member that has joined and was not removed.
     *
     * @throws java.util.NoSuchElementException for any other
     */
    public MemberAttributes details() {
        return attributes.orElseThrow();
    }

    /** Returns whether the member has this incarnation. */
    public boolean is(UUID other) {
        return incarnation.isPresent() && incarnation.get().equals(other);
    }

    /** Returns the same member in another state; a removed one has no attributes. */
    public Member as(Lifecycle next) {
        return new Member(
                number,
                name,
                next,
                incarnation,
                next == Lifecycle.REMOVED ? Optional.empty() : attributes,
                versionSlot);
    }

    /** Returns the same member with other attributes. */
    public Member with(MemberAttributes changed) {
        return new Member(number, name, lifecycle, incarnation, Optional.of(changed), versionSlot);
    }

    /** Returns the same member without its version slot. */
    public Member withoutVersionSlot() {
        return new Member(number, name, lifecycle, incarnation, attributes, NO_VERSION_SLOT);
    }

    /** Returns name and number, for people. */
    @Override
    public String toString() {
        return name + " (number " + number + ", " + lifecycle + ")";
    }
}
