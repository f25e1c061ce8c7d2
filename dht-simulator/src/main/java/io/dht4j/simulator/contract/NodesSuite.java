package io.dht4j.simulator.contract;

import static io.dht4j.simulator.contract.ClusterSuite.scan;
import static io.dht4j.simulator.contract.Results.PATIENCE;
import static io.dht4j.simulator.contract.Results.eventually;
import static io.dht4j.simulator.contract.Results.failure;
import static io.dht4j.simulator.contract.Results.failureOfClosing;
import static io.dht4j.simulator.contract.Results.number;
import static io.dht4j.simulator.contract.Results.result;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Cluster;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.ScanScope;
import io.dht4j.Topology;
import io.dht4j.Value;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.spi.Store;
import io.dht4j.testkit.store.ForwardingStore;
import io.dht4j.testkit.store.ModelStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Nodes that start, restart, have no store or contradict each other. A part of {@link ClusterOverTransportContract}.
 */
interface NodesSuite extends ClusterSuite {

    @Test
    default void aMemberWithoutAStoreReadsAndWrites() {
        try (ThreeNodes nodes = cluster(true);
                Cluster member = ClusterBuilder.withoutStore("member", nodes.topology())
                        .transport(
                                newTransport(Node.of("member", newAddresses(1).get(0))))
                        .start()) {
            Key key = Key.of("k");
            result(member.put(key, number(1), ALL));
            assertThat(result(nodes.get(1).get(key, ALL)).map(Value::bytes)).hasValue(number(1));
            result(nodes.get(2).put(key, number(2), ALL));
            assertThat(result(member.get(key, ALL)).map(Value::bytes)).hasValue(number(2));
            assertThat(scan(member, ScanScope.CLUSTER)).hasSize(1);
            result(member.delete(key, ALL));
            assertThat(result(nodes.get(0).get(key, ALL))).isEmpty();
        }
    }

