package io.dht4j.simulator.cluster.scan;

import static io.dht4j.simulator.cluster.SimulatedCluster.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.KeyValue;
import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.simulator.cluster.SimulatedCluster;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/** Calls of tests of snapshots. */
final class SnapshotCalls {

    static final Duration LEASE = Duration.ofSeconds(30);

    static final CallOptions DEFAULTS = CallOptions.defaults();

    static final CallOptions EVERYWHERE = DEFAULTS.withPolicy(3, 3);

    private SnapshotCalls() {}

    static Version open(SimulatedCluster cluster, int node) {
        return cluster.await(cluster.node(node).openSnapshot(LEASE, DEFAULTS)).version();
    }

    static TreeMap<Key, Value> read(SimulatedCluster cluster, int node, Version snapshot) {
        TreeMap<Key, Value> entries = new TreeMap<>();
        for (KeyValue entry :
                cluster.drain(cluster.node(node).snapshot(snapshot).scan(KeyRange.all(), DEFAULTS))) {
            assertThat(entry.value().version()).isLessThanOrEqualTo(snapshot);
            assertThat(entries.isEmpty() || entries.lastKey().compareTo(entry.key()) < 0)
                    .as("in order")
                    .isTrue();
            entries.put(entry.key(), entry.value());
        }
        return entries;
    }

    static TreeMap<Key, Value> present(SimulatedCluster cluster) {
        TreeMap<Key, Value> entries = new TreeMap<>();
        cluster.drain(cluster.node(0).scan(KeyRange.all())).forEach(entry -> entries.put(entry.key(), entry.value()));
        return entries;
    }

    static void put(SimulatedCluster cluster, int node, String key, String value) {
        cluster.await(cluster.node(node).put(Key.of(key), bytes(value), EVERYWHERE));
    }

    static void fill(SimulatedCluster cluster, int keys) {
        Map<Key, byte[]> values = new TreeMap<>();
        for (int i = 0; i < keys; i++) {
            values.put(Key.of("key%05d".formatted(i)), bytes("before " + i));
        }
        cluster.await(cluster.node(0).putAll(values, EVERYWHERE));
    }

    static DhtException goneFrom(SimulatedCluster cluster, Version snapshot) {
        DhtException failure = cluster.failureOf(cluster.node(0)
                .snapshot(snapshot)
                .scan(KeyRange.all(), DEFAULTS)
                .next());
        assertThat(failure.code()).as(failure.getMessage()).isEqualTo(ErrorCode.SNAPSHOT_GONE);
        return failure;
    }

    static void putToTwo(SimulatedCluster cluster, String key, String value) {
        cluster.await(cluster.node(0).put(Key.of(key), bytes(value), DEFAULTS.withPolicy(2, 3)));
    }
}
