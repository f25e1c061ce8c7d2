package io.dht4j.simulator.cluster;

import static io.dht4j.simulator.cluster.SimulatedCluster.id;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.CallOptions;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.ScanScope;
import io.dht4j.core.FailureDetectors;
import io.dht4j.core.internal.detection.SilenceDetector;
import io.dht4j.core.internal.detection.Suspicion;
import io.dht4j.simulator.observation.FlightEvents;
import io.dht4j.spi.FailureDetector;
import io.dht4j.testkit.network.Fault;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import jdk.jfr.consumer.RecordedEvent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Node 0 reads by two of three replicas: its own and one more. */
class SuspicionTest {

    private static final CallOptions ALL = CallOptions.defaults().withPolicy(3, 3);
    private static final CallOptions TWO = CallOptions.defaults().withPolicy(2, 3);
    private static final Duration PATIENCE = Duration.ofMillis(500);

    /** A key whose second replica, as node 0 reads it, is node 1. */
    private static Key key(SimulatedCluster cluster) {
        Key key = cluster.keyOf(0, 0);
        for (int i = 0; cluster.replica(key, 0) != 0 || cluster.replica(key, 1) != 1; i++) {
            key = Key.of("key" + i);
        }
        return key;
    }

    /** What was sent before is answered then, so that no answer comes late. */
    private static void settle(SimulatedCluster cluster) {
        cluster.env.advance(Duration.ofMillis(100));
    }

    private static Duration timeOfRead(SimulatedCluster cluster, Key key) {
        Duration before = cluster.env.elapsed();
        assertThat(cluster.await(cluster.node(0).get(key, TWO))).isPresent();
        return cluster.env.elapsed().minus(before);
    }

    @Test
    void readWaitsItsPatienceForASilentReplica() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            Key key = key(cluster);
            cluster.await(cluster.node(0).put(key, new byte[1], ALL));
            settle(cluster);
            cluster.links.get(0).toward(id(1), Fault.loseRequest());

