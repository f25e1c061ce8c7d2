package io.dht4j.simulator.contract;

import static io.dht4j.simulator.contract.ClusterSuite.scan;
import static io.dht4j.simulator.contract.Results.failure;
import static io.dht4j.simulator.contract.Results.number;
import static io.dht4j.simulator.contract.Results.result;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.CancellationPolicy;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyValue;
import io.dht4j.ReadFanOut;
import io.dht4j.ScanScope;
import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.core.ClusterBuilder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Keys and values of all sizes, batches, scans and cancelled reads go over the wire. A part of
 * {@link ClusterOverTransportContract}.
 */
interface DataSuite extends ClusterSuite {

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    default void writesOfANodeAreReadAndDeletedByOthers(boolean batching) {
        try (ThreeNodes nodes = cluster(batching)) {
            List<Key> keys = binaryKeys();
            for (int i = 0; i < keys.size(); i++) {
                result(nodes.get(i % 3).put(keys.get(i), value(i), ALL));
            }
            for (int i = 0; i < keys.size(); i++) {
                for (int reader = 0; reader < 3; reader++) {
                    assertThat(result(nodes.get(reader).get(keys.get(i), ALL)).map(Value::bytes))
                            .hasValue(value(i));
                }
            }
            for (int i = 0; i < keys.size(); i += 2) {
                result(nodes.get((i + 1) % 3).delete(keys.get(i), ALL));
            }
            for (int i = 0; i < keys.size(); i++) {
                for (int reader = 0; reader < 3; reader++) {
                    assertThat(result(nodes.get(reader).get(keys.get(i), MAJORITY))
                                    .isPresent())
                            .isEqualTo(i % 2 == 1);
                }
            }
        }
    }

    /** Returns keys of every byte, and the shortest and the longest key. */
    private static List<Key> binaryKeys() {
        List<Key> keys = new ArrayList<>();
        for (int b = 0; b < 256; b += 5) {
            keys.add(Key.of(new byte[] {(byte) b}));
            keys.add(Key.of(new byte[] {0, (byte) b, '\r', '\n', (byte) 0xff}));
        }
        byte[] longest = new byte[Key.MAX_LENGTH];
        new SplittableRandom(1).nextBytes(longest);
        keys.add(Key.of(longest));
        return keys;
    }

    /** Returns a value of 0 to 599 bytes. */
    private static byte[] value(int i) {
        byte[] value = new byte[i * 7 % 600];
        new SplittableRandom(i).nextBytes(value);
        return value;
    }

    @ParameterizedTest
    @Tag("core")
    @ValueSource(booleans = {false, true})
    default void valuesOfTheLargestSizeGoOverTheWire(boolean batching) {
        try (ThreeNodes nodes = cluster(batching)) {
            byte[] largest = new byte[ClusterBuilder.DEFAULT_MAX_VALUE_BYTES];
            new SplittableRandom(1).nextBytes(largest);
            Key key = Key.of(new byte[Key.MAX_LENGTH]);
            result(nodes.get(0).put(key, largest, ALL));
            for (int reader = 0; reader < 3; reader++) {
                byte[] read =
                        result(nodes.get(reader).get(key, ALL)).orElseThrow().bytes();
                assertThat(Arrays.equals(read, largest)).isTrue();
            }
            assertThat(failure(nodes.get(0).put(key, new byte[largest.length + 1], ALL))
                            .code())
                    .isEqualTo(ErrorCode.VALUE_TOO_LARGE);
        }
    }

