package io.dht4j.benchmarks.scenario.growth;

/** The phases of a growth, in their order. */
enum Phase {
    /** No change is running. */
    BEFORE,
    /** The process of the fourth node starts, and no partition moves. */
    JOINING,
    /** Partitions move. */
    MOVES,
    /** The former owners drop the moved entries. */
    DROPS,
    /** All changes have ended. */
    AFTER
}
