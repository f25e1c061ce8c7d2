package io.dht4j.simulator.cluster.repair;

import static io.dht4j.simulator.cluster.SimulatedCluster.bytes;
import static io.dht4j.simulator.cluster.SimulatedCluster.content;
import static io.dht4j.simulator.cluster.repair.RepairCalls.ALL;
import static io.dht4j.simulator.cluster.repair.RepairCalls.KEY;
import static io.dht4j.simulator.cluster.repair.RepairCalls.LONG_AGO;
import static io.dht4j.simulator.cluster.repair.RepairCalls.TWO;
import static io.dht4j.simulator.cluster.repair.RepairCalls.repair;
import static io.dht4j.simulator.cluster.repair.RepairCalls.setup;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.Key;
import io.dht4j.RepairStatus;
import io.dht4j.simulator.cluster.SimulatedCluster;
import io.dht4j.spi.Entry;
import io.dht4j.testkit.store.ModelStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tombstones are purged when all replicas have them, and nothing deleted comes back. */
class PurgeTest {

    @Test
    void purgedEntriesStayDeletedAfterADiskRollback() {
        try (SimulatedCluster cluster = setup(3).start()) {
            cluster.await(cluster.node(0).put(KEY, bytes("v"), ALL));
            Entry old = cluster.stores.get(0).get(KEY).orElseThrow();
            cluster.await(cluster.node(0).delete(KEY, ALL));
            repair(cluster, 0);
            assertThat(content(cluster.stores.get(0))).as("too young").hasSize(1);
            cluster.env.advance(LONG_AGO);

            for (int node = 0; node < 3; node++) {
                repair(cluster, node);
            }

            assertThat(List.of(0, 1, 2))
                    .allSatisfy(node ->
                            assertThat(content(cluster.stores.get(node))).isEmpty());
            // A node whose disk was rolled back to before the delete.
            ModelStore before = new ModelStore();
            before.apply(List.of(old));
            cluster.stop(1);
            cluster.startNode(1, before);
            // It repairs itself; others let it.
            repair(cluster, 0);
            cluster.env.advance(Duration.ofMinutes(1));
            assertThat(cluster.await(cluster.node(2).get(KEY, ALL))).isEmpty();
        }
    }

    @Test
    void diskRolledBackBelowItsFenceRevivesNoDeletedValue() {
        try (SimulatedCluster cluster = setup(3).start()) {
            cluster.await(cluster.node(0).put(KEY, bytes("v"), ALL));
            cluster.env.advance(LONG_AGO);
            for (int node = 0; node < 3; node++) {
                repair(cluster, node);
            }
            ModelStore image = new ModelStore();
            image.apply(content(cluster.stores.get(1)));
            image.keepNote("fence", cluster.stores.get(1).note("fence").orElseThrow());
            cluster.await(cluster.node(0).delete(KEY, ALL));
            cluster.env.advance(LONG_AGO);
            for (int node = 0; node < 3; node++) {
                repair(cluster, node);
            }
            assertThat(content(cluster.stores.get(0))).isEmpty();

            cluster.stop(1);
            cluster.startNode(1, image);
            cluster.env.advance(Duration.ofMinutes(1));

            assertThat(cluster.await(
                            cluster.node(1).get(KEY, CallOptions.defaults().withPolicy(1, 1))))
                    .isEmpty();
            assertThat(cluster.await(cluster.node(2).get(KEY, ALL))).isEmpty();
        }
    }

    @Test
    void nothingIsPurgedWhileAReplicaIsAway() {
        try (SimulatedCluster cluster = setup(3).start()) {
            cluster.await(cluster.node(0).put(KEY, bytes("v"), ALL));
            ModelStore kept = new ModelStore();
            kept.apply(content(cluster.stores.get(2)));
            cluster.stop(2);
            cluster.await(cluster.node(0).delete(KEY, TWO));
            cluster.env.advance(LONG_AGO);
            repair(cluster, 0);
            repair(cluster, 1);
            assertThat(content(cluster.stores.get(0))).hasSize(1);

            cluster.startNode(2, kept);
            repair(cluster, 0);
            assertThat(cluster.stores.get(2).get(KEY))
                    .isEqualTo(cluster.stores.get(0).get(KEY));
            for (int node = 0; node < 3; node++) {
                repair(cluster, node);
            }

            assertThat(List.of(0, 1, 2))
                    .allSatisfy(node ->
                            assertThat(content(cluster.stores.get(node))).isEmpty());
        }
    }

    @Test
    void aLiveValueIsNeverPurged() {
        try (SimulatedCluster cluster = setup(3).start()) {
            cluster.await(cluster.node(0).put(KEY, bytes("v"), ALL));
            cluster.await(
                    cluster.node(0).put(Key.of("expiring"), bytes("v"), ALL.withTimeToLive(LONG_AGO.multipliedBy(3))));
            cluster.await(
                    cluster.node(0).put(Key.of("expired"), bytes("v"), ALL.withTimeToLive(Duration.ofSeconds(1))));
            cluster.env.advance(LONG_AGO);
            repair(cluster, 0);
            repair(cluster, 1);
            repair(cluster, 2);

            assertThat(List.of(0, 1, 2))
                    .allSatisfy(node -> assertThat(content(cluster.stores.get(node)))
                            .extracting(Entry::key)
                            .containsExactly(Key.of("expiring"), KEY));
        }
    }

    @Test
    void anInnerClusterOfOneNodePurgesByItself() {
        try (SimulatedCluster cluster = setup(1).start()) {
            CallOptions one = CallOptions.defaults().withPolicy(1, 1);
            cluster.await(cluster.node(0).put(KEY, bytes("v"), one));
            cluster.await(cluster.node(0).delete(KEY, one));
            cluster.env.advance(LONG_AGO);

            RepairStatus status = repair(cluster, 0);

            assertThat(content(cluster.stores.get(0))).isEmpty();
            assertThat(status.purged()).isEqualTo(1);
            assertThat(status.lastError()).isEqualTo(Optional.empty());
        }
    }
}
