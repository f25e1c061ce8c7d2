package io.dht4j.simulator;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The result of a simulation.
 *
 * @param seed the seed
 * @param setup the description of the cluster
 * @param time the elapsed virtual time, including the healing at the end
 * @param operations how many calls clients made
 * @param outcomes the number of calls by outcome: {@code done}, {@code unknown}, {@code failed}; and the number of
 *     reads of a {@code snapshot}
 * @param faults the number of faults by kind
 * @param violations descriptions of the violated guarantees; empty if there are none
 * @param fingerprint a digest of the history: equal for runs with one history, for others most likely different
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
