package io.dht4j.benchmarks.scenarios;

import io.dht4j.benchmarks.scenario.Scenario;
import java.util.List;

/** All scenarios. */
public final class Scenarios {

    private Scenarios() {}

    /** Returns all, in the order of the list. */
    public static List<Scenario> all() {
        return List.of(
                new Clients(),
                new Async(),
                new Sharding(),
                new Replication(),
                new Cancellation(),
                new Pools(),
                new DurabilityCost(),
                new OrderingCost(),
                new MembershipCost(),
                new ObservationCost(),
                new Transports(),
                new Peers(),
                new FixedLoad(),
                new Sweep(),
                new Scale(),
                new Ycsb(),
                new Growth(),
                new Start(),
                new Hiccups());
    }
}
