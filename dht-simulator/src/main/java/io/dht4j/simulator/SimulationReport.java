package io.dht4j.simulator;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * What came of a simulation.
 *
 * @param seed what decided everything
 * @param setup the cluster, in words
 * @param time how much virtual time passed, the healing at the end included
 * @param operations how many calls clients made
 * @param outcomes how many of them ended how: {@code done}, {@code unknown}, {@code failed}; and how often a
 *     {@code snapshot} was read
 * @param faults how many there were of each kind, by name
 * @param violations what broke a promise, in words; empty if nothing did
 * @param fingerprint of everything that happened: equal for runs with one history, for others most likely different
 */
public record SimulationReport(
        long seed,
        String setup,
        Duration time,
        int operations,
        Map<String, Integer> outcomes,
        Map<String, Integer> faults,
        List<String> violations,
        long fingerprint) {

    /** Keeps unmodifiable copies. */
    public SimulationReport {
        outcomes = Map.copyOf(outcomes);
        faults = Map.copyOf(faults);
        violations = List.copyOf(violations);
    }
}
