package io.dht4j.simulator.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.NodeOperations;
import io.dht4j.NodeStatus;
import io.dht4j.Topology;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.SystemEnvironment;
import io.dht4j.testkit.network.LoopbackNetwork;
import io.dht4j.testkit.store.ForwardingStore;
import io.dht4j.testkit.store.ModelStore;
import io.dht4j.testkit.time.ForwardingEnvironment;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The status is wanted most when the store is busy or stands still. */
@Timeout(60)
class StatusTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** A store that reports its number of entries only when it may. */
    private static final class StillStore extends ForwardingStore {

        private final AtomicInteger looks = new AtomicInteger();
        private final CountDownLatch asked = new CountDownLatch(1);
        private final CountDownLatch mayGoOn = new CountDownLatch(1);
        private volatile boolean standsStill;

        StillStore() {
            super(new ModelStore());
        }

        @Override
        public long entries() {
            looks.incrementAndGet();
            if (standsStill) {
                asked.countDown();
                awaitLeave();
            }
            return super.entries();
        }

        private void awaitLeave() {
            try {
                assertThat(mayGoOn.await(50, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                throw new AssertionError("a store thread was interrupted", e);
            }
        }
    }

    private static NodeStatus get(CompletionStage<NodeStatus> status) throws Exception {
        return status.toCompletableFuture().get(30, TimeUnit.SECONDS);
    }

    @Test
    void operationsOfANodeNameItAndEndWithIt() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            NodeOperations operations = cluster.node(1).operations();
            assertThat(operations).hasToString("operations of node " + SimulatedCluster.id(1));
            cluster.node(1).close();
            assertThat(cluster.failureOf(operations.status())).hasMessage("this node is closed");
        }
    }

    @Test
    void statusOfAStalledStoreShowsTheAgeOfItsCount() throws Exception {
        Node node = Node.of("n0", "h0:1");
        StillStore store = new StillStore();
        SystemEnvironment env = SystemEnvironment.create("status-test");
        try (Cluster cluster = ClusterBuilder.of(node.id(), Topology.of(node))
                .transport(LoopbackNetwork.on(env).transport(node.address()))
                .store(store)
                .environment(env)
                .start()) {
            try {
                cluster.put(Key.of("k"), new byte[1]).toCompletableFuture().get(30, TimeUnit.SECONDS);
                NodeStatus before = get(cluster.operations().status());
                assertThat(before.entries()).isEqualTo(1);
                store.standsStill = true;
                CompletableFuture<NodeStatus> first =
                        cluster.operations().status().toCompletableFuture();
                assertThat(store.asked.await(30, TimeUnit.SECONDS)).isTrue();
                int looks = store.looks.get();
                assertThat(get(first).entries()).isEqualTo(1);
                NodeStatus later = get(cluster.operations().status());
                assertThat(later.entries()).isEqualTo(1);
                assertThat(later.entriesAge()).isGreaterThan(Duration.ZERO).isLessThanOrEqualTo(later.uptime());
                for (int i = 0; i < 100; i++) {
                    get(cluster.operations().status());
                }
                assertThat(store.looks).as("no further store thread waits").hasValue(looks);
            } finally {
                store.mayGoOn.countDown();
            }
        } finally {
            env.close();
        }
    }

    /** Store threads that can be kept from a task, or are not to be had. */
    private static final class SteeredStoreThreads extends ForwardingEnvironment {

        private final VirtualEnvironment base;
        private final Queue<Runnable> held = new ArrayDeque<>();
        private boolean holds;
        private @Nullable Error refusal;

        SteeredStoreThreads(VirtualEnvironment base) {
            super(base);
            this.base = base;
        }

        @Override
        public Executor storeExecutor() {
            return task -> {
                if (refusal != null) {
                    throw refusal;
                }
                if (holds) {
                    held.add(task);
                } else {
                    base.storeExecutor().execute(task);
                }
            };
        }

        void letGo() {
            holds = false;
            held.forEach(base.storeExecutor()::execute);
            held.clear();
        }
    }

    private static Cluster alone(SteeredStoreThreads threads) {
        Node node = Node.of("n0", "h0:1");
        return ClusterBuilder.of(node.id(), Topology.of(node))
                .transport(LoopbackNetwork.on(threads).transport(node.address()))
                .store(new ModelStore())
                .environment(threads)
                .start();
    }

    @Test
    void aThreadThatIsNotToBeHadCostsOneStatusOnly() {
        SteeredStoreThreads threads = new SteeredStoreThreads(VirtualEnvironment.seeded(1));
        try (Cluster cluster = alone(threads)) {
            threads.refusal = new OutOfMemoryError("unable to create native thread");
            CompletableFuture<NodeStatus> failed = cluster.operations().status().toCompletableFuture();
            threads.refusal = null;
            threads.base.advance(Duration.ofSeconds(1));
            assertThat(failed).isCompletedExceptionally();
            threads.base.await(cluster.put(Key.of("k"), new byte[1]), PATIENCE);
            NodeStatus status = threads.base.await(cluster.operations().status(), PATIENCE);
            assertThat(status.entries()).isEqualTo(1);
            assertThat(status.entriesAge()).isZero();
        }
    }

    @Test
    void aNewerCountIsDueOnlySinceTheStoreWasAskedForIt() {
        SteeredStoreThreads threads = new SteeredStoreThreads(VirtualEnvironment.seeded(1));
        try (Cluster cluster = alone(threads)) {
            threads.base.await(cluster.operations().status(), PATIENCE);
            threads.base.advance(Duration.ofMinutes(1));
            threads.holds = true;
            assertThat(threads.base
                            .await(cluster.operations().status(), PATIENCE)
                            .entriesAge())
                    .isBetween(Duration.ofMillis(1), Duration.ofSeconds(1));
            threads.base.advance(Duration.ofSeconds(20));
            assertThat(threads.base
                            .await(cluster.operations().status(), PATIENCE)
                            .entriesAge())
                    .isBetween(Duration.ofSeconds(20), Duration.ofSeconds(21));
            threads.letGo();
            threads.base.advance(Duration.ofSeconds(1));
            assertThat(threads.base
                            .await(cluster.operations().status(), PATIENCE)
                            .entriesAge())
                    .isZero();
        }
    }
}
