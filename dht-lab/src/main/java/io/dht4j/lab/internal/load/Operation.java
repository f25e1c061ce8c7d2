package io.dht4j.lab.internal.load;

/** The operation of a load. */
public enum Operation {
    /** Writes a value under a random key. */
    PUT,
    /** Reads a random key. */
    GET
}