    @Test
    default void closingInAnActionIsRefusedAtOnce() {
        try (ThreeNodes nodes = cluster(true)) {
            Cluster node = nodes.get(0);
            assertThat(failureOfClosing(node, () -> node.put(Key.of("k"), number(1), ALL)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("node n1 cannot be closed on this thread: it runs an action");
            assertThat(result(node.get(Key.of("k"), ALL)).map(Value::bytes)).hasValue(number(1));
        }
    }

    @Test
    default void aClosedNodeMayBeClosedAgainInAnAction() {
        try (ThreeNodes nodes = cluster(true)) {
            Cluster closed = nodes.get(2);
            closed.close();
            Cluster node = nodes.get(0);
            CompletableFuture<Void> again = new CompletableFuture<>();
            result(node.put(Key.of("k"), number(1), MAJORITY).thenRun(() -> {
                closed.close();
                again.complete(null);
            }));
            assertThat(again).isCompleted();
        }
    }

    /** A store, for example, may own a client. */
    @Test
    default void whatANodeOwnsMayOwnANode() throws InterruptedException {
        try (ThreeNodes nodes = cluster(true)) {
            Store owner = new ForwardingStore(new ModelStore()) {
                @Override
                public void close() {
                    nodes.get(0).close();
                    super.close();
                }
            };
            String address = newAddresses(1).get(0);
            Cluster node = ClusterBuilder.of(new NodeId("owner"), Topology.of(Node.of("owner", address)))
                    .transport(newTransport(Node.of("owner", address)))
                    .store(owner)
                    .start();
            // A thread with calls of the JDK only, as a shutdown hook.
            Thread closing = new Thread(node::close);
            closing.start();
            closing.join(PATIENCE.toMillis());
            assertThat(failure(nodes.get(0).get(Key.of("k"))).code()).isEqualTo(ErrorCode.NOT_SERVING);
        }
    }

    @Test
    default void twoClustersInOneJvmLeaveEachOtherAlone() {
        try (ThreeNodes nodes = cluster(true)) {
            Key key = Key.of("k");
            result(nodes.get(0).put(key, number(1), ALL));
            try (ThreeNodes others = cluster(true)) {
                result(others.get(0).put(key, number(2), ALL));
                assertThat(result(nodes.get(1).get(key, ALL)).map(Value::bytes)).hasValue(number(1));
                assertThat(result(others.get(1).get(key, ALL)).map(Value::bytes))
                        .hasValue(number(2));
            }
            for (int reader = 0; reader < 3; reader++) {
                assertThat(result(nodes.get(reader).get(key, ALL)).map(Value::bytes))
                        .hasValue(number(1));
            }
        }
    }

    @Test
    default void nodesThatPlaceKeysDifferentlyRefuseEachOtherByName() {
        try (ThreeNodes nodes = cluster(true, (name, builder) -> name.equals("n3") ? builder.partitions(8) : builder)) {
            Key key = Key.of("k");
            result(nodes.get(0).put(key, number(1), MAJORITY));
            assertThat(failure(nodes.get(0).put(key, number(2), ALL)))
                    .hasMessageContaining("n3")
                    .hasMessageContaining("partitions: 1024 at n1, 8 at n3");
            assertThat(failure(nodes.get(0).get(key, ALL)))
                    .hasMessageContaining("n3")
                    .hasMessageContaining("partitions: 1024 at n1, 8 at n3");
        }
    }

    @Test
    default void nodesOfWhichOneTakesSmallerValuesOnlyRefuseEachOther() {
        try (ThreeNodes nodes =
                cluster(true, (name, builder) -> name.equals("n3") ? builder.maxValueBytes(100) : builder)) {
            Key key = Key.of("k");
            result(nodes.get(0).put(key, new byte[101], MAJORITY));
            assertThat(failure(nodes.get(0).put(key, new byte[100], ALL)))
                    .hasMessageContaining("largest value: 16777216 bytes at n1, 100 bytes at n3");
        }
    }

    /** The first ping of a node returns the clock of its peer. */
    @Test
    default void nodesGreetEachOtherWhenTheyStart() {
        try (ThreeNodes nodes = cluster(true)) {
            for (int node = 0; node < 3; node++) {
                // The nodes that started earlier are running.
                int greeted = node;
                eventually()
                        .untilAsserted(() -> assertThat(nodes.answered(greeted)).isGreaterThanOrEqualTo(greeted));
            }
        }
    }

    @Test
    @Tag("core")
    default void aNodeNamesItsTransport() {
        try (ThreeNodes nodes = cluster(true)) {
            assertThat(result(nodes.get(0).operations().status()).transport()).isEqualTo(nodes.transportName(0));
        }
    }

    /** Two of three replicas run all the time, so every write succeeds; the third restarts twice. */
    @ParameterizedTest
    @Tag("core")
    @ValueSource(booleans = {false, true})
    default void aNodeThatRestartsLosesNothingThatWasAcknowledged(boolean batching) throws Exception {
        try (ThreeNodes nodes = cluster(batching)) {
            Map<Key, byte[]> acknowledged = new ConcurrentHashMap<>();
            AtomicBoolean enough = new AtomicBoolean();
            ExecutorService writers = Executors.newFixedThreadPool(2);
            List<Future<?>> writing = new ArrayList<>();
            try {
                for (int w = 0; w < 2; w++) {
                    int writer = w;
                    writing.add(writers.submit(() -> write(nodes.get(writer), writer, acknowledged, enough)));
                }
                for (int restart = 0; restart < 2; restart++) {
                    awaitGrowth(acknowledged, writing);
                    nodes.stop(2);
                    awaitGrowth(acknowledged, writing);
                    nodes.start(2);
                    // The restarted node serves its first request.
                    result(nodes.get(0).put(Key.of("restart" + restart), number(restart), ALL));
                }
                awaitGrowth(acknowledged, writing);
            } finally {
                enough.set(true);
                writers.shutdown();
            }
            for (Future<?> each : writing) {
                each.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            }
            for (int reader = 0; reader < 3; reader++) {
                Map<Key, Value> read = result(nodes.get(reader).getAll(acknowledged.keySet(), MAJORITY));
                assertThat(read).hasSameSizeAs(acknowledged);
                read.forEach((key, value) -> assertThat(value.bytes()).isEqualTo(acknowledged.get(key)));
            }
        }
    }

    private static void write(Cluster node, int writer, Map<Key, byte[]> acknowledged, AtomicBoolean enough) {
        // Bounded in case the test has failed elsewhere; two writers stay below the largest batch.
        for (int i = 0; i < 4_500 && !enough.get(); i++) {
            Key key = Key.of("w" + writer + "-" + i);
            result(node.put(key, number(i), MAJORITY));
            acknowledged.put(key, number(i));
        }
    }

    /** Waits until more writes have been acknowledged. */
    private static void awaitGrowth(Map<Key, byte[]> acknowledged, List<Future<?>> writing) {
        int before = acknowledged.size();
        eventually()
                .until(() ->
                        acknowledged.size() >= before + 50 || writing.stream().anyMatch(Future::isDone));
    }
}
