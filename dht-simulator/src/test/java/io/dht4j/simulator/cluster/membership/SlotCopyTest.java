package io.dht4j.simulator.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.Key;
import io.dht4j.core.internal.membership.BatchProgress;
import io.dht4j.core.internal.membership.state.Phase;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.simulator.cluster.SimulatedCluster;
import io.dht4j.spi.Entry;
import io.dht4j.testkit.network.Fault;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A node takes over a slot: it has all that its owner has, before it reports so. */
class SlotCopyTest {

    private static final int MOVED = 0;
    private static final int OWNER = 0;
    private static final int HEIR = 3;
    private static final CallOptions ALL = CallOptions.defaults().withPolicy(3, 3);
    private static final CallOptions MAJORITY = CallOptions.defaults().withPolicy(2, 3);

    private final AgreedCluster agreed = AgreedCluster.start();
    private final SimulatedCluster cluster = agreed.cluster;

    private void put(List<Key> keys, int value, CallOptions options) {
        keys.forEach(key -> cluster.await(agreed.coordinator().put(key, new byte[] {(byte) value}, options)));
    }

    private boolean isComplete() {
        return agreed.node(HEIR).moves().progress().stream()
                .map(BatchProgress::complete)
                .anyMatch(complete -> complete.contains(MOVED));
    }

    private void awaitComplete() {
        for (int i = 0; i < 600 && !isComplete(); i++) {
            cluster.env.advance(Duration.ofMillis(100));
        }
        assertThat(isComplete()).as("%s", agreed.node(HEIR).moves().progress()).isTrue();
    }

    private void assertHolds(int node, List<Key> keys, int value) {
        assertThat(keys)
                .allSatisfy(key -> assertThat(agreed.stores.get(node).get(key))
                        .map(Entry::value)
                        .hasValue(new byte[] {(byte) value}));
    }

    private void copy() {
        agreed.move(MOVED, 0, Phase.COPY, HEIR);
        agreed.installAtAll();
    }

    @Test
    void heirHasAllEntriesOfTheOwnerWhenItReportsSo() {
        try (agreed) {
            List<Key> keys = agreed.keys(MOVED, 2500);
            put(keys, 1, ALL);
            copy();
            assertThat(isComplete()).isFalse();
            awaitComplete();
            assertHolds(HEIR, keys, 1);
            assertThat(agreed.node(HEIR).moves().progress().get(0).complete()).isEqualTo(PartitionSet.of(MOVED));
            assertThat(agreed.node(HEIR).moves().progress().get(0).copiedBytes())
                    .isPositive();
        }
    }

    @Test
    void formerOwnerDropsItsCopyOnceTheSlotIsTheHeirsAlone() {
        try (agreed) {
            List<Key> keys = agreed.keys(MOVED, 20);
            List<Key> others = agreed.keys(2, 20);
            put(keys, 1, ALL);
            put(others, 1, ALL);
            copy();
            awaitComplete();
            agreed.move(MOVED, 0, Phase.BOTH, HEIR);
            agreed.installAtAll();
            cluster.env.advance(Duration.ofMinutes(2));
            assertHolds(OWNER, keys, 1);
            agreed.move(MOVED, 0, Phase.STABLE, HEIR);
            agreed.installAtAll();
            cluster.env.advance(Duration.ofMinutes(2));
            assertThat(keys)
                    .allSatisfy(
                            key -> assertThat(agreed.stores.get(OWNER).get(key)).isEmpty());
            assertHolds(HEIR, keys, 1);
            assertHolds(3, others, 1);
        }
    }

    @Test
    void heirRefusesWritesUntilItKnowsWhatTheOwnerRefuses() {
        try (agreed) {
            List<Key> keys = agreed.keys(MOVED, 3);
            put(keys, 1, ALL);
            agreed.link(HEIR).toward(SimulatedCluster.id(OWNER), Fault.loseRequest());
            copy();
            cluster.env.advance(Duration.ofSeconds(5));
            put(keys, 2, MAJORITY);
            assertThat(keys)
                    .allSatisfy(
                            key -> assertThat(agreed.stores.get(HEIR).get(key)).isEmpty());
            assertThat(agreed.node(HEIR).moves().progress().get(0).waitsFor()).isPresent();
            cluster.heal();
            awaitComplete();
            assertHolds(HEIR, keys, 2);
        }
    }
}
