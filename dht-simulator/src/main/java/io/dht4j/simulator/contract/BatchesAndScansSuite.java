package io.dht4j.simulator.contract;

import static io.dht4j.simulator.contract.RemoteApiSuite.awkwardKeys;
import static io.dht4j.simulator.contract.Results.bytes;
import static io.dht4j.simulator.contract.Results.result;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.KeyValue;
import io.dht4j.Node;
import io.dht4j.ScanScope;
import io.dht4j.Value;
import io.dht4j.Version;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Batches, scans, and the entries of a single node. A part of {@link RemoteApiContract}. */
interface BatchesAndScansSuite extends RemoteApiSuite {

    @Test
    default void severalKeysAreWrittenWithOneVersionAndReadAtATime() {
        Map<Key, byte[]> values = new LinkedHashMap<>();
        for (Key key : awkwardKeys()) {
            values.put(key, bytes("of " + key.length() + " " + key.hashCode()));
        }
        Version version = result(api().putAll(address(0), values, EVERYWHERE));
        List<Key> asked = new ArrayList<>(values.keySet());
        asked.add(Key.of("nobody wrote this"));
        Map<Key, Value> read = result(api().getAll(address(1), asked, OPTIONS));
        assertThat(read.keySet()).containsExactlyInAnyOrderElementsOf(values.keySet());
        read.forEach((key, value) -> {
            assertThat(value.version()).isEqualTo(version);
            assertThat(value.bytes()).isEqualTo(values.get(key));
        });
    }

    @Test
    default void batchesMayHoldEmptyValuesAndLargeOnes() {
        byte[] large = new byte[3 << 20];
        new SplittableRandom(3).nextBytes(large);
        Map<Key, byte[]> values = Map.of(Key.of("empty"), new byte[0], Key.of("large"), large);
        result(api().putAll(address(0), values, EVERYWHERE));
        Map<Key, Value> read = result(api().getAll(address(1), values.keySet(), OPTIONS));
        assertThat(read).hasSize(2);
        read.forEach((key, value) -> assertThat(Arrays.equals(value.bytes(), values.get(key)))
                .as(key.toString())
                .isTrue());
    }

    @Test
    default void aBatchWithoutKeysReadsNothing() {
        assertThat(result(api().getAll(address(0), List.of(), OPTIONS))).isEmpty();
    }

    @Test
    default void scansShowRangesInOrderUpToTheirLimit() {
        List<Key> keys = awkwardKeys();
        keys.forEach(key -> result(api().put(address(0), key, bytes("of " + key.length()), EVERYWHERE)));
        List<Key> sorted = new ArrayList<>(keys);
        Collections.sort(sorted);

        List<KeyValue> all = result(api().scan(address(1), KeyRange.all(), ScanScope.CLUSTER, 1_000, OPTIONS));
        assertThat(all).extracting(KeyValue::key).containsExactlyElementsOf(sorted);
        all.forEach(entry -> assertThat(Optional.of(entry.value()))
                .isEqualTo(result(clusters().get(0).get(entry.key()))));

        KeyRange middle = KeyRange.between(sorted.get(2), sorted.get(5));
        assertThat(result(api().scan(address(2), middle, ScanScope.CLUSTER, 1_000, OPTIONS)))
                .extracting(KeyValue::key)
                .containsExactlyElementsOf(sorted.subList(2, 5));
        assertThat(result(api().scan(address(2), KeyRange.all(), ScanScope.CLUSTER, 3, OPTIONS)))
                .extracting(KeyValue::key)
                .containsExactlyElementsOf(sorted.subList(0, 3));
        assertThat(result(api().scan(address(0), KeyRange.from(last(sorted)), ScanScope.CLUSTER, 1, OPTIONS)))
                .extracting(KeyValue::key)
                .containsExactly(last(sorted));
        Key beyond = last(sorted).successor().orElseThrow();
        assertThat(result(api().scan(address(0), KeyRange.from(beyond), ScanScope.CLUSTER, 1, OPTIONS)))
                .isEmpty();
        KeyRange none = KeyRange.between(sorted.get(5), sorted.get(5));
        assertThat(result(api().scan(address(0), none, ScanScope.CLUSTER, 10, OPTIONS)))
                .isEmpty();
    }

    @Test
    default void aRangeIsWalkedByGoingOnBehindTheLastKey() {
        Map<Key, byte[]> values = new LinkedHashMap<>();
        for (int i = 0; i < MAX_BATCH; i++) {
            values.put(Key.of("walk %04d".formatted(i)), new byte[i]);
        }
        result(api().putAll(address(0), values, EVERYWHERE));
        for (int limit : new int[] {1, 7, 499, 500, 10_000}) {
            List<Key> walked = new ArrayList<>();
            Optional<Key> from = limit == 1 ? Optional.of(Key.of("walk 0490")) : Optional.of(Key.of("walk"));
            while (from.isPresent()) {
                List<KeyValue> page =
                        result(api().scan(address(1), KeyRange.from(from.get()), ScanScope.CLUSTER, limit, OPTIONS));
                assertThat(page.size()).isLessThanOrEqualTo(limit);
                page.forEach(entry -> {
                    assertThat(entry.value().bytes()).isEqualTo(values.get(entry.key()));
                    walked.add(entry.key());
                });
                from = page.isEmpty() ? Optional.empty() : last(page).key().successor();
            }
            assertThat(walked)
                    .as("limit %d", limit)
                    .containsExactlyElementsOf(List.copyOf(values.keySet()).subList(limit == 1 ? 490 : 0, MAX_BATCH));
        }
    }

    @Test
    default void aScanOfLargeValuesShowsThemWhole() {
        Map<Key, byte[]> values = new LinkedHashMap<>();
        for (int i = 0; i < 5; i++) {
            byte[] value = new byte[1 << 20];
            new SplittableRandom(i).nextBytes(value);
            values.put(Key.of("large " + i), value);
            result(api().put(address(0), Key.of("large " + i), value, EVERYWHERE));
        }
        Optional<Key> from = Optional.of(Key.of("large"));
        int shown = 0;
        while (from.isPresent()) {
            List<KeyValue> page =
                    result(api().scan(address(1), KeyRange.from(from.get()), ScanScope.CLUSTER, 100, OPTIONS));
            for (KeyValue entry : page) {
                assertThat(Arrays.equals(entry.value().bytes(), values.get(entry.key())))
                        .as(entry.key().toString())
                        .isTrue();
                shown++;
            }
            from = page.isEmpty() ? Optional.empty() : last(page).key().successor();
        }
        assertThat(shown).isEqualTo(5);
    }

    @Test
    default void aNodesOwnEntriesAreShownWhenTheyAreAskedFor() {
        result(api().put(address(0), KEY, bytes("value"), OPTIONS.withPolicy(1, 1)));
        List<Node> replicas = result(clusters().get(0).locate(KEY)).replicas();
        for (int node = 0; node < 3; node++) {
            List<KeyValue> own = result(api().scan(address(node), KeyRange.all(), ScanScope.NODE, 10, OPTIONS));
            boolean holds = replicas.get(0).id().value().equals("n" + node);
            assertThat(own).as("entries of n%d", node).hasSize(holds ? 1 : 0);
        }
    }

    private static <T> T last(List<T> list) {
        return list.get(list.size() - 1);
    }
}
