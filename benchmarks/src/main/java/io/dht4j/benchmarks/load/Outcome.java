package io.dht4j.benchmarks.load;

/** How an operation succeeded. */
public enum Outcome {
    /** It did what it was meant to: the value is written, or was read. */
    DONE,
    /**
     * It read a key under which there is nothing. A load that reads many of them measures something else than it seems
     * to.
     */
    ABSENT
}
