package io.dht4j.simulator.cluster.load;

import static io.dht4j.simulator.cluster.SimulatedCluster.id;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.dht4j.CallOptions;
import io.dht4j.CancellationPolicy;
import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.ReadFanOut;
import io.dht4j.Topology;
import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.SystemEnvironment;
import io.dht4j.core.options.Batching;
import io.dht4j.simulator.cluster.BlockingStore;
import io.dht4j.simulator.cluster.SimulatedCluster;
import io.dht4j.spi.Store;
import io.dht4j.testkit.network.Fault;
import io.dht4j.testkit.network.LoopbackNetwork;
import io.dht4j.testkit.store.ModelStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CancellationTest {

    private static final CallOptions ONE_OF_THREE = CallOptions.defaults().withPolicy(1, 3);
    private static final CallOptions TWO_OF_THREE = CallOptions.defaults().withPolicy(2, 3);
    private static final CallOptions ALL_OF_THREE = CallOptions.defaults().withPolicy(3, 3);

    /** Node 0 answers from memory at once; the others' stores are read on store threads, and counted. */
    private static SimulatedCluster start(CancellationPolicy policy, Batching batching) {
        SimulatedCluster cluster = SimulatedCluster.of(1, 3)
                .stores(i -> i == 0 ? new ModelStore() : new BlockingStore())
                .options(b -> b.cancellation(policy).batching(batching).readFanOut(ReadFanOut.ALL))
                .start();
        cluster.env.advance(Duration.ofSeconds(3));
        return cluster;
    }

    private static AtomicInteger gets(SimulatedCluster cluster, int node) {
        return ((BlockingStore) cluster.stores.get(node)).gets;
    }

    @ParameterizedTest
    @EnumSource
    void surplusRequestReachesTheStoreUnlessCancelled(CancellationPolicy policy) {
        try (SimulatedCluster cluster = start(policy, Batching.off())) {
            cluster.towardNode(1, Fault.delay(Duration.ofMillis(5), Duration.ZERO));
            cluster.await(cluster.node(0).get(Key.of("k"), TWO_OF_THREE));
            assertThat(gets(cluster, 2)).hasValue(1);
            cluster.env.advance(Duration.ofMillis(10));
            assertThat(gets(cluster, 1)).hasValue(policy == CancellationPolicy.PROPAGATE ? 0 : 1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aFrameIsCancelledOnceAllItsPartsAre(CancellationPolicy policy) {
        try (SimulatedCluster cluster = start(policy, new Batching(true, 100, 4096, 1))) {
            List<CompletionStage<Optional<Value>>> gets = getsWhoseBatchIsSlowTowardsNode1(cluster, TWO_OF_THREE);
            gets.forEach(cluster::await);
            // The first request to either is not delayed: the one that answers first decides, and the other may be
            // cancelled.
            assertThat(gets(cluster, 2).get()).isBetween(policy == CancellationPolicy.PROPAGATE ? 9 : 10, 10);
            cluster.env.advance(Duration.ofMillis(10));
            assertThat(gets(cluster, 1).get())
                    .isBetween(
                            policy == CancellationPolicy.PROPAGATE ? 0 : 10,
                            policy == CancellationPolicy.PROPAGATE ? 1 : 10);
        }
    }

    @ParameterizedTest
    @EnumSource
    void frameContinuesWhileOneOfItsPartsIsWanted(CancellationPolicy policy) {
        try (SimulatedCluster cluster = start(policy, new Batching(true, 100, 4096, 1))) {
            List<CompletionStage<Optional<Value>>> gets = getsWhoseBatchIsSlowTowardsNode1(cluster, ALL_OF_THREE);
            gets.forEach(cluster::await);
            assertThat(gets(cluster, 1).get()).isBetween(policy == CancellationPolicy.PROPAGATE ? 9 : 10, 10);
        }
    }

    /**
     * Nine reads 2/3 and one of another policy. The first goes by itself, the others together, and to node 1 slowly.
     */
    private static List<CompletionStage<Optional<Value>>> getsWhoseBatchIsSlowTowardsNode1(
            SimulatedCluster cluster, CallOptions last) {
        AtomicInteger frames = new AtomicInteger();
        // So that the batch to node 1 is on its way before node 2 decides.
        cluster.links.get(0).toward(id(2), Fault.delay(Duration.ofMillis(1), Duration.ZERO));
        cluster.links
                .get(0)
                .toward(
                        id(1),
                        () -> frames.getAndIncrement() == 0
                                ? Fault.none()
                                : Fault.delay(Duration.ofMillis(5), Duration.ZERO));
        List<CompletionStage<Optional<Value>>> gets = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            gets.add(cluster.node(0).get(Key.of("k" + i), TWO_OF_THREE));
        }
        gets.add(cluster.node(0).get(Key.of("last"), last));
        return gets;
    }

    @ParameterizedTest
    @EnumSource(names = {"NEVER", "LOCAL"})
    void waitingRequestOfADecidedReadIsNotSent(CancellationPolicy policy) {
        try (SimulatedCluster cluster = start(policy, new Batching(true, 100, 4096, 1))) {
            cluster.towardNode(1, Fault.loseRequest());
            cluster.await(cluster.node(0).get(Key.of("lost"), TWO_OF_THREE));
            cluster.heal();
            for (int i = 0; i < 5; i++) {
                cluster.await(cluster.node(0).get(Key.of("k" + i), ONE_OF_THREE));
            }
            cluster.env.advance(Duration.ofMillis(50));
            assertThat(gets(cluster, 1)).hasValue(policy == CancellationPolicy.NEVER ? 5 : 0);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aReplyThatIsNoLongerWantedIsNotRead(CancellationPolicy policy) {
        try (SimulatedCluster cluster = start(policy, Batching.off())) {
            Key own = cluster.keyOf(1, 0);
            CallOptions local = CallOptions.defaults().withPolicy(1, 1);
            Version ahead = new Version(0);
            for (int i = 0; i < 100; i++) {
                ahead = cluster.await(cluster.node(1).put(own, new byte[1], local));
            }
            // Its clock is ahead now, by some counts of the same millisecond, and its replies say so.
            cluster.await(cluster.node(0).get(Key.of("k"), ONE_OF_THREE));
            cluster.env.advance(Duration.ZERO);
            Version next = cluster.await(cluster.node(0).put(cluster.keyOf(0, 0), new byte[1], local));
            assertThat(next.compareTo(ahead) > 0).as("reply was read").isEqualTo(policy == CancellationPolicy.NEVER);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aReadWhoseCallerCancelsItsStageIsAbandoned(CancellationPolicy policy) {
        try (SimulatedCluster cluster = start(policy, Batching.on())) {
            cluster.towardNode(1, Fault.delay(Duration.ofMillis(5), Duration.ZERO));
            CompletableFuture<Optional<Value>> get =
                    cluster.node(0).get(Key.of("k"), ALL_OF_THREE).toCompletableFuture();
            assertThat(get.cancel(true)).isTrue();
            cluster.env.advance(Duration.ofMillis(10));
            assertThat(gets(cluster, 1)).hasValue(policy == CancellationPolicy.PROPAGATE ? 0 : 1);
            assertThat(get).isCancelled();
        }
    }

    @ParameterizedTest
    @EnumSource
    void cancellingADerivedStageLeavesTheRead(CancellationPolicy policy) {
        try (SimulatedCluster cluster = start(policy, Batching.on())) {
            cluster.towardNode(1, Fault.delay(Duration.ofMillis(5), Duration.ZERO));
            CompletionStage<Optional<Value>> get = cluster.node(0).get(Key.of("k"), ALL_OF_THREE);
            CompletableFuture<Boolean> derived =
                    get.thenApply(Optional::isPresent).toCompletableFuture();
            derived.cancel(true);
            assertThat(cluster.await(get)).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void writesAreCarriedThrough(CancellationPolicy policy) {
        try (SimulatedCluster cluster = start(policy, Batching.on())) {
            cluster.towardNode(1, Fault.delay(Duration.ofMillis(5), Duration.ZERO));
            Key decided = Key.of("decided");
            cluster.await(cluster.node(0).put(decided, new byte[1], ONE_OF_THREE));
            Key cancelled = Key.of("cancelled");
            cluster.node(0)
                    .put(cancelled, new byte[1], ALL_OF_THREE)
                    .toCompletableFuture()
                    .cancel(true);
            cluster.env.advance(Duration.ofMillis(10));
            assertThat(cluster.stores.get(1).get(decided)).isPresent();
            assertThat(cluster.stores.get(1).get(cancelled)).isPresent();
        }
    }

    @Timeout(60)
    @ParameterizedTest
    @EnumSource
    void requestCancelledBeforeTheStoreReadsNothing(CancellationPolicy policy) throws Exception {
        BlockingStore store = new BlockingStore();
        CountDownLatch reading = new CountDownLatch(1);
        CountDownLatch mayRead = new CountDownLatch(1);
        store.beforeGet = () -> {
            reading.countDown();
            awaitQuietly(mayRead);
        };
        try (SystemEnvironment env = new SystemEnvironment("cancel", 1);
                Nodes nodes = new Nodes(env, policy, store)) {
            Key held = nodes.keyOf1(0);
            CallOptions patient = CallOptions.defaults().withTimeout(Duration.ofSeconds(30));
            CallOptions fromFirst = patient.withPolicy(1, 1);
            var first = nodes.n0.get(held, fromFirst);
            assertThat(reading.await(30, TimeUnit.SECONDS)).isTrue();
            // Decided by node 0 alone, while the request to node 1 waits for its only store thread.
            result(nodes.n0.get(nodes.keyOf1(1), patient.withPolicy(1, 2)));
            mayRead.countDown();
            result(first);
            result(nodes.n0.get(nodes.keyOf1(2), fromFirst));
            assertThat(store.gets).hasValue(policy == CancellationPolicy.PROPAGATE ? 2 : 3);
        }
    }

    /** Two nodes whose frames are handed over on the calling thread. */
    private static final class Nodes implements AutoCloseable {
        final Cluster n0;
        private final Cluster n1;

        Nodes(SystemEnvironment env, CancellationPolicy policy, BlockingStore store) {
            Topology topology = Topology.of(Node.of("n0", "h0:1"), Node.of("n1", "h1:1"));
            LoopbackNetwork network = LoopbackNetwork.on(env, Runnable::run);
            n0 = start("n0", topology, network, env, policy, new ModelStore());
            n1 = start("n1", topology, network, env, policy, store);
        }

        private static Cluster start(
                String name,
                Topology topology,
                LoopbackNetwork network,
                SystemEnvironment env,
                CancellationPolicy policy,
                Store store) {
            return ClusterBuilder.of(name, topology)
                    .transport(network.transport("h" + name.substring(1) + ":1"))
                    .store(store)
                    .environment(env)
                    .timeout(Duration.ofSeconds(30))
                    .readFanOut(ReadFanOut.ALL)
                    .cancellation(policy)
                    .start();
        }

        /** Different keys of which node 1 is the first replica. */
        Key keyOf1(int number) {
            int found = 0;
            for (int i = 0; ; i++) {
                Key key = Key.of("key" + i);
                boolean first = n0.locate(key)
                        .toCompletableFuture()
                        .join()
                        .replicas()
                        .get(0)
                        .id()
                        .equals(id(1));
                if (first && found++ == number) {
                    return key;
                }
            }
        }

        @Override
        public void close() {
            n0.close();
            n1.close();
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            assumeThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static <T> T result(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(30, TimeUnit.SECONDS);
    }
}
