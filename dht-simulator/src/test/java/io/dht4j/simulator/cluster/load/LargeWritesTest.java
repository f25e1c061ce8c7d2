package io.dht4j.simulator.cluster.load;

import static io.dht4j.simulator.cluster.SimulatedCluster.id;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.DhtException;
import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.internal.wire.OwnHeader;
import io.dht4j.core.options.Batching;
import io.dht4j.core.options.OverloadProtection;
import io.dht4j.simulator.cluster.BlockingStore;
import io.dht4j.simulator.cluster.SimulatedCluster;
import io.dht4j.spi.Environment;
import io.dht4j.testkit.network.Fault;
import io.dht4j.testkit.network.LoopbackNetwork;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Writes of a mebibyte and more, which a replica may have no room for: they are offered to it again. */
class LargeWritesTest {

    private static final int LARGE = 1 << 20;
    private static final Key KEY = Key.of("k");
    private static final CallOptions TWO = CallOptions.defaults().withPolicy(2, 3);
    private static final CallOptions ALL = CallOptions.defaults().withPolicy(3, 3);
    private static final Duration LONG = Duration.ofSeconds(30);
    /** What waits for a store is not dropped. */
    private static final OverloadProtection PATIENT =
            OverloadProtection.defaults().withQueueAges(Duration.ofHours(1), Duration.ofHours(1));

    private static final Duration MOMENT = Duration.ofMillis(1);

    private static SimulatedCluster cluster() {
        return cluster(b -> b);
    }

    private static SimulatedCluster cluster(UnaryOperator<ClusterBuilder> options) {
        SimulatedCluster cluster = SimulatedCluster.of(1, 3)
                .stores(i -> new BlockingStore())
                .storeThreads(1)
                .options((i, b) -> options.apply(b.maxValueBytes(2 * LARGE)
                        .maxInFlightBytes(i == 0 ? 100L * LARGE : LARGE)
                        .overload(PATIENT)))
                .start();
        cluster.env.advance(Duration.ofSeconds(3));
        return cluster;
    }

    /** A cluster whose node 0 is in trouble. */
    private static SimulatedCluster cluster(Trouble trouble, UnaryOperator<ClusterBuilder> options) {
        VirtualEnvironment environment = VirtualEnvironment.seeded(1);
        trouble.environment = environment.newNode();
        SimulatedCluster cluster = SimulatedCluster.of(1, 3)
                .on(environment, LoopbackNetwork.on(environment), "")
                .stores(i -> BlockingStore.memoryFast())
                .options((i, b) ->
                        options.apply(b.maxValueBytes(2 * LARGE).environment(i == 0 ? trouble : environment.newNode())))
                .start();
        cluster.env.advance(Duration.ofSeconds(3));
        return cluster;
    }

    /**
     * Lets a node's store be busy for some time, while a small write waits, so that there is no room for a large one.
     */
    private static void fill(SimulatedCluster cluster, int node, Duration time) {
        BlockingStore store = (BlockingStore) cluster.stores.get(node);
        store.beforeApply = entries -> cluster.environments.get(node).occupyStoreThread(time);
        CallOptions alone = CallOptions.defaults().withPolicy(1, 1).withTimeout(LONG);
        for (int i = 0; i < 2; i++) {
            cluster.node(node).put(cluster.keyOf(node, 0), new byte[1], alone);
            cluster.env.advance(MOMENT);
            store.beforeApply = entries -> {};
        }
    }

    /** When node 0 calls another one from now on. */
    private static List<Duration> callsTo(SimulatedCluster cluster, int node) {
        List<Duration> calls = new ArrayList<>();
        cluster.links.get(0).toward(id(node), () -> {
            calls.add(cluster.env.elapsed());
            return Fault.none();
        });
        return calls;
    }

    private static long hintBytes(SimulatedCluster cluster) {
        cluster.env.advance(MOMENT);
        return cluster.await(cluster.node(0).operations().status()).hintBytes();
    }

    private static Duration timeOfFailure(SimulatedCluster cluster, CallOptions options) {
        Duration before = cluster.env.elapsed();
        cluster.failureOf(cluster.node(0).put(KEY, new byte[LARGE], options));
        return cluster.env.elapsed().minus(before);
    }

