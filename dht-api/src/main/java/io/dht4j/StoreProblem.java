package io.dht4j;

/**
 * A function that a node's store has lost while the node continues with the others.
 *
 * @param kind the lost function
 * @param sinceMillis when the problem began, in milliseconds since 1970, by the node's clock
 * @param message the reason, the file and the remedy; one line for people
 */
public record StoreProblem(Kind kind, long sinceMillis, String message) {

    /** The kind of problem. */
    public enum Kind {
        /** The store accepts no writes. Reads continue. */
        WRITES_REFUSED,
        /** Stored data is damaged. Reads of damaged data fail, others continue. */
        DAMAGED_DATA
    }
}
