package io.dht4j.simulator.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dht4j.CallOptions;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyPlacement;
import io.dht4j.KeyRange;
import io.dht4j.KeyValue;
import io.dht4j.Node;
import io.dht4j.NodeStatus;
import io.dht4j.Ordering;
import io.dht4j.RepairStatus;
import io.dht4j.ScanScope;
import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.spi.RemoteApi;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/**
 * The contract of every {@link RemoteApi}, over its real server, with a cluster of three nodes in this process. No test
 * measures time: deadlines are long where an answer is expected and short where none is.
 */
public abstract class RemoteApiContract extends RemoteApiErrorsContract {

    /** Constructor for subclasses. */
    protected RemoteApiContract() {}

    // Single keys

    @Test
    void whatWasPutThroughOneNodeIsGotThroughAnother() {
        Version version = result(api.put(address(0), KEY, bytes("value"), OPTIONS));
        Value value = result(api.get(address(1), KEY, OPTIONS)).orElseThrow();
        assertThat(value.text()).isEqualTo("value");
        assertThat(value.version()).isEqualTo(version);
        assertThat(value.expiresAtMillis()).isEmpty();
    }

    @Test
    void aKeyThatIsMissingReadsAsEmpty() {
        assertThat(result(api.get(address(0), Key.of("nobody wrote this"), OPTIONS)))
                .isEmpty();
    }

    @Test
    void aDeletedKeyReadsAsEmptyAndTheDeleteHasANewerVersion() {
        Version put = result(api.put(address(0), KEY, bytes("value"), EVERYWHERE));
        Version delete = result(api.delete(address(1), KEY, EVERYWHERE));
        assertThat(delete).isGreaterThan(put);
        assertThat(result(api.get(address(2), KEY, OPTIONS))).isEmpty();
    }

    @Test
    void keysOfAnyBytesAreKeptApart() {
        List<Key> keys = awkwardKeys();
        for (int i = 0; i < keys.size(); i++) {
            result(api.put(address(i % 3), keys.get(i), bytes("value " + i), EVERYWHERE));
        }
        for (int i = 0; i < keys.size(); i++) {
            Optional<Value> direct = result(clusters.get(0).get(keys.get(i)));
            assertThat(direct.map(Value::text)).as("key %s", keys.get(i)).contains("value " + i);
            assertThat(result(api.get(address(0), keys.get(i), OPTIONS))).isEqualTo(direct);
        }
    }

    @Test
    void valuesOfAnyBytesAndSizeComeBackAsTheyWere() {
        for (int size : new int[] {0, 1, 100, 4_096, 4_097, 65_536, 1 << 20, MAX_VALUE_BYTES}) {
            byte[] value = new byte[size];
            new SplittableRandom(size).nextBytes(value);
            Key key = Key.of("value of " + size);
            result(api.put(address(0), key, value, OPTIONS));
            byte[] read =
                    result(api.get(address(1), key, OPTIONS)).orElseThrow().bytes();
            assertThat(Arrays.equals(read, value)).as("%d bytes", size).isTrue();
        }
    }

    @Test
    void aTimeToLiveReachesTheStore() {
        CallOptions options = EVERYWHERE.withTimeToLive(Duration.ofHours(1));
        result(api.put(address(0), KEY, bytes("value"), options));
        Value value = result(api.get(address(1), KEY, OPTIONS)).orElseThrow();
        assertThat(value.expiresAtMillis()).isPresent();
        assertThat(result(clusters.get(2).get(KEY))).contains(value);

        result(api.putAll(address(0), Map.of(KEY, bytes("other")), options));
        Value other = result(api.getAll(address(1), List.of(KEY), OPTIONS)).get(KEY);
        assertThat(Optional.ofNullable(other)).isEqualTo(result(clusters.get(2).get(KEY)));
        assertThat(result(api.get(address(2), KEY, OPTIONS)).orElseThrow().expiresAtMillis())
                .isPresent();
    }

    @Test
    void thePolicyReachesTheCoordinator() {
        for (int from = 1; from <= 3; from++) {
            Key key = Key.of("from " + from);
            result(api.put(address(0), key, bytes("value"), OPTIONS.withPolicy(from, from)));
            int holders = 0;
            for (int node = 0; node < 3; node++) {
                holders += result(api.scan(address(node), KeyRange.from(key), ScanScope.NODE, 1, OPTIONS)).stream()
                        .filter(entry -> entry.key().equals(key))
                        .toList()
                        .size();
            }
            assertThat(holders)
                    .as("nodes that hold a key written %d/%d", from, from)
                    .isEqualTo(from);
        }
    }

