package io.dht4j.simulator.cluster.scan;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.KeyValue;
import io.dht4j.Scan;
import io.dht4j.ScanScope;
import io.dht4j.Version;
import io.dht4j.simulator.cluster.BlockingStore;
import io.dht4j.simulator.cluster.SimulatedCluster;
import io.dht4j.spi.Entry;
import io.dht4j.testkit.network.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScansTest {

    private static final CallOptions TWO_OF_THREE = CallOptions.defaults().withPolicy(2, 3);

    private static TreeMap<Key, byte[]> randomEntries(long seed, int count, int maxValueBytes) {
        SplittableRandom random = new SplittableRandom(seed);
        TreeMap<Key, byte[]> entries = new TreeMap<>();
        while (entries.size() < count) {
            byte[] key = new byte[1 + random.nextInt(12)];
            random.nextBytes(key);
            byte[] value = new byte[random.nextInt(maxValueBytes + 1)];
            random.nextBytes(value);
            entries.put(Key.of(key), value);
        }
        return entries;
    }

    private static void putInChunks(SimulatedCluster cluster, Map<Key, byte[]> entries, CallOptions options) {
        Map<Key, byte[]> chunk = new HashMap<>();
        int coordinator = 0;
        for (Map.Entry<Key, byte[]> entry : entries.entrySet()) {
            chunk.put(entry.getKey(), entry.getValue());
            if (chunk.size() == 500) {
                cluster.await(cluster.node(coordinator++ % cluster.nodes.size()).putAll(chunk, options));
                chunk = new HashMap<>();
            }
        }
        cluster.await(cluster.node(0).putAll(chunk, options));
    }

    private static void assertShows(List<KeyValue> shown, Map<Key, byte[]> expected) {
        assertThat(shown).extracting(KeyValue::key).containsExactlyElementsOf(expected.keySet());
        shown.forEach(entry -> assertThat(entry.value().bytes()).isEqualTo(expected.get(entry.key())));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 5})
    void scanShowsTheClusterInUnsignedOrder(int size) {
        try (SimulatedCluster cluster = SimulatedCluster.of(size, size).start()) {
            TreeMap<Key, byte[]> entries = randomEntries(1, 5000, 100);
            putInChunks(cluster, entries, CallOptions.defaults());
            cluster.nodes.forEach(node -> assertShows(cluster.drain(node.scan(KeyRange.all())), entries));
        }
    }

    @Test
    void aScanShowsItsRangeStartIncludedEndNot() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            TreeMap<Key, byte[]> entries = randomEntries(2, 3000, 10);
            putInChunks(cluster, entries, TWO_OF_THREE);
            List<Key> keys = List.copyOf(entries.keySet());
            Key start = keys.get(100);
            Key end = keys.get(2500);
            assertShows(
                    cluster.drain(cluster.node(1).scan(KeyRange.between(start, end))),
                    entries.subMap(start, true, end, false));
            assertShows(cluster.drain(cluster.node(1).scan(KeyRange.from(end))), entries.tailMap(end, true));
            assertThat(cluster.drain(cluster.node(1).scan(KeyRange.between(end, end))))
                    .isEmpty();
            assertThat(cluster.drain(cluster.node(1).scan(new KeyRange(end, Optional.of(start)))))
                    .isEmpty();
        }
    }

    @Test
    void aScanOfAnEmptyClusterEndsAtOnceAndStaysAtItsEnd() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            Scan scan = cluster.node(0).scan(KeyRange.all());
            for (int i = 0; i < 3; i++) {
                assertThat(cluster.await(scan.next())).isEmpty();
            }
        }
    }

    @Test
    void theSmallestAndTheLargestKeyAreShown() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            byte[] largest = new byte[Key.MAX_LENGTH];
            Arrays.fill(largest, (byte) 0xFF);
            TreeMap<Key, byte[]> entries = new TreeMap<>();
            entries.put(Key.of(new byte[1]), new byte[0]);
            entries.put(Key.of(largest), new byte[0]);
            putInChunks(cluster, entries, TWO_OF_THREE);
            assertShows(cluster.drain(cluster.node(2).scan(KeyRange.all())), entries);
        }
    }

    @Test
    void pagesAreBoundedInEntriesAndBytes() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            putInChunks(cluster, randomEntries(3, 2000, 0), TWO_OF_THREE);
            Map<Key, byte[]> large = new HashMap<>();
            for (int i = 0; i < 200; i++) {
                large.put(Key.of("large" + i), new byte[10_000]);
            }
            cluster.await(cluster.node(0).putAll(large));
            Scan scan = cluster.node(0).scan(KeyRange.all());
            int shown = 0;
            while (true) {
                List<KeyValue> page = cluster.await(scan.next());
                if (page.isEmpty()) {
                    break;
                }
                shown += page.size();
                assertThat(page).hasSizeLessThanOrEqualTo(1000);
                // Each of the three nodes sends pages of 256 KiB at most.
                assertThat(page.stream().mapToInt(e -> e.value().bytes().length).sum())
                        .isLessThanOrEqualTo(3 * 256 * 1024);
            }
            assertThat(shown).isEqualTo(2200);
        }
    }

    @Test
    void scanHidesDeadEntriesThatAReplicaStillHas() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            TreeMap<Key, byte[]> entries = randomEntries(4, 300, 10);
            putInChunks(cluster, entries, CallOptions.defaults().withPolicy(3, 3));
            cluster.env.advance(Duration.ofMillis(5));
            cluster.towardNode(2, Fault.refuse());
            List<Key> keys = new ArrayList<>(entries.keySet());
            Collections.shuffle(keys, new Random(4));
            for (Key key : keys.subList(0, 100)) {
                cluster.await(cluster.node(0).delete(key, TWO_OF_THREE));
                entries.remove(key);
            }
            for (Key key : keys.subList(100, 200)) {
                cluster.await(
                        cluster.node(1).put(key, new byte[1], TWO_OF_THREE.withTimeToLive(Duration.ofMillis(10))));
                entries.remove(key);
            }
            cluster.heal();
            cluster.env.advance(Duration.ofMillis(10));
            for (int node = 0; node < 3; node++) {
                assertShows(
                        cluster.drain(cluster.node(node).scan(KeyRange.all(), ScanScope.CLUSTER, TWO_OF_THREE)),
                        entries);
            }
        }
    }

    @Test
    void pageSkipsAnyNumberOfTombstones() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            TreeMap<Key, byte[]> entries = randomEntries(5, 3000, 0);
            putInChunks(cluster, entries, TWO_OF_THREE);
            Key last = entries.lastKey();
            for (Key key : entries.headMap(last).keySet()) {
                cluster.await(cluster.node(0).delete(key));
            }
            List<KeyValue> page =
                    cluster.await(cluster.node(1).scan(KeyRange.all()).next());
            assertThat(page).extracting(KeyValue::key).containsExactly(last);
        }
    }

    @Test
    void theNewestOfDifferingReplicasIsShown() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 5).start()) {
            TreeMap<Key, byte[]> old = randomEntries(6, 1000, 10);
            putInChunks(cluster, old, CallOptions.defaults().withPolicy(3, 3));
            cluster.env.advance(Duration.ofMillis(1));
            // Every node misses some of the new values.
            TreeMap<Key, byte[]> expected = new TreeMap<>(old);
            int missing = 0;
            for (Key key : old.keySet()) {
                cluster.heal();
                cluster.towardNode(missing, Fault.refuse());
                byte[] value = {(byte) missing, 7};
                cluster.await(cluster.node((missing + 1) % 5).put(key, value, TWO_OF_THREE));
                expected.put(key, value);
                missing = (missing + 1) % 5;
            }
            cluster.heal();
            cluster.nodes.forEach(node ->
                    assertShows(cluster.drain(node.scan(KeyRange.all(), ScanScope.CLUSTER, TWO_OF_THREE)), expected));
        }
    }

    @Test
    void scanHasNoGapsOrRepeatsWhenANodeDies() {
        for (int dying = 0; dying < 4; dying++) {
            for (int after = 0; after < 4; after++) {
                try (SimulatedCluster cluster = SimulatedCluster.of(dying, 5).start()) {
                    TreeMap<Key, byte[]> entries = randomEntries(7, 4000, 50);
                    putInChunks(cluster, entries, CallOptions.defaults().withPolicy(3, 3));
                    Scan scan = cluster.node(4).scan(KeyRange.all());
                    List<KeyValue> shown = new ArrayList<>();
                    for (int page = 0; page < after; page++) {
                        shown.addAll(cluster.await(scan.next()));
                    }
                    cluster.stop(dying);
                    shown.addAll(cluster.drain(scan));
                    assertShows(shown, entries);
                }
            }
        }
    }

    @Test
    void scanContinuesWhileNodesAreAwayInTurn() {
        try (SimulatedCluster cluster = SimulatedCluster.of(3, 5).start()) {
            TreeMap<Key, byte[]> entries = randomEntries(7, 12_000, 50);
            putInChunks(cluster, entries, CallOptions.defaults().withPolicy(3, 3));
            Scan scan = cluster.node(4).scan(KeyRange.all());
            List<KeyValue> shown = new ArrayList<>();
            for (int away = 0; away < 4; away++) {
                cluster.towardNode(away, Fault.refuse());
                for (int page = 0; page < 3; page++) {
                    shown.addAll(cluster.await(scan.next()));
                }
                cluster.heal();
            }
            assertThat(shown).hasSizeLessThan(entries.size());
            shown.addAll(cluster.drain(scan));
            assertShows(shown, entries);
        }
    }

    @Test
    void aScanFailsWhenTooFewReplicasAreLeftAndReportsNoEnd() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            putInChunks(cluster, randomEntries(8, 3000, 10), TWO_OF_THREE);
            Scan scan = cluster.node(0).scan(KeyRange.all());
            assertThat(cluster.await(scan.next())).isNotEmpty();
            cluster.stop(1);
            cluster.stop(2);
            // The pages at hand may still be shown.
            for (int i = 0; ; i++) {
                var page = scan.next().toCompletableFuture();
                cluster.env.runUntil(page::isDone, SimulatedCluster.BOUND);
                if (page.isCompletedExceptionally()) {
                    assertThat(cluster.failureOf(page).code()).isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
                    break;
                }
                assertThat(page.join()).as("page %d", i).isNotEmpty();
            }
            assertThat(cluster.failureOf(scan.next()))
                    .hasMessageContaining("1 of 2 needed replicas answer for partition")
                    .hasMessageContaining("; n1: ")
                    .hasMessageContaining("; n2: ")
                    .hasMessageContaining("host2:1");
            assertThat(cluster.failureOf(scan.forEach(entry -> {})).code()).isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
            assertThat(cluster.failureOf(scan.forEach(entry -> {})).code()).isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
            scan.close();
            assertThat(cluster.await(scan.next())).isEmpty();
        }
    }

    @Test
    void aSilentNodeCostsAPageItsDeadline() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            cluster.towardNode(1, Fault.loseReply());
            cluster.towardNode(2, Fault.loseReply());
            Duration before = cluster.env.elapsed();
            Scan scan = cluster.node(0)
                    .scan(KeyRange.all(), ScanScope.CLUSTER, TWO_OF_THREE.withTimeout(Duration.ofMillis(90)));
            assertThat(cluster.failureOf(scan.next()).code()).isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
            assertThat(cluster.env.elapsed().minus(before)).isEqualTo(Duration.ofMillis(90));
            assertThat(cluster.failureOf(scan.next()).code()).isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
        }
    }

    @Test
    void theNodeScopeShowsWhatTheNodeItselfHolds() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 5).start()) {
            TreeMap<Key, byte[]> entries = randomEntries(9, 3000, 10);
            putInChunks(cluster, entries, CallOptions.defaults().withPolicy(3, 3));
            int total = 0;
            TreeSet<Key> union = new TreeSet<>();
            for (int node = 0; node < 5; node++) {
                Scan scan = cluster.node(node).scan(KeyRange.all(), ScanScope.NODE, CallOptions.defaults());
                List<KeyValue> own = cluster.drain(scan);
                int index = node;
                TreeMap<Key, byte[]> expected = new TreeMap<>(entries);
                expected.keySet()
                        .removeIf(key -> cluster.stores.get(index).get(key).isEmpty());
                assertShows(own, expected);
                total += own.size();
                own.forEach(entry -> union.add(entry.key()));
            }
            assertThat(total).isEqualTo(3 * 3000);
            assertThat(union).isEqualTo(entries.keySet());
        }
    }

    @Test
    void nodeScanNeedsNoPeersAndShowsLiveEntries() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            Key live = cluster.keyOf(0, 0);
            CallOptions all = CallOptions.defaults().withPolicy(3, 3);
            cluster.await(cluster.node(0).put(live, new byte[1], all));
            cluster.await(
                    cluster.node(0).put(Key.of("expired"), new byte[1], all.withTimeToLive(Duration.ofMillis(1))));
            cluster.await(cluster.node(0).delete(Key.of("deleted"), all));
            cluster.env.advance(Duration.ofMillis(1));
            cluster.stop(1);
            cluster.stop(2);
            Scan scan = cluster.node(0).scan(KeyRange.all(), ScanScope.NODE, CallOptions.defaults());
            assertThat(cluster.drain(scan)).extracting(KeyValue::key).containsExactly(live);
        }
    }

    @Test
    void aClosedScanShowsNothingMore() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            putInChunks(cluster, randomEntries(10, 3000, 10), TWO_OF_THREE);
            Scan scan = cluster.node(0).scan(KeyRange.all());
            assertThat(cluster.await(scan.next())).isNotEmpty();
            scan.close();
            scan.close();
            assertThat(cluster.await(scan.next())).isEmpty();
        }
    }

    @Test
    void invalidOptionsFailTheFirstPage() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            CallOptions ttl = CallOptions.defaults().withTimeToLive(Duration.ofSeconds(1));
            CallOptions policy = CallOptions.defaults().withPolicy(1, 4);
            assertThat(cluster.failureOf(cluster.node(0)
                                    .scan(KeyRange.all(), ScanScope.NODE, ttl)
                                    .next())
                            .code())
                    .isEqualTo(ErrorCode.TTL_INVALID);
            assertThat(cluster.failureOf(cluster.node(0)
                                    .scan(KeyRange.all(), ScanScope.CLUSTER, policy)
                                    .next())
                            .code())
                    .isEqualTo(ErrorCode.POLICY_INVALID);
        }
    }

    @Test
    void sparsePagesOfStoresThatBlockMakeACompleteScan() {
        try (SimulatedCluster cluster =
                SimulatedCluster.of(1, 3).stores(i -> new BlockingStore()).start()) {
            // Sparse pages: node 0 holds much that a scan of the others' partitions does not want.
            TreeMap<Key, byte[]> entries = randomEntries(11, 20_000, 0);
            putInChunks(cluster, entries, CallOptions.defaults().withPolicy(1, 1));
            cluster.env.advance(Duration.ofSeconds(1));
            CallOptions one = CallOptions.defaults().withPolicy(1, 1);
            assertShows(cluster.drain(cluster.node(1).scan(KeyRange.all(), ScanScope.CLUSTER, one)), entries);
            for (int n = 0; n < 3; n++) {
                assertThat(cluster.stores.get(n).entries()).isLessThan(20_000);
            }
        }
    }

    @Test
    void anEntryWhoseVersionIsInTheFutureIsShownLikeAnyOther() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 1).start()) {
            Entry entry = Entry.value(Key.of("k"), new Version(-1), new byte[1], Entry.NEVER);
            cluster.stores.get(0).apply(List.of(entry));
            assertThat(cluster.drain(cluster.node(0).scan(KeyRange.all()))).hasSize(1);
        }
    }
}
