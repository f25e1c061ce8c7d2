package io.dht4j.spring.boot.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Cluster;
import io.dht4j.NodeStatus;
import io.dht4j.spring.boot.Contexts;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** What each version of Spring Boot shows of a cluster's health. */
public abstract class HealthContract {

    /** Both versions are offered, as in an application, and one of them fits. */
    private final ApplicationContextRunner runner = Contexts.runner()
            .withConfiguration(
                    AutoConfigurations.of(Boot3HealthAutoConfiguration.class, Boot4HealthAutoConfiguration.class));

    /** A health in the words of both versions. */
    public record Health(String status, Map<String, Object> details) {}

    /** Returns the version's type of indicators. */
    protected abstract Class<?> indicator();

    /** Returns the health of the only indicator. */
    protected abstract Health health(AssertableApplicationContext context);

    @Test
    void aNodeThatServesIsUpWithDetails() {
        runner.run(context -> {
            assertThat(context).hasBean("dht4jHealthIndicator");
            Health health = health(context);
            assertThat(health.status()).isEqualTo("UP");
            assertThat(health.details())
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
            Health health = health(context);
            assertThat(health.status()).isEqualTo("DOWN");
            assertThat(health.details()).containsKey("problems");
        });
    }

    @Test
    void aNodeThatTakesNoWritesIsDown() {
        replaced(status -> status.thenApply(StatusOfCluster::readOnly)).run(context -> {
            Health health = health(context);
            assertThat(health.status()).isEqualTo("DOWN");
            assertThat(health.details())
                    .containsEntry("problems", List.of("the store takes no writes: no space left on the disk"));
        });
    }

    @Test
    void aNodeThatDoesNotAnswerIsDownAfterTheTimeout() {
        replaced(status -> new CompletableFuture<>())
                .withPropertyValues("dht4j.health.timeout=20ms")
                .run(context -> {
                    Health health = health(context);
                    assertThat(health.status()).isEqualTo("DOWN");
                    assertThat(health.details()).containsEntry("problems", List.of("no status within 20 ms"));
                });
    }

    @Test
    void aNodeIsUpOnceTheClusterCanBeRead() {
        CompletableFuture<Void> ready = new CompletableFuture<>();
        runner.withPropertyValues("dht4j.ready-timeout=0s")
                .withBean("own", Cluster.class, () -> StatusOfCluster.ready(Contexts.node(), ready))
                .run(context -> {
                    Health early = health(context);
                    assertThat(early.status()).isEqualTo("DOWN");
                    assertThat(early.details()).containsEntry("problems", List.of("too few nodes can be read yet"));
                    ready.complete(null);
                    assertThat(health(context).status()).isEqualTo("UP");
                });
    }

    @Test
    void aNodeWithoutQuorumIsUpAndSaysSo() {
        withoutQuorum(12).run(context -> {
            Health health = health(context);
            assertThat(health.status()).isEqualTo("UP");
            assertThat(health.details()).containsEntry("partitionsWithoutQuorum", 12);
        });
    }

    @Test
    void aNodeWithoutQuorumIsDownWhereAQuorumIsACondition() {
        withoutQuorum(12).withPropertyValues("dht4j.health.quorum=true").run(context -> {
            Health health = health(context);
            assertThat(health.status()).isEqualTo("DOWN");
            assertThat(health.details())
                    .containsEntry("problems", List.of("12 of 1024 partitions have no quorum"))
                    .containsEntry("partitionsWithoutQuorum", 12);
        });
        withoutQuorum(0)
                .withPropertyValues("dht4j.health.quorum=true")
                .run(context -> assertThat(health(context).status()).isEqualTo("UP"));
    }

    private ApplicationContextRunner withoutQuorum(int partitions) {
        return runner.withBean("own", Cluster.class, () -> StatusOfCluster.withoutQuorum(Contexts.node(), partitions));
    }

    @Test
    void theIndicatorCanBeTurnedOff() {
        runner.withPropertyValues("management.health.dht4j.enabled=false")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(indicator()));
    }

    private ApplicationContextRunner replaced(UnaryOperator<CompletionStage<NodeStatus>> status) {
        return runner.withBean("own", Cluster.class, () -> StatusOfCluster.replaced(Contexts.node(), status));
    }
}
