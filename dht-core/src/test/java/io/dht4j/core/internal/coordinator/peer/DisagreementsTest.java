package io.dht4j.core.internal.coordinator.peer;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Node;
import io.dht4j.Topology;
import io.dht4j.core.internal.wire.ClusterSettings;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class DisagreementsTest {

    private static final Node A = Node.of("a", "a:1");
    private static final Node B = Node.of("b", "b:1");
    private static final Node C = Node.of("c", "c:1");

    private final VirtualEnvironment env = VirtualEnvironment.seeded(1);
    private final Disagreements disagreements = new Disagreements(
            A.id(), () -> new ClusterSettings(Map.of("hash", "xxh3")), () -> Topology.of(A, B, C), node -> {}, env);

    @Test
    void writesWaitForNoMajorityOnceTheNodeIsClosed() {
        disagreements.settings(B, new ClusterSettings(Map.of("hash", "md5")));
        CompletableFuture<Optional<String>> decision = disagreements.confirmedProblem();
        assertThat(decision).isNotDone();
        disagreements.close();
        assertThat(decision).isCompletedWithValueMatching(Optional::isPresent);
        assertThat(env.pendingTasks()).isZero();
    }
}