    @Test
    void theOrderingReachesTheCoordinator() {
        for (Ordering ordering : Ordering.values()) {
            Key key = Key.of("ordered " + ordering);
            CallOptions options = OPTIONS.withOrdering(ordering);
            Version written = result(api.put(address(0), key, bytes("value"), options));
            assertThat(result(api.get(address(1), key, options)).map(Value::version))
                    .contains(written);
            Version deleted = result(api.delete(address(2), key, options));
            assertThat(deleted).isGreaterThan(written);
            assertThat(result(api.getAll(address(1), List.of(key), options))).isEmpty();
        }
        CallOptions aMinority = OPTIONS.withPolicy(1, 3).withOrdering(Ordering.LINEARIZABLE);
        DhtException refused = failure(api.put(address(0), KEY, bytes("value"), aMinority));
        assertThat(refused.code()).isEqualTo(ErrorCode.POLICY_INVALID);
        assertThat(refused).hasMessageContaining("ack=1");
    }

    @Test
    void manyCallsAtATimeEachGetTheirOwnAnswer() {
        List<CompletionStage<Version>> puts = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            puts.add(api.put(address(i % 3), Key.of("many " + i), bytes("value " + i), EVERYWHERE));
        }
        puts.forEach(RemoteApiContract::result);
        List<CompletionStage<Optional<Value>>> gets = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            gets.add(api.get(address(i % 3), Key.of("many " + i), OPTIONS));
        }
        for (int i = 0; i < gets.size(); i++) {
            assertThat(result(gets.get(i)).map(Value::text)).contains("value " + i);
        }
    }

    // Several keys

    @Test
    void severalKeysAreWrittenWithOneVersionAndReadAtATime() {
        Map<Key, byte[]> values = new LinkedHashMap<>();
        for (Key key : awkwardKeys()) {
            values.put(key, bytes("of " + key.length() + " " + key.hashCode()));
        }
        Version version = result(api.putAll(address(0), values, EVERYWHERE));
        List<Key> asked = new ArrayList<>(values.keySet());
        asked.add(Key.of("nobody wrote this"));
        Map<Key, Value> read = result(api.getAll(address(1), asked, OPTIONS));
        assertThat(read.keySet()).containsExactlyInAnyOrderElementsOf(values.keySet());
        read.forEach((key, value) -> {
            assertThat(value.version()).isEqualTo(version);
            assertThat(value.bytes()).isEqualTo(values.get(key));
        });
    }

    @Test
    void batchesMayHoldEmptyValuesAndLargeOnes() {
        byte[] large = new byte[3 << 20];
        new SplittableRandom(3).nextBytes(large);
        Map<Key, byte[]> values = Map.of(Key.of("empty"), new byte[0], Key.of("large"), large);
        result(api.putAll(address(0), values, EVERYWHERE));
        Map<Key, Value> read = result(api.getAll(address(1), values.keySet(), OPTIONS));
        assertThat(read).hasSize(2);
        read.forEach((key, value) -> assertThat(Arrays.equals(value.bytes(), values.get(key)))
                .as(key.toString())
                .isTrue());
    }

    @Test
    void aBatchWithoutKeysReadsNothing() {
        assertThat(result(api.getAll(address(0), List.of(), OPTIONS))).isEmpty();
    }

    // Scans

    @Test
    void scansShowRangesInOrderUpToTheirLimit() {
        List<Key> keys = awkwardKeys();
        keys.forEach(key -> result(api.put(address(0), key, bytes("of " + key.length()), EVERYWHERE)));
        List<Key> sorted = new ArrayList<>(keys);
        Collections.sort(sorted);

        List<KeyValue> all = result(api.scan(address(1), KeyRange.all(), ScanScope.CLUSTER, 1_000, OPTIONS));
        assertThat(all).extracting(KeyValue::key).containsExactlyElementsOf(sorted);
        all.forEach(entry -> assertThat(Optional.of(entry.value()))
                .isEqualTo(result(clusters.get(0).get(entry.key()))));

        KeyRange middle = KeyRange.between(sorted.get(2), sorted.get(5));
        assertThat(result(api.scan(address(2), middle, ScanScope.CLUSTER, 1_000, OPTIONS)))
                .extracting(KeyValue::key)
                .containsExactlyElementsOf(sorted.subList(2, 5));
        assertThat(result(api.scan(address(2), KeyRange.all(), ScanScope.CLUSTER, 3, OPTIONS)))
                .extracting(KeyValue::key)
                .containsExactlyElementsOf(sorted.subList(0, 3));
        assertThat(result(api.scan(address(0), KeyRange.from(last(sorted)), ScanScope.CLUSTER, 1, OPTIONS)))
                .extracting(KeyValue::key)
                .containsExactly(last(sorted));
        Key beyond = last(sorted).successor().orElseThrow();
        assertThat(result(api.scan(address(0), KeyRange.from(beyond), ScanScope.CLUSTER, 1, OPTIONS)))
                .isEmpty();
        KeyRange none = KeyRange.between(sorted.get(5), sorted.get(2));
        assertThat(result(api.scan(address(0), none, ScanScope.CLUSTER, 10, OPTIONS)))
                .isEmpty();
    }

    @Test
    void aRangeIsWalkedByGoingOnBehindTheLastKey() {
        Map<Key, byte[]> values = new LinkedHashMap<>();
        for (int i = 0; i < MAX_BATCH; i++) {
            values.put(Key.of("walk %04d".formatted(i)), new byte[i]);
        }
        result(api.putAll(address(0), values, EVERYWHERE));
        for (int limit : new int[] {1, 7, 499, 500, 10_000}) {
            List<Key> walked = new ArrayList<>();
            Optional<Key> from = limit == 1 ? Optional.of(Key.of("walk 0490")) : Optional.of(Key.of("walk"));
            while (from.isPresent()) {
                List<KeyValue> page =
                        result(api.scan(address(1), KeyRange.from(from.get()), ScanScope.CLUSTER, limit, OPTIONS));
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
    void aScanOfLargeValuesShowsThemWhole() {
        Map<Key, byte[]> values = new LinkedHashMap<>();
        for (int i = 0; i < 5; i++) {
            byte[] value = new byte[1 << 20];
            new SplittableRandom(i).nextBytes(value);
            values.put(Key.of("large " + i), value);
            result(api.put(address(0), Key.of("large " + i), value, EVERYWHERE));
        }
        Optional<Key> from = Optional.of(Key.of("large"));
        int shown = 0;
        while (from.isPresent()) {
            List<KeyValue> page =
                    result(api.scan(address(1), KeyRange.from(from.get()), ScanScope.CLUSTER, 100, OPTIONS));
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
    void aNodesOwnEntriesAreShownWhenTheyAreAskedFor() {
        result(api.put(address(0), KEY, bytes("value"), OPTIONS.withPolicy(1, 1)));
        List<Node> replicas = result(clusters.get(0).locate(KEY)).replicas();
        for (int node = 0; node < 3; node++) {
            List<KeyValue> own = result(api.scan(address(node), KeyRange.all(), ScanScope.NODE, 10, OPTIONS));
            boolean holds = replicas.get(0).id().value().equals("n" + node);
            assertThat(own).as("entries of n%d", node).hasSize(holds ? 1 : 0);
        }
    }

    // The status of the cluster

    @Test
    void aKeyIsLocatedWhereTheClusterPlacesIt() {
        for (Key key : awkwardKeys()) {
            KeyPlacement placement = result(clusters.get(0).locate(key));
            RemoteApi.Located located = result(api.locate(address(1), key, OPTIONS));
            assertThat(located.partition()).isEqualTo(placement.partition());
            assertThat(located.replicas())
                    .containsExactlyElementsOf(
                            placement.replicas().stream().map(Node::id).toList());
        }
    }

    @Test
    void aNodesStatusIsItsOwn() {
        result(api.put(address(0), KEY, bytes("value"), EVERYWHERE));
        for (int node = 0; node < 3; node++) {
            int asked = node;
            // The status may change between the two reads, for example the suspected nodes.
            await().atMost(PATIENCE).untilAsserted(() -> assertThatStatusIsItsOwn(asked));
        }
    }

    private void assertThatStatusIsItsOwn(int node) {
        NodeStatus status = result(api.status(address(node), OPTIONS));
        NodeStatus direct = result(clusters.get(node).status());
        assertThat(status.uptime()).isBetween(Duration.ZERO, direct.uptime().plusMillis(1));
        assertThat(new NodeStatus(
                        status.id(),
                        status.topology(),
                        status.replicationFactor(),
                        status.partitions(),
                        status.placement(),
                        status.hash(),
                        status.transport(),
                        status.store(),
                        status.version(),
                        status.entries(),
                        status.entriesAge(),
                        status.hintBytes(),
                        status.hintBytesDropped(),
                        status.overload(),
                        status.storeProblems(),
                        status.refill(),
                        status.suspected(),
                        status.disagreeing(),
                        status.clockProblem(),
                        direct.uptime()))
                .isEqualTo(direct);
    }

    @Test
    void aRepairIsBegunAndComesToItsEnd() {
        RepairStatus before = result(api.repairStatus(address(1), OPTIONS));
        assertThat(before.node())
                .isEqualTo(result(api.status(address(1), OPTIONS)).id());

        int partition = result(api.locate(address(1), KEY, OPTIONS)).partition();
        assertThat(result(api.repair(address(1), Set.of(partition), OPTIONS)).rounds())
                // The session is small and may have ended before the answer was created.
                .isBetween(before.rounds(), before.rounds() + 1);
        await().atMost(PATIENCE)
                .until(() -> result(api.repairStatus(address(1), OPTIONS)).rounds() > before.rounds());

        RepairStatus after = result(api.repairStatus(address(1), OPTIONS));
        assertThat(after.lastError()).isEmpty();
        assertThat(after.completed()).containsOnlyKeys(partition);
        assertThat(after).isEqualTo(result(clusters.get(1).repairStatus()));
        assertThat(failure(api.repair(address(1), Set.of(1 << 19), OPTIONS)).code())
                .isEqualTo(ErrorCode.BAD_REQUEST);
    }

    // Snapshots

    @Test
    void aSnapshotIsBegunThroughOneNodeAndReadThroughAnotherAsItWas() {
        Map<Key, byte[]> values = new LinkedHashMap<>();
        for (int i = 0; i < 300; i++) {
            values.put(Key.of("snap%03d".formatted(i)), bytes("before " + i));
        }
        Version written = result(api.putAll(address(0), values, EVERYWHERE));
        Version snapshot = result(api.openSnapshot(address(0), Duration.ofMinutes(1), OPTIONS));
        assertThat(snapshot).isGreaterThan(written);
        values.replaceAll((key, value) -> bytes("after"));
        result(api.putAll(address(1), values, EVERYWHERE));
        result(api.put(address(1), Key.of("snap"), bytes("new"), EVERYWHERE));

        List<KeyValue> shown = result(api.scanSnapshot(address(2), snapshot, KeyRange.all(), 1000, OPTIONS));

        assertThat(shown).hasSize(300);
        for (int i = 0; i < 300; i++) {
            assertThat(shown.get(i).key()).isEqualTo(Key.of("snap%03d".formatted(i)));
            assertThat(shown.get(i).value().text()).isEqualTo("before " + i);
            assertThat(shown.get(i).value().version()).isEqualTo(written);
        }
        KeyRange two = KeyRange.between(Key.of("snap010"), Key.of("snap012"));
        assertThat(result(api.scanSnapshot(address(0), snapshot, two, 1000, OPTIONS)))
                .isEqualTo(shown.subList(10, 12));
        assertThat(result(api.scanSnapshot(address(0), snapshot, KeyRange.all(), 7, OPTIONS)))
                .isEqualTo(shown.subList(0, 7));
        result(api.closeSnapshot(address(1), snapshot, OPTIONS));
        for (int node = 0; node < 3; node++) {
            assertThat(failure(api.scanSnapshot(address(node), snapshot, KeyRange.all(), 10, OPTIONS))
                            .code())
                    .isEqualTo(ErrorCode.SNAPSHOT_GONE);
        }
        assertThat(failure(api.openSnapshot(address(0), Duration.ofMillis(1), OPTIONS))
                        .code())
                .isEqualTo(ErrorCode.BAD_REQUEST);
    }

    /** Returns keys that need escaping in paths, texts or JSON. */
    private static List<Key> awkwardKeys() {
        return List.of(
                Key.of(new byte[] {0}),
                Key.of(new byte[] {(byte) 0xFF}),
                Key.of(new byte[] {(byte) 0xC3, 0x28}),
                Key.of("a/b/../c?d=e&f#g;h=i"),
                Key.of("%2F%00+ \t\r\n\"\\"),
                Key.of("."),
                Key.of(".."),
                Key.of("grün 東京 🙂"),
                Key.of("k".repeat(Key.MAX_LENGTH)),
                Key.of(new byte[Key.MAX_LENGTH]));
    }

    private static <T> T last(List<T> list) {
        return list.get(list.size() - 1);
    }
}
