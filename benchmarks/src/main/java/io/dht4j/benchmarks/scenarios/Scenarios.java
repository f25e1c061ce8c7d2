package io.dht4j.benchmarks.scenarios;

import io.dht4j.benchmarks.scenario.Scenario;
import java.util.List;

/** All scenarios. */
public final class Scenarios {

    private Scenarios() {}

    /** Returns all, in the order of the list. */
    public static List<Scenario> all() {
        return List.of(
                Comparisons.clients(),
                CoordinatorComparisons.async(),
                Comparisons.sharding(),
                Comparisons.replication(),
                CoordinatorComparisons.cancellation(),
                CoordinatorComparisons.executors(),
                Comparisons.durability(),
                Comparisons.ordering(),
                PairedComparisons.membership(),
                PairedComparisons.observation(),
                new Transports(),
                new Atomics(),
                new Peers(),
                new FixedLoad(),
                new Sweep(),
                Comparisons.scale(),
                Ycsb.scenario(),
                new Growth(),
                new Start(),
                new Hiccups());
    }
}
