package io.dht4j.simulator.cluster.membership;

import static io.dht4j.simulator.cluster.membership.FormedCluster.BOUND;
import static io.dht4j.simulator.cluster.membership.FormedCluster.list;
import static io.dht4j.simulator.cluster.membership.FormedCluster.node;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Cluster;
import io.dht4j.DhtException;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Value;
import io.dht4j.core.internal.membership.command.Command;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.view.Epoch;
import io.dht4j.spi.StoreException;
import io.dht4j.testkit.network.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/**
 * Nodes that an operator has named as lost in a recovery, and that have agreed on changes of which the recovered state
 * knows nothing: they come back, or live on behind a cut that heals.
 *
 * <p>n0, n1 and n2 vote, and n0 and n1 are cut off together. There they move slots of n0 to n1, and n0 drops what it
 * had. The others begin the next generation, in which n0 is a replica of all that again.
 */
class LostSideTest {

    /** The name of the note of the agreed state. */
    private static final String STATE = "cluster-state";

    private static final String ONE_REPLICA = "one-replica";

    private static final int KEYS = 60;
    private static final int[] LOST = {0, 1};
    private static final int[] LEFT = {2, 3, 4};
    private static final Duration LONG = Duration.ofMinutes(10);

    private final DrivenCluster cluster;
    /** The first view, which maps keys to partitions as all others do. */
    private final ClusterView view;

    private final Set<String> missed = new TreeSet<>();

    LostSideTest(TestInfo test) {
        int replicas = test.getTags().contains(ONE_REPLICA) ? 1 : 3;
        this.cluster = new DrivenCluster(5, builder -> builder.replicationFactor(replicas));
        this.view = cluster.nodes.membership(0).views().current();
    }

    private static String key(int i) {
        return "later" + i;
    }

    /** Cuts two sides off from each other. */
    private void cut(int[] side, int[] other) {
        for (int one : side) {
            for (int two : other) {
                cluster.nodes.nodes.get(one).link.toward(node(two).id(), Fault.refuse());
                cluster.nodes.nodes.get(two).link.toward(node(one).id(), Fault.refuse());
            }
        }
    }

    private void heal() {
        cluster.nodes.nodes.values().forEach(running -> running.link.heal());
    }

    /** Writes all keys at a node while another one is away, so that two replicas of three have each. */
    private void writeWithout(int away, int at) {
        int[] others = IntStream.range(0, 5).filter(i -> i != away).toArray();
        cut(new int[] {away}, others);
        for (int i = 0; i < KEYS; i++) {
            cluster.nodes.put(at, key(i), "value" + i);
        }
        // Not by the hints, which a restarted node has lost.
        heal();
    }

    private PartitionSet ownedByOneOnly(ClusterState state, int one, int other) {
        return PartitionSet.matching(
                state.partitions(), partition -> state.involves(partition, one) && !state.involves(partition, other));
    }

    /** Moves slots of n0 to n1 behind the cut, and waits until n0 has dropped them. Returns the partitions. */
    private PartitionSet moveBehindTheCut() {
        ClusterState before = cluster.nodes.state(0);
        int from = cluster.number(0, 0);
        int to = cluster.number(0, 1);
        PartitionSet moved = ownedByOneOnly(before, from, to);
        assertThat(moved.isEmpty()).isFalse();
        cluster.change(0, state -> new Command.StartBatch(state.epoch(), from, to, moved));
        cluster.await(0, state -> state.batches().isEmpty() && moved.stream().allMatch(p -> !state.involves(p, from)));
        cluster.nodes.env.runUntil(() -> held(0, moved) == 0, LONG);
        return moved;
    }

    /** Returns how many keys of some partitions are on the disk of a node. */
    private long held(int i, PartitionSet partitions) {
        return IntStream.range(0, KEYS)
                .mapToObj(LostSideTest::key)
                .map(Key::of)
                .filter(key -> partitions.contains(partition(key)))
                .filter(key -> cluster.nodes.disk(i).get(key).isPresent())
                .count();
    }

