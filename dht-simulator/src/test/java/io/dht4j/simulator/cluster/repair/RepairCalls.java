package io.dht4j.simulator.cluster.repair;

import static io.dht4j.simulator.cluster.SimulatedCluster.bytes;

import io.dht4j.CallOptions;
import io.dht4j.Key;
import io.dht4j.RepairStatus;
import io.dht4j.Version;
import io.dht4j.core.options.HintedHandoff;
import io.dht4j.core.options.Repair;
import io.dht4j.simulator.cluster.SimulatedCluster;
import io.dht4j.spi.Entry;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.time.Duration;
import java.util.Set;

/** Calls of tests of repair, in clusters that repair only on request. */
final class RepairCalls {

    static final CallOptions ALL = CallOptions.defaults().withPolicy(3, 3);

    static final CallOptions TWO = CallOptions.defaults().withPolicy(2, 3);

    static final Key KEY = Key.of("key");

    static final long NOW = VirtualEnvironment.START_MILLIS;

    static final Duration LONG_AGO = Repair.on().purgeAfter().multipliedBy(2);

    private RepairCalls() {}

    static SimulatedCluster.Setup setup(int size) {
        return SimulatedCluster.of(1, size)
                .options(builder -> builder.handoff(HintedHandoff.off())
                        .repair(Repair.off())
                        .partitions(16));
    }

    static Entry value(String key, long millis, String text) {
        return Entry.value(Key.of(key), Version.of(millis, 0), bytes(text), Entry.NEVER);
    }

    /** Lets a node repair all that it is a replica of. */
    static RepairStatus repair(SimulatedCluster cluster, int node) {
        long before = status(cluster, node).rounds();
        cluster.await(cluster.node(node).operations().repair(Set.of()));
        cluster.env.runUntil(() -> status(cluster, node).rounds() > before, Duration.ofMinutes(10));
        return status(cluster, node);
    }

    static RepairStatus status(SimulatedCluster cluster, int node) {
        return cluster.node(node)
                .operations()
                .repairStatus()
                .toCompletableFuture()
                .join();
    }
}