    @Test
    void writeIsOfferedAgainUntilThereIsRoom() {
        try (SimulatedCluster cluster = cluster()) {
            fill(cluster, 2, Duration.ofSeconds(3));
            CompletionStage<Version> write = cluster.node(0).put(KEY, new byte[LARGE], ALL.withTimeout(LONG));
            cluster.env.advance(Duration.ofSeconds(2));
            assertThat(write.toCompletableFuture()).isNotDone();

            cluster.await(write);
            assertThat(cluster.stores.get(2).get(KEY)).isPresent();
        }
    }

    @Test
    void writeWhoseOffersWaitEndsWhenItsNodeCloses() {
        try (SimulatedCluster cluster = cluster()) {
            fill(cluster, 1, LONG);
            fill(cluster, 2, LONG);
            CompletionStage<Version> write = cluster.node(0).put(KEY, new byte[LARGE], TWO.withTimeout(LONG));
            cluster.env.advance(Duration.ofSeconds(1));
            assertThat(write.toCompletableFuture()).isNotDone();

            cluster.node(0).close();

            assertThat(write.toCompletableFuture()).isCompletedExceptionally();
            assertThat(cluster.failureOf(write))
                    .hasMessageContaining("2 failed")
                    .hasMessageContaining("overloaded");
        }
    }

    @Test
    void refusalOfAnAcknowledgedWriteLeavesAHint() {
        try (SimulatedCluster cluster = cluster()) {
            fill(cluster, 2, LONG);
            cluster.links.get(0).toward(id(1), Fault.delay(Duration.ofMillis(10), Duration.ZERO));

            cluster.await(cluster.node(0).put(KEY, new byte[LARGE], TWO));

            assertThat(hintBytes(cluster)).isGreaterThan(LARGE);
        }
    }

    @Test
    void writeWithoutATimerFailsAndIsHinted() {
        Trouble trouble = new Trouble();
        try (SimulatedCluster cluster = cluster(trouble, b -> b)) {
            cluster.links.get(0).toward(id(2), () -> {
                trouble.timersThatFail = 1;
                return Fault.refuseForRoom();
            });

            assertThat(timeOfFailure(cluster, ALL)).isLessThan(Duration.ofMillis(100));
            assertThat(trouble.timersThatFail).isZero();
            cluster.links.get(0).heal();
            assertThat(hintBytes(cluster)).isGreaterThan(LARGE);
        }
    }

    @Test
    void refusedLargeWritesLeaveTheRoomOfSmallRequestsAsItIs() {
        try (SimulatedCluster cluster = cluster(b -> b.batching(Batching.off()))) {
            fill(cluster, 2, LONG);
            CompletionStage<Version> large = cluster.node(0).put(KEY, new byte[LARGE], ALL.withTimeout(LONG));
            cluster.env.advance(Duration.ofSeconds(14));
            assertThat(large.toCompletableFuture()).isNotDone();
            List<CompletionStage<?>> small = new ArrayList<>();
            for (int i = 0; i < 1_000; i++) {
                small.add(cluster.node(0).put(Key.of("small" + i), new byte[1], TWO));
            }
            small.forEach(cluster::await);

            assertThat(cluster.await(cluster.node(0).operations().status())
                            .overload()
                            .peerRequestsRefused())
                    .isZero();
        }
    }

    @Test
    void refusedWriteIsOfferedLessAndLessOften() {
        try (SimulatedCluster cluster = cluster()) {
            fill(cluster, 2, LONG);
            List<Duration> offers = callsTo(cluster, 2);
            CompletionStage<Version> write = cluster.node(0).put(KEY, new byte[LARGE], ALL.withTimeout(LONG));
            cluster.env.advance(Duration.ofSeconds(1));
            int inASecond = offers.size();
            cluster.env.advance(Duration.ofSeconds(13));

            assertThat(write.toCompletableFuture()).isNotDone();
            assertThat(inASecond).isBetween(4, 6);
            assertThat(offers).as("in half of the timeout").hasSizeBetween(7, 15);
        }
    }

