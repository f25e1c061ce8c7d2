package io.dht4j.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Cluster;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.NodeOperations;
import io.dht4j.NodeStatus;
import io.dht4j.OverloadCounts;
import io.dht4j.RefillStatus;
import io.dht4j.RepairStatus;
import io.dht4j.Topology;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** How often a cluster is asked, and for how long a scrape waits. */
class ClusterPollTest {

    private final AtomicLong now = new AtomicLong();
    private final List<CompletableFuture<NodeStatus>> asked = new ArrayList<>();
    private Supplier<CompletionStage<NodeStatus>> answer = () -> CompletableFuture.completedFuture(status(7));
    private final ClusterPoll poll = new ClusterPoll(cluster(), now::get, sample -> {});

    private static NodeStatus status(long entries) {
        return new NodeStatus(
                new NodeId("n1"),
                Topology.of(Node.of("n1", "host:1")),
                1,
                64,
                "p",
                "h",
                "t",
                "s",
                "v",
                entries,
                Duration.ZERO,
                0,
                0,
                OverloadCounts.none(),
                List.of(),
                RefillStatus.NONE,
                List.of(),
                List.of(),
                Optional.empty(),
                Duration.ofSeconds(1),
                Map.of());
    }

    /** A cluster that answers for its status only. */
    private Cluster cluster() {
        NodeOperations operations = new NodeOperations() {
            @Override
            public CompletionStage<NodeStatus> status() {
                return ask();
            }

            @Override
            public CompletionStage<RepairStatus> repair(Set<Integer> partitions) {
                return repairStatus();
            }

            @Override
            public CompletionStage<RepairStatus> repairStatus() {
                return CompletableFuture.failedFuture(new IllegalStateException("none"));
            }
        };
        return (Cluster) Proxy.newProxyInstance(
                Cluster.class.getClassLoader(), new Class<?>[] {Cluster.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("operations")) {
                        return operations;
                    }
                    throw new UnsupportedOperationException(method.getName());
                });
    }

    private CompletionStage<NodeStatus> ask() {
        CompletableFuture<NodeStatus> status = answer.get().toCompletableFuture();
        asked.add(status);
        return status;
    }

    private Optional<Long> entries() {
        return poll.get().status().map(NodeStatus::entries);
    }

    @Test
    void theClusterIsAskedOnceASecond() {
        assertThat(entries()).contains(7L);
        answer = () -> CompletableFuture.completedFuture(status(8));
        now.addAndGet(999_000_000);
        assertThat(entries()).contains(7L);
        now.addAndGet(1_000_000);
        assertThat(entries()).contains(8L);
        assertThat(asked).hasSize(2);
    }

    @Test
    void scrapeShowsTheLastFiguresOfASilentNodeForAMinute() {
        assertThat(entries()).contains(7L);
        answer = CompletableFuture::new;
        now.addAndGet(Duration.ofSeconds(1).toNanos());
        // This one waits in real time, all later ones are past the patience of the same request.
        assertThat(entries()).contains(7L);
        now.addAndGet(Duration.ofMillis(ClusterPoll.PATIENCE_MILLIS).toNanos());
        assertThat(entries()).contains(7L);
        now.addAndGet(Duration.ofMinutes(1).toNanos());
        assertThat(entries()).isEmpty();
        assertThat(asked).as("once more after the minute").hasSize(3);
        asked.get(2).complete(status(9));
        assertThat(entries()).contains(9L);
    }

    @Test
    void theLastFiguresOfANodeThatFailsAreShownForAMinute() {
        assertThat(entries()).contains(7L);
        answer = () -> CompletableFuture.failedFuture(new IllegalStateException("busy"));
        now.addAndGet(Duration.ofSeconds(59).toNanos());
        assertThat(entries()).contains(7L);
        assertThat(entries()).contains(7L);
        assertThat(asked).as("once a second").hasSize(2);
        now.addAndGet(Duration.ofSeconds(1).toNanos());
        assertThat(entries()).isEmpty();
    }

    @Test
    void anErrorEndsOnePollOnly() {
        answer = () -> {
            throw new NoClassDefFoundError("planted");
        };
        assertThat(entries()).isEmpty();
        answer = () -> CompletableFuture.completedFuture(status(9));
        now.addAndGet(Duration.ofSeconds(1).toNanos());
        assertThat(entries()).contains(9L);
    }

    @Test
    void aNodeThatFailsIsUnknownAndAskedAgainASecondLater() {
        answer = () -> CompletableFuture.failedFuture(new IllegalStateException("closed"));
        assertThat(entries()).isEmpty();
        answer = () -> {
            throw new IllegalStateException("closed too");
        };
        now.addAndGet(Duration.ofSeconds(1).toNanos());
        assertThat(entries()).isEmpty();
        answer = () -> CompletableFuture.completedFuture(status(9));
        now.addAndGet(Duration.ofSeconds(1).toNanos());
        assertThat(entries()).contains(9L);
    }
}
