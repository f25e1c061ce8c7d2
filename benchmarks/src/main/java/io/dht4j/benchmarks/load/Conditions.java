package io.dht4j.benchmarks.load;

import java.util.List;

/**
 * What else happened during a run, by which to judge whether its figures can be trusted.
 *
 * @param stolenPercent processor time that the hypervisor gave to others, in percent of all; negative where the system
 *     does not tell
 * @param gcMillis pauses of the generator's own collector, in milliseconds
 * @param latenessP99Micros by how much 99 of 100 operations were begun after their intended time at most, in
 *     microseconds
 * @param doubts why the figures cannot be trusted, in words for people; empty if they can
 */
public record Conditions(double stolenPercent, double gcMillis, double latenessP99Micros, List<String> doubts) {

    /** Keeps an unmodifiable copy. */
    public Conditions {
        doubts = List.copyOf(doubts);
    }

    /** Whether nothing speaks against the figures. */
    public boolean trusted() {
        return doubts.isEmpty();
    }
}