    private int partition(Key key) {
        return view.partitionOf(key);
    }

    private void recover(int at, int... lost) {
        Set<NodeId> names = IntStream.of(lost).mapToObj(i -> node(i).id()).collect(Collectors.toSet());
        // The others have found out that they do not answer.
        cluster.nodes.env.advance(Duration.ofSeconds(15));
        cluster.nodes.env.await(cluster.nodes.membership(at).recover(names, false), BOUND);
        assertThat(Epoch.generation(cluster.nodes.state(at).epoch())).isEqualTo(2);
        cluster.nodes.awaitEpoch(cluster.nodes.state(at).epoch(), 3, 4);
    }

    /** Reads all keys at some nodes. A call may fail while replicas are closed, and none may find nothing. */
    private int readAll(int... at) {
        int read = 0;
        for (int i : at) {
            Cluster client = cluster.nodes.cluster(i);
            List<CompletionStage<Optional<Value>>> calls = new ArrayList<>();
            for (int key = 0; key < KEYS; key++) {
                calls.add(client.get(Key.of(key(key))));
            }
            for (int key = 0; key < KEYS; key++) {
                try {
                    Optional<Value> value = cluster.nodes.env.await(calls.get(key), BOUND);
                    if (value.isEmpty()) {
                        missed.add(key(key) + " at n" + i);
                    } else {
                        read++;
                        assertThat(value.get().text()).isEqualTo("value" + key);
                    }
                } catch (DhtException e) {
                    cluster.nodes.env.advance(Duration.ofMillis(10));
                }
            }
        }
        return read;
    }

    /** Reads at some nodes until each of them has found all keys. */
    private void awaitAll(int... at) {
        for (int round = 0; readAll(at) < at.length * KEYS; round++) {
            assertThat(missed).isEmpty();
            assertThat(round).as("rounds of reads").isLessThan(300);
            cluster.nodes.env.advance(Duration.ofMillis(500));
        }
        assertThat(missed).isEmpty();
    }

    @Test
    void returningLostNodeRegainsWhatItHadDropped() {
        try (cluster) {
            writeWithout(3, 1);
            cut(LOST, LEFT);
            moveBehindTheCut();
            cluster.nodes.crash(0);
            cluster.nodes.crash(1);
            cluster.nodes.replaceDisk(1);
            recover(4, LOST);

            List<Node> founders = list(0, 1, 2, 3, 4);
            cluster.nodes.bootstrap(0, founders);
            heal();
            cluster.nodes.cluster(0);
            for (int round = 0; round < 60; round++) {
                readAll(0, 2, 3, 4);
                cluster.nodes.env.advance(Duration.ofSeconds(1));
            }
            assertThat(missed).isEmpty();
            // What only the second lost node may have is given up with it.
            cluster.change(4, state -> new Command.MarkDead(state.epoch(), 2, true));
            awaitAll(0, 2, 3, 4);
        }
    }

    @Test
    void bothSidesLiveOnAndNothingIsMissedWhenTheCutHeals() {
        try (cluster) {
            writeWithout(3, 1);
            cut(LOST, LEFT);
            moveBehindTheCut();
            recover(4, LOST);
            heal();
            for (int round = 0; round < 60; round++) {
                readAll(0, 1, 2, 3, 4);
                cluster.nodes.env.advance(Duration.ofSeconds(1));
            }
            awaitAll(0, 1, 2, 3, 4);
        }
    }

    /** Lets n0 return that has dropped what n2 has, and does not reach n2. Returns the partitions. */
    private PartitionSet returnWithoutN2() {
        writeWithout(3, 1);
        cut(LOST, LEFT);
        PartitionSet dropped = moveBehindTheCut();
        cluster.nodes.crash(1);
        recover(4, LOST);
        heal();
        cut(new int[] {0}, new int[] {2});
        cluster.await(0, state -> Epoch.generation(state.epoch()) == 2);
        return dropped;
    }

