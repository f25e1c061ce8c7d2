package io.dht4j.simulator.cluster.repair;

import static io.dht4j.simulator.cluster.SimulatedCluster.id;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.CancellationPolicy;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.ReadFanOut;
import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.simulator.cluster.BlockingStore;
import io.dht4j.simulator.cluster.SimulatedCluster;
import io.dht4j.spi.Entry;
import io.dht4j.spi.Store;
import io.dht4j.testkit.network.Fault;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Node 0 coordinates and holds the newest entry; others are behind. */
class ReadRepairTest {

    private static final CallOptions ONE = CallOptions.defaults().withPolicy(1, 3);
    private static final CallOptions TWO = CallOptions.defaults().withPolicy(2, 3);
    private static final CallOptions ALL = CallOptions.defaults().withPolicy(3, 3);

    /** Replicas in the order of the nodes. */
    private static Key key(SimulatedCluster cluster) {
        for (int i = 0; ; i++) {
            Key key = Key.of("key" + i);
            if (cluster.replica(key, 0) == 0 && cluster.replica(key, 1) == 1) {
                return key;
            }
        }
    }

    private static Optional<Entry> held(SimulatedCluster cluster, int node, Key key) {
        return cluster.stores.get(node).get(key);
    }

    /** Writes at node 0 while nodes cannot be reached. */
    private static void putPast(SimulatedCluster cluster, Key key, String value, int... cut) {
        cut(cluster, cut);
        cluster.await(cluster.node(0).put(key, bytes(value), ONE));
        cluster.heal();
    }

    private static void cut(SimulatedCluster cluster, int... nodes) {
        for (int node : nodes) {
            cluster.towardNode(node, Fault.refuse());
        }
    }

    @Test
    void aMonotonicReadBringsTheReplicasThatAnsweredUpToDateBeforeItReplies() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            Key key = key(cluster);
            cluster.await(cluster.node(0).put(key, bytes("old"), ALL));
            putPast(cluster, key, "new", 1, 2);
            for (int node : List.of(1, 2)) {
                cluster.links.get(0).toward(id(node), Fault.delay(Duration.ofMillis(10), Duration.ofMillis(10)));
            }
            Duration before = cluster.env.elapsed();

            assertThat(cluster.await(cluster.node(0).get(key, TWO)).map(Value::text))
                    .contains("new");

