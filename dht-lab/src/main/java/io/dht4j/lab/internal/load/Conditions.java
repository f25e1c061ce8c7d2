package io.dht4j.lab.internal.load;

import java.util.List;
import java.util.stream.Stream;

/**
 * The conditions of a run, for the judgement of its figures.
 *
 * @param stolenPercent processor time that the hypervisor gave to others, in percent of all; negative if unknown
 * @param gcMillis pauses of the generator's own collector, in milliseconds
 * @param latenessP99Micros 99th percentile of the time from intended to actual begin, in microseconds
 * @param doubts reasons to doubt every figure, for people; empty if there are none
 * @param latencyDoubts reasons to doubt the latencies, but not the costs of an operation; empty if there are none
 */
public record Conditions(
        double stolenPercent,
        double gcMillis,
        double latenessP99Micros,
        List<String> doubts,
        List<String> latencyDoubts) {

    /** A part of a doubt about latencies that include waits of the load's operations for each other. */
    public static final String FOR_A_CONNECTION = "for a free connection";

    /** Keeps unmodifiable copies. */
    public Conditions {
        doubts = List.copyOf(doubts);
        latencyDoubts = List.copyOf(latencyDoubts);
    }

    /** Returns the reasons to doubt every figure, then those to doubt the latencies. */
    public List<String> allDoubts() {
        return Stream.concat(doubts.stream(), latencyDoubts.stream()).toList();
    }

    /**
     * Returns the reasons to doubt the greatest rate, for which this run is a probe. Waits for a free connection are no
     * such reason: they show that the rate is too high.
     *
     * @return in words; empty if there are none
     */
    public List<String> rateDoubts() {
        return allDoubts().stream()
                .filter(doubt -> !doubt.contains(FOR_A_CONNECTION))
                .toList();
    }

    /** Returns whether there are no doubts. */
    public boolean trusted() {
        return allDoubts().isEmpty();
    }
}
