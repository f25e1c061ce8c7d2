package io.dht4j.testkit.cluster;

import static io.dht4j.testkit.cluster.SimulatedCluster.id;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.KeyValue;
import io.dht4j.RefillStatus;
import io.dht4j.ScanScope;
import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.core.HintedHandoff;
import io.dht4j.core.Repair;
import io.dht4j.spi.Entry;
import io.dht4j.spi.EntryCursor;
import io.dht4j.spi.RefillMarker;
import io.dht4j.spi.Store;
import io.dht4j.testkit.Fault;
import io.dht4j.testkit.ForwardingStore;
import io.dht4j.testkit.ModelStore;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Node 1 starts with an older copy of its disk, from before others forgot what had been deleted. Rounds happen only when they are asked for, unless a node must repair itself. */
class SetBackTest {

    private static final CallOptions OWN = CallOptions.defaults().withPolicy(1, 3);
    private static final CallOptions QUORUM = CallOptions.defaults().withPolicy(2, 3);
    private static final CallOptions ALL = CallOptions.defaults().withPolicy(3, 3);
    private static final Key DELETED = Key.of("deleted");
    private static final Duration LONG_AGO = Repair.on().purgeAfter().multipliedBy(2);
    private static final Duration LONG = Duration.ofMinutes(2);
    private static final int BACK = 1;

    private boolean withoutLast;
    private boolean rebuilt;
    private int mostBytes = 1 << 20;
    private Duration interval = Duration.ZERO;
    private boolean cutOff;
    private int lonely = BACK;
    private SimulatedCluster started;

