package io.dht4j.lab.internal.load;

/** The way in which an operation succeeded. */
public enum Outcome {
    /** It wrote or read the value. */
    DONE,
    /** It read an absent key. A load with many of these does not measure what it claims. */
    ABSENT
}
