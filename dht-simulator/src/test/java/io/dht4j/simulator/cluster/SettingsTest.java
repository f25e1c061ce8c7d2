package io.dht4j.simulator.cluster;

import static io.dht4j.simulator.cluster.SimulatedCluster.id;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.Ordering;
import io.dht4j.Topology;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.HashFunctions;
import io.dht4j.core.Placements;
import io.dht4j.simulator.cluster.SimulatedCluster.Setup;
import io.dht4j.testkit.network.Fault;
import io.dht4j.testkit.store.ModelStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A node whose settings differ from those of the others acknowledges nothing that it alone holds. */
class SettingsTest {

    private static final int WRONG = 2;
    private static final CallOptions ALONE = CallOptions.defaults().withPolicy(1, 1);
    private static final Duration MOMENT = Duration.ofMillis(1_500);

    /** A setting of the last node, and what a refusal says of it. */
    private enum Setting {
        REPLICATION_FACTOR(builder -> builder.replicationFactor(1), "replication factor: 1 at n2, 3 at n0"),
        PARTITIONS(builder -> builder.partitions(64), "partitions: 64 at n2, 1024 at n0"),
        HASH(builder -> builder.hash(HashFunctions.murmur3()), "hash: "),
        PLACEMENT(builder -> builder.placement(Placements.jump()), "placement: "),
        LARGEST_VALUE(builder -> builder.maxValueBytes(1_000), "largest value: 1000 bytes at n2, ");

        private final UnaryOperator<ClusterBuilder> change;
        private final String differs;

        Setting(UnaryOperator<ClusterBuilder> change, String differs) {
            this.change = change;
            this.differs = differs;
        }
    }

    private static Setup differing(UnaryOperator<ClusterBuilder> change) {
        return SimulatedCluster.of(1, 3).options((i, builder) -> i == WRONG ? change.apply(builder) : builder);
    }

    private static List<Key> keys() {
        List<Key> keys = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            keys.add(Key.of("key" + i));
        }
        return keys;
    }

    private static void assertTakesNoWrites(SimulatedCluster cluster, CallOptions options, String differs) {
        for (Key key : keys()) {
            for (var call : List.of(
                    cluster.node(WRONG).put(key, new byte[1], options),
                    cluster.node(WRONG).delete(key, options),
                    cluster.node(WRONG).putAll(Map.of(key, new byte[1]), options))) {
                DhtException failure = cluster.failureOf(call);
                assertThat(failure.code()).isEqualTo(ErrorCode.PLACEMENT_MISMATCH);
                assertThat(failure)
                        .hasMessageContaining("nothing done: this node takes no writes, since n")
                        .hasMessageContaining(differs);
            }
        }
        assertThat(cluster.stores.get(WRONG).entries()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void refusedSettingsStopWritesOfTheirNodeOnly(Setting setting) {
        try (SimulatedCluster cluster = differing(setting.change).start()) {
            assertTakesNoWrites(cluster, CallOptions.defaults(), setting.differs);
            assertTakesNoWrites(cluster, ALONE, setting.differs);
            for (Key key : keys()) {
                cluster.await(cluster.node(0).put(key, new byte[1]));
                cluster.await(cluster.node(1).put(key, new byte[1]));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Ordering.class)
    void oneRefusalIsEnoughWhileTheThirdNodeIsSilent(Ordering ordering) {
        try (SimulatedCluster cluster =
                differing(Setting.REPLICATION_FACTOR.change).start()) {
            cluster.stop(1);
            cluster.towardNode(1, Fault.loseRequest());
            cluster.env.advance(MOMENT);
            assertTakesNoWrites(cluster, CallOptions.defaults().withOrdering(ordering), "replication factor");
        }
    }

    @Test
    void nodeRefusesWritesOnceAPeerRefusesIt() {
        try (SimulatedCluster cluster =
                differing(Setting.REPLICATION_FACTOR.change).start()) {
            cluster.stop(0);
            cluster.stop(1);
            cluster.restartNode(WRONG);
            cluster.env.advance(Duration.ofSeconds(10));
            Key alone = cluster.keyOf(WRONG, 0);
            cluster.await(cluster.node(WRONG).put(alone, new byte[1]));
            cluster.startNode(0, new ModelStore());
            cluster.env.advance(MOMENT);
            assertThat(cluster.failureOf(cluster.node(WRONG).put(alone, new byte[1]))
                            .code())
                    .isEqualTo(ErrorCode.PLACEMENT_MISMATCH);
        }
    }

    @Test
    void nodeTakesWritesAgainWhenTheOthersHaveItsSettings() {
        int[] factors = {3, 3, 1};
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3)
                .options((i, builder) -> builder.replicationFactor(factors[i]))
                .start()) {
            Key key = Key.of("key");
            assertThat(cluster.failureOf(cluster.node(WRONG).put(key, new byte[1]))
                            .code())
                    .isEqualTo(ErrorCode.PLACEMENT_MISMATCH);
            factors[0] = 1;
            cluster.restartNode(0);
            cluster.env.advance(MOMENT);
            cluster.env.advance(MOMENT);
            // Asks the others again. Now two of three have its settings, and the other one has not.
            cluster.node(WRONG).put(key, new byte[1]);
            cluster.env.advance(MOMENT);
            cluster.await(cluster.node(WRONG).put(key, new byte[1]));
            cluster.node(1).put(key, new byte[1]);
            cluster.env.advance(MOMENT);
            assertThat(cluster.failureOf(cluster.node(1).put(key, new byte[1])).code())
                    .isEqualTo(ErrorCode.PLACEMENT_MISMATCH);
            factors[1] = 1;
            cluster.restartNode(1);
            cluster.env.advance(MOMENT);
            for (int i = 0; i < 3; i++) {
                cluster.await(cluster.node(i).put(key, new byte[1]));
                // Asks those again that have refused it.
                cluster.await(cluster.node(i).operations().status());
                cluster.env.advance(MOMENT);
                assertThat(cluster.await(cluster.node(i).operations().status()).disagreeing())
                        .isEmpty();
            }
        }
    }

    @Test
    void nodeThatShutsDownDoesNotSeemToAcceptTheSettings() {
        try (SimulatedCluster cluster =
                differing(Setting.REPLICATION_FACTOR.change).start()) {
            assertTakesNoWrites(cluster, ALONE, "replication factor");
            cluster.stop(0);
            cluster.stop(1);
            cluster.env.advance(Duration.ofMinutes(1));
            assertTakesNoWrites(cluster, ALONE, "replication factor");
        }
    }

    @Test
    void nodeWhoseAddressIsWrongStopsNoWrites() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 5)
                .topologies((i, topology) -> i == 0 ? exchanged(topology) : topology)
                .start()) {
            Key key = cluster.keyOf(0, 0);
            cluster.await(
                    cluster.node(0).put(key, new byte[1], CallOptions.defaults().withPolicy(3, 5)));
            cluster.env.advance(MOMENT);
            cluster.await(cluster.node(0).put(key, new byte[1], ALONE));
            assertThat(cluster.await(cluster.node(0).operations().status()).disagreeing())
                    .containsExactly(id(3), id(4));
        }
    }

    private static Topology exchanged(Topology topology) {
        List<Node> nodes = new ArrayList<>(topology.nodes());
        nodes.set(3, Node.of("n3", topology.nodes().get(4).address()));
        nodes.set(4, Node.of("n4", topology.nodes().get(3).address()));
        return new Topology(topology.epoch(), nodes);
    }
}
