package io.dht4j.core.internal.view;

import static java.util.Objects.requireNonNull;

import io.dht4j.Node;
import io.dht4j.NodeId;
import java.util.List;
import java.util.Optional;

/**
 * One place in a partition's row, with the nodes that hold it. While it moves, two nodes do.
 *
 * @param phase its phase
 * @param owner the node that owns it: the old one during {@link Phase#COPY}, {@link Phase#BOTH}, {@link Phase#UNDO} and
 *     {@link Phase#GROW}, the heir during {@link Phase#FILL}
 * @param heir the node that takes it over, or that gets the next slot in {@link Phase#GROW}; the owner itself in the
 *     other phases
 */
public record ReplicaSlot(Phase phase, Node owner, Node heir) {

    /**
     * Checks the nodes.
     *
     * @throws IllegalArgumentException if owner and heir are one node in a phase of two, or differ in another
     */
    public ReplicaSlot {
        requireNonNull(phase, "phase");
        if (owner.id().equals(heir.id()) == phase.isOfTwo()) {
            throw new IllegalArgumentException(
                    "a slot in phase " + phase + " cannot have the owner " + owner + " and the heir " + heir);
        }
    }

    /** Returns the slot that a node holds alone, and that does not move. */
    public static ReplicaSlot stable(Node node) {
        return new ReplicaSlot(Phase.STABLE, node, node);
    }

    /** Returns whether two nodes hold it. It has an entry only if both have it. */
    public boolean isPair() {
        return phase.isOfTwo();
    }

    /** Returns the node with the content of the slot; empty if there is none, so that the slot is not read. */
    public Optional<Node> reader() {
        return switch (phase) {
            case STABLE, COPY, UNDO, GROW -> Optional.of(owner);
            case BOTH -> Optional.of(heir);
            case FILL -> Optional.empty();
        };
    }

    /**
     * Returns the nodes that each have all entries that the slot has acknowledged, the owner first; none in
     * {@link Phase#FILL}. Nodes other than the {@linkplain #reader reader} may lack entries that were acknowledged in a
     * newer phase.
     */
    public List<Node> complete() {
        return switch (phase) {
            case STABLE, COPY, GROW -> List.of(owner);
            case BOTH, UNDO -> List.of(owner, heir);
            case FILL -> List.of();
        };
    }

    /** Returns the nodes that receive writes: the owner, and the heir if it is another node. */
    public List<Node> nodes() {
        return isPair() ? List.of(owner, heir) : List.of(owner);
    }

    /** Returns the nodes that receive writes, the {@link #reader} first. */
    public List<Node> readerFirst() {
        return phase == Phase.BOTH ? List.of(heir, owner) : nodes();
    }

    /** Returns the heir while it copies from the owner, and may lack entries of the owner; empty in other phases. */
    public Optional<Node> copyingHeir() {
        return phase == Phase.COPY || phase == Phase.GROW ? Optional.of(heir) : Optional.empty();
    }

    /** Returns whether a member is one of its nodes. */
    public boolean isOf(NodeId member) {
        return member.equals(owner.id()) || member.equals(heir.id());
    }

    /** Returns the phase with its nodes, for example {@code COPY(n1→n4)}. */
    @Override
    public String toString() {
        return phase + "(" + owner.id() + (isPair() ? "→" + heir.id() : "") + ")";
    }
}