    @Test
    void writesThatWereRefusedTogetherAreOfferedAgainApart() {
        try (SimulatedCluster cluster = cluster()) {
            fill(cluster, 2, LONG);
            List<Duration> offers = callsTo(cluster, 2);
            for (int i = 0; i < 5; i++) {
                cluster.node(0).put(Key.of("k" + i), new byte[LARGE], ALL);
            }
            cluster.env.advance(Duration.ofMillis(100));

            assertThat(offers).hasSize(10);
            assertThat(offers.stream().distinct()).hasSize(6);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void onlyARefusalForRoomIsRetried(boolean room) {
        try (SimulatedCluster cluster = cluster()) {
            cluster.links.get(0).toward(id(2), room ? Fault.refuseForRoom() : Fault.refuse());

            CompletionStage<Version> write = cluster.node(0).put(KEY, new byte[LARGE], ALL);
            cluster.env.advance(MOMENT);

            assertThat(write.toCompletableFuture().isDone())
                    .as("nobody waits for a node that is away")
                    .isNotEqualTo(room);
            assertThat(cluster.await(cluster.node(0).operations().status())
                            .suspected()
                            .contains(id(2)))
                    .isNotEqualTo(room);
            cluster.env.advance(Duration.ofMillis(500));
            assertThat(write.toCompletableFuture()).isCompletedExceptionally();
        }
    }

    @Test
    void largeWriteNoticesThatNothingListens() {
        try (SimulatedCluster cluster = cluster()) {
            cluster.stop(2);

            cluster.await(cluster.node(0).put(KEY, new byte[LARGE], TWO));

            assertThat(cluster.await(cluster.node(0).operations().status()).suspected())
                    .containsExactly(id(2));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void requestsThatCannotBeEncodedEndAndLeaveTheirRoom(boolean batching) {
        Trouble trouble = new Trouble();
        int most = 64;
        try (SimulatedCluster cluster = cluster(
                trouble,
                b -> b.batching(batching ? Batching.on() : Batching.off())
                        .overload(OverloadProtection.defaults().withPeerRequests(most, most, LONG)))) {
            cluster.links.get(0).towardAll(Fault.delay(Duration.ofMillis(5), Duration.ZERO));
            // The first fill the window of the batches, so that the rest goes together.
            trouble.headersThatWork = batching ? 8 : 0;
            List<CompletionStage<Version>> writes = new ArrayList<>();
            for (int i = 0; i < most; i++) {
                writes.add(cluster.node(0).put(Key.of("k" + i), new byte[1], ALL));
            }
            cluster.env.advance(Duration.ofMillis(500));
            assertThat(writes).allMatch(write -> write.toCompletableFuture().isDone());
            assertThat(writes.stream()
                            .filter(write -> write.toCompletableFuture().isCompletedExceptionally()))
                    .hasSizeGreaterThan(most / 2);
            DhtException failure =
                    cluster.failureOf(cluster.node(0).put(KEY, new byte[1], ALL.withTimeout(Duration.ofHours(1))));
            assertThat(failure).hasMessageContaining("could not be encoded");
            trouble.headersThatWork = Integer.MAX_VALUE;

            List<CompletionStage<Version>> after = new ArrayList<>();
            for (int i = 0; i < most; i++) {
                after.add(cluster.node(0).put(Key.of("k" + i), new byte[1], ALL));
            }
            after.forEach(cluster::await);
        }
    }

    /** A node's environment that fails where it is asked to. */
    private static final class Trouble implements Environment {

        private VirtualEnvironment environment;
        /** So many timers are refused, as after the timers have ended. */
        private int timersThatFail;
        /** So many headers of frames are made before memory is short. */
        private int headersThatWork = Integer.MAX_VALUE;

        @Override
        public long nanoTime() {
            return environment.nanoTime();
        }

        @Override
        public long currentTimeMillis() {
            if (headersThatWork < Integer.MAX_VALUE && isForAHeader() && headersThatWork-- <= 0) {
                headersThatWork = 0;
                throw new OutOfMemoryError("Java heap space, says this test");
            }
            return environment.currentTimeMillis();
        }

        private static boolean isForAHeader() {
            return StackWalker.getInstance()
                    .walk(frames ->
                            frames.anyMatch(frame -> frame.getClassName().equals(OwnHeader.class.getName())));
        }

        @Override
        public RandomGenerator random() {
            return environment.random();
        }

        @Override
        public Executor executor() {
            return environment.executor();
        }

        @Override
        public Executor storeExecutor() {
            return environment.storeExecutor();
        }

        @Override
        public int storeThreads() {
            return environment.storeThreads();
        }

        @Override
        public Timer schedule(Runnable task, long delayNanos) {
            if (timersThatFail > 0) {
                timersThatFail--;
                throw new RejectedExecutionException("planted");
            }
            return environment.schedule(task, delayNanos);
        }

        @Override
        public void close() {
            environment.close();
        }
    }
}
