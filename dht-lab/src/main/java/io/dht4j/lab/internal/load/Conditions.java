package io.dht4j.lab.internal.load;

import java.util.List;

/**
 * The conditions of a run, by which to judge its figures.
 *
 * @param stolenPercent processor time that the hypervisor gave to others, in percent of all; negative if unknown
 * @param gcMillis pauses of the generator's own collector, in milliseconds
 * @param latenessP99Micros 99th percentile of the time from intended to actual begin, in microseconds
 * @param doubts reasons to doubt the figures, for people; empty if there are none
 */
public record Conditions(double stolenPercent, double gcMillis, double latenessP99Micros, List<String> doubts) {

    /** Keeps an unmodifiable copy. */
    public Conditions {
        doubts = List.copyOf(doubts);
    }

    /** Returns whether there are no doubts. */
    public boolean trusted() {
        return doubts.isEmpty();
    }
}
