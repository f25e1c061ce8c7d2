package io.dht4j.store.mvstore;

/** The failures that an acknowledged write survives. */
public enum Durability {
    /**
     * The end of the process, {@code kill -9} included, but not loss of power: the write has been handed to the
     * operating system.
     */
    OS,
    /** Loss of power as well: the write has been forced to the disk, together with those that waited with it. */
    FSYNC
}
