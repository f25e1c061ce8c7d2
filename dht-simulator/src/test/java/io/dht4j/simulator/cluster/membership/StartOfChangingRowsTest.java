package io.dht4j.simulator.cluster.membership;

import static io.dht4j.simulator.cluster.membership.AgreedCluster.COORDINATOR;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.internal.wire.RepairRequest;
import io.dht4j.core.options.HintedHandoff;
import io.dht4j.simulator.cluster.SimulatedCluster;
import io.dht4j.spi.Entry;
import io.dht4j.spi.RefillMarker;
import io.dht4j.testkit.network.Fault;
import io.dht4j.testkit.store.ModelStore;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** Nodes that start, and wait for others whose part changes meanwhile. */
class StartOfChangingRowsTest {

    private static final CallOptions ONE = CallOptions.defaults().withPolicy(1, 1);
    private static final byte[] VALUE = {1};
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final int REFILLED = 3;

    /** Names all partitions at the first start only. */
    private final RefillMarker marker = new RefillMarker() {
        private BitSet left = RefillMarker.everything().pending(AgreedCluster.PARTITIONS);

        @Override
        public BitSet pending(int partitions) {
            return (BitSet) left.clone();
        }

        @Override
        public void keep(BitSet pending) {
            left = (BitSet) pending.clone();
        }
    };

    private boolean refills;
    /** The node from which node 0 gets no replies from its next start on. */
    private OptionalInt silent = OptionalInt.empty();

    private final AgreedCluster agreed =
            AgreedCluster.with(SimulatedCluster.of(1, AgreedCluster.NODES).options(this::options));
    private final SimulatedCluster cluster = agreed.cluster;

    private ClusterBuilder options(int node, ClusterBuilder builder) {
        ClusterBuilder common = builder.partitions(AgreedCluster.PARTITIONS)
                .handoff(HintedHandoff.off())
                .startPatience(Duration.ofMinutes(10));
        if (node == 0 && silent.isPresent()) {
            agreed.link(0).toward(SimulatedCluster.id(silent.getAsInt()), Fault.loseReply());
        }
        return refills && node == REFILLED ? common.refill(marker) : common;
    }

    private static Entry entry(Key key) {
        return Entry.value(key, Version.of(1, 0), VALUE, Entry.NEVER);
    }

    @Test
    void startWaitsNoLongerForANodeThatHasLeft() {
        Key key = agreed.key(0);
        Cluster coordinator = agreed.coordinator();
        try (agreed) {
            ModelStore disk = new ModelStore();
            disk.apply(List.of(entry(key)));
            silent = OptionalInt.of(1);
            agreed.restart(0, disk);
            cluster.env.advance(Duration.ofSeconds(30));
            assertThat(cluster.failureOf(coordinator.get(key, ONE)).code()).isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);

            for (int partition : new int[] {0, 4}) {
                agreed.change(partition, 0, 2, 3);
                agreed.change(partition + 3, 3, 0, 2);
                agreed.change(partition + 1, 2, 3, 0);
            }
            agreed.remove(1);
            agreed.install(0, 2, 3, COORDINATOR);
            // The others are asked about what they have come to share.
            cluster.env.advance(Duration.ofSeconds(1));
            assertThat(cluster.await(coordinator.get(key, ONE)).map(Value::bytes))
                    .hasValue(VALUE);
        }
    }

    @Test
    void nodeThatComesToShareAPartitionIsAskedWhatItHasPurged() {
        try (agreed) {
            cluster.env.advance(Duration.ofMinutes(5));
            agreed.sent.clear();
            agreed.change(0, 0, 2, 3);
            agreed.installAtAll();
            cluster.env.advance(Duration.ofSeconds(1));
            assertThat(agreed.between(0, 3)).anyMatch(StartOfChangingRowsTest::asksAboutPartition0);
            assertThat(agreed.between(0, 2)).noneMatch(StartOfChangingRowsTest::asksAboutPartition0);
        }
    }

    private static boolean asksAboutPartition0(AgreedCluster.Sent sent) {
        return FrameHeaders.request(sent.request) instanceof RepairRequest.Watermarks asked
                && asked.partitions().contains(0);
    }

    /** By the placement with which it starts, node 3 is a replica of three partitions of node 1. */
    private void refill(int unreachable) {
        refills = true;
        agreed.restart(REFILLED, new ModelStore());
        agreed.link(REFILLED).toward(SimulatedCluster.id(unreachable), Fault.refuse());
        cluster.env.advance(LONG);
    }

    @Test
    void refillWaitsForTheHeirInPlaceOfANodeThatHasLeft() {
        Key key = agreed.key(1);
        try (agreed) {
            refill(1);
            assertThat(agreed.refill(REFILLED).waitsFor()).containsExactly(SimulatedCluster.id(1));
            assertThat(agreed.refill(REFILLED).partitions()).isEqualTo(3);

            agreed.stores.get(0).apply(List.of(entry(key)));
            agreed.change(1, 0, 2, 3);
            agreed.installAtAll();
            cluster.env.advance(LONG);
            assertThat(cluster.stores.get(REFILLED).get(key)).isPresent();
            assertThat(agreed.refill(REFILLED).partitions()).isEqualTo(2);
        }
    }

    @Test
    void partitionThatMovesAwayIsNotRefilled() {
        try (agreed) {
            refill(1);
            for (int partition : new int[] {1, 3, 5, 7}) {
                agreed.change(partition, 0, 1, 2);
            }
            agreed.installAtAll();
            cluster.env.advance(LONG);
            assertThat(agreed.refill(REFILLED).partitions()).isZero();
            assertThat(agreed.refill(REFILLED).waitsFor()).isEmpty();
            assertThat(marker.pending(AgreedCluster.PARTITIONS).isEmpty()).isTrue();
        }
    }

    @Test
    void changedReplicasRepeatNoFinishedRefill() {
        try (agreed) {
            refill(1);
            agreed.link(REFILLED).toward(SimulatedCluster.id(COORDINATOR), Fault.refuse());
            agreed.change(6, 2, REFILLED, COORDINATOR);
            agreed.installAtAll();
            cluster.env.advance(LONG);
            assertThat(agreed.refill(REFILLED).partitions()).isEqualTo(3);
            assertThat(agreed.refill(REFILLED).waitsFor()).containsExactly(SimulatedCluster.id(1));
        }
    }
}
