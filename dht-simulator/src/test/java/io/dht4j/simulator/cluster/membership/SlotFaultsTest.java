package io.dht4j.simulator.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Key;
import io.dht4j.core.internal.view.Phase;
import io.dht4j.simulator.cluster.SimulatedCluster;
import io.dht4j.testkit.network.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages are lost, disks are full and nodes restart while a node takes over a slot. */
class SlotFaultsTest extends MovingSlot {

    @Test
    void restartedHeirBeginsClosedAndCopiesOnlyDifferences() {
        List<Key> keys = agreed.keys(MOVED, 2500);
        put(keys, 1, ALL);
        agreed.inBatch(7, MOVED, OWNER, HEIR);
        move(Phase.COPY, HEIR);
        awaitComplete();
        put(keys.subList(0, 5), 2, ALL);
        long pages = pagesOfOwner();
        agreed.link(HEIR).toward(SimulatedCluster.id(OWNER), Fault.loseRequest());
        agreed.restart(HEIR);
        agreed.link(HEIR).toward(SimulatedCluster.id(OWNER), Fault.loseRequest());
        assertThat(isComplete()).isFalse();
        cluster.env.advance(Duration.ofSeconds(5));
        assertThat(write(value(keys.get(0), old(0))).toString()).contains("REPLICA_REFILLING");
        cluster.heal();
        awaitComplete();
        assertThat(pagesOfOwner()).isEqualTo(pages);
        assertHolds(HEIR, keys.subList(5, 2500), 1);
        assertHolds(HEIR, keys.subList(0, 5), 2);
    }

    @Test
    void copyWaitsUntilTheOwnerHasInstalledItsPhase() {
        List<Key> keys = agreed.keys(MOVED, 20);
        put(keys, 1, ALL);
        agreed.mayRefresh = false;
        agreed.move(MOVED, 0, Phase.COPY, HEIR);
        agreed.install(HEIR);
        cluster.env.advance(Duration.ofMinutes(1));
        assertThat(isComplete()).isFalse();
        // By the old table, of which the heir is no part.
        put(keys, 2, ALL);
        agreed.mayRefresh = true;
        agreed.installAtAll();
        awaitComplete();
        assertHolds(HEIR, keys, 2);
    }

    @Test
    void fullDiskStopsTheCopyAndIsReported() {
        List<Key> keys = agreed.keys(MOVED, 20);
        put(keys, 1, ALL);
        agreed.stores.get(HEIR).readOnly = true;
        move(Phase.COPY, HEIR);
        cluster.env.advance(Duration.ofMinutes(1));
        assertThat(isComplete()).isFalse();
        assertThat(waitsFor()).contains("disk full");
        agreed.stores.get(HEIR).readOnly = false;
        awaitComplete();
        assertHolds(HEIR, keys, 1);
    }

    /** Writes one key after the other, and forgets those that failed. */
    private Map<Key, Integer> writeUntilComplete(List<Key> keys) {
        Map<Key, Integer> acknowledged = new HashMap<>();
        for (int value = 2; value < 100 && !isComplete(); value++) {
            List<CompletionStage<?>> pending = new ArrayList<>();
            int now = value;
            for (Key key : keys) {
                pending.add(agreed.node(value % 4)
                        .put(key, new byte[] {(byte) now}, MAJORITY)
                        .whenComplete((done, error) -> {
                            if (error == null) {
                                acknowledged.put(key, now);
                            }
                        }));
                cluster.env.advance(Duration.ofMillis(5));
            }
            cluster.env.advance(Duration.ofMillis(1500));
        }
        return acknowledged;
    }

    /** Every acknowledged write is in two of the slots, of which the moving one counts only if the heir has it. */
    private void assertInTwoSlots(Map<Key, Integer> acknowledged) {
        acknowledged.forEach((key, value) -> {
            long slots = List.of(HEIR, OTHER, THIRD).stream()
                    .filter(node -> agreed.stores
                            .get(node)
                            .get(key)
                            .filter(entry -> entry.value()[0] >= value)
                            .isPresent())
                    .count();
            assertThat(slots).as("%s=%s", key, value).isGreaterThanOrEqualTo(2);
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {OWNER, OTHER, HEIR})
    void acknowledgedWritesStayInTwoSlotsWhileMessagesAreLost(int deaf) {
        List<Key> keys = agreed.keys(MOVED, 40);
        put(keys, 1, ALL);
        move(Phase.COPY, HEIR);
        cluster.towardNode(deaf, Fault.loseReply());
        cluster.env.schedule(() -> cluster.towardNode(deaf, Fault.loseRequest()), 4_000_000_000L);
        cluster.env.schedule(cluster::heal, 8_000_000_000L);
        Map<Key, Integer> acknowledged = writeUntilComplete(keys);
        awaitComplete();
        assertThat(acknowledged).isNotEmpty();
        assertInTwoSlots(acknowledged);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 40, 700, 1500, 3000})
    void acknowledgedWritesSurviveRestartsOfAPair(int millis) {
        List<Key> keys = agreed.keys(MOVED, 40);
        put(keys, 1, ALL);
        agreed.inBatch(7, MOVED, OWNER, HEIR);
        move(Phase.COPY, HEIR);
        cluster.env.advance(Duration.ofMillis(millis));
        agreed.restart(HEIR);
        cluster.env.advance(Duration.ofMillis(millis));
        agreed.restart(OWNER);
        Map<Key, Integer> acknowledged = writeUntilComplete(keys);
        awaitComplete();
        assertInTwoSlots(acknowledged);
    }
}
