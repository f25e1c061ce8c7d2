package io.dht4j;

/**
 * Something that a node's store cannot do, though the node goes on with the rest.
 *
 * @param kind what it cannot do
 * @param sinceMillis since when, in milliseconds since 1970, by the node's clock
 * @param message why, with the file, and what helps; one line for people
 */
public record StoreProblem(Kind kind, long sinceMillis, String message) {

    /** What does not work. */
    public enum Kind {
        /** No write is taken, and none acknowledged. Reads go on. */
        WRITES_REFUSED,
        /** Something was found that is not as it was written. Reads that meet it fail, the others go on. */
        DAMAGED_DATA
    }
}
