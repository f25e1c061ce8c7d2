package io.dht4j.core.internal.view;

/**
 * One place in a partition's row.
 *
 * @param phase its phase
 * @param owner the member that owns it: the old one during {@link Phase#COPY}, {@link Phase#BOTH}, {@link Phase#UNDO}
 *     and {@link Phase#GROW}, the heir during {@link Phase#FILL}
 * @param heir the member that takes it over, or that gets the next one in {@link Phase#GROW}; the owner itself in the
 *     other phases
 */
public record Slot(Phase phase, int owner, int heir) {

    /** No member. */
    public static final int NOBODY = 0;

    /**
     * Checks the members.
     *
     * @throws IllegalArgumentException if owner and heir are equal in a phase of two members, or differ in another
     */
    public Slot {
        if (owner < 1 || heir < 1 || (owner != heir) != phase.isOfTwo()) {
            throw new IllegalArgumentException(
                    "a slot in phase " + phase + " cannot have the owner " + owner + " and the heir " + heir);
        }
    }

    /** Returns the member that is read, or {@link #NOBODY}. */
    public int reader() {
        return switch (phase) {
            case STABLE, COPY, UNDO, GROW -> owner;
            case BOTH -> heir;
            case FILL -> NOBODY;
        };
    }

    /** Returns whether a member must confirm a write before the slot counts. */
    public boolean needs(int member) {
        return member == owner || member == heir;
    }

    /** Returns the phase with its members, for example {@code COPY(1→4)}. */
    @Override
    public String toString() {
        return phase + "(" + owner + (owner == heir ? ")" : "→" + heir + ")");
    }
}
