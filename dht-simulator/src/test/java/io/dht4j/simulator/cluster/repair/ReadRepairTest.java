package io.dht4j.simulator.cluster.repair;

import static io.dht4j.simulator.cluster.SimulatedCluster.bytes;
import static io.dht4j.simulator.cluster.SimulatedCluster.id;
import static io.dht4j.simulator.cluster.repair.StaleReplicas.ALL;
import static io.dht4j.simulator.cluster.repair.StaleReplicas.ONE;
import static io.dht4j.simulator.cluster.repair.StaleReplicas.TWO;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CancellationPolicy;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.ReadFanOut;
import io.dht4j.Version;
import io.dht4j.simulator.cluster.BlockingStore;
import io.dht4j.spi.Entry;
import io.dht4j.testkit.network.Fault;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Reads of an entry that some replicas lack, or have an older one of. */
class ReadRepairTest {

    @Test
    void monotonicReadRepairsReplicasBeforeItReplies() {
        try (StaleReplicas cluster = StaleReplicas.start()) {
            cluster.leaveBehind(1, 2);
            for (int node : List.of(1, 2)) {
                cluster.links.get(0).toward(id(node), Fault.delay(Duration.ofMillis(10), Duration.ofMillis(10)));
            }
            Duration before = cluster.env.elapsed();

            assertThat(cluster.read(0, TWO)).contains("new");

            assertThat(cluster.env.elapsed().minus(before)).isEqualTo(Duration.ofMillis(40));
            assertThat(cluster.held(1)).isEqualTo(cluster.held(0));
            assertThat(cluster.held(2)).as("was not asked, and gets it too").isEqualTo(cluster.held(0));
            cluster.cut(0);
            assertThat(cluster.read(1, TWO)).as("the next read, by others").contains("new");
        }
    }

    @Test
    void aReplicaThatHasNothingGetsTheEntryAsItIs() {
        try (StaleReplicas cluster = StaleReplicas.start()) {
            cluster.cut(1, 2);
            cluster.put(0, "v", ONE.withTimeToLive(Duration.ofMinutes(5)));
            cluster.heal();

            cluster.read(0, ALL);

            assertThat(cluster.held(0))
                    .hasValueSatisfying(
                            entry -> assertThat(entry.expiresAtMillis()).isNotEqualTo(Entry.NEVER));
            assertThat(cluster.held(1)).isEqualTo(cluster.held(0));
            assertThat(cluster.held(2)).isEqualTo(cluster.held(0));
        }
    }

    @Test
    void aTombstoneIsRepairedLikeAValue() {
        try (StaleReplicas cluster = StaleReplicas.start()) {
            cluster.put(0, "old", ALL);
            cluster.cut(1, 2);
            Version deleted = cluster.await(cluster.node(0).delete(cluster.key, ONE));
            cluster.heal();

            assertThat(cluster.read(0, ALL)).isEmpty();

            assertThat(cluster.held(1)).hasValueSatisfying(entry -> {
                assertThat(entry.isTombstone()).isTrue();
                assertThat(entry.version()).isEqualTo(deleted);
            });
        }
    }

    @Test
    void aLargeValueThatHadToBeFetchedIsRepairedToo() {
        try (StaleReplicas cluster = StaleReplicas.start(setup -> setup.options(b -> b.inlineValueBytes(8)))) {
            cluster.put(1, "old", ALL);
            cluster.cut(0, 2);
            cluster.put(1, "new and rather large", ONE);
            cluster.heal();

            assertThat(cluster.read(0, TWO)).contains("new and rather large");

            assertThat(cluster.held(0)).isEqualTo(cluster.held(1));
        }
    }

    @Test
    void aReadOfOneReplyDoesNotWaitForTheRepair() {
        try (StaleReplicas cluster = readingFromAll()) {
            cluster.leaveBehind(1, 2);
            cluster.towardNode(1, Fault.delay(Duration.ofMillis(50), Duration.ZERO));
            cluster.towardNode(2, Fault.delay(Duration.ofMillis(50), Duration.ZERO));
            Duration before = cluster.env.elapsed();

            assertThat(cluster.read(0, ONE)).contains("new");

            assertThat(cluster.env.elapsed()).isEqualTo(before);
            cluster.env.advance(Duration.ofMillis(200));
            assertThat(cluster.held(1)).isEqualTo(cluster.held(0));
            assertThat(cluster.held(2)).isEqualTo(cluster.held(0));
        }
    }

    @Test
    void batchRepairsEachReplicaInOneRequest() {
        try (StaleReplicas cluster = overBlockingStores()) {
            List<Key> keys =
                    IntStream.range(0, 20).mapToObj(i -> Key.of("key" + i)).toList();
            cluster.cut(1, 2);
            keys.forEach(key -> cluster.await(cluster.node(0).put(key, bytes("new"), ONE)));
            cluster.heal();

            assertThat(cluster.await(cluster.node(0).getAll(keys, ALL))).hasSize(20);

            assertThat(((BlockingStore) cluster.stores.get(1)).applied).containsExactly(20);
            assertThat(((BlockingStore) cluster.stores.get(2)).applied).containsExactly(20);
        }
    }