    /** n0 has dropped what n2 has, does not reach it, and hands its slots over to n4. */
    @Test
    void aNodeThatHasNotComparedWhatItHasIsNoSourceOfACopy() {
        try (cluster) {
            PartitionSet dropped = returnWithoutN2();
            int from = cluster.number(4, 0);
            int to = cluster.number(4, 4);
            PartitionSet moved =
                    ownedByOneOnly(cluster.nodes.state(4), from, to).intersection(dropped);
            assertThat(moved.isEmpty()).isFalse();
            cluster.change(4, state -> new Command.StartBatch(state.epoch(), from, to, moved));
            cluster.nodes.env.advance(Duration.ofMinutes(2));
            cut(new int[] {2}, new int[] {0, 3, 4});
            for (int round = 0; round < 5; round++) {
                readAll(3, 4);
            }
            assertThat(missed).isEmpty();
            heal();
            cluster.await(4, state -> state.batches().isEmpty());
            cluster.nodes.bootstrap(1, list(0, 1, 2, 3, 4));
            awaitAll(0, 2, 3, 4);
        }
    }

    /** n0 has dropped what n2 has, and has not compared yet when n2 is lost for good. */
    @Test
    void nodeNeededToRepairADivergedReplicaIsNotDeclaredDead() {
        try (cluster) {
            PartitionSet dropped = returnWithoutN2();
            assertThat(dropped.stream()
                            .anyMatch(partition -> cluster.nodes.state(4).involves(partition, cluster.number(4, 2))))
                    .isTrue();
            cluster.nodes.crash(2);
            cluster.nodes.env.advance(Duration.ofSeconds(40));
            int dead = cluster.number(4, 2);
            assertThat(cluster.refusal(4, state -> new Command.MarkDead(state.epoch(), dead, false)))
                    .contains("n0 must be compared with it first", "Bring n2 back", "acceptDataLoss");
            cluster.nodes.bootstrap(2, list(0, 1, 2, 3, 4));
            heal();
            cluster.nodes.bootstrap(1, list(0, 1, 2, 3, 4));
            awaitAll(0, 1, 2, 3, 4);
            cluster.nodes.env.advance(Duration.ofMinutes(1));
            cluster.nodes.crash(2);
            cluster.nodes.env.advance(Duration.ofSeconds(40));
            cluster.change(4, state -> new Command.MarkDead(state.epoch(), dead, false));
        }
    }

    /** The node is killed when it has stored the recovered state, before it has installed it. */
    @Test
    void whatHasDivergedIsStoredBeforeTheRecoveredState() {
        try (cluster) {
            writeWithout(3, 1);
            cut(LOST, LEFT);
            moveBehindTheCut();
            // With its hints.
            cluster.nodes.crash(1);
            recover(4, LOST);
            boolean[] stored = {false};
            int[] calls = {0};
            cluster.nodes.disk(0).aroundNotes = name -> {
                if (name.equals(STATE) && ++calls[0] == 2) {
                    stored[0] = true;
                    throw new StoreException("killed");
                }
            };
            heal();
            cluster.nodes.env.runUntil(() -> stored[0], BOUND);
            cluster.nodes.crash(0);
            cluster.nodes.bootstrap(0, list(0, 1, 2, 3, 4));
            cluster.nodes.bootstrap(1, list(0, 1, 2, 3, 4));
            // The node starts on a full disk, too, on which it cannot forget what has been purged.
            cluster.nodes.disk(0).aroundNotes = name -> {
                if (!name.equals(STATE)) {
                    throw new StoreException("no space left");
                }
            };
            cluster.nodes.cluster(0);
            cluster.nodes.disk(0).aroundNotes = name -> {};
            awaitAll(0, 1, 2, 3, 4);
        }
    }

