package io.dht4j.simulator.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dht4j.CallOptions;
import io.dht4j.CancellationPolicy;
import io.dht4j.Cluster;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Hedging;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.KeyValue;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.ReadFanOut;
import io.dht4j.ScanScope;
import io.dht4j.Topology;
import io.dht4j.Value;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.SystemEnvironment;
import io.dht4j.core.options.OverloadProtection;
import io.dht4j.core.options.Repair;
import io.dht4j.spi.EntryCursor;
import io.dht4j.spi.RefillMarker;
import io.dht4j.spi.Store;
import io.dht4j.testkit.network.Fault;
import io.dht4j.testkit.network.FaultyTransport;
import io.dht4j.testkit.network.LoopbackNetwork;
import io.dht4j.testkit.store.ForwardingStore;
import io.dht4j.testkit.store.ModelStore;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What a simulation in one thread cannot show: many threads at a time. Bounded in work, not in time. */
@Timeout(120)
class ThreadsTest {

    private static final int THREADS = 8;
    private static final int ROUNDS = 300;
    private static final CallOptions QUORUM =
            CallOptions.defaults().withPolicy(2, 3).withTimeout(Duration.ofSeconds(30));

    /** A machine that stands still for a while is not taken for an overload. */
    private static final OverloadProtection NONE_EVER = OverloadProtection.defaults()
            .withPeerRequests(10_000, 10_000, Duration.ofHours(1))
            .withQueueAges(Duration.ofHours(1), Duration.ofHours(1));

    private final SystemEnvironment env = SystemEnvironment.create("threads-test");
    private final LoopbackNetwork network = LoopbackNetwork.on(env);
    private final List<Cluster> nodes = new ArrayList<>();
    private final List<FaultyTransport> links = new ArrayList<>();
    private final ExecutorService callers = Executors.newFixedThreadPool(THREADS);

    static Stream<Arguments> variants() {
        return Stream.of(
                Arguments.of(ReadFanOut.ENOUGH, true),
                Arguments.of(ReadFanOut.ENOUGH, false),
                Arguments.of(ReadFanOut.ALL, true),
                Arguments.of(ReadFanOut.ALL, false));
    }

    private void start(ReadFanOut fanOut, boolean blocking) {
        Topology topology = Topology.of(Node.of("n0", "h0:1"), Node.of("n1", "h1:1"), Node.of("n2", "h2:1"));
        for (Node node : topology.nodes()) {
            FaultyTransport transport = new FaultyTransport(network.transport(node.address()), env);
            Store store = blocking ? new BlockingStore() : new ModelStore();
            links.add(transport);
            nodes.add(ClusterBuilder.of(node.id(), topology)
                    .transport(transport)
                    .store(store)
                    .environment(env)
                    .readFanOut(fanOut)
                    .inlineValueBytes(8)
                    .overload(NONE_EVER)
                    .hedging(Hedging.after(Duration.ofMillis(1)))
                    .cancellation(blocking ? CancellationPolicy.PROPAGATE : CancellationPolicy.LOCAL)
                    .start());
        }
    }

    @AfterEach
    void closeAll() {
        callers.shutdown();
        nodes.forEach(Cluster::close);
        env.close();
    }

