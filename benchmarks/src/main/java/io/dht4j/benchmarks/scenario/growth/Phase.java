package io.dht4j.benchmarks.scenario.growth;

/** The phases of a growth, in their order. */
enum Phase {
    /** Nothing is under way. */
    BEFORE,
    /** The process of the fourth node starts, and no partition moves. */
    JOINING,
    /** Partitions move. */
    MOVES,
    /** The former owners drop what has moved away. */
    DROPS,
    /** Nothing is under way any more. */
    AFTER
}
