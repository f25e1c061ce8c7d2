package io.dht4j.simulator.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dht4j.CallOptions;
import io.dht4j.CancellationPolicy;
import io.dht4j.Cluster;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.KeyValue;
import io.dht4j.Node;
import io.dht4j.ReadFanOut;
import io.dht4j.ScanScope;
import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.core.Batching;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.spi.Transport;
import io.dht4j.testkit.network.FreePorts;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The contract of a cluster over every {@link Transport}: three nodes n1, n2, n3 in this process, over the transports
 * of a subclass, with stores in memory. The tests send every request and reply of the core over the wire, with and
 * without batching.
 */
public abstract class ClusterOverTransportContract {

    /** How long a test waits for an expected event. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final CallOptions ALL = CallOptions.defaults().withPolicy(3, 3);
    private static final CallOptions MAJORITY = CallOptions.defaults().withPolicy(2, 3);

    /** Constructor for subclasses. */
    protected ClusterOverTransportContract() {}

    /**
     * Creates a transport that has not been started. It carries frames of at least 17 MiB.
     *
     * @param self the node of the transport: its name and listening address
     * @return a new transport, which its node closes
     */
    protected abstract Transport newTransport(Node self);

    /**
     * Returns distinct addresses at which no process listens.
     *
     * @param count how many
     * @return by default free ports of this machine
     */
    protected List<String> newAddresses(int count) {
        return FreePorts.find(count).stream().map(port -> "127.0.0.1:" + port).toList();
    }

    private ThreeNodes cluster(boolean batching) {
        return cluster(batching, (name, builder) -> builder);
    }

    private ThreeNodes cluster(boolean batching, ThreeNodes.Tuning tuning) {
        return ThreeNodes.start(
                this::newTransport,
                newAddresses(3),
                (name, builder) -> tuning.tune(name, builder.batching(batching ? Batching.on() : Batching.off())));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatOneNodeWritesTheOthersReadAndDelete(boolean batching) {
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
    void valuesOfTheLargestSizeGoOverTheWire(boolean batching) {
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

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void batchesBringSmallValuesAndLargeOnesThatDoNotFitOneFrame(boolean batching) {
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
    void scansOfManyPagesShowWhatIsThereAndNothingThatWasDeleted(boolean batching) {
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
            deletes.forEach(ClusterOverTransportContract::result);

            for (int reader = 0; reader < 3; reader++) {
                assertShows(expected, scan(nodes.get(reader), ScanScope.CLUSTER));
                // Each node is a replica of every key.
                assertShows(expected, scan(nodes.get(reader), ScanScope.NODE));
            }
        }
    }

    private static List<KeyValue> scan(Cluster node, ScanScope scope) {
        List<KeyValue> shown = new ArrayList<>();
        result(node.scan(KeyRange.all(), scope, CallOptions.defaults()).forEach(shown::add));
        return shown;
    }

    private static void assertShows(Map<Key, byte[]> expected, List<KeyValue> shown) {
        assertThat(shown.stream().map(KeyValue::key)).containsExactlyElementsOf(expected.keySet());
        assertThat(shown).allMatch(entry -> Arrays.equals(entry.value().bytes(), expected.get(entry.key())));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void manyCallsAtATimeFromAllNodesEachGetTheirOwnAnswer(boolean batching) {
        try (ThreeNodes nodes = cluster(batching)) {
            int count = 600;
            List<CompletionStage<Version>> puts = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                puts.add(nodes.get(i % 3).put(Key.of("k" + i), number(i), ALL));
            }
            puts.forEach(ClusterOverTransportContract::result);
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
    void readsThatLoseInterestInSomeRepliesAreAnswered(CancellationPolicy policy) {
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

    @Test
    void aMemberWithoutAStoreReadsAndWrites() {
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
    void twoClustersInOneJvmLeaveEachOtherAlone() {
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
    void nodesThatPlaceKeysDifferentlyRefuseEachOtherByName() {
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
    void nodesOfWhichOneTakesSmallerValuesOnlyRefuseEachOther() {
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
    void nodesGreetEachOtherWhenTheyStart() {
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
    void aNodeNamesItsTransport() {
        try (ThreeNodes nodes = cluster(true)) {
            assertThat(result(nodes.get(0).status()).transport()).isEqualTo(nodes.transportName(0));
        }
    }

    /** Two of three replicas run all the time, so every write succeeds; the third restarts twice. */
    @ParameterizedTest
    @Tag("core")
    @ValueSource(booleans = {false, true})
    void aNodeThatRestartsLosesNothingThatWasAcknowledged(boolean batching) throws Exception {
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

    private static byte[] number(int i) {
        return ByteBuffer.allocate(4).putInt(i).array();
    }

    private static ConditionFactory eventually() {
        return await().pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(5))
                .pollInSameThread()
                .atMost(PATIENCE);
    }

    private static <T> T result(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw new AssertionError("expected a result, not " + e.getCause(), e);
        } catch (TimeoutException | InterruptedException e) {
            throw new AssertionError("expected a result in time", e);
        }
    }

    private static DhtException failure(CompletionStage<?> stage) {
        try {
            Object result = stage.toCompletableFuture().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            throw new AssertionError("expected a failure, not " + result);
        } catch (ExecutionException e) {
            return (DhtException) DhtException.unwrap(e);
        } catch (TimeoutException | InterruptedException e) {
            throw new AssertionError("expected a failure in time", e);
        }
    }
}
