package io.dht4j.benchmarks.profile;

/** What a thread does at a moment, as its stack tells. */
public enum ThreadState {
    /** Runs, or would if a processor were free. */
    RUNNING("running"),
    /** Wants a lock or monitor that another thread holds. */
    BLOCKED("blocked"),
    /** Waits for work or for a result: parked, or in {@code Object.wait}. */
    WAITING("waiting"),
    /** Waits until a socket is ready. */
    NETWORK("waiting for the network"),
    /** Reads, writes or syncs a file, or waits for a pipe. */
    FILE("in a file or pipe"),
    /** Sleeps for a time. */
    SLEEPING("sleeping");

    private final String label;

    ThreadState(String label) {
        this.label = label;
    }

    /**
     * What reports call it.
     *
     * @return in lower case
     */
    public String label() {
        return label;
    }
}
