package io.dht4j.simulator.internal.membership;

import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.view.Epoch;
import io.dht4j.core.internal.view.Slot;
import java.util.List;
import java.util.UUID;

/**
 * Checks that an acknowledged write is in enough slots of its partition, as the disks have it: in as many as its policy
 * demanded, but for slots that have lost their disk and are filled again.
 */
public final class SlotCheck {

    private SlotCheck() {}

    /** The disks of members. */
    public interface Disks {

        /** Returns whether the disk of a member has the write, or an entry that supersedes it. */
        boolean hold(UUID incarnation);

        /** Returns whether the disk of a member was lost. */
        boolean isLost(UUID incarnation);
    }

    /**
     * Checks a write.
     *
     * @param state the newest state
     * @param partition the partition of its key
     * @param ack how many slots have acknowledged it
     * @param from of how many first slots
     * @param disks the disks
     * @return the violation, for people; empty if there is none
     */
    public static String violation(ClusterState state, int partition, int ack, int from, Disks disks) {
        List<Slot> slots = state.row(partition).subList(0, from);
        int held = 0;
        int lost = 0;
        for (Slot slot : slots) {
            if (isLost(state, slot, disks)) {
                lost++;
            } else if (isHeld(state, slot, disks)) {
                held++;
            }
        }
        return held + lost >= ack
                ? ""
                : "is in " + held + " of " + ack + " slots of partition " + partition + ", " + slots + " at "
                        + Epoch.text(state.epoch()) + (lost == 0 ? "" : ", " + lost + " of them lost");
    }

    private static boolean isLost(ClusterState state, Slot slot, Disks disks) {
        return switch (slot.phase()) {
            case FILL -> true;
            case BOTH -> isLost(state, slot.owner(), disks) && isLost(state, slot.heir(), disks);
            case STABLE, COPY, UNDO, GROW -> isLost(state, slot.owner(), disks);
        };
    }

    private static boolean isHeld(ClusterState state, Slot slot, Disks disks) {
        return switch (slot.phase()) {
            case FILL -> false;
            // The owner stays complete, since the move may be undone.
            case BOTH -> isThere(state, slot.owner(), disks) && isThere(state, slot.heir(), disks);
            case STABLE, COPY, UNDO, GROW -> isThere(state, slot.owner(), disks);
        };
    }

    private static boolean isThere(ClusterState state, int member, Disks disks) {
        return isLost(state, member, disks) || disks.hold(incarnation(state, member));
    }

    private static boolean isLost(ClusterState state, int member, Disks disks) {
        return disks.isLost(incarnation(state, member));
    }

    private static UUID incarnation(ClusterState state, int member) {
        return state.members().get(member).incarnation().orElseThrow();
    }
}
