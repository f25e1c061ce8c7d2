package io.dht4j.core.internal.view;

import io.dht4j.Node;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The replicas of a partition in the agreed table: a slot for each; at most one slot moves. Immutable. */
public final class Row {

    private static final int NONE = -1;

    private final long version;
    private final int width;
    /** The nodes of the slots, in order; those of a pair are neighbours. */
    private final List<Node> nodes;

    private final int movingIndex;
    private final @Nullable ReplicaSlot moving;

    private Row(long version, int width, List<Node> nodes, int movingIndex, @Nullable ReplicaSlot moving) {
        if (version < 1) {
            throw new IllegalArgumentException("the version of a row is 1 or more, not " + version);
        }
        if (width == 0) {
            throw new IllegalArgumentException("a row has at least one replica");
        }
        this.version = version;
        this.width = width;
        this.nodes = List.copyOf(nodes);
        this.movingIndex = movingIndex;
        this.moving = moving;
    }

    /**
     * Returns a row without a moving slot.
     *
     * @param version the epoch at which the row last changed, 1 or more
     * @param nodes the replicas in order, at least one
     * @throws IllegalArgumentException if the version is out of its range, or there is no node
     */
    public static Row stable(long version, List<Node> nodes) {
        return new Row(version, nodes.size(), nodes, NONE, null);
    }

    /**
     * Returns a row of slots.
     *
     * @param version the epoch at which the row last changed, 1 or more
     * @param slots the slots in the order of the replicas, at least one; at most one moves
     * @throws IllegalArgumentException if the version is out of its range, there is no slot, or several move
     */
    public static Row of(long version, List<ReplicaSlot> slots) {
        List<Node> nodes = new ArrayList<>(slots.size() + 1);
        int movingIndex = NONE;
        for (int i = 0; i < slots.size(); i++) {
            ReplicaSlot slot = slots.get(i);
            if (slot.phase() != Phase.STABLE) {
                if (movingIndex != NONE) {
                    throw new IllegalArgumentException("at most one slot of a row moves, unlike in " + slots);
                }
                movingIndex = i;
            }
            nodes.addAll(slot.nodes());
        }
        return new Row(version, slots.size(), nodes, movingIndex, movingIndex == NONE ? null : slots.get(movingIndex));
    }

    /** Returns the epoch at which the row last changed. */
    public long version() {
        return version;
    }

    /** Returns the number of slots. */
    public int width() {
        return width;
    }

    /** Returns all nodes that receive writes, in the order of their slots, the owner before the heir. */
    public List<Node> nodes() {
        return nodes;
    }

    /**
     * Returns the nodes that receive writes of the first slots.
     *
     * @param slots 1 to {@link #width}
     */
    public List<Node> nodes(int slots) {
        int count = moving != null && moving.isPair() && movingIndex < slots ? slots + 1 : slots;
        return count == nodes.size() ? nodes : nodes.subList(0, count);
    }

    /**
     * Returns the slot that moves, if it is one of the first slots.
     *
     * @param slots 1 to {@link #width}
     */
    public Optional<ReplicaSlot> moving(int slots) {
        return movingIndex < slots ? Optional.ofNullable(moving) : Optional.empty();
    }

    /** Returns the slot that moves, if one does. */
    public Optional<ReplicaSlot> moving() {
        return Optional.ofNullable(moving);
    }

    /** Returns whether a slot moves. */
    public boolean isMoving() {
        return moving != null;
    }

    /** Returns all slots in order. */
    public List<ReplicaSlot> slots() {
        List<ReplicaSlot> slots = new ArrayList<>(width);
        int next = 0;
        for (int i = 0; i < width; i++) {
            ReplicaSlot slot = i == movingIndex && moving != null ? moving : ReplicaSlot.stable(nodes.get(next));
            slots.add(slot);
            next += slot.isPair() ? 2 : 1;
        }
        return slots;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Row row && version == row.version && slots().equals(row.slots());
    }

    @Override
    public int hashCode() {
        return Long.hashCode(version) * 31 + nodes.hashCode();
    }

    @Override
    public String toString() {
        return "version " + version + " " + slots();
    }
}