    /**
     * The only other replica is dead. Its slots go to other nodes later, some of them to the node with the only copy.
     */
    @Test
    @Tag(ONE_REPLICA)
    void whatNoLivingReplicaReceivesIsKeptUntilOneDoes() {
        try (cluster) {
            for (int i = 0; i < KEYS; i++) {
                cluster.nodes.put(2, key(i), "value" + i);
            }
            cut(LOST, LEFT);
            PartitionSet moved = moveBehindTheCut();
            long only = held(1, moved);
            assertThat(only).isPositive();
            cluster.nodes.crash(0);
            cluster.nodes.crash(1);
            recover(4, LOST);
            cluster.pauseMoves(4, true);
            cluster.nodes.env.advance(Duration.ofSeconds(10));
            int dead = cluster.number(4, 0);
            cluster.change(4, state -> new Command.MarkDead(state.epoch(), dead, true));
            heal();
            cluster.nodes.bootstrap(1, list(0, 1, 2, 3, 4));
            cluster.nodes.awaitEpoch(cluster.nodes.state(4).epoch(), 1);
            // Longer than it takes to drop what a node does not own.
            cluster.nodes.env.advance(Duration.ofMinutes(1));
            assertThat(held(1, moved)).isEqualTo(only);
            cluster.pauseMoves(4, false);
            // The loss of the dead node was accepted, so heirs serve without its entries until they are handed over.
            cluster.await(
                    4, state -> !state.slots().hasVacant() && state.batches().isEmpty());
            cluster.nodes.env.advance(Duration.ofMinutes(1));
            missed.clear();
            awaitAll(1, 2, 3, 4);
        }
    }

    /** n1 has taken slots over that the recovered state gives to n0, and in the end only it has the last writes. */
    @Test
    void heirOnTheLostSideKeepsEntriesThatOthersLack() {
        try (cluster) {
            int[] lost = {0, 1, 2};
            int[] left = {3, 4};
            cut(lost, left);
            PartitionSet moved = moveBehindTheCut();
            Set<Key> written = new TreeSet<>();
            for (int i = 0; i < KEYS; i++) {
                int partition = partition(Key.of(key(i)));
                if (moved.contains(partition)
                        && cluster.nodes.membership(2).views().current().owns(partition)) {
                    cluster.nodes.put(1, key(i), "value" + i);
                    written.add(Key.of(key(i)));
                }
            }
            assertThat(written).isNotEmpty();
            cluster.nodes.crash(0);
            cluster.nodes.crash(2);
            cluster.nodes.replaceDisk(2);
            // With its hints.
            cluster.nodes.crash(1);
            recover(4, lost);
            cluster.nodes.bootstrap(1, list(0, 1, 2, 3, 4));
            boolean[] cutAgain = {false};
            cluster.nodes.disk(1).aroundNotes = name -> {
                if (name.equals(STATE)) {
                    cut(new int[] {1}, left);
                    cutAgain[0] = true;
                }
            };
            heal();
            cluster.nodes.bootstrap(0, list(0, 1, 2, 3, 4));
            cluster.nodes.cluster(0);
            cluster.nodes.env.runUntil(() -> cutAgain[0], BOUND);
            cut(new int[] {1}, new int[] {0, 3, 4});
            cluster.nodes.disk(1).aroundNotes = name -> {};
            // Longer than it takes to drop what a node does not own.
            cluster.nodes.env.advance(Duration.ofMinutes(1));
            heal();
            cluster.change(4, state -> new Command.MarkDead(state.epoch(), cluster.number(4, 2), true));
            cluster.nodes.env.runUntil(
                    () -> written.stream()
                            .noneMatch(key -> cluster.nodes.disk(1).get(key).isPresent()),
                    LONG);
            for (Key key : written) {
                for (int at : new int[] {0, 3, 4}) {
                    if (cluster.nodes.membership(at).views().current().held().contains(partition(key))) {
                        assertThat(cluster.nodes.disk(at).get(key))
                                .as("%s at n%s", key, at)
                                .isPresent();
                    }
                }
            }
        }
    }
}
