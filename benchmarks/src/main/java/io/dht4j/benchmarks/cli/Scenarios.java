package io.dht4j.benchmarks.cli;

import io.dht4j.benchmarks.scenario.Hiccups;
import io.dht4j.benchmarks.scenario.Scenario;
import java.util.List;

/** The scenarios that there are. */
final class Scenarios {

    private Scenarios() {}

    /** All, in the order in which they are listed. */
    static List<Scenario> all() {
        return List.of(new Hiccups());
    }
}
