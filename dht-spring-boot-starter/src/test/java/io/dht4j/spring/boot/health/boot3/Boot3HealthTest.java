package io.dht4j.spring.boot.health.boot3;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Cluster;
import io.dht4j.Node;
import io.dht4j.NodeStatus;
import io.dht4j.Topology;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.spring.boot.Contexts;
import io.dht4j.spring.boot.health.Boot3HealthAutoConfiguration;
import io.dht4j.spring.boot.health.Boot4HealthAutoConfiguration;
import io.dht4j.spring.boot.health.StatusOfCluster;
import io.dht4j.store.memory.MemoryStore;
import io.dht4j.transport.tcp.TcpTransport;
import io.dht4j.transport.tcp.TcpTransportOptions;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.actuate.health.Status;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

@EnabledIf("io.dht4j.spring.boot.SpringBoots#is3")
class Boot3HealthTest {

    /** Both versions are offered, as in an application, and one of them fits. */
    private final ApplicationContextRunner runner = Contexts.runner()
            .withConfiguration(
                    AutoConfigurations.of(Boot3HealthAutoConfiguration.class, Boot4HealthAutoConfiguration.class));

    @Test
    void aNodeThatServesIsUpWithDetails() {
        runner.run(context -> {
            Health health = context.getBean("dht4jHealthIndicator", HealthIndicator.class)
                    .health();
            assertThat(health.getStatus()).isEqualTo(Status.UP);
            assertThat(health.getDetails())
                    .containsEntry("node", "n1")
                    .containsEntry("nodes", 1)
                    .containsEntry("entries", 0L)
                    .containsEntry("suspected", List.of());
        });
    }

    @Test
    void aClosedNodeIsDown() {
        runner.run(context -> {
            context.getBean(Cluster.class).close();
            Health health = context.getBean(HealthIndicator.class).health();
            assertThat(health.getStatus()).isEqualTo(Status.DOWN);
            assertThat(health.getDetails()).containsKey("problems");
        });
    }

    @Test
    void aNodeThatTakesNoWritesIsDown() {
        replaced(status -> status.thenApply(StatusOfCluster::readOnly)).run(context -> {
            Health health = context.getBean(HealthIndicator.class).health();
            assertThat(health.getStatus()).isEqualTo(Status.DOWN);
            assertThat(health.getDetails())
                    .containsEntry("problems", List.of("the store takes no writes: no space left on the disk"));
        });
    }

    @Test
    void aNodeThatDoesNotAnswerIsDownAfterTheTimeout() {
        replaced(status -> new CompletableFuture<>())
                .withPropertyValues("dht4j.health.timeout=20ms")
                .run(context -> {
                    Health health = context.getBean(HealthIndicator.class).health();
                    assertThat(health.getStatus()).isEqualTo(Status.DOWN);
                    assertThat(health.getDetails()).containsEntry("problems", List.of("no status within 20 ms"));
                });
    }

    @Test
    void aNodeIsUpOnceTheClusterCanBeRead() {
        CompletableFuture<Void> ready = new CompletableFuture<>();
        runner.withPropertyValues("dht4j.ready-timeout=0s")
                .withBean("own", Cluster.class, () -> StatusOfCluster.ready(node(), ready))
                .run(context -> {
                    HealthIndicator indicator = context.getBean(HealthIndicator.class);
                    Health early = indicator.health();
                    assertThat(early.getStatus()).isEqualTo(Status.DOWN);
                    assertThat(early.getDetails()).containsEntry("problems", List.of("too few nodes can be read yet"));
                    ready.complete(null);
                    assertThat(indicator.health().getStatus()).isEqualTo(Status.UP);
                });
    }

    @Test
    void aNodeWithoutQuorumIsUpAndSaysSo() {
        withoutQuorum(12).run(context -> {
            Health health = context.getBean(HealthIndicator.class).health();
            assertThat(health.getStatus()).isEqualTo(Status.UP);
            assertThat(health.getDetails()).containsEntry("partitionsWithoutQuorum", 12);
        });
    }

    @Test
    void aNodeWithoutQuorumIsDownWhereAQuorumIsACondition() {
        withoutQuorum(12).withPropertyValues("dht4j.health.quorum=true").run(context -> {
            Health health = context.getBean(HealthIndicator.class).health();
            assertThat(health.getStatus()).isEqualTo(Status.DOWN);
            assertThat(health.getDetails())
                    .containsEntry("problems", List.of("12 of 1024 partitions have no quorum"))
                    .containsEntry("partitionsWithoutQuorum", 12);
        });
        withoutQuorum(0)
                .withPropertyValues("dht4j.health.quorum=true")
                .run(context -> assertThat(
                                context.getBean(HealthIndicator.class).health().getStatus())
                        .isEqualTo(Status.UP));
    }

    private ApplicationContextRunner withoutQuorum(int partitions) {
        return runner.withBean("own", Cluster.class, () -> StatusOfCluster.withoutQuorum(node(), partitions));
    }

    @Test
    void theIndicatorCanBeTurnedOff() {
        runner.withPropertyValues("management.health.dht4j.enabled=false")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(HealthIndicator.class));
    }

    private ApplicationContextRunner replaced(UnaryOperator<CompletionStage<NodeStatus>> status) {
        return runner.withBean("own", Cluster.class, () -> StatusOfCluster.replaced(node(), status));
    }

    private static Cluster node() {
        return ClusterBuilder.of("own", Topology.of(Node.of("own", "127.0.0.1:1")))
                .transport(TcpTransport.create(TcpTransportOptions.callingOnly()))
                .store(new MemoryStore())
                .start();
    }
}
