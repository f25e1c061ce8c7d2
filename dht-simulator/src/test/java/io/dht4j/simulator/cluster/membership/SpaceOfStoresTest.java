package io.dht4j.simulator.cluster.membership;

import static io.dht4j.simulator.cluster.membership.FormedCluster.BOUND;
import static io.dht4j.simulator.cluster.membership.FormedCluster.list;
import static io.dht4j.simulator.cluster.membership.FormedCluster.node;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.ErrorCode;
import io.dht4j.InvalidRequestException;
import io.dht4j.MembershipChange;
import io.dht4j.MembershipStatus;
import io.dht4j.core.internal.membership.agreed.AgreedMembership;
import io.dht4j.spi.StoreSpace;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What the space of the stores decides, and shows. */
class SpaceOfStoresTest {

    private static final long MIB = 1L << 20;

    private static void set(FormedCluster nodes, int at, long used, long free) {
        nodes.disk(at).space = Optional.of(new StoreSpace(used * MIB, free * MIB));
    }

    private static long remove(FormedCluster nodes, int name) {
        return nodes.env.await(
                nodes.cluster(0)
                        .membership()
                        .change(new MembershipChange.Remove(node(name).id())),
                BOUND);
    }

    private static void join(FormedCluster nodes, int name) {
        nodes.env.await(
                nodes.cluster(0)
                        .membership()
                        .change(new MembershipChange.Add(node(name).id())),
                BOUND);
        nodes.join(name, list(0));
        nodes.cluster(name);
    }

    private static void awaitBatches(FormedCluster nodes) {
        AgreedMembership first = nodes.membership(0);
        nodes.env.runUntil(() -> !first.state().orElseThrow().batches().isEmpty(), Duration.ofMinutes(2));
    }

    @Test
    void aLeaveThatCannotFitIsRefusedBeforeItBegins() {
        try (FormedCluster nodes = new FormedCluster(1).form(4)) {
            for (int i = 0; i < 4; i++) {
                set(nodes, i, 1200, i == 1 ? 90 : 100_000);
            }
            nodes.env.advance(Duration.ofSeconds(10));
            assertThatThrownBy(() -> remove(nodes, 3))
                    .isInstanceOf(InvalidRequestException.class)
                    .hasMessageMatching("the data of n3 does not fit on the other nodes: n1 would need \\d{3} MiB and"
                            + " has 90 MiB free\\. Make room on these disks, or add a node first")
                    .extracting("code")
                    .isEqualTo(ErrorCode.BAD_REQUEST);
            assertThat(nodes.member(0, 3).state()).isEqualTo(MembershipStatus.State.SERVING);
            set(nodes, 1, 1200, 100_000);
            nodes.env.advance(Duration.ofSeconds(10));
            remove(nodes, 3);
            assertThat(nodes.member(0, 3).state()).isEqualTo(MembershipStatus.State.LEAVING);
        }
    }

    @Test
    void replicasThatCannotFitAreRefusedBeforeTheyAreMade() {
        try (FormedCluster nodes = new FormedCluster(1).form(4)) {
            for (int i = 0; i < 4; i++) {
                set(nodes, i, 1200, i == 1 ? 90 : 100_000);
            }
            nodes.env.advance(Duration.ofSeconds(10));
            assertThatThrownBy(() -> replicas(nodes, 4))
                    .isInstanceOf(InvalidRequestException.class)
                    .hasMessageMatching("4 replicas of all data do not fit on the nodes: n1 would need \\d{3} MiB and"
                            + " has 90 MiB free\\. Make room on these disks, or add a node first");
            assertThatThrownBy(() -> replicas(nodes, 5)).hasMessageContaining("5 replicas need 5 nodes");
            set(nodes, 1, 1200, 100_000);
            nodes.env.advance(Duration.ofSeconds(10));
            replicas(nodes, 4);
            assertThat(nodes.status(0).replicationFactor()).isEqualTo(4);
        }
    }

    private static void replicas(FormedCluster nodes, int replicas) {
        nodes.env.await(nodes.cluster(0).membership().change(new MembershipChange.ReplicationFactor(replicas)), BOUND);
    }

    @Test
    void aNodeWhoseSpaceIsUnknownDoesNotPreventALeave() {
        try (FormedCluster nodes = new FormedCluster(1).form(4)) {
            set(nodes, 3, 1200, 10);
            nodes.env.advance(Duration.ofSeconds(10));
            remove(nodes, 3);
            assertThat(nodes.member(0, 3).state()).isEqualTo(MembershipStatus.State.LEAVING);
        }
    }

    @Test
    void slotsWaitForRoomAtTheirHeir() {
        try (FormedCluster nodes = new FormedCluster(1).form(3)) {
            for (int i = 0; i < 3; i++) {
                set(nodes, i, 1600, 100_000);
            }
            join(nodes, 3);
            set(nodes, 3, 0, 60);
            nodes.env.advance(Duration.ofSeconds(90));
            assertThat(nodes.status(0).moves()).isEmpty();
            assertThat(nodes.member(0, 3).waitsFor())
                    .matches("room for \\d+ partitions: n3 would need \\d+ MiB and has 60 MiB free");
            set(nodes, 3, 0, 100_000);
            awaitBatches(nodes);
        }
    }

    @Test
    void movesShowHowMuchIsToCome() {
        try (FormedCluster nodes = new FormedCluster(1).form(3)) {
            for (int i = 0; i < 3; i++) {
                set(nodes, i, 1600, 100_000);
            }
            join(nodes, 3);
            awaitBatches(nodes);
            // 16 slots take 1,600 MiB at each of the founders.
            assertThat(nodes.status(0).moves())
                    .isNotEmpty()
                    .allSatisfy(move -> assertThat(move.totalBytes()).isEqualTo(move.partitions() * 100 * MIB));
        }
    }
}
