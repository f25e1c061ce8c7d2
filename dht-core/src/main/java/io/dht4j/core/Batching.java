package io.dht4j.core;

/**
 * Natural batching: requests to a node that arrive while frames to it are under way go together in the next frame.
 * There is no timer, so an idle node sends at once. Immutable.
 *
 * @param enabled whether requests are put together at all
 * @param maxEntries the most keys or entries in a frame, 1 to 10,000
 * @param maxBytes the most bytes of keys and values in a frame, 1 KiB to 16 MiB; a request that is large by itself goes
 *     in a frame of its own and does not hold up small ones
 * @param maxFrames how many frames of reads, and how many of writes, may be under way to a node before further requests
 *     wait for one another, 1 to 1,000: fewer make larger frames
 */
public record Batching(boolean enabled, int maxEntries, int maxBytes, int maxFrames) {

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException if a bound is out of its range
     */
    public Batching {
        requireRange("maxEntries", maxEntries, 1, 10_000);
        requireRange("maxBytes", maxBytes, 1024, 16 << 20);
        requireRange("maxFrames", maxFrames, 1, 1_000);
    }

    /**
     * On, with up to 1,000 entries and 256 KiB in a frame, and 2 frames under way.
     *
     * @return the default
     */
    public static Batching on() {
        return new Batching(true, 1_000, 256 * 1024, 2);
    }

    /**
     * A frame for each request.
     *
     * @return off
     */
    public static Batching off() {
        Batching on = on();
        return new Batching(false, on.maxEntries, on.maxBytes, on.maxFrames);
    }

    private static void requireRange(String option, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(option + " must be " + min + " to " + max + ", not " + value);
        }
    }
}
