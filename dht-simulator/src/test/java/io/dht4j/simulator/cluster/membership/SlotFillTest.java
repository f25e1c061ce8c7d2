package io.dht4j.simulator.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.Key;
import io.dht4j.NodeId;
import io.dht4j.core.internal.view.Moves;
import io.dht4j.core.internal.view.Phase;
import io.dht4j.core.internal.view.RebalanceSettings;
import io.dht4j.simulator.cluster.BlockingStore;
import io.dht4j.testkit.network.Fault;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A node takes over the slot of a dead one: it has what all the others have before it reports so. */
class SlotFillTest extends MovingSlot {

    private List<Key> fillWithoutAnAnswerOfTheThird() {
        List<Key> keys = agreed.keys(MOVED, 20);
        put(keys, 1, ALL);
        cluster.towardNode(THIRD, Fault.loseRequest());
        move(Phase.FILL, HEIR);
        cluster.env.advance(Duration.ofMinutes(2));
        assertThat(isComplete()).isFalse();
        return keys;
    }

    @Test
    void heirOfADeadNodeGetsWhatOnlyOneOfTheOthersHas() {
        List<Key> keys = agreed.keys(MOVED, 20);
        put(keys, 1, ALL);
        Key one = agreed.keys(MOVED, 30).get(28);
        Key another = agreed.keys(MOVED, 30).get(29);
        agreed.stores.get(OTHER).apply(List.of(value(one, old(1))));
        agreed.stores.get(THIRD).apply(List.of(value(another, old(1))));
        cluster.towardNode(OWNER, Fault.loseRequest());
        agreed.move(MOVED, 0, Phase.FILL, HEIR);
        agreed.install(OTHER, THIRD, HEIR, AgreedCluster.COORDINATOR);
        awaitComplete();
        assertHolds(HEIR, keys, 1);
        assertHolds(HEIR, List.of(one, another), 1);
    }

    @Test
    void heirAcceptsWritesWhileItWaitsForReplicas() {
        List<Key> keys = fillWithoutAnAnswerOfTheThird();
        assertThat(waitsFor()).contains("n2");
        assertThat(read(keys.get(0)).toString()).contains("REPLICA_REFILLING");
        assertThat(page().toString()).contains("REPLICA_REFILLING");
        // Not acknowledged: only one replica knows that it holds nothing newer.
        keys.forEach(key -> cluster.failureOf(agreed.coordinator().put(key, new byte[] {2}, MAJORITY)));
        assertHolds(HEIR, keys, 2);
        agreed.settings(new Moves(List.of(), RebalanceSettings.DEFAULT, Set.of(new NodeId("n2"))));
        agreed.move(MOVED, 0, Phase.FILL, HEIR);
        agreed.installAtAll();
        awaitComplete();
    }

    @Test
    void heirContinuesWithoutADeadSource() {
        List<Key> keys = fillWithoutAnAnswerOfTheThird();
        // The rows stay as they are.
        agreed.settings(new Moves(List.of(), RebalanceSettings.DEFAULT, Set.of(new NodeId("n2"))));
        agreed.installAtAll();
        awaitComplete();
        assertHolds(HEIR, keys, 1);
    }

    @Test
    void copyOfADyingOwnerContinuesAsAFill() {
        List<Key> keys = agreed.keys(MOVED, 20);
        put(keys, 1, ALL);
        Key onlyThere = agreed.keys(MOVED, 30).get(29);
        agreed.stores.get(OWNER).apply(List.of(value(onlyThere, old(1))));
        agreed.inBatch(7, MOVED, OWNER, HEIR);
        move(Phase.COPY, HEIR);
        awaitComplete();
        agreed.move(MOVED, 0, Phase.FILL, HEIR);
        agreed.installAtAll();
        assertThat(isComplete()).isFalse();
        awaitComplete();
        assertHolds(HEIR, keys, 1);
        assertHolds(HEIR, List.of(onlyThere), 1);
    }

    @Test
    void heirThatCannotReadWhatItHasBegunDoesNotStart() {
        fillWithoutAnAnswerOfTheThird();
        BlockingStore disk = new BlockingStore(cluster.image(HEIR));
        disk.keepNote("incoming", new byte[] {1});
        assertThatThrownBy(() -> agreed.restart(HEIR, disk))
                .hasMessageContaining("cannot read which copies of partitions it has begun")
                .hasMessageContaining("membership().replace(new NodeId(\"n3\"))");
        cluster.startNode(HEIR, new BlockingStore());
    }
}