    private SimulatedCluster start() {
        started = SimulatedCluster.of(1, 3)
                .options((node, builder) -> {
                    builder.handoff(HintedHandoff.off())
                            .repair(
                                    interval.isZero()
                                            ? Repair.off()
                                            : Repair.on().withInterval(interval))
                            .maxValueBytes(mostBytes)
                            .partitions(16);
                    if (cutOff && node == lonely) {
                        for (int other = 0; other < 3; other++) {
                            if (other != lonely) {
                                started.links.get(lonely).toward(id(other), Fault.refuse());
                            }
                        }
                    }
                    if (rebuilt && node == 2) {
                        return builder.refill(RefillMarker.everything());
                    }
                    return withoutLast && node == BACK ? builder.refill(RefillMarker.none(), id(2)) : builder;
                })
                .start();
        return started;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static void put(SimulatedCluster cluster, String key, String value, CallOptions options) {
        cluster.await(cluster.node(0).put(Key.of(key), bytes(value), options));
    }

    private static List<Entry> content(Store store) {
        List<Entry> content = new ArrayList<>();
        try (EntryCursor cursor = store.scan(KeyRange.all())) {
            cursor.forEachRemaining(content::add);
        }
        return content;
    }

    /** All nodes repair all they have, so that what is long dead is gone. */
    private static void repairAll(SimulatedCluster cluster) {
        for (int i = 0; i < cluster.nodes.size(); i++) {
            int node = i;
            long before = rounds(cluster, node);
            cluster.await(cluster.node(node).repair(Set.of()));
            cluster.env.runUntil(() -> rounds(cluster, node) > before, Duration.ofMinutes(10));
        }
    }

    private static long rounds(SimulatedCluster cluster, int node) {
        return cluster.node(node).repairStatus().toCompletableFuture().join().rounds();
    }

    /** Deletes what was there, and lets all forget it. */
    private static void deleteAndForget(SimulatedCluster cluster) {
        cluster.await(cluster.node(0).delete(DELETED, ALL));
        cluster.env.advance(LONG_AGO);
        repairAll(cluster);
        for (Store store : cluster.stores) {
            assertThat(store.get(DELETED)).isEmpty();
        }
    }

    private static RefillStatus refill(SimulatedCluster cluster, int node) {
        return cluster.await(cluster.node(node).status()).refill();
    }

    /** What a node says to those who want to read what it holds itself. */
    private static String whyClosed(SimulatedCluster cluster, int node) {
        return String.valueOf(cluster.failureOf(cluster.node(node)
                        .scan(KeyRange.all(), ScanScope.NODE, CallOptions.defaults())
                        .next())
                .getMessage());
    }

    private static void setBack(SimulatedCluster cluster, int node, Store image) {
        cluster.stop(node);
        cluster.startNode(node, image);
    }

    private static void awaitRefilled(SimulatedCluster cluster, int node) {
        for (int i = 0; i < LONG.toSeconds() && refill(cluster, node).partitions() > 0; i++) {
            cluster.env.advance(Duration.ofSeconds(1));
        }
        assertThat(refill(cluster, node).partitions()).isZero();
    }

    /** What each coordinator shows of a key, whatever it says otherwise. */
    private static void assertNobodyShows(SimulatedCluster cluster, Key key) {
        for (int node = 0; node < cluster.nodes.size(); node++) {
            for (int from = 1; from <= 3; from++) {
                for (int ack = 1; ack <= from; ack++) {
                    CallOptions options = CallOptions.defaults().withPolicy(ack, from);
                    try {
                        assertThat(cluster.await(cluster.node(node).get(key, options)))
                                .as("at n%s with %s/%s", node, ack, from)
                                .isEmpty();
                    } catch (DhtException refused) {
                        assertThat(refused.code()).isIn(ErrorCode.NOT_ENOUGH_REPLICAS, ErrorCode.NOT_SERVING);
                    }
                }
            }
            try {
                assertThat(cluster.drain(cluster.node(node).scan(KeyRange.all(), ScanScope.NODE, OWN)))
                        .extracting(KeyValue::key)
                        .doesNotContain(key);
            } catch (DhtException refused) {
                assertThat(refused.code()).isIn(ErrorCode.NOT_ENOUGH_REPLICAS, ErrorCode.NOT_SERVING);
            }
        }
    }

    /** Nobody shows a key, from now until the node has been refilled. */
    private static void assertNeverShownUntilRefilled(SimulatedCluster cluster, Key key, int node) {
        assertNobodyShows(cluster, key);
        for (int i = 0; i < 200; i++) {
            cluster.env.advance(Duration.ofMillis(20));
            assertNobodyShows(cluster, key);
        }
        awaitRefilled(cluster, node);
        assertNobodyShows(cluster, key);
    }

    private static void assertAllEqual(SimulatedCluster cluster) {
        // What was buried goes when it is old enough.
        cluster.env.advance(LONG_AGO);
        repairAll(cluster);
        repairAll(cluster);
        for (Store store : cluster.stores) {
            assertThat(content(store)).isEqualTo(content(cluster.stores.get(0)));
        }
    }

    private static Optional<String> read(SimulatedCluster cluster, int node, String key, CallOptions options) {
        return cluster.await(cluster.node(node).get(Key.of(key), options)).map(Value::text);
    }

    @Test
    void whatWasDeletedAndForgottenIsNeverShownByANodeThatWasSetBack() {
        try (SimulatedCluster cluster = start()) {
            put(cluster, "deleted", "v", ALL);
            put(cluster, "kept", "v", ALL);
            put(cluster, "changed", "old", ALL);
            ModelStore image = cluster.image(BACK);
            put(cluster, "changed", "new", ALL);
            put(cluster, "added", "v", ALL);
            deleteAndForget(cluster);

            setBack(cluster, BACK, image);

            assertNeverShownUntilRefilled(cluster, DELETED, BACK);
            for (int node = 0; node < 3; node++) {
                assertThat(read(cluster, node, "kept", ALL)).contains("v");
                assertThat(read(cluster, node, "changed", OWN)).contains("new");
                assertThat(read(cluster, node, "added", OWN)).contains("v");
            }
            assertThat(cluster.stores.get(BACK).get(Key.of("added"))).isPresent();
            assertAllEqual(cluster);
            assertThat(cluster.stores.get(BACK).get(DELETED)).isEmpty();
        }
    }

    @Test
    void aDiskThatWasSetBackBehindItsOwnFenceIsNoticedToo() {
        try (SimulatedCluster cluster = start()) {
            put(cluster, "deleted", "v", ALL);
            cluster.env.advance(LONG_AGO);
            repairAll(cluster);
            ModelStore image = cluster.image(BACK);
            deleteAndForget(cluster);

            setBack(cluster, BACK, image);

            assertNeverShownUntilRefilled(cluster, DELETED, BACK);
            assertAllEqual(cluster);
        }
    }

    @Test
    void itTakesWritesMeanwhileAndTheyStay() {
        try (SimulatedCluster cluster = start()) {
            put(cluster, "deleted", "v", ALL);
            ModelStore image = cluster.image(BACK);
            deleteAndForget(cluster);
            setBack(cluster, BACK, image);
            cluster.links.get(BACK).toward(id(2), Fault.refuse());
            cluster.env.advance(LONG);
            assertThat(refill(cluster, BACK).partitions()).isEqualTo(16);
            assertThat(refill(cluster, BACK).waitsFor()).containsExactly(id(2));

            cluster.await(cluster.node(BACK).put(Key.of("written"), bytes("v"), QUORUM));
            cluster.heal();
            awaitRefilled(cluster, BACK);

            assertThat(cluster.stores.get(BACK).get(Key.of("written"))).isPresent();
            assertThat(read(cluster, BACK, "written", OWN)).contains("v");
            assertNobodyShows(cluster, DELETED);
        }
    }

    @Test
    void anOrdinaryRestartOfOneNodeServesAtOnceAndRefillsNothing() {
        try (SimulatedCluster cluster = start()) {
            put(cluster, "deleted", "v", ALL);
            put(cluster, "kept", "v", ALL);
            deleteAndForget(cluster);

            cluster.restartNode(BACK);
            assertThat(read(cluster, BACK, "kept", QUORUM)).contains("v");
            cluster.env.advance(Duration.ofMillis(50));

            assertThat(refill(cluster, BACK)).isEqualTo(RefillStatus.NONE);
            cluster.towardNode(0, Fault.refuse());
            cluster.towardNode(2, Fault.refuse());
            assertThat(read(cluster, BACK, "kept", OWN)).contains("v");
            cluster.env.advance(LONG);
            assertThat(refill(cluster, BACK)).isEqualTo(RefillStatus.NONE);
            assertThat(rounds(cluster, BACK)).isZero();
        }
    }

    @Test
    void anOrdinaryRestartServesAtOnceTooWhenAnotherNodeIsGone() {
        try (SimulatedCluster cluster = start()) {
            put(cluster, "deleted", "v", ALL);
            put(cluster, "kept", "v", ALL);
            deleteAndForget(cluster);
            cluster.stop(2);

            cluster.restartNode(BACK);

            assertThat(read(cluster, BACK, "kept", QUORUM)).contains("v");
            assertThat(read(cluster, 0, "kept", QUORUM)).contains("v");
            assertThat(refill(cluster, BACK)).isEqualTo(RefillStatus.NONE);
            cluster.startNode(2, new ModelStore());
        }
    }

    @Test
    void anOrdinaryRestartOfAllNodesServesAtOnceAndRefillsNothing() {
        try (SimulatedCluster cluster = start()) {
            put(cluster, "deleted", "v", ALL);
            put(cluster, "kept", "v", ALL);
            deleteAndForget(cluster);
            List<ModelStore> images = List.of(cluster.image(0), cluster.image(1), cluster.image(2));

            for (int node = 0; node < 3; node++) {
                cluster.stop(node);
            }
            for (int node = 0; node < 3; node++) {
                cluster.startNode(node, images.get(node));
            }
            // Nobody waits until somebody asks again: who starts later tells those who have started.
            cluster.env.advance(Duration.ofMillis(50));

            for (int node = 0; node < 3; node++) {
                assertThat(read(cluster, node, "kept", ALL)).contains("v");
                assertThat(refill(cluster, node)).isEqualTo(RefillStatus.NONE);
            }
            cluster.env.advance(LONG);
            for (int node = 0; node < 3; node++) {
                assertThat(refill(cluster, node)).isEqualTo(RefillStatus.NONE);
                assertThat(rounds(cluster, node)).isZero();
            }
        }
    }

    @Test
    void aNodeThatIsAloneServesAfterAWhileAndIsClosedWhenItLearnsThatItWasSetBack() {
        try (SimulatedCluster cluster = start()) {
            put(cluster, "deleted", "v", ALL);
            put(cluster, "kept", "v", ALL);
            ModelStore image = cluster.image(BACK);
            deleteAndForget(cluster);
            List<ModelStore> others = List.of(cluster.image(0), cluster.image(2));
            cluster.stop(0);
            cluster.stop(2);
            setBack(cluster, BACK, image);

            assertThat(whyClosed(cluster, BACK)).contains("just started");
            cluster.env.advance(Duration.ofSeconds(6));
            // Nobody is there who could know better.
            assertThat(read(cluster, BACK, "kept", OWN)).contains("v");
            assertThat(read(cluster, BACK, "deleted", OWN)).contains("v");

            cluster.startNode(0, others.get(0));
            cluster.env.advance(Duration.ofMillis(50));
            assertNobodyShows(cluster, DELETED);
            cluster.env.advance(LONG);
            assertThat(refill(cluster, BACK).partitions()).isPositive();
            cluster.startNode(2, others.get(1));
            assertNeverShownUntilRefilled(cluster, DELETED, BACK);
            assertAllEqual(cluster);
        }
    }

    @Test
    void whatItKnowsOfItselfOutlivesARestart() {
        try (SimulatedCluster cluster = start()) {
            put(cluster, "deleted", "v", ALL);
            put(cluster, "kept", "v", ALL);
            ModelStore image = cluster.image(BACK);
            deleteAndForget(cluster);
            cluster.towardNode(2, Fault.refuse());
            setBack(cluster, BACK, image);
            cluster.links.get(BACK).toward(id(2), Fault.refuse());
            cluster.env.advance(LONG);

            cutOff = true;
            cluster.towardNode(BACK, Fault.refuse());
            cluster.restartNode(BACK);
            cluster.env.advance(LONG);

            assertThat(whyClosed(cluster, BACK)).contains("was set back");
            cluster.heal();
            cutOff = false;
            awaitRefilled(cluster, BACK);
            assertNobodyShows(cluster, DELETED);
            cluster.restartNode(BACK);
            cluster.env.advance(Duration.ofMillis(50));
            assertThat(refill(cluster, BACK)).isEqualTo(RefillStatus.NONE);
        }
    }

    @Test
    void twoThatWereSetBackDoNotWaitForEachOtherNorLearnFromEachOtherWhatIsGone() {
        try (SimulatedCluster cluster = start()) {
            put(cluster, "deleted", "v", ALL);
            ModelStore first = cluster.image(1);
            put(cluster, "deleted too", "v", ALL);
            ModelStore second = cluster.image(2);
            cluster.await(cluster.node(0).delete(Key.of("deleted too"), ALL));
            deleteAndForget(cluster);

            cluster.stop(1);
            cluster.stop(2);
            cluster.startNode(1, first);
            cluster.startNode(2, second);
            cluster.env.advance(Duration.ofMillis(50));
            assertThat(refill(cluster, 1).partitions()).isEqualTo(16);
            assertThat(refill(cluster, 2).partitions()).isEqualTo(16);
            cluster.links.get(1).toward(id(0), Fault.refuse());
            cluster.await(cluster.node(1).put(Key.of("written"), bytes("v"), QUORUM));
            cluster.heal();

            assertNeverShownUntilRefilled(cluster, DELETED, 1);
            awaitRefilled(cluster, 2);
            assertNobodyShows(cluster, DELETED);
            assertNobodyShows(cluster, Key.of("deleted too"));
            cluster.towardNode(0, Fault.refuse());
            assertThat(read(cluster, 1, "written", QUORUM)).contains("v");
            cluster.heal();
            assertAllEqual(cluster);
        }
    }

    @Test
    void ofAllThatWereSetBackTheOneThatKnowsMostIsBelieved() {
        try (SimulatedCluster cluster = start()) {
            put(cluster, "deleted", "v", ALL);
            ModelStore first = cluster.image(0);
            ModelStore second = cluster.image(1);
            deleteAndForget(cluster);
            put(cluster, "deleted later", "v", ALL);
            ModelStore third = cluster.image(2);
            cluster.await(cluster.node(0).delete(Key.of("deleted later"), ALL));
            cluster.env.advance(LONG_AGO);
            repairAll(cluster);

            for (int node = 0; node < 3; node++) {
                cluster.stop(node);
            }
            cluster.startNode(2, third);
            cluster.startNode(0, first);
            cluster.startNode(1, second);

            assertNeverShownUntilRefilled(cluster, DELETED, 0);
            awaitRefilled(cluster, 1);
            assertThat(refill(cluster, 2)).isEqualTo(RefillStatus.NONE);
            // Nobody is left who knows of that.
            assertThat(read(cluster, 0, "deleted later", ALL)).contains("v");
            assertAllEqual(cluster);
        }
    }

    @Test
    void allThatWereSetBackTogetherServeWhatTheyHave() {
        try (SimulatedCluster cluster = start()) {
            put(cluster, "deleted", "v", ALL);
            List<ModelStore> images = List.of(cluster.image(0), cluster.image(1), cluster.image(2));
            deleteAndForget(cluster);

            for (int node = 0; node < 3; node++) {
                cluster.stop(node);
            }
            for (int node = 0; node < 3; node++) {
                cluster.startNode(node, images.get(node));
            }
            cluster.env.advance(Duration.ofMillis(50));

            assertThat(read(cluster, 0, "deleted", ALL)).contains("v");
            assertThat(refill(cluster, 0)).isEqualTo(RefillStatus.NONE);
        }
    }

    @Test
    void aDiskThatWasReplacedByAnEmptyOneIsNoticed() {
        try (SimulatedCluster cluster = start()) {
            put(cluster, "deleted", "v", ALL);
            put(cluster, "kept", "v", ALL);
            deleteAndForget(cluster);

            setBack(cluster, BACK, new ModelStore());
            cluster.env.advance(Duration.ofMillis(50));

            assertThat(refill(cluster, BACK).partitions()).isEqualTo(16);
            awaitRefilled(cluster, BACK);
            assertThat(refill(cluster, BACK).entries()).isEqualTo(1);
            assertThat(content(cluster.stores.get(BACK))).isEqualTo(content(cluster.stores.get(0)));
        }
    }

    @Test
    void aNodeThatCouldNotAskLongAgoIsToldByTheNextRoundOfAnother() {
        try (SimulatedCluster cluster = start()) {
            put(cluster, "deleted", "v", ALL);
            ModelStore image = cluster.image(BACK);
            deleteAndForget(cluster);
            cutOff = true;
            cluster.towardNode(BACK, Fault.refuse());
            setBack(cluster, BACK, image);
            cluster.env.advance(LONG);
            assertThat(refill(cluster, BACK)).isEqualTo(RefillStatus.NONE);

            cluster.heal();
            cluster.await(cluster.node(0).repair(Set.of()));
            cluster.env.advance(Duration.ofMillis(500));

            assertThat(refill(cluster, BACK).partitions()).isEqualTo(16);
            assertNobodyShows(cluster, DELETED);
            assertThat(cluster.node(0)
                            .repairStatus()
                            .toCompletableFuture()
                            .join()
                            .lastError())
                    .hasValueSatisfying(
                            error -> assertThat(error).contains("n1").contains("set back"));
            awaitRefilled(cluster, BACK);
            assertAllEqual(cluster);
        }
    }

    @Test
    void itDoesWithoutNodesThatAreGivenUp() {
        try (SimulatedCluster cluster = start()) {
            put(cluster, "deleted", "v", ALL);
            ModelStore image = cluster.image(BACK);
            deleteAndForget(cluster);
            cluster.stop(2);
            withoutLast = true;
            setBack(cluster, BACK, image);

            assertNeverShownUntilRefilled(cluster, DELETED, BACK);
            cluster.startNode(2, new ModelStore());
        }
    }

    private static void assertAllShow(SimulatedCluster cluster, String prefix, int count) {
        for (int i = 0; i < count; i++) {
            for (Store store : cluster.stores) {
                assertThat(store.get(Key.of(prefix + i)))
                        .as(prefix + i)
                        .hasValueSatisfying(
                                entry -> assertThat(entry.isTombstone()).isFalse());
            }
        }
    }

    @Test
    void whatOneThatWasSetBackDoesNotShowIsNotTakenForDeletedByAnotherOne() {
        try (SimulatedCluster cluster = start()) {
            int count = 300;
            for (int i = 0; i < count; i++) {
                put(cluster, "kept-" + i, "v", ALL);
            }
            ModelStore older = cluster.image(1);
            for (int i = 0; i < count; i++) {
                put(cluster, "added-" + i, "v", ALL);
            }
            cluster.env.advance(LONG_AGO);
            repairAll(cluster);
            // This one knows of a purge, the other one does not.
            ModelStore newer = cluster.image(2);
            cluster.env.advance(LONG_AGO);
            repairAll(cluster);
            cluster.stop(1);
            cluster.stop(2);
            cluster.startNode(2, newer);
            cluster.startNode(1, older);
            cluster.env.advance(Duration.ofMillis(50));
            assertThat(refill(cluster, 1).partitions()).isEqualTo(16);
            assertThat(refill(cluster, 2).partitions()).isEqualTo(16);

            awaitRefilled(cluster, 1);
            awaitRefilled(cluster, 2);
            repairAll(cluster);

            assertAllShow(cluster, "kept-", count);
            assertAllShow(cluster, "added-", count);
        }
    }

    @Test
    void aNodeThatMissedAnOrderToPurgeDoesNotTakeForDeletedWhatOneThatWasSetBackDoesNotShow() {
        try (SimulatedCluster cluster = start()) {
            int count = 300;
            for (int i = 0; i < count; i++) {
                put(cluster, "kept-" + i, "v", ALL);
            }
            cluster.env.advance(LONG_AGO);
            repairAll(cluster);
            ModelStore image = cluster.image(BACK);
            ModelStore unaware = cluster.image(2);
            for (int i = 0; i < count; i++) {
                put(cluster, "added-" + i, "v", ALL);
            }
            cluster.env.advance(LONG_AGO);
            repairAll(cluster);
            // Node 2 has agreed to the fence, and was not told that all others had.
            ModelStore agreed = cluster.image(2);
            byte[] fence = agreed.note("fence").orElseThrow();
            System.arraycopy(
                    unaware.note("fence").orElseThrow(), fence.length / 2, fence, fence.length / 2, fence.length / 2);
            agreed.keepNote("fence", fence);
            ModelStore knowing = cluster.image(0);
            cluster.stop(2);
            setBack(cluster, BACK, image);
            cluster.env.advance(Duration.ofMillis(50));
            assertThat(refill(cluster, BACK).partitions()).isEqualTo(16);
            cluster.stop(0);
            cluster.startNode(2, agreed);
            cluster.await(cluster.node(2).repair(Set.of()));
            cluster.env.advance(LONG);

            cluster.startNode(0, knowing);
            awaitRefilled(cluster, BACK);
            repairAll(cluster);

            assertAllShow(cluster, "kept-", count);
            assertAllShow(cluster, "added-", count);
        }
    }

    @Test
    void itHasAllOfManyValuesBeforeItIsReadThoughRepliesHaveRoomForFew() {
        mostBytes = 1000;
        try (SimulatedCluster cluster = start()) {
            int count = 200;
            ModelStore image = cluster.image(BACK);
            for (int i = 0; i < count; i++) {
                put(cluster, "kept-" + i, "v".repeat(600), ALL);
            }
            cluster.env.advance(LONG_AGO);
            repairAll(cluster);

            setBack(cluster, BACK, image);
            cluster.env.advance(Duration.ofMillis(50));
            assertThat(refill(cluster, BACK).partitions()).isEqualTo(16);
            awaitRefilled(cluster, BACK);

            assertAllShow(cluster, "kept-", count);
            repairAll(cluster);
            assertAllShow(cluster, "kept-", count);
        }
    }

    @Test
    void itTakesWhatItHadAgreedToRefuseWhenTheOthersHaveGoneBackOnThat() {
        try (SimulatedCluster cluster = start()) {
            put(cluster, "kept", "v", ALL);
            cluster.env.advance(LONG_AGO);
            repairAll(cluster);
            ModelStore image = cluster.image(BACK);
            // It has agreed to a fence of a round that was cut short.
            byte[] fence = image.note("fence").orElseThrow();
            for (int i = 0; i < fence.length / 2; i++) {
                fence[fence.length / 2 + i] = 0;
            }
            image.keepNote("fence", fence);
            Entry old = Entry.value(Key.of("old"), new Version(1), bytes("v"), Entry.NEVER);
            cluster.stores.forEach(store -> store.apply(List.of(old)));
            cluster.env.advance(LONG_AGO);
            repairAll(cluster);

            setBack(cluster, BACK, image);
            cluster.env.advance(Duration.ofMillis(50));
            assertThat(refill(cluster, BACK).partitions()).isEqualTo(16);
            awaitRefilled(cluster, BACK);

            assertThat(cluster.stores.get(BACK).get(Key.of("old"))).contains(old);
        }
    }

    @Test
    void itIsRepairedThoughRoundsOfOtherPartitionsFollowEachOtherClosely() {
        try (SimulatedCluster cluster = start()) {
            Key key = cluster.keyOf(0, 0);
            cluster.await(cluster.node(0).put(key, bytes("v"), ALL));
            ModelStore image = cluster.image(BACK);
            cluster.env.advance(LONG_AGO);
            cluster.await(cluster.node(0)
                    .repair(Set.of(cluster.await(cluster.node(0).locate(key)).partition())));
            cluster.env.runUntil(() -> rounds(cluster, 0) > 0, LONG);

            interval = Duration.ofSeconds(10);
            setBack(cluster, BACK, image);
            cluster.links.get(BACK).toward(id(2), Fault.refuse());
            cluster.env.advance(LONG.multipliedBy(2));
            assertThat(refill(cluster, BACK).partitions()).isOne();
            cluster.heal();

            awaitRefilled(cluster, BACK);
        }
    }

    @Test
    void itDoesNotWaitForOneThatIsRebuiltAndWaitsForIt() {
        try (SimulatedCluster cluster = start()) {
            put(cluster, "deleted", "v", ALL);
            put(cluster, "kept", "v", ALL);
            ModelStore image = cluster.image(BACK);
            deleteAndForget(cluster);
            cluster.stop(2);
            setBack(cluster, BACK, image);
            cluster.env.advance(Duration.ofMillis(50));
            assertThat(refill(cluster, BACK).partitions()).isEqualTo(16);

            rebuilt = true;
            cluster.startNode(2, new ModelStore());

            assertNeverShownUntilRefilled(cluster, DELETED, BACK);
            awaitRefilled(cluster, 2);
            assertNobodyShows(cluster, DELETED);
            assertThat(read(cluster, 2, "kept", OWN)).contains("v");
            assertThat(read(cluster, BACK, "kept", OWN)).contains("v");
        }
    }

    @Test
    void whoAgreedAndWasSetBackBeforeTheOthersPurgedLearnsOfItSoon() {
        try (SimulatedCluster cluster = start()) {
            put(cluster, "deleted", "v", ALL);
            ModelStore image = cluster.image(BACK);
            cluster.await(cluster.node(0).delete(DELETED, ALL));
            cluster.env.advance(LONG_AGO);
            boolean[] agreed = new boolean[1];
            setBack(cluster, BACK, new NoteStore(cluster.image(BACK), () -> agreed[0] = true));
            cluster.env.advance(Duration.ofSeconds(10));
            // Node 2 takes its time to agree, so that nothing has been decided when node 1 is back.
            cluster.links.get(0).toward(id(2), Fault.delay(Duration.ofSeconds(5), Duration.ofMillis(1)));
            cluster.await(cluster.node(0).repair(Set.of()));
            cluster.env.runUntil(() -> agreed[0], LONG);
            setBack(cluster, BACK, image);
            cluster.env.advance(Duration.ofMillis(50));
            assertThat(refill(cluster, BACK)).isEqualTo(RefillStatus.NONE);
            cluster.links.get(0).toward(id(BACK), Fault.refuse());
            cluster.env.runUntil(() -> rounds(cluster, 0) > 0, LONG);
            assertThat(cluster.stores.get(0).get(DELETED)).isEmpty();

            cluster.heal();
            cluster.env.advance(Duration.ofSeconds(20));

            assertThat(cluster.stores.get(BACK).get(DELETED).filter(entry -> !entry.isTombstone()))
                    .isEmpty();
            assertNobodyShows(cluster, DELETED);
            assertAllEqual(cluster);
        }
    }

    @Test
    void whoKnewOfAPurgeAndIsSetBackLearnsOfItFromOneThatIsStillCatchingUp() {
        try (SimulatedCluster cluster = start()) {
            put(cluster, "deleted", "v", ALL);
            ModelStore first = cluster.image(0);
            ModelStore image = cluster.image(BACK);
            cluster.await(cluster.node(0).delete(DELETED, ALL));
            cluster.env.advance(LONG_AGO);
            // All agree, and node 2 never hears that all have.
            Runnable cut = () -> cluster.links.get(0).toward(id(2), Fault.refuse());
            setBack(cluster, 0, new PurgeStore(cluster.image(0), cut));
            cluster.env.advance(Duration.ofSeconds(10));
            cluster.await(cluster.node(0).repair(Set.of()));
            cluster.env.runUntil(() -> rounds(cluster, 0) > 0, LONG);
            assertThat(cluster.stores.get(0).get(DELETED)).isEmpty();
            assertThat(cluster.stores.get(2).get(DELETED))
                    .hasValueSatisfying(entry -> assertThat(entry.isTombstone()).isTrue());
            cutOff = true;
            setBack(cluster, BACK, image);
            cluster.links.get(BACK).toward(id(0), Fault.none());
            cluster.env.advance(Duration.ofSeconds(20));
            assertThat(refill(cluster, BACK).partitions()).isEqualTo(16);
            cutOff = false;

            setBack(cluster, 0, first);

            assertNeverShownUntilRefilled(cluster, DELETED, 0);
            cluster.heal();
            awaitRefilled(cluster, BACK);
            assertNobodyShows(cluster, DELETED);
            assertAllEqual(cluster);
        }
    }

    @Test
    void itIsReadAlsoIfAnotherOneRefusesWhatItHas() {
        try (SimulatedCluster cluster = start()) {
            put(cluster, "kept", "v", ALL);
            ModelStore image = cluster.image(BACK);
            cluster.env.advance(LONG_AGO);
            repairAll(cluster);
            // Written where larger values were allowed.
            Version now = Version.of(cluster.env.currentTimeMillis(), 0);
            image.apply(List.of(Entry.value(Key.of("large"), now, new byte[mostBytes + 1], Entry.NEVER)));

            setBack(cluster, BACK, image);
            cluster.env.advance(Duration.ofMillis(50));
            assertThat(refill(cluster, BACK).partitions()).isEqualTo(16);
            awaitRefilled(cluster, BACK);

            assertThat(cluster.stores.get(0).get(Key.of("large"))).isEmpty();
            assertThat(cluster.stores.get(BACK).get(Key.of("large"))).isPresent();
        }
    }

    @Test
    void itIsReadOnceItsClockLetsItTakeWhatOthersHave() {
        try (SimulatedCluster cluster = start()) {
            put(cluster, "kept", "v", ALL);
            ModelStore image = cluster.image(BACK);
            cluster.env.advance(LONG_AGO);
            repairAll(cluster);
            Version ahead = Version.of(cluster.env.currentTimeMillis() + LONG.toMillis(), 0);
            Entry early = Entry.value(Key.of("early"), ahead, bytes("v"), Entry.NEVER);
            cluster.stores.forEach(store -> store.apply(List.of(early)));

            setBack(cluster, BACK, image);
            cluster.env.advance(Duration.ofSeconds(50));
            assertThat(refill(cluster, BACK).partitions()).isOne();
            awaitRefilled(cluster, BACK);

            assertThat(cluster.stores.get(BACK).get(Key.of("early"))).contains(early);
        }
    }

    @Test
    void whatItHasFetchedIsOnTheDiskBeforeTheFenceIs() {
        try (SimulatedCluster cluster = start()) {
            put(cluster, "deleted", "v", ALL);
            ModelStore image = cluster.image(BACK);
            put(cluster, "kept", "v", ALL);
            deleteAndForget(cluster);

            SettledStore store = new SettledStore(image);
            setBack(cluster, BACK, store);
            cluster.env.advance(Duration.ofMillis(50));
            assertThat(refill(cluster, BACK).partitions()).isPositive();
            awaitRefilled(cluster, BACK);

            assertThat(store.get(Key.of("kept"))).isPresent();
            assertThat(store.notedTooEarly).isFalse();
        }
    }

    /** Of two nodes the one that loses its disk must be the second of the round; which that is, the placement says. */
    @ParameterizedTest
    @ValueSource(ints = {0, BACK})
    void aNodeThatLosesItsDiskInTheMiddleOfARoundHasNobodyTakeForDeletedWhatItLacks(int lost) {
        lonely = lost;
        try (SimulatedCluster cluster = start()) {
            put(cluster, "deleted", "v", ALL);
            List<Key> kept = keys("kept");
            kept.forEach(key -> cluster.await(cluster.node(0).put(key, bytes("v"), ALL)));
            deleteAndForget(cluster);
            cluster.towardNode(0, Fault.refuse());
            cluster.towardNode(BACK, Fault.refuse());
            keys("late").forEach(key -> cluster.await(cluster.node(2).put(key, bytes("v"), OWN)));
            cluster.heal();

            // The round has looked at both, and now waits to see whether the first really lacks what was late.
            long before = rounds(cluster, 2);
            cluster.await(cluster.node(2).repair(Set.of()));
            cluster.env.advance(Duration.ofMillis(300));
            assertThat(rounds(cluster, 2)).isEqualTo(before);
            cutOff = true;
            setBack(cluster, lost, new ModelStore());
            cluster.env.runUntil(() -> rounds(cluster, 2) > before, Duration.ofMinutes(10));

            for (int node : new int[] {BACK - lost, 2}) {
                assertThat(kept)
                        .as("n%s", node)
                        .allSatisfy(key -> assertThat(cluster.stores.get(node).get(key))
                                .hasValueSatisfying(
                                        entry -> assertThat(entry.isTombstone()).isFalse()));
            }
            cluster.heal();
            awaitRefilled(cluster, lost);
            assertAllEqual(cluster);
            assertThat(kept)
                    .allSatisfy(
                            key -> assertThat(cluster.await(cluster.node(lost).get(key, ALL)))
                                    .isPresent());
        }
    }

    private static List<Key> keys(String name) {
        return IntStream.range(0, 200).mapToObj(i -> Key.of(name + "-" + i)).toList();
    }

    @Test
    void aSnapshotThatBeganBeforeItWasNoticedIsGoneThere() {
        try (SimulatedCluster cluster = start()) {
            put(cluster, "deleted", "v", ALL);
            ModelStore image = cluster.image(BACK);
            deleteAndForget(cluster);
            cutOff = true;
            cluster.towardNode(BACK, Fault.refuse());
            setBack(cluster, BACK, image);
            cluster.env.advance(LONG);
            assertThat(refill(cluster, BACK)).isEqualTo(RefillStatus.NONE);
            cluster.heal();
            Version snapshot =
                    cluster.await(cluster.node(BACK).openSnapshot(Duration.ofMinutes(30), CallOptions.defaults()));
            cluster.await(cluster.node(0).repair(Set.of()));
            cluster.env.advance(Duration.ofSeconds(1));
            awaitRefilled(cluster, BACK);
            cluster.towardNode(0, Fault.refuse());

            assertThat(cluster.failureOf(cluster.node(2)
                            .scanSnapshot(snapshot, KeyRange.all(), CallOptions.defaults())
                            .next()))
                    .hasMessageContaining("set back");
        }
    }

    /** Says whether a note was kept while something that was applied was not sure to be on the disk. */
    private static final class SettledStore extends ForwardingStore {
        private boolean settled = true;
        private boolean notedTooEarly;

        SettledStore(Store store) {
            super(store);
        }

        @Override
        public void apply(List<Entry> entries) {
            settled = false;
            super.apply(entries);
        }

        @Override
        public void settle() {
            super.settle();
            settled = true;
        }

        @Override
        public void keepNote(String name, byte[] bytes) {
            notedTooEarly |= !settled;
            super.keepNote(name, bytes);
        }
    }

    /** Tells when it is remembered that all have agreed on a fence. */
    private static final class PurgeStore extends ForwardingStore {
        private final Runnable noted;

        PurgeStore(Store store, Runnable noted) {
            super(store);
            this.noted = noted;
        }

        @Override
        public void keepNote(String name, byte[] bytes) {
            super.keepNote(name, bytes);
            ByteBuffer purged = ByteBuffer.wrap(bytes, bytes.length / 2, bytes.length / 2);
            if (name.equals("fence") && purged.getLong() != 0) {
                noted.run();
            }
        }
    }

    /** Tells when a fence is remembered. */
    private static final class NoteStore extends ForwardingStore {
        private final Runnable noted;

        NoteStore(Store store, Runnable noted) {
            super(store);
            this.noted = noted;
        }

        @Override
        public void keepNote(String name, byte[] bytes) {
            super.keepNote(name, bytes);
            noted.run();
        }
    }
}
