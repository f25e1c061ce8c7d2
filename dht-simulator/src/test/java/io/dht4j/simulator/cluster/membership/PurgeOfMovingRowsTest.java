package io.dht4j.simulator.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Topology;
import io.dht4j.Version;
import io.dht4j.core.HashFunctions;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.repair.purge.PurgeWatermarks;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.view.Moves;
import io.dht4j.core.internal.view.Phase;
import io.dht4j.core.internal.view.ReplicaSlot;
import io.dht4j.core.internal.view.Row;
import io.dht4j.core.internal.view.Views;
import io.dht4j.testkit.store.ModelStore;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** A participant of the two-phase commit of a purge, whose partition 0 begins to move. Partition 1 does not. */
class PurgeOfMovingRowsTest {

    private static final Node SELF = Node.of("n0", "host0:1");
    private static final Node OWNER = Node.of("n1", "host1:1");
    private static final Node HEIR = Node.of("n2", "host2:1");
    private static final PartitionSet BOTH = PartitionSet.of(0, 1);
    private static final PartitionSet UNMOVED = PartitionSet.of(1);
    private static final Version SEAL = Version.of(1000, 0);
    private static final Version LATER = Version.of(2000, 0);

    private final Views views = new Views(view(2, Row.stable(2, List.of(SELF, OWNER))));
    private final PurgeWatermarks watermarks = new PurgeWatermarks(new ModelStore(), views, partition -> false);

    private static ClusterView view(long epoch, Row moving) {
        return ClusterView.agreed(
                new UUID(1, 1),
                new NodeId("n0"),
                new Topology(epoch, List.of(SELF, OWNER, HEIR)),
                HashFunctions.xxh3(),
                List.of(moving, Row.stable(2, List.of(SELF, OWNER))),
                Map.of(),
                Moves.NONE);
    }

    private void beginMove() {
        views.install(view(3, Row.of(3, List.of(ReplicaSlot.stable(SELF), new ReplicaSlot(Phase.COPY, OWNER, HEIR)))));
    }

    @Test
    void movingPartitionIsNotSealed() {
        beginMove();
        assertThat(watermarks.seal(BOTH, SEAL)).isFalse();
        assertThat(watermarks.seals()).containsExactly(0, SEAL.packed());
        assertThat(watermarks.seal(UNMOVED, SEAL)).isTrue();
    }

    @Test
    void participantDoesNotVoteInAMovingPartition() {
        assertThat(watermarks.seal(BOTH, SEAL)).isTrue();
        beginMove();
        assertThat(watermarks.prepare(BOTH, SEAL)).isEqualTo(UNMOVED);
        assertThat(watermarks.fenced(0)).isEqualTo(new Version(0));
    }

    @Test
    void participantOfAMovingPartitionStaysInDoubt() {
        watermarks.seal(BOTH, SEAL);
        assertThat(watermarks.prepare(BOTH, SEAL)).isEqualTo(BOTH);
        beginMove();
        assertThat(watermarks.commit(BOTH, SEAL)).isEqualTo(UNMOVED);
        watermarks.resolve(BOTH, SEAL, LATER);
        assertThat(watermarks.fenced(0)).isEqualTo(SEAL);
        assertThat(watermarks.purged(0)).isEqualTo(new Version(0));
        assertThat(watermarks.purged(1)).isEqualTo(SEAL);
    }

    @Test
    void partitionOfOthersIsNeverRolledBack() {
        views.install(view(3, Row.stable(3, List.of(OWNER, HEIR))));
        assertThat(watermarks.rolledBack().add(Map.of(0, SEAL, 1, SEAL))).isEqualTo(UNMOVED);
        assertThat(watermarks.rolledBack().unknown(Map.of(0, SEAL))).isEqualTo(PartitionSet.empty());
    }
}
