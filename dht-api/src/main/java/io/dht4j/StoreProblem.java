package io.dht4j;

import java.time.Instant;

/**
 * A function that a node's store has lost while the node continues with the others.
 *
 * @param kind the lost function
 * @param since when the problem began, by the node's clock
 * @param message the reason, the file and the remedy; one line for people
 */
public record StoreProblem(Kind kind, Instant since, String message) {

    /** The kind of problem. */
    public enum Kind {
        /** The store accepts no writes. Reads continue. */
        WRITES_REFUSED,
        /** Stored data is damaged. Reads of damaged data fail, others continue. */
        DAMAGED_DATA
    }
}
