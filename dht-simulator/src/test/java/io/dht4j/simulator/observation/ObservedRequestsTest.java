package io.dht4j.simulator.observation;

import static io.dht4j.simulator.cluster.SimulatedCluster.id;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.ScanScope;
import io.dht4j.core.options.HintedHandoff;
import io.dht4j.simulator.cluster.SimulatedCluster;
import io.dht4j.spi.Observer.Outcome;
import io.dht4j.spi.Observer.Request;
import io.dht4j.testkit.network.Fault;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Each request to another node is reported once, with the node, the kind, the outcome and the duration. */
class ObservedRequestsTest {

    private static final Key KEY = Key.of("key");
    private static final CallOptions ALL_OF_THREE = CallOptions.defaults().withPolicy(3, 3);
    private static final Duration HOP = Duration.ofMillis(20);

    private final RecordingObserver observer = new RecordingObserver();

    private SimulatedCluster cluster() {
        return SimulatedCluster.of(1, 3)
                .options((i, builder) -> i == 0 ? builder.observer(observer).handoff(HintedHandoff.off()) : builder)
                .start();
    }

    @Test
    void requestsOfCallsAreReportedForEachOtherNode() {
        try (SimulatedCluster cluster = cluster()) {
            Cluster node = cluster.node(0);
            cluster.await(node.put(KEY, new byte[1], ALL_OF_THREE));
            cluster.await(node.get(KEY, ALL_OF_THREE));
            cluster.drain(node.scan(KeyRange.all(), ScanScope.CLUSTER, ALL_OF_THREE));
            for (int i = 1; i < 3; i++) {
                assertThat(observer.outcomes(id(i), Request.WRITE)).containsExactly(Outcome.success());
                assertThat(observer.outcomes(id(i), Request.READ)).containsExactly(Outcome.success());
                assertThat(observer.outcomes(id(i), Request.SCAN)).isNotEmpty().containsOnly(Outcome.success());
                assertThat(observer.outcomes(id(i), Request.PING)).isNotEmpty();
            }
            assertThat(observer.requests).noneMatch(request -> request.node().equals(id(0)));
        }
    }

    @Test
    void theDurationIsThatOfTheNode() {
        try (SimulatedCluster cluster = cluster()) {
            cluster.await(cluster.node(0).put(KEY, new byte[1], ALL_OF_THREE));
            cluster.links.get(0).toward(id(2), Fault.delay(HOP, HOP));
            observer.requests.clear();
            cluster.await(cluster.node(0).get(KEY, ALL_OF_THREE));
            assertThat(observer.requests).anySatisfy(request -> {
                assertThat(request.node()).isEqualTo(id(1));
                assertThat(request.nanos()).isLessThan(HOP.toNanos());
            });
            assertThat(observer.requests).anySatisfy(request -> {
                assertThat(request.node()).isEqualTo(id(2));
                assertThat(request.nanos()).isBetween(2 * HOP.toNanos(), 3 * HOP.toNanos());
            });
        }
    }

    @Test
    void failuresAreReportedWithTheirErrors() {
        try (SimulatedCluster cluster = cluster()) {
            cluster.await(cluster.node(0).put(KEY, new byte[1], ALL_OF_THREE));
            cluster.links.get(0).toward(id(1), Fault.refuse());
            cluster.links.get(0).toward(id(2), Fault.loseRequest());
            observer.requests.clear();
            cluster.failureOf(cluster.node(0).put(KEY, new byte[1], ALL_OF_THREE));
            cluster.env.advance(SimulatedCluster.BOUND);
            assertThat(observer.outcomes(id(1), Request.WRITE)).containsExactly(Outcome.of(ErrorCode.NOT_SENT));
            assertThat(observer.outcomes(id(2), Request.WRITE)).containsExactly(Outcome.of(ErrorCode.NO_REPLY));
        }
    }

    @Test
    void aReplyThatIsNoLongerNeededIsNoError() {
        try (SimulatedCluster cluster = cluster()) {
            cluster.await(cluster.node(0).put(KEY, new byte[1], ALL_OF_THREE));
            cluster.links.get(0).towardAll(Fault.delay(HOP, HOP));
            observer.requests.clear();
            cluster.node(0).get(KEY, ALL_OF_THREE).toCompletableFuture().cancel(false);
            cluster.env.advance(SimulatedCluster.BOUND);
            for (int i = 1; i < 3; i++) {
                assertThat(observer.outcomes(id(i), Request.READ)).containsExactly(Outcome.cancelled());
            }
        }
    }

    @Test
    void theNodesOfAFixedClusterAreNotReported() {
        try (SimulatedCluster cluster = cluster()) {
            cluster.env.advance(Duration.ofMinutes(1));
            assertThat(observer.retained).isEmpty();
            assertThat(observer.requests)
                    .extracting(RecordingObserver.EndedRequest::node)
                    .isSubsetOf(Set.of(id(1), id(2)));
        }
    }
}
