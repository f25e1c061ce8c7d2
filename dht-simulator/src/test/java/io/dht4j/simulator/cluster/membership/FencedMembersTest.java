package io.dht4j.simulator.cluster.membership;

import static io.dht4j.simulator.cluster.membership.AgreedCluster.COORDINATOR;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.simulator.cluster.SimulatedCluster;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests of and to nodes that are no members, or other incarnations than the other side knows. */
class FencedMembersTest {

    private static final byte[] NEW = {2};
    private static final CallOptions ALONE = CallOptions.defaults().withPolicy(1, 1);
    private static final CallOptions ALL = CallOptions.defaults().withPolicy(3, 3);

    private final AgreedCluster agreed = AgreedCluster.start();
    private final SimulatedCluster cluster = agreed.cluster;
    private final Key key = agreed.key(0);
    private final Key ofFirst = agreed.key(1);

    @Test
    void anotherIncarnationAtTheSameAddressTakesNothing() {
        try (agreed) {
            agreed.replace(1);
            agreed.install(1);
            DhtException failure = cluster.failureOf(agreed.coordinator().put(ofFirst, NEW, ALONE));
            assertThat(failure.code()).isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
            assertThat(failure).hasMessageContaining("another incarnation");
            assertThat(agreed.stores.get(1).get(ofFirst)).isEmpty();
            agreed.install(COORDINATOR);
            cluster.await(agreed.coordinator().put(ofFirst, NEW, ALONE));
            assertThat(agreed.holds(1, ofFirst, NEW)).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void nodeThatIsNoMemberAnyMoreIsRefused(boolean replaced) {
        try (agreed) {
            if (replaced) {
                agreed.replace(COORDINATOR);
            } else {
                agreed.remove(COORDINATOR);
            }
            agreed.install(0, 1, 2, 3);
            agreed.mayRefresh = false;
            DhtException failure = cluster.failureOf(agreed.coordinator().put(key, NEW, ALONE));
            assertThat(failure.code()).isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
            assertThat(failure).hasMessageContaining("node n4").hasMessageContaining("is no member any more");
            assertThat(agreed.stores)
                    .allSatisfy(store -> assertThat(store.get(key)).isEmpty());
            assertThat(agreed.refreshed()).contains(COORDINATOR);
        }
    }

    @Test
    void nodeThatIsNewToAnotherOneIsServed() {
        try (agreed) {
            agreed.remove(COORDINATOR);
            agreed.install(0, 1, 2, 3);
            agreed.add(COORDINATOR);
            agreed.install(COORDINATOR);
            cluster.await(agreed.coordinator().put(key, NEW, ALL));
        }
    }

    @Test
    void answerOfAnotherIncarnationNeverCounts() {
        try (agreed) {
            agreed.replace(1);
            agreed.install(1);
            // It does what was asked of its predecessor, as a node without the check would.
            agreed.onTheWire = frame -> FrameHeaders.toIncarnation(
                    frame, SimulatedCluster.id(1), agreed.view(1).identity(SimulatedCluster.id(1)));
            DhtException failure = cluster.failureOf(agreed.coordinator().put(ofFirst, NEW, ALONE));
            assertThat(failure.code()).isEqualTo(ErrorCode.WRITE_INDETERMINATE);
            assertThat(agreed.holds(1, ofFirst, NEW)).isTrue();
            assertThat(cluster.failureOf(agreed.coordinator().get(ofFirst, ALONE))
                            .code())
                    .isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
        }
    }
}
