package io.dht4j.lab.internal.load;

/** The way in which an operation succeeded. */
public enum Outcome {
    /** It wrote or read the value. */
    DONE,
    /** It read an absent key. A load with many of these measures something else than it claims. */
    ABSENT
}
