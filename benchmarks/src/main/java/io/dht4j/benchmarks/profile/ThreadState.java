package io.dht4j.benchmarks.profile;

/** The state of a thread, judged by its stack. */
public enum ThreadState {
    /** Runs, or waits for a processor. */
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
     * Returns its name in reports.
     *
     * @return in lower case
     */
    public String label() {
        return label;
    }
}