    @Test
    @Tag("core")
    default void largeWritesRefusedForRoomAreRetried() {
        try (ThreeNodes nodes = ThreeNodes.start(
                this::newNarrowTransport, newAddresses(3), (name, builder) -> builder.maxValueBytes(4 << 20))) {
            List<CompletionStage<Version>> puts = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                puts.add(nodes.get(0).put(Key.of("k" + i), new byte[3 << 20], ALL.withTimeout(Results.PATIENCE)));
            }
            puts.forEach(Results::result);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    default void batchesCarryValuesBeyondOneFrame(boolean batching) {
        try (ThreeNodes nodes = cluster(batching)) {
            Map<Key, byte[]> written = new LinkedHashMap<>();
            for (int i = 0; i < 500; i++) {
                written.put(Key.of("small" + i), value(i));
            }
            for (int i = 0; i < 6; i++) {
                byte[] large = new byte[(3 << 20) + i];
                new SplittableRandom(i).nextBytes(large);
                written.put(Key.of("large" + i), large);
            }
            Version version = result(nodes.get(0).putAll(written, ALL));
            result(nodes.get(1).delete(Key.of("small7"), ALL));
            written.remove(Key.of("small7"));

            List<Key> wanted = new ArrayList<>(written.keySet());
            wanted.add(Key.of("small7"));
            wanted.add(Key.of("never written"));
            for (int reader = 0; reader < 3; reader++) {
                Map<Key, Value> read = result(nodes.get(reader).getAll(wanted, MAJORITY));
                assertThat(read.keySet()).isEqualTo(written.keySet());
                read.forEach((key, value) -> {
                    assertThat(Arrays.equals(value.bytes(), written.get(key)))
                            .as(key.toString())
                            .isTrue();
                    assertThat(value.version()).isEqualTo(version);
                });
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    default void scansOfManyPagesShowLiveEntriesOnly(boolean batching) {
        try (ThreeNodes nodes = cluster(batching)) {
            TreeMap<Key, byte[]> expected = new TreeMap<>();
            for (int i = 0; i < 2_500; i++) {
                expected.put(Key.of(String.format("key%05d", i)), value(i));
            }
            result(nodes.get(0).putAll(expected, ALL));
            List<CompletionStage<Version>> deletes = new ArrayList<>();
            for (int i = 0; i < 2_500; i++) {
                if (i % 20 == 0 || (i > 1_000 && i < 1_200)) {
                    Key key = Key.of(String.format("key%05d", i));
                    expected.remove(key);
                    deletes.add(nodes.get(i % 3).delete(key, ALL));
                }
            }
            deletes.forEach(Results::result);

            for (int reader = 0; reader < 3; reader++) {
                assertShows(expected, scan(nodes.get(reader), ScanScope.CLUSTER));
                // Each node is a replica of every key.
                assertShows(expected, scan(nodes.get(reader), ScanScope.NODE));
            }
        }
    }

    private static void assertShows(Map<Key, byte[]> expected, List<KeyValue> shown) {
        assertThat(shown.stream().map(KeyValue::key)).containsExactlyElementsOf(expected.keySet());
        assertThat(shown).allMatch(entry -> Arrays.equals(entry.value().bytes(), expected.get(entry.key())));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    default void manyCallsAtATimeFromAllNodesEachGetTheirOwnAnswer(boolean batching) {
        try (ThreeNodes nodes = cluster(batching)) {
            int count = 600;
            List<CompletionStage<Version>> puts = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                puts.add(nodes.get(i % 3).put(Key.of("k" + i), number(i), ALL));
            }
            puts.forEach(Results::result);
            List<CompletionStage<byte[]>> gets = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                gets.add(nodes.get((i + 1) % 3)
                        .get(Key.of("k" + i), MAJORITY)
                        .thenApply(found -> found.orElseThrow().bytes()));
            }
            for (int i = 0; i < count; i++) {
                assertThat(result(gets.get(i))).isEqualTo(number(i));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    default void readsThatLoseInterestInSomeRepliesAreAnswered(CancellationPolicy policy) {
        try (ThreeNodes nodes = cluster(
                true, (name, builder) -> builder.readFanOut(ReadFanOut.ALL).cancellation(policy))) {
            for (int i = 0; i < 20; i++) {
                result(nodes.get(0).put(Key.of("k" + i), number(i), ALL));
            }
            List<CompletionStage<Optional<Value>>> gets = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                gets.add(nodes.get(i % 3)
                        .get(Key.of("k" + i % 20), CallOptions.defaults().withPolicy(1, 3)));
            }
            for (int i = 0; i < gets.size(); i++) {
                assertThat(result(gets.get(i)).map(Value::bytes)).hasValue(number(i % 20));
            }
        }
    }
}
