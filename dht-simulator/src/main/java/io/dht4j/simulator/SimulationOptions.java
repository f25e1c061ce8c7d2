package io.dht4j.simulator;

import java.time.Duration;

/**
 * The extent of a simulation. The seed determines the sequence of events and the setup of the cluster.
 *
 * @param time the virtual time of calls and faults, more than zero
 * @param operations how many calls clients make in this time, 1 or more
 * @param keys how many keys they share, 1 or more; with few keys, calls conflict
 * @param membership how the cluster gets its nodes
 */
public record SimulationOptions(Duration time, int operations, int keys, Mode membership) {

    /** How a simulated cluster gets its nodes. */
    public enum Mode {
        /** By its configuration. */
        STATIC,
        /** It forms an agreed cluster, whose nodes stay the same. */
        AGREED,
        /** It forms an agreed cluster; then nodes join, leave and are replaced. */
        CHANGING,
        /** As {@link #CHANGING}, and clients count in atomic counters too. */
        ATOMIC;

        /** Returns whether the nodes change. */
        boolean isChanging() {
            return this == CHANGING || this == ATOMIC;
        }
    }

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException if one is out of range
     */
    public SimulationOptions {
        if (time.isZero() || time.isNegative()) {
            throw new IllegalArgumentException("the simulated time must be more than zero, not " + time);
        }
        if (operations < 1 || keys < 1) {
            throw new IllegalArgumentException(
                    "operations and keys must be 1 or more, not " + operations + " and " + keys);
        }
    }

    /**
     * Returns the default: two minutes with 300 calls on 6 keys of a static cluster.
     *
     * @return the options
     */
    public static SimulationOptions defaults() {
        return defaults(Mode.STATIC);
    }

    /**
     * Returns the default for a cluster that gets its nodes in some way. While they change, six minutes with 600 calls
     * on 8 keys: moves are planned a minute after a change.
     *
     * @param mode the way
     * @return the options
     */
    public static SimulationOptions defaults(Mode mode) {
        return mode.isChanging()
                ? new SimulationOptions(Duration.ofMinutes(6), 600, 8, mode)
                : new SimulationOptions(Duration.ofMinutes(2), 300, 6, mode);
    }
}
