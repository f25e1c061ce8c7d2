package io.dht4j.simulator.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.core.internal.view.Phase;
import io.dht4j.simulator.cluster.SimulatedCluster;
import io.dht4j.testkit.network.Fault;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Calls while the heir accepts nothing, since it does not know yet what the owner refuses as too old. */
class UnreadyHeirTest extends PhasesOfASlot {

    private final Duration patience = Duration.ofSeconds(30);

    private void copyWithoutTheOwner() {
        agreed.link(HEIR).toward(SimulatedCluster.id(OWNER), Fault.refuse());
        agreed.move(MOVING, 0, Phase.COPY, HEIR);
        agreed.installAtAll();
    }

    @Test
    void writeThatNeedsTheSlotWaitsForIt() {
        Key elsewhere = agreed.key(3);
        try (agreed) {
            copyWithoutTheOwner();
            CompletionStage<?> put = agreed.coordinator().put(key, NEW, ALL.withTimeout(patience));
            CompletionStage<?> batch = agreed.coordinator()
                    .putAll(Map.of(agreed.keys(MOVING, 2).get(1), NEW, elsewhere, NEW), ALL.withTimeout(patience));
            cluster.env.advance(Duration.ofMillis(300));
            assertThat(agreed.holds(OWNER, key, NEW)).isTrue();
            assertThat(put.toCompletableFuture()).isNotDone();
            assertThat(batch.toCompletableFuture()).isNotDone();
            agreed.link(HEIR).heal();
            cluster.await(put);
            cluster.await(batch);
            assertThat(agreed.holds(HEIR, key, NEW)).isTrue();
        }
    }

    @Test
    void writeThatDoesNotNeedTheSlotLeavesAHint() {
        try (agreed) {
            copyWithoutTheOwner();
            cluster.await(agreed.coordinator().put(key, NEW, MAJORITY));
            cluster.env.advance(Duration.ofMillis(100));
            assertThat(cluster.await(agreed.coordinator().operations().status()).hintBytes())
                    .isPositive();
        }
    }

    @Test
    void readThatNeedsTheSlotWaitsForIt() {
        try (agreed) {
            agreed.apply(key, NEW, OWNER);
            copyWithoutTheOwner();
            CompletionStage<?> alone = agreed.coordinator().get(key, ALONE.withTimeout(patience));
            CompletionStage<?> all = agreed.coordinator().get(key, ALL.withTimeout(patience));
            cluster.env.advance(Duration.ofMillis(300));
            assertThat(alone.toCompletableFuture()).isNotDone();
            assertThat(all.toCompletableFuture()).isNotDone();
            agreed.link(HEIR).heal();
            assertThat(cluster.await(alone)).isEqualTo(cluster.await(all)).isNotEqualTo(Optional.empty());
            assertThat(agreed.holds(HEIR, key, NEW)).isTrue();
        }
    }

    @Test
    void callsEndAtTheirDeadlinesAllTheSame() {
        try (agreed) {
            agreed.apply(key, NEW, OWNER);
            copyWithoutTheOwner();
            assertThat(cluster.failureOf(agreed.coordinator().get(key, ALONE)).code())
                    .isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
            assertThat(cluster.failureOf(agreed.coordinator().put(key, NEW, ALL))
                            .code())
                    .isEqualTo(ErrorCode.WRITE_INDETERMINATE);
        }
    }
}
