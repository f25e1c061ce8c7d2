package io.dht4j.server;

/** Observes the start of a node, and may stop it while it waits for others. */
public interface StartWatch {

    /** Waits without limit, and without reports. */
    StartWatch NONE = new StartWatch() {};

    /**
     * Reports what the start waits for, after five seconds and then every ten.
     *
     * @param what one line for people
     */
    default void waits(String what) {}

    /**
     * Returns whether the start is no longer wanted.
     *
     * @return true to end it
     */
    default boolean isStopAsked() {
        return false;
    }
}
