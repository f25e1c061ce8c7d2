package io.dht4j.simulator;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.KeyValue;
import io.dht4j.Node;
import io.dht4j.Scan;
import io.dht4j.ScanScope;
import io.dht4j.Topology;
import io.dht4j.Value;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.testkit.network.LoopbackNetwork;
import io.dht4j.testkit.store.ModelStore;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** Restores a snapshot into an empty cluster of another size, and checks that it shows the same values. */
final class Restoration {

    private static final Duration BOUND = Simulator.TIMEOUT.multipliedBy(2);

    private final VirtualEnvironment world;
    private final List<VirtualEnvironment> environments = new ArrayList<>();
    private final List<Cluster> nodes = new ArrayList<>();

    private Restoration(VirtualEnvironment world, int size) {
        this.world = world;
        LoopbackNetwork network = LoopbackNetwork.on(world);
        Topology topology = Topology.of(IntStream.range(0, size)
                .mapToObj(i -> Node.of("r" + i, "restored" + i + ":1"))
                .toArray(Node[]::new));
        for (Node node : topology.nodes()) {
            VirtualEnvironment environment = world.newNode();
            environments.add(environment);
            nodes.add(ClusterBuilder.of(node.id(), topology)
                    .transport(network.transport(node.address()))
                    .store(new ModelStore())
                    .environment(environment)
                    .timeout(Simulator.TIMEOUT)
                    .partitions(16)
                    .drainTimeout(Duration.ZERO)
                    .start());
        }
    }

    /**
     * Restores a snapshot.
     *
     * @param size how many nodes the new cluster has
     * @param shown the content of the snapshot
     * @throws AssertionError if the new cluster shows other values
     */
    static void check(VirtualEnvironment world, int size, Map<Key, Value> shown) {
        Restoration restoration = new Restoration(world, size);
        try {
            restoration.restore(shown);
        } finally {
            restoration.nodes.forEach(Cluster::close);
            restoration.environments.forEach(VirtualEnvironment::close);
        }
    }

    private void restore(Map<Key, Value> shown) {
        shown.forEach((key, value) -> {
            Instant now = Instant.ofEpochMilli(environments.get(0).currentTimeMillis());
            Optional<Instant> expiry = value.expiresAt();
            if (expiry.isEmpty() || expiry.get().isAfter(now)) {
                CallOptions options = expiry.isEmpty()
                        ? CallOptions.defaults()
                        : CallOptions.defaults().withTimeToLive(Duration.between(now, expiry.get()));
                world.await(nodes.get(0).put(key, value.bytes(), options), BOUND);
            }
        });
        Cluster last = nodes.get(nodes.size() - 1);
        Map<Key, Value> restored = new TreeMap<>();
        Scan scan = last.scan(KeyRange.all(), ScanScope.CLUSTER, CallOptions.defaults());
        for (List<KeyValue> page = world.await(scan.next(), BOUND); !page.isEmpty(); ) {
            page.forEach(entry -> restored.put(entry.key(), entry.value()));
            page = world.await(scan.next(), BOUND);
        }
        long now = world.currentTimeMillis();
        Map<Key, Value> wanted = new TreeMap<>(shown);
        wanted.values().removeIf(value -> hasExpired(value, now));
        boolean same = wanted.keySet().equals(restored.keySet())
                && wanted.entrySet().stream()
                        .allMatch(each -> Optional.ofNullable(restored.get(each.getKey()))
                                .filter(other -> isSame(each.getValue(), other))
                                .isPresent());
        if (!same) {
            throw new AssertionError("a snapshot of " + wanted + " was restored as " + restored);
        }
    }

    private static boolean hasExpired(Value value, long now) {
        return value.expiresAt().filter(at -> at.toEpochMilli() <= now).isPresent();
    }

    /** Compares all but the versions, which are new. */
    private static boolean isSame(Value one, Value other) {
        return Arrays.equals(one.bytes(), other.bytes()) && one.expiresAt().equals(other.expiresAt());
    }
}
