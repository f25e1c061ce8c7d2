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
        AGREED
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
        return new SimulationOptions(Duration.ofMinutes(2), 300, 6, Mode.STATIC);
    }

    /**
     * Returns these options for a cluster that gets its nodes in another way.
     *
     * @param mode the way
     * @return a copy
     */
    public SimulationOptions with(Mode mode) {
        return new SimulationOptions(time, operations, keys, mode);
    }
}
