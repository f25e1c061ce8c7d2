package io.dht4j.simulator.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.NodeStatus;
import io.dht4j.Topology;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.SystemEnvironment;
import io.dht4j.testkit.ForwardingStore;
import io.dht4j.testkit.LoopbackNetwork;
import io.dht4j.testkit.ModelStore;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The status is wanted most when the store is busy or stands still. */
@Timeout(60)
class StatusTest {

    /** A store that tells how much it holds only when it may. */
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
    void theStatusComesWhileTheStoreStandsStillAndSaysHowOldItsCountIs() throws Exception {
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
                NodeStatus before = get(cluster.status());
                assertThat(before.entries()).isEqualTo(1);
                store.standsStill = true;
                CompletableFuture<NodeStatus> first = cluster.status().toCompletableFuture();
                assertThat(store.asked.await(30, TimeUnit.SECONDS)).isTrue();
                int looks = store.looks.get();
                assertThat(get(first).entries()).isEqualTo(1);
                NodeStatus later = get(cluster.status());
                assertThat(later.entries()).isEqualTo(1);
                assertThat(later.entriesAge()).isGreaterThan(Duration.ZERO).isLessThanOrEqualTo(later.uptime());
                for (int i = 0; i < 100; i++) {
                    get(cluster.status());
                }
                assertThat(store.looks).as("no further store thread waits").hasValue(looks);
            } finally {
                store.mayGoOn.countDown();
            }
        } finally {
            env.close();
        }
    }
}