            assertThat(cluster.env.elapsed().minus(before)).isEqualTo(Duration.ofMillis(40));
            assertThat(held(cluster, 1, key)).isEqualTo(held(cluster, 0, key));
            assertThat(held(cluster, 2, key))
                    .as("was not asked, and gets it too")
                    .isEqualTo(held(cluster, 0, key));
            cut(cluster, 0);
            assertThat(cluster.await(cluster.node(1).get(key, TWO)).map(Value::text))
                    .as("the next read, by others")
                    .contains("new");
        }
    }

    @Test
    void aReplicaThatHasNothingGetsTheEntryAsItIs() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            Key key = key(cluster);
            cut(cluster, 1, 2);
            cluster.await(cluster.node(0)
                    .put(
                            key,
                            bytes("v"),
                            CallOptions.defaults().withPolicy(1, 3).withTimeToLive(Duration.ofMinutes(5))));
            cluster.heal();

            cluster.await(cluster.node(0).get(key, ALL));

            assertThat(held(cluster, 0, key))
                    .hasValueSatisfying(
                            entry -> assertThat(entry.expiresAtMillis()).isNotEqualTo(Entry.NEVER));
            assertThat(held(cluster, 1, key)).isEqualTo(held(cluster, 0, key));
            assertThat(held(cluster, 2, key)).isEqualTo(held(cluster, 0, key));
        }
    }

    @Test
    void aTombstoneIsRepairedLikeAValue() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            Key key = key(cluster);
            cluster.await(cluster.node(0).put(key, bytes("old"), ALL));
            cut(cluster, 1, 2);
            Version deleted = cluster.await(cluster.node(0).delete(key, ONE));
            cluster.heal();

            assertThat(cluster.await(cluster.node(0).get(key, ALL))).isEmpty();

            assertThat(held(cluster, 1, key)).hasValueSatisfying(entry -> {
                assertThat(entry.isTombstone()).isTrue();
                assertThat(entry.version()).isEqualTo(deleted);
            });
        }
    }

    @Test
    void aLargeValueThatHadToBeFetchedIsRepairedToo() {
        try (SimulatedCluster cluster =
                SimulatedCluster.of(1, 3).options(b -> b.inlineValueBytes(8)).start()) {
            Key key = key(cluster);
            cluster.await(cluster.node(1).put(key, bytes("old"), ALL));
            cluster.towardNode(0, Fault.refuse());
            cluster.towardNode(2, Fault.refuse());
            cluster.await(cluster.node(1).put(key, bytes("new and rather large"), ONE));
            cluster.heal();

            assertThat(cluster.await(cluster.node(0).get(key, TWO)).map(Value::text))
                    .contains("new and rather large");

            assertThat(held(cluster, 0, key)).isEqualTo(held(cluster, 1, key));
        }
    }

    @Test
    void aReadOfOneReplyDoesNotWaitForTheRepair() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3)
                .options(b -> b.readFanOut(ReadFanOut.ALL).cancellation(CancellationPolicy.NEVER))
                .start()) {
            Key key = key(cluster);
            cluster.await(cluster.node(0).put(key, bytes("old"), ALL));
            putPast(cluster, key, "new", 1, 2);
            cluster.towardNode(1, Fault.delay(Duration.ofMillis(50), Duration.ZERO));
            cluster.towardNode(2, Fault.delay(Duration.ofMillis(50), Duration.ZERO));
            Duration before = cluster.env.elapsed();

            assertThat(cluster.await(cluster.node(0).get(key, ONE)).map(Value::text))
                    .contains("new");

            assertThat(cluster.env.elapsed()).isEqualTo(before);
            cluster.env.advance(Duration.ofMillis(200));
            assertThat(held(cluster, 1, key)).isEqualTo(held(cluster, 0, key));
            assertThat(held(cluster, 2, key)).isEqualTo(held(cluster, 0, key));
        }
    }

    @Test
    void aBatchBringsEachReplicaWhatItLacksInOneRequest() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3)
                .stores(i -> BlockingStore.memoryFast())
                .start()) {
            List<Key> keys =
                    IntStream.range(0, 20).mapToObj(i -> Key.of("key" + i)).toList();
            cut(cluster, 1, 2);
            keys.forEach(key -> cluster.await(cluster.node(0).put(key, bytes("new"), ONE)));
            cluster.heal();

            assertThat(cluster.await(cluster.node(0).getAll(keys, ALL))).hasSize(20);

            assertThat(((BlockingStore) cluster.stores.get(1)).applied).containsExactly(20);
            assertThat(((BlockingStore) cluster.stores.get(2)).applied).containsExactly(20);
        }
    }

    @Test
    void aReplicaThatReadsAndTakesNoWritesHoldsNobodyUp() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            Key key = key(cluster);
            cluster.await(cluster.node(0).put(key, bytes("old"), ALL));
            putPast(cluster, key, "new", 1, 2);
            // It answers the read; the entry does not reach it.
            int[] calls = {0};
            cluster.links.get(0).toward(id(1), () -> calls[0]++ == 0 ? Fault.none() : Fault.loseRequest());
            Duration before = cluster.env.elapsed();

            assertThat(cluster.await(cluster.node(0).get(key, TWO)).map(Value::text))
                    .contains("new");

            assertThat(cluster.env.elapsed()).isEqualTo(before);
            assertThat(held(cluster, 2, key)).isEqualTo(held(cluster, 0, key));
        }
    }

    @ParameterizedTest
    @EnumSource
    void theEndOfTheReadDoesNotCancelTheRepairsThatItDidNotNeed(CancellationPolicy cancellation) {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3)
                .options(b -> b.cancellation(cancellation))
                .start()) {
            Key key = key(cluster);
            cluster.await(cluster.node(0).put(key, bytes("old"), ALL));
            putPast(cluster, key, "new", 1, 2);
            cluster.links.get(0).toward(id(2), Fault.delay(Duration.ofMillis(50), Duration.ZERO));

            cluster.await(cluster.node(0).get(key, TWO));
            assertThat(held(cluster, 2, key)).isNotEqualTo(held(cluster, 0, key));
            cluster.env.advance(Duration.ofMillis(100));

            assertThat(held(cluster, 2, key)).isEqualTo(held(cluster, 0, key));
        }
    }

    @Test
    void anEntryThatOtherNodesRefuseFailsTheReadAndSaysWhy() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3)
                .clocks(i -> i == 0 ? Duration.ofMinutes(10) : Duration.ZERO)
                .start()) {
            Key key = key(cluster);
            cluster.await(cluster.node(0).put(key, bytes("from the future"), ONE));

            DhtException failure = cluster.failureOf(cluster.node(0).get(key, TWO));

            assertThat(failure.code()).isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
            assertThat(failure).hasMessageContaining("ahead of this node's clock");
        }
    }

    @Test
    void anAnswerThatComesLateIsRepairedBehindTheReply() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3)
                .options(b -> b.readFanOut(ReadFanOut.ALL).cancellation(CancellationPolicy.NEVER))
                .start()) {
            Key key = key(cluster);
            cluster.await(cluster.node(0).put(key, bytes("old"), ALL));
            putPast(cluster, key, "new", 2);
            cluster.towardNode(2, Fault.delay(Duration.ofMillis(50), Duration.ZERO));

            cluster.await(cluster.node(0).get(key, TWO));
            assertThat(held(cluster, 2, key)).isNotEqualTo(held(cluster, 0, key));
            cluster.env.advance(Duration.ofMillis(200));

            assertThat(held(cluster, 2, key)).isEqualTo(held(cluster, 0, key));
        }
    }

    @Test
    void anAnswerThatComesLateAndIsNewerRepairsThoseBeforeIt() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3)
                .options(b -> b.readFanOut(ReadFanOut.ALL).cancellation(CancellationPolicy.NEVER))
                .start()) {
            Key key = key(cluster);
            cluster.await(cluster.node(0).put(key, bytes("old"), ALL));
            cut(cluster, 0, 1);
            cluster.await(cluster.node(2).put(key, bytes("new"), ONE));
            cluster.heal();
            cluster.towardNode(2, Fault.delay(Duration.ofMillis(50), Duration.ZERO));

            assertThat(cluster.await(cluster.node(0).get(key, TWO)).map(Value::text))
                    .contains("old");
            cluster.env.advance(Duration.ofMillis(200));

            assertThat(held(cluster, 0, key)).isEqualTo(held(cluster, 2, key));
            assertThat(held(cluster, 1, key)).isEqualTo(held(cluster, 2, key));
        }
    }

    @Test
    void whereAReplicaCannotBeBroughtUpToDateAnotherOneTakesItsPlace() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3)
                .stores(i -> BlockingStore.memoryFast())
                .start()) {
            Key key = key(cluster);
            cluster.await(cluster.node(0).put(key, bytes("old"), ALL));
            putPast(cluster, key, "new", 1, 2);
            writesFail(cluster.stores.get(1));

            assertThat(cluster.await(cluster.node(0).get(key, TWO)).map(Value::text))
                    .contains("new");

            assertThat(held(cluster, 2, key)).isEqualTo(held(cluster, 0, key));
        }
    }

    @Test
    void aMonotonicReadFailsWhereTooFewReplicasCanHaveWhatItReturns() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3)
                .stores(i -> BlockingStore.memoryFast())
                .start()) {
            Key key = key(cluster);
            cluster.await(cluster.node(0).put(key, bytes("old"), ALL));
            putPast(cluster, key, "new", 1, 2);
            writesFail(cluster.stores.get(1));
            writesFail(cluster.stores.get(2));

            DhtException failure = cluster.failureOf(cluster.node(0).get(key, TWO));

            assertThat(failure.code()).isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
            assertThat(failure).hasMessageContaining("the newest entry is on too few replicas");
        }
    }

    @ParameterizedTest
    @EnumSource
    void aRepairThatHangsEndsTheReadAtItsDeadline(ReadFanOut fanOut) {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3)
                .options(b -> b.readFanOut(fanOut))
                .stores(i -> BlockingStore.memoryFast())
                .start()) {
            Key key = key(cluster);
            cluster.await(cluster.node(0).put(key, bytes("old"), ALL));
            putPast(cluster, key, "new", 1, 2);
            // The read is answered, what comes after it is lost.
            for (int node : List.of(1, 2)) {
                int reads = node == 1 || fanOut == ReadFanOut.ALL ? 1 : 0;
                int[] calls = {0};
                cluster.links.get(0).toward(id(node), () -> calls[0]++ < reads ? Fault.none() : Fault.loseRequest());
            }
            Duration before = cluster.env.elapsed();

            DhtException failure = cluster.failureOf(cluster.node(0).get(key, TWO.withTimeout(Duration.ofMillis(300))));

            assertThat(cluster.env.elapsed().minus(before)).isEqualTo(Duration.ofMillis(300));
            assertThat(failure.code()).isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
        }
    }

    private static void writesFail(Store store) {
        ((BlockingStore) store).readOnly = true;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