    @Test
    void lostRepairDelaysNoRead() {
        try (StaleReplicas cluster = StaleReplicas.start()) {
            cluster.leaveBehind(1, 2);
            // It answers the read; the entry does not reach it.
            int[] calls = {0};
            cluster.links.get(0).toward(id(1), () -> calls[0]++ == 0 ? Fault.none() : Fault.loseRequest());
            Duration before = cluster.env.elapsed();

            assertThat(cluster.read(0, TWO)).contains("new");

            assertThat(cluster.env.elapsed()).isEqualTo(before);
            assertThat(cluster.held(2)).isEqualTo(cluster.held(0));
        }
    }

    @ParameterizedTest
    @EnumSource
    void endOfTheReadDoesNotCancelSurplusRepairs(CancellationPolicy cancellation) {
        try (StaleReplicas cluster = StaleReplicas.start(setup -> setup.options(b -> b.cancellation(cancellation)))) {
            cluster.leaveBehind(1, 2);
            cluster.links.get(0).toward(id(2), Fault.delay(Duration.ofMillis(50), Duration.ZERO));

            cluster.read(0, TWO);
            assertThat(cluster.held(2)).isNotEqualTo(cluster.held(0));
            cluster.env.advance(Duration.ofMillis(100));

            assertThat(cluster.held(2)).isEqualTo(cluster.held(0));
        }
    }

    @Test
    void anEntryThatOtherNodesRefuseFailsTheReadAndSaysWhy() {
        try (StaleReplicas cluster =
                StaleReplicas.start(setup -> setup.clocks(i -> i == 0 ? Duration.ofMinutes(10) : Duration.ZERO))) {
            cluster.put(0, "from the future", ONE);

            DhtException failure = cluster.failureOf(cluster.node(0).get(cluster.key, TWO));

            assertThat(failure.code()).isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
            assertThat(failure).hasMessageContaining("ahead of this node's clock");
        }
    }

    @Test
    void anAnswerThatComesLateIsRepairedBehindTheReply() {
        try (StaleReplicas cluster = readingFromAll()) {
            cluster.leaveBehind(2);
            cluster.towardNode(2, Fault.delay(Duration.ofMillis(50), Duration.ZERO));

            cluster.read(0, TWO);
            assertThat(cluster.held(2)).isNotEqualTo(cluster.held(0));
            cluster.env.advance(Duration.ofMillis(200));

            assertThat(cluster.held(2)).isEqualTo(cluster.held(0));
        }
    }

    @Test
    void anAnswerThatComesLateAndIsNewerRepairsThoseBeforeIt() {
        try (StaleReplicas cluster = readingFromAll()) {
            cluster.put(0, "old", ALL);
            cluster.cut(0, 1);
            cluster.put(2, "new", ONE);
            cluster.heal();
            cluster.towardNode(2, Fault.delay(Duration.ofMillis(50), Duration.ZERO));

            assertThat(cluster.read(0, TWO)).contains("old");
            cluster.env.advance(Duration.ofMillis(200));

            assertThat(cluster.held(0)).isEqualTo(cluster.held(2));
            assertThat(cluster.held(1)).isEqualTo(cluster.held(2));
        }
    }

    @Test
    void readRepairsAnotherReplicaIfOneFails() {
        try (StaleReplicas cluster = overBlockingStores()) {
            cluster.leaveBehind(1, 2);
            cluster.writesFail(1);

            assertThat(cluster.read(0, TWO)).contains("new");

            assertThat(cluster.held(2)).isEqualTo(cluster.held(0));
        }
    }

    @Test
    void monotonicReadFailsWithoutEnoughRepairs() {
        try (StaleReplicas cluster = overBlockingStores()) {
            cluster.leaveBehind(1, 2);
            cluster.writesFail(1);
            cluster.writesFail(2);

            DhtException failure = cluster.failureOf(cluster.node(0).get(cluster.key, TWO));

            assertThat(failure.code()).isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
            assertThat(failure).hasMessageContaining("the newest entry is on too few replicas");
        }
    }

    @ParameterizedTest
    @EnumSource
    void aRepairThatHangsEndsTheReadAtItsDeadline(ReadFanOut fanOut) {
        try (StaleReplicas cluster = StaleReplicas.start(
                setup -> setup.options(b -> b.readFanOut(fanOut)).stores(i -> BlockingStore.memoryFast()))) {
            cluster.leaveBehind(1, 2);
            // The read is answered, what comes after it is lost.
            for (int node : List.of(1, 2)) {
                int reads = node == 1 || fanOut == ReadFanOut.ALL ? 1 : 0;
                int[] calls = {0};
                cluster.links.get(0).toward(id(node), () -> calls[0]++ < reads ? Fault.none() : Fault.loseRequest());
            }
            Duration before = cluster.env.elapsed();

            DhtException failure =
                    cluster.failureOf(cluster.node(0).get(cluster.key, TWO.withTimeout(Duration.ofMillis(300))));

            assertThat(cluster.env.elapsed().minus(before)).isEqualTo(Duration.ofMillis(300));
            assertThat(failure.code()).isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
        }
    }

    private static StaleReplicas readingFromAll() {
        return StaleReplicas.start(
                setup -> setup.options(b -> b.readFanOut(ReadFanOut.ALL).cancellation(CancellationPolicy.NEVER)));
    }

    private static StaleReplicas overBlockingStores() {
        return StaleReplicas.start(setup -> setup.stores(i -> BlockingStore.memoryFast()));
    }
}
