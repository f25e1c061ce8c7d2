package io.dht4j.testkit.cluster;

import static io.dht4j.testkit.cluster.SimulatedCluster.id;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.CancellationPolicy;
import io.dht4j.Cluster;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.KeyValue;
import io.dht4j.ReadFanOut;
import io.dht4j.ScanScope;
import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.core.Batching;
import io.dht4j.spi.Entry;
import io.dht4j.spi.EntryCursor;
import io.dht4j.testkit.Fault;
import io.dht4j.testkit.ModelStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random operations through random nodes while links lose, delay, repeat and refuse messages and nodes restart, compared
 * with a model. Everything follows from the seed, which every failure names.
 */
class RandomFaultsTest {

    /** More are tried with {@code -Dtest.jvm.flags=-Ddht4j.seeds=1000}. */
    private static final int SEEDS = Integer.getInteger("dht4j.seeds", 60);

    private static final int KEYS = 6;
    private static final int STEPS = 300;
    private static final Duration TIMEOUT = Duration.ofMillis(200);

    static List<Long> seeds() {
        List<Long> seeds = new ArrayList<>();
        for (long seed = 0; seed < SEEDS; seed++) {
            seeds.add(seed);
        }
        return seeds;
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void quorumReadsSeeAcknowledgedWritesAndNoCallOutlivesItsDeadline(long seed) {
        new Run(seed, false).play();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void requestsThatTravelTogetherKeepThatPromise(long seed) {
        new Run(seed, true).play();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void oneSeedGivesOneHistory(long seed) {
        if (seed % 10 == 0) {
            assertThat(new Run(seed, true).play()).isEqualTo(new Run(seed, true).play());
        }
    }

    /** A write as the model knows it. */
    private static final class Write {
        final Optional<byte[]> value;
        final int begun;
        /** When the caller learned of its success; never for one whose outcome is unknown. */
        int acknowledged = Integer.MAX_VALUE;
        /** When a read of a quorum first returned it. */
        int seen = Integer.MAX_VALUE;

        boolean certainlyNotDone;
        Optional<Version> version = Optional.empty();

        Write(Optional<byte[]> value, int begun) {
            this.value = value;
            this.begun = begun;
        }

        Entry entry(Key key, Version at) {
            return value.map(v -> Entry.value(key, at, v, Entry.NEVER)).orElseGet(() -> Entry.tombstone(key, at));
        }
    }

    private static final class Run {
        private final long seed;
        private final SplittableRandom random;
        private final SimulatedCluster cluster;
        private final int size;
        private final CallOptions quorum;
        private final Map<Key, List<Write>> writes = new LinkedHashMap<>();
        private final List<String> history = new ArrayList<>();
        private int clock;
        private final List<Throwable> findings = new ArrayList<>();
        private int open;

        Run(long seed, boolean batching) {
            this.seed = seed;
            this.random = new SplittableRandom(seed);
            this.size = random.nextBoolean() ? 3 : 5;
            boolean blocking = random.nextBoolean();
            ReadFanOut fanOut = random.nextBoolean() ? ReadFanOut.ALL : ReadFanOut.ENOUGH;
            boolean hedged = random.nextBoolean();
            Duration skew = Duration.ofMillis(random.nextInt(100));
            CancellationPolicy cancellation = CancellationPolicy.values()[random.nextInt(3)];
            // Narrow windows and small frames, so that there is something to put together and to take apart.
            Batching together =
                    batching ? new Batching(true, 1 + random.nextInt(8), 1024, 1 + random.nextInt(2)) : Batching.off();
            this.cluster = SimulatedCluster.of(seed, size)
                    .stores(i -> blocking ? new BlockingStore() : new ModelStore())
                    .clocks(i -> skew.multipliedBy(i))
                    .options(b -> {
                        b.readFanOut(fanOut)
                                .inlineValueBytes(8)
                                .timeout(TIMEOUT)
                                .batching(together)
                                .cancellation(cancellation)
                                .partitions(64);
                        return hedged ? b.hedgeDelay(Duration.ofMillis(10)) : b;
                    })
                    .start();
            this.quorum = CallOptions.defaults().withPolicy(2, 3);
            for (int i = 0; i < KEYS; i++) {
                writes.put(Key.of("key" + i), new ArrayList<>());
            }
        }

        List<String> play() {
            for (int i = 0; i < size; i++) {
                cluster.links.get(i).towardAll(this::fault);
            }
            for (int step = 0; step < STEPS; step++) {
                operate(step);
                if (random.nextInt(3) > 0) {
                    cluster.env.advance(Duration.ofMillis(random.nextInt(30)));
                }
                assertThat(findings).as("seed %d", seed).isEmpty();
                if (random.nextInt(40) == 0) {
                    restart(random.nextInt(size));
                }
            }
            cluster.env.advance(TIMEOUT);
            assertThat(open).as("calls that hang, seed %d", seed).isZero();
            settle();
            assertThat(findings).as("seed %d", seed).isEmpty();
            cluster.close();
            history.add("fingerprint " + cluster.env.fingerprint());
            return history;
        }

        private Fault fault() {
            return switch (random.nextInt(20)) {
                case 0 -> Fault.loseRequest();
                case 1 -> Fault.loseReply();
                case 2 -> Fault.refuse();
                case 3 -> Fault.failAfterDelivery();
                case 4, 5, 6 ->
                    Fault.delay(Duration.ofMillis(random.nextInt(150)), Duration.ofMillis(random.nextInt(150)));
                case 7 -> Fault.repeat(Duration.ofMillis(random.nextInt(500)));
                default -> Fault.none();
            };
        }

        private void restart(int node) {
            history.add("restart n" + node);
            cluster.restartNode(node);
            cluster.links.get(node).towardAll(this::fault);
        }

        private void operate(int step) {
            Cluster node = cluster.node(random.nextInt(size));
            Key key = randomKey();
            switch (random.nextInt(10)) {
                case 0, 1, 2 -> put(node, key, step);
                case 3 -> delete(node, key);
                case 4 -> putAll(node, step);
                case 5 -> getAll(node);
                case 6 -> scan(node);
                default -> get(node, key);
            }
        }

        private Key randomKey() {
            return Key.of("key" + random.nextInt(KEYS));
        }

        /** Unique for each write; half of them too large to come with every answer. */
        private byte[] value(int step) {
            byte[] value = new byte[random.nextBoolean() ? 4 : 40];
            value[0] = (byte) (step >> 8);
            value[1] = (byte) step;
            value[2] = (byte) random.nextInt();
            return value;
        }

        private <T> void watch(String what, CompletionStage<T> stage, BiConsumer<T, DhtException> then) {
            Duration begun = cluster.env.elapsed();
            open++;
            stage.whenComplete((result, error) -> {
                open--;
                clock++;
                try {
                    ended(what, begun, result, error, then);
                } catch (Throwable e) {
                    // A stage swallows what its callback throws.
                    findings.add(e);
                }
            });
        }

        private <T> void ended(
                String what, Duration begun, T result, Throwable error, BiConsumer<T, DhtException> then) {
            Duration took = cluster.env.elapsed().minus(begun);
            assertThat(took).as("%s, seed %d", what, seed).isLessThanOrEqualTo(TIMEOUT);
            if (error == null) {
                then.accept(result, null);
            } else {
                Throwable cause = DhtException.unwrap(error);
                assertThat(cause).as("%s, seed %d", what, seed).isInstanceOf(DhtException.class);
                DhtException failure = (DhtException) cause;
                assertThat(failure.code())
                        .as("%s, seed %d: %s", what, seed, failure)
                        .isIn(ErrorCode.NOT_ENOUGH_REPLICAS, ErrorCode.WRITE_INDETERMINATE, ErrorCode.NOT_SERVING);
                then.accept(null, failure);
            }
            history.add(what + " " + took + " " + (error == null ? "ok" : "failed"));
        }

        private Write begin(Key key, Optional<byte[]> value) {
            Write write = new Write(value, ++clock);
            writes.get(key).add(write);
            return write;
        }

        private void end(Write write, Version version, DhtException failure) {
            if (failure == null) {
                write.acknowledged = clock;
                write.version = Optional.of(version);
            } else {
                write.certainlyNotDone = failure.code() != ErrorCode.WRITE_INDETERMINATE;
            }
        }

        private void put(Cluster node, Key key, int step) {
            byte[] value = value(step);
            Write write = begin(key, Optional.of(value));
            watch("put " + key, node.put(key, value, quorum), (version, e) -> end(write, version, e));
        }

        private void delete(Cluster node, Key key) {
            Write write = begin(key, Optional.empty());
            watch("delete " + key, node.delete(key, quorum), (version, e) -> end(write, version, e));
        }

        private void putAll(Cluster node, int step) {
            Map<Key, byte[]> values = new LinkedHashMap<>();
            List<Write> batch = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                Key key = randomKey();
                if (!values.containsKey(key)) {
                    byte[] value = value(step);
                    values.put(key, value);
                    batch.add(begin(key, Optional.of(value)));
                }
            }
            watch(
                    "putAll",
                    node.putAll(values, quorum),
                    (version, e) -> batch.forEach(write -> end(write, version, e)));
        }

        private void get(Cluster node, Key key) {
            int begun = ++clock;
            watch("get " + key, node.get(key, quorum), (value, e) -> {
                if (e == null) {
                    check(key, value, begun, true);
                }
            });
        }

        private void getAll(Cluster node) {
            int begun = ++clock;
            watch("getAll", node.getAll(writes.keySet(), quorum), (values, e) -> {
                if (e == null) {
                    writes.keySet().forEach(key -> check(key, Optional.ofNullable(values.get(key)), begun, true));
                }
            });
        }

        private void scan(Cluster node) {
            int begun = ++clock;
            watch("scan", node.scan(KeyRange.all(), ScanScope.CLUSTER, quorum).next(), (page, e) -> {
                if (e == null) {
                    Map<Key, Value> values = new LinkedHashMap<>();
                    for (KeyValue entry : page) {
                        values.put(entry.key(), entry.value());
                    }
                    writes.keySet().forEach(key -> check(key, Optional.ofNullable(values.get(key)), begun, false));
                }
            });
        }

        /**
         * A read must show the newest write that was acknowledged before it began, or one that is newer than that; a monotonic one also
         * what another monotonic one has shown that ended before it began.
         */
        private void check(Key key, Optional<Value> read, int begun, boolean monotonic) {
            Optional<Entry> least = Optional.empty();
            for (Write write : writes.get(key)) {
                if (write.acknowledged < begun || (monotonic && write.seen < begun)) {
                    Entry entry = write.entry(key, write.version.orElseThrow());
                    least = Optional.of(least.map(e -> Entry.newest(e, entry)).orElse(entry));
                }
            }
            String what = "read of " + key + " begun at " + begun + ", seed " + seed;
            if (read.isPresent()) {
                Value value = read.get();
                Write origin = writes.get(key).stream()
                        .filter(w -> w.value
                                .filter(v -> Arrays.equals(v, value.bytes()))
                                .isPresent())
                        .findFirst()
                        .orElseThrow(() -> new AssertionError(what + " shows what nobody wrote"));
                assertThat(origin.certainlyNotDone).as(what).isFalse();
                Entry shown = origin.entry(key, value.version());
                assertThat(least.filter(e -> e.supersedes(shown)))
                        .as("%s is older than what was acknowledged or read", what)
                        .isEmpty();
                if (monotonic && origin.seen > clock) {
                    origin.seen = clock;
                    origin.version = Optional.of(value.version());
                }
            } else if (least.filter(e -> !e.isTombstone()).isPresent()) {
                // Only a delete that is newer, or whose version is not known, can hide the value; or one that is as
                // new, since
                // a node that restarts within a millisecond may give a version again.
                Entry value = least.get();
                assertThat(writes.get(key))
                        .as("%s does not show %s", what, value)
                        .anyMatch(w -> w.value.isEmpty()
                                && !w.certainlyNotDone
                                && w.version
                                        .map(v -> v.compareTo(value.version()) >= 0)
                                        .orElse(true));
            }
        }

        /** After the faults: every key is readable everywhere, and is stored only where it belongs. */
        private void settle() {
            cluster.heal();
            cluster.env.advance(Duration.ofSeconds(2));
            for (int node = 0; node < size; node++) {
                scan(cluster.node(node));
                for (Key key : writes.keySet()) {
                    int begun = ++clock;
                    check(key, cluster.await(cluster.node(node).get(key, quorum)), begun, true);
                }
                int index = node;
                try (EntryCursor cursor = cluster.stores.get(node).scan(KeyRange.all())) {
                    cursor.forEachRemaining(entry -> assertThat(cluster.node(0)
                                    .locate(entry.key())
                                    .toCompletableFuture()
                                    .join()
                                    .replicas()
                                    .subList(0, 3))
                            .as("replicas of %s, seed %d", entry.key(), seed)
                            .anyMatch(replica -> replica.id().equals(id(index))));
                }
            }
            cluster.env.advance(TIMEOUT);
            assertThat(open).as("calls that hang, seed %d", seed).isZero();
        }
    }
}
