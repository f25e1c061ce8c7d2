package io.dht4j.benchmarks.cli;

import io.dht4j.benchmarks.scenario.Async;
import io.dht4j.benchmarks.scenario.Cancellation;
import io.dht4j.benchmarks.scenario.Clients;
import io.dht4j.benchmarks.scenario.DurabilityCost;
import io.dht4j.benchmarks.scenario.Hiccups;
import io.dht4j.benchmarks.scenario.OrderingCost;
import io.dht4j.benchmarks.scenario.Peers;
import io.dht4j.benchmarks.scenario.Pools;
import io.dht4j.benchmarks.scenario.Scale;
import io.dht4j.benchmarks.scenario.Scenario;
import io.dht4j.benchmarks.scenario.Sharding;
import io.dht4j.benchmarks.scenario.Transports;
import java.util.List;

/** All scenarios. */
final class Scenarios {

    private Scenarios() {}

    /** Returns all, in the order of the list. */
    static List<Scenario> all() {
        return List.of(
                new Clients(),
                new Async(),
                new Sharding(),
                new Cancellation(),
                new Pools(),
                new DurabilityCost(),
                new OrderingCost(),
                new Transports(),
                new Peers(),
                new Scale(),
                new Hiccups());
    }
}
