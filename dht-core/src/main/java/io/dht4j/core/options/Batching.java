package io.dht4j.core.options;

import io.dht4j.Ranges;

/**
 * Natural batching: while frames to a node are in flight, further requests to it are collected for the next frame.
 * There is no timer, so requests to an idle node go immediately. Immutable.
 *
 * @param enabled whether requests are combined at all
 * @param maxEntries the largest number of keys or entries in a frame, 1 to 10,000
 * @param maxBytes the largest number of bytes of keys and values in a frame, 1 KiB to 16 MiB; a larger request has a
 *     frame of its own and does not delay small ones
 * @param maxFrames how many frames of reads, and how many of writes, may be in flight to a node before further requests
 *     are collected, 1 to 1,000; a smaller number makes larger frames
 */
public record Batching(boolean enabled, int maxEntries, int maxBytes, int maxFrames) {

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException if a bound is out of its range
     */
    public Batching {
        Ranges.require("maxEntries", maxEntries, 1, 10_000);
        Ranges.require("maxBytes", maxBytes, 1024, 16 << 20);
        Ranges.require("maxFrames", maxFrames, 1, 1_000);
    }

    /**
     * Returns the default: up to 1,000 entries and 256 KiB in a frame, and 2 frames in flight.
     *
     * @return the default
     */
    public static Batching on() {
        return new Batching(true, 1_000, 256 * 1024, 2);
    }

    /**
     * Returns options under which each request has its own frame.
     *
     * @return disabled batching
     */
    public static Batching off() {
        Batching on = on();
        return new Batching(false, on.maxEntries, on.maxBytes, on.maxFrames);
    }
}
