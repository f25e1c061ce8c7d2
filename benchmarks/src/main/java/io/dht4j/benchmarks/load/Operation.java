package io.dht4j.benchmarks.load;

/** What a load does. */
public enum Operation {
    /** Writes a value under a key that was chosen at random. */
    PUT,
    /** Reads a key that was chosen at random. */
    GET
}