            assertThat(timeOfRead(cluster, key)).isBetween(PATIENCE, PATIENCE.plusMillis(300));
            assertThat(timeOfRead(cluster, key)).as("the next one knows better").isZero();
        }
    }

    @Test
    void aReplicaThatAnswersAgainIsAskedAgain() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            Key key = key(cluster);
            cluster.await(cluster.node(0).put(key, new byte[1], ALL));
            settle(cluster);
            cluster.links.get(0).toward(id(1), Fault.loseRequest());
            timeOfRead(cluster, key);

            assertThat(cluster.await(cluster.node(0).operations().status()).suspected())
                    .containsExactly(id(1));

            cluster.heal();
            cluster.env.advance(Duration.ofSeconds(1));
            assertThat(cluster.await(cluster.node(0).operations().status()).suspected())
                    .isEmpty();
            AtomicInteger calls = cluster.countFramesTo(1, Fault.none());
            timeOfRead(cluster, key);

            assertThat(calls).hasValue(1);
        }
    }

    @Test
    void aReplicaThatCannotBeReachedIsAskedLast() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            Key key = key(cluster);
            cluster.await(cluster.node(0).put(key, new byte[1], ALL));
            AtomicInteger calls = cluster.countFramesTo(1, Fault.refuse());
            assertThat(timeOfRead(cluster, key)).isZero();
            int first = calls.get();

            assertThat(first).isPositive();
            assertThat(timeOfRead(cluster, key)).isZero();
            assertThat(calls).as("nobody asked it").hasValue(first);
        }
    }

    @Test
    void aScanAsksOthersTooWhereItCan() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            Key key = key(cluster);
            cluster.await(cluster.node(0).put(key, new byte[1], ALL));
            settle(cluster);
            cluster.links.get(0).toward(id(1), Fault.loseRequest());
            timeOfRead(cluster, key);
            Duration before = cluster.env.elapsed();

            assertThat(cluster.drain(cluster.node(0).scan(KeyRange.all(), ScanScope.CLUSTER, TWO)))
                    .hasSize(1);

            assertThat(cluster.env.elapsed()).isEqualTo(before);
        }
    }

    @Test
    void aSuspectedReplicaIsAskedWhereThereIsNoOther() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            Key key = key(cluster);
            cluster.await(cluster.node(0).put(key, new byte[1], ALL));
            cluster.links.get(0).toward(id(1), Fault.refuse());
            timeOfRead(cluster, key);
            cluster.links.get(0).toward(id(1), Fault.delay(Duration.ofMillis(50), Duration.ZERO));

            assertThat(cluster.await(cluster.node(0).get(key, ALL))).isPresent();
        }
    }

    @Test
    void withoutADetectorAReadWaitsForASilentReplica() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3)
                .options(b -> b.failureDetector(FailureDetectors.none()))
                .start()) {
            Key key = key(cluster);
            cluster.await(cluster.node(0).put(key, new byte[1], ALL));
            settle(cluster);
            cluster.links.get(0).toward(id(1), Fault.loseRequest());

            assertThat(cluster.failureOf(cluster.node(0).get(key, TWO)).code())
                    .isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
        }
    }

    /** A detector one of whose methods throws, or all of them if that is empty, as long as it shall. */
    private static FailureDetector throwing(String method, AtomicBoolean throwing) {
        FailureDetector detector = FailureDetectors.silence(PATIENCE);
        return (FailureDetector) Proxy.newProxyInstance(
                FailureDetector.class.getClassLoader(),
                new Class<?>[] {FailureDetector.class},
                (proxy, called, arguments) -> {
                    if (throwing.get() && (method.isEmpty() || called.getName().equals(method))) {
                        throw method.isEmpty() ? new AssertionError("planted") : new IllegalStateException("planted");
                    }
                    return called.invoke(detector, arguments);
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"sent", "heard", "unreachable", "resumed", "isSuspected", "patience", ""})
    void throwingDetectorBlocksNoCalls(String method) {
        AtomicBoolean throwing = new AtomicBoolean(true);
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3)
                .options((i, b) -> i == 0 ? b.failureDetector(throwing(method, throwing)) : b)
                .start()) {
            Key key = key(cluster);
            cluster.links.get(0).toward(id(1), Fault.refuse());
            cluster.await(cluster.node(0).put(key, new byte[1], TWO));
            timeOfRead(cluster, key);
            cluster.environments.get(0).pause(Duration.ofSeconds(1));
            cluster.env.advance(Duration.ofSeconds(5));
            cluster.heal();
            cluster.env.advance(Duration.ofSeconds(15));
            assertThat(cluster.stores.get(1).get(key)).as("its hint").isPresent();

            throwing.set(false);
            cluster.await(cluster.node(0).put(key, new byte[1], ALL));
            settle(cluster);
            cluster.links.get(0).toward(id(1), Fault.loseRequest());
            timeOfRead(cluster, key);
            // It looks around ten times a second.
            cluster.env.advance(Duration.ofMillis(100));
            assertThat(cluster.await(cluster.node(0).operations().status()).suspected())
                    .containsExactly(id(1));
        }
    }

    @Test
    void pausedNodeSuspectsNoNodeForItsPause() throws IOException {
        VirtualEnvironment world = VirtualEnvironment.seeded(1);
        VirtualEnvironment node = world.newNode();
        NodeId other = id(1);
        Suspicion suspicion = new Suspicion(
                id(0), node, List.of(new Node(other, "host:1", 1)), new SilenceDetector(PATIENCE), pinged -> {});
        suspicion.sent(other, world.nanoTime());
        world.advance(Duration.ofMillis(50));
        node.pause(Duration.ofSeconds(5));
        List<RecordedEvent> pauses =
                FlightEvents.during("io.dht4j.Pause", () -> world.advance(Duration.ofMillis(5_100)));

        assertThat(suspicion.suspects()).isEmpty();
        assertThat(pauses).hasSize(1);
        assertThat(pauses.get(0).getString("node")).isEqualTo(id(0).value());
        assertThat(pauses.get(0).getDuration("took")).isBetween(Duration.ofMillis(4_900), Duration.ofMillis(5_000));
        world.advance(PATIENCE.plusMillis(100));
        assertThat(suspicion.suspects()).containsExactly(other);
    }

    @Test
    void onlySuspectedNodesArePinged() {
        VirtualEnvironment world = VirtualEnvironment.seeded(1);
        List<Node> pinged = new ArrayList<>();
        Node silent = new Node(id(1), "host1:1", 1);
        Node well = new Node(id(2), "host2:1", 1);
        Suspicion suspicion =
                new Suspicion(id(0), world, List.of(silent, well), new SilenceDetector(PATIENCE), pinged::add);
        suspicion.sent(silent.id(), world.nanoTime());
        suspicion.sent(well.id(), world.nanoTime());
        suspicion.heard(well.id(), world.nanoTime());
        world.advance(Duration.ofSeconds(3));

        assertThat(pinged).containsOnly(silent).hasSizeBetween(4, 6);
        suspicion.heard(silent.id(), world.nanoTime());
        pinged.clear();
        world.runUntilIdle();
        assertThat(pinged).isEmpty();
        assertThat(suspicion.suspects()).isEmpty();
    }

    @Test
    void patienceHasBounds() {
        assertThatThrownBy(() -> FailureDetectors.silence(Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("patience")
                .hasMessageContaining("10ms");
    }
}