    private void inParallel(IntConsumer work) throws Exception {
        List<Future<?>> running = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
            int number = thread;
            running.add(callers.submit(() -> work.accept(number)));
        }
        for (Future<?> future : running) {
            future.get(100, TimeUnit.SECONDS);
        }
    }

    @ParameterizedTest
    @MethodSource("variants")
    void threadsReadTheirLastWriteDespiteFaults(ReadFanOut fanOut, boolean blocking) throws Exception {
        start(fanOut, blocking);
        SplittableRandom seeds = new SplittableRandom(9);
        List<SplittableRandom> randoms =
                Stream.generate(seeds::split).limit(THREADS).toList();
        // One link at a time is bad, so that two of three replicas can always answer.
        SplittableRandom faults = seeds.split();
        links.get(0).toward(SimulatedCluster.id(1), () -> {
            int dice;
            synchronized (faults) {
                dice = faults.nextInt(4);
            }
            return switch (dice) {
                case 0 -> Fault.refuse();
                case 1 -> Fault.failAfterDelivery();
                case 2 -> Fault.repeat(Duration.ofMillis(2));
                default -> Fault.delay(Duration.ofMillis(1), Duration.ofMillis(1));
            };
        });
        inParallel(thread -> {
            SplittableRandom random = randoms.get(thread);
            Cluster writer = nodes.get(thread % 3);
            for (int round = 1; round <= ROUNDS; round++) {
                Key key = Key.of("thread" + thread + "key" + round % 5);
                byte[] value = ByteBuffer.allocate(random.nextBoolean() ? 4 : 100)
                        .putInt(round)
                        .array();
                writer.put(key, value, QUORUM).toCompletableFuture().join();
                Cluster reader = nodes.get(random.nextInt(3));
                assertThat(reader.get(key, QUORUM).toCompletableFuture().join())
                        .hasValueSatisfying(read -> assertThat(read.bytes()).isEqualTo(value));
            }
        });
        List<Key> shown = new ArrayList<>();
        nodes.get(2)
                .scan(KeyRange.all())
                .forEach(entry -> shown.add(entry.key()))
                .toCompletableFuture()
                .join();
        assertThat(shown).hasSize(THREADS * 5).isSorted();
    }

    @ParameterizedTest
    @MethodSource("variants")
    void repliesOfCrowdedFramesFindTheirRequests(ReadFanOut fanOut, boolean blocking) throws Exception {
        start(fanOut, blocking);
        inParallel(thread -> {
            for (int round = 0; round < ROUNDS / 10; round++) {
                List<CompletableFuture<?>> puts = new ArrayList<>();
                for (int i = 0; i < 64; i++) {
                    Key key = Key.of("crowd" + thread + "key" + i);
                    byte[] value = ByteBuffer.allocate(4 + i).putInt(round).array();
                    puts.add(nodes.get(i % 3).put(key, value, QUORUM).toCompletableFuture());
                }
                puts.forEach(CompletableFuture::join);
                List<CompletableFuture<Optional<Value>>> gets = new ArrayList<>();
                for (int i = 0; i < 64; i++) {
                    Key key = Key.of("crowd" + thread + "key" + i);
                    gets.add(nodes.get((i + 1) % 3).get(key, QUORUM).toCompletableFuture());
                }
                for (int i = 0; i < 64; i++) {
                    byte[] value = ByteBuffer.allocate(4 + i).putInt(round).array();
                    assertThat(gets.get(i).join().orElseThrow().bytes()).isEqualTo(value);
                }
            }
        });
    }

    @ParameterizedTest
    @MethodSource("variants")
    void everyCallCompletesWhenNodesCloseUnderLoad(ReadFanOut fanOut, boolean blocking) throws Exception {
        start(fanOut, blocking);
        ConcurrentLinkedQueue<CompletableFuture<?>> calls = new ConcurrentLinkedQueue<>();
        CallOptions options = CallOptions.defaults().withPolicy(2, 3).withTimeout(Duration.ofSeconds(5));
        inParallel(thread -> {
            for (int round = 0; round < ROUNDS; round++) {
                Cluster node = nodes.get((thread + round) % 3);
                Key key = Key.of("key" + round % 7);
                calls.add(node.put(key, new byte[round % 30], options).toCompletableFuture());
                calls.add(node.get(key, options).toCompletableFuture());
                calls.add(node.scan(KeyRange.all()).next().toCompletableFuture());
                if (round == ROUNDS / 2 && thread < 2) {
                    nodes.get(thread).close();
                }
            }
        });
        for (CompletableFuture<?> call : calls) {
            try {
                call.get(60, TimeUnit.SECONDS);
            } catch (ExecutionException e) {
                assertThat(DhtException.unwrap(e))
                        .isInstanceOfSatisfying(
                                DhtException.class,
                                failure -> assertThat(failure.code())
                                        .as("%s", failure)
                                        .isIn(
                                                ErrorCode.NOT_ENOUGH_REPLICAS,
                                                ErrorCode.WRITE_INDETERMINATE,
                                                ErrorCode.NOT_SERVING,
                                                ErrorCode.OVERLOADED));
            }
        }
    }

    @Test
    void aNodeThatIsClosedHandsOverWhatOthersMissed() throws Exception {
        start(ReadFanOut.ENOUGH, true);
        CallOptions one = CallOptions.defaults().withPolicy(1, 3);
        links.get(0).toward(new NodeId("n2"), Fault.refuse());
        for (int i = 0; i < 100; i++) {
            nodes.get(0)
                    .put(Key.of("key" + i), new byte[100], one)
                    .toCompletableFuture()
                    .get(30, TimeUnit.SECONDS);
        }
        links.get(0).heal();

        nodes.get(0).close();

        assertThat(nodes.get(2)
                        .operations()
                        .status()
                        .toCompletableFuture()
                        .get(30, TimeUnit.SECONDS)
                        .entries())
                .isEqualTo(100);
    }

    /** What it shows would be as old as its opening, and it would be read when nobody knows of that any more. */
    @Test
    void pageOpenedDuringARefillIsCompleteOrRefused() throws Exception {
        start(ReadFanOut.ENOUGH, false);
        nodes.get(0)
                .put(Key.of("key"), new byte[1], QUORUM.withPolicy(3, 3))
                .toCompletableFuture()
                .get(60, TimeUnit.SECONDS);
        nodes.get(2).close();
        Node lost = nodes.get(0).topology().nodes().get(2);
        FaultyTransport link = new FaultyTransport(network.transport(lost.address()), env);
        link.towardAll(Fault.refuse());
        CompletableFuture<Cluster> started = new CompletableFuture<>();
        Store store = new ForwardingStore(new ModelStore()) {
            @Override
            public EntryCursor scan(KeyRange range) {
                EntryCursor cursor = super.scan(range);
                if (!started.isDone()) {
                    // The start looks for plain keys of registers.
                    return cursor;
                }
                link.heal();
                Cluster node = started.join();
                await().atMost(Duration.ofSeconds(60))
                        .until(() -> node.operations()
                                        .status()
                                        .toCompletableFuture()
                                        .join()
                                        .refill()
                                        .partitions()
                                == 0);
                return cursor;
            }
        };
        Cluster node = ClusterBuilder.of(lost.id(), nodes.get(0).topology())
                .transport(link)
                .store(store)
                .environment(env)
                .repair(Repair.off())
                .refill(RefillMarker.everything())
                .start();
        nodes.set(2, node);
        started.complete(node);

        CompletableFuture<List<KeyValue>> page = node.scan(
                        KeyRange.all(), ScanScope.NODE, QUORUM.withTimeout(Duration.ofSeconds(90)))
                .next()
                .toCompletableFuture();

        try {
            assertThat(page.get(100, TimeUnit.SECONDS)).hasSize(1);
        } catch (ExecutionException refused) {
            assertThat(refused).hasMessageContaining("getting it back");
        }
    }
}
