package io.dht4j.simulator.cluster.rollback;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.KeyValue;
import io.dht4j.RefillStatus;
import io.dht4j.ScanScope;
import io.dht4j.Value;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.options.HintedHandoff;
import io.dht4j.core.options.Repair;
import io.dht4j.simulator.cluster.SimulatedCluster;
import io.dht4j.spi.Store;
import io.dht4j.testkit.network.Fault;
import io.dht4j.testkit.network.FaultyTransport;
import io.dht4j.testkit.store.ModelStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * Three nodes, all replicas of everything. A test starts one of them, mostly {@link #BACK}, with an older copy of its
 * disk, from before others forgot what had been deleted. Rounds happen only when they are asked for, unless a test
 * starts a node otherwise.
 */
final class RollbackCluster extends SimulatedCluster {

    static final CallOptions OWN = CallOptions.defaults().withPolicy(1, 3);
    static final CallOptions QUORUM = CallOptions.defaults().withPolicy(2, 3);
    static final CallOptions ALL = CallOptions.defaults().withPolicy(3, 3);
    static final Key DELETED = Key.of("deleted");
    /** So old that it may be purged. */
    static final Duration LONG_AGO = Repair.on().purgeAfter().multipliedBy(2);

    static final Duration LONG = Duration.ofMinutes(2);
    static final int BACK = 1;
    static final int PARTITIONS = 16;
    static final int MAX_VALUE_BYTES = 1 << 20;

    /** How nodes are started: the first ones too, before there is a cluster. */
    private static final class Starts {
        private UnaryOperator<ClusterBuilder> options;
        private boolean cutOff;
        private List<FaultyTransport> links = List.of();

        Starts(UnaryOperator<ClusterBuilder> options) {
            this.options = options;
        }

        ClusterBuilder configure(int node, ClusterBuilder builder) {
            if (cutOff) {
                for (int other = 0; other < links.size(); other++) {
                    if (other != node) {
                        links.get(node).toward(id(other), Fault.refuse());
                    }
                }
            }
            return options.apply(builder.handoff(HintedHandoff.off())
                    .repair(Repair.off())
                    .maxValueBytes(MAX_VALUE_BYTES)
                    .partitions(PARTITIONS));
        }
    }

    private final Starts starts;

    private RollbackCluster(Starts starts) {
        super(SimulatedCluster.of(1, 3).options(starts::configure));
        this.starts = starts;
        starts.links = links;
    }

    static RollbackCluster start() {
        return start(UnaryOperator.identity());
    }

    static RollbackCluster start(UnaryOperator<ClusterBuilder> options) {
        return new RollbackCluster(new Starts(options));
    }

    /** With which options nodes are started from now on. */
    void startWith(UnaryOperator<ClusterBuilder> options) {
        starts.options = options;
    }

    /** Whether nodes that are started from now on reach nobody, until the links are healed. */
    void startCutOff(boolean cutOff) {
        starts.cutOff = cutOff;
    }

    /** Starts a node again, with another disk. */
    void rollBack(int node, Store image) {
        stop(node);
        startNode(node, image);
    }

    /** The same, where the node notices it in all partitions. */
    void rollBackNoticed(int node, Store image) {
        rollBack(node, image);
        env.advance(Duration.ofMillis(50));
        assertThat(refill(node).partitions()).isEqualTo(PARTITIONS);
    }

    /** The same, where the node can ask nobody and so does not notice it. All nodes reach each other afterwards. */
    void rollBackUnnoticed(int node, Store image) {
        startCutOff(true);
        towardNode(node, Fault.refuse());
        rollBack(node, image);
        env.advance(LONG);
        assertThat(refill(node)).isEqualTo(RefillStatus.NONE);
        heal();
    }

    /** Stops all nodes before it starts the first one again. */
    void restartAll(List<ModelStore> images) {
        for (int node = 0; node < nodes.size(); node++) {
            stop(node);
        }
        for (int node = 0; node < nodes.size(); node++) {
            startNode(node, images.get(node));
        }
    }

    List<ModelStore> images() {
        return List.of(image(0), image(1), image(2));
    }

    void put(String key, String value, CallOptions options) {
        await(node(0).put(Key.of(key), bytes(value), options));
    }

    /** Writes that many keys with a prefix, at all nodes. */
    void putMany(String prefix, int count) {
        for (int i = 0; i < count; i++) {
            put(prefix + i, "v", ALL);
        }
    }

    Optional<String> read(int node, String key, CallOptions options) {
        return await(node(node).get(Key.of(key), options)).map(Value::text);
    }

    /** All nodes repair all they have, so that what is long dead is gone. */
    void repairAll() {
        for (int i = 0; i < nodes.size(); i++) {
            int node = i;
            long before = rounds(node);
            await(node(node).operations().repair(Set.of()));
            env.runUntil(() -> rounds(node) > before, Duration.ofMinutes(10));
        }
    }

    /** So much later that what is dead may be purged, all nodes repair. */
    void ageAndRepair() {
        env.advance(LONG_AGO);
        repairAll();
    }

    long rounds(int node) {
        return node(node)
                .operations()
                .repairStatus()
                .toCompletableFuture()
                .join()
                .rounds();
    }

    /** Deletes what was there, and lets all forget it. */
    void deleteAndForget() {
        await(node(0).delete(DELETED, ALL));
        ageAndRepair();
        for (Store store : stores) {
            assertThat(store.get(DELETED)).isEmpty();
        }
    }

    /** What {@link #BACK} held before something was deleted that all have forgotten now. */
    ModelStore imageBeforeDeletion() {
        put("deleted", "v", ALL);
        ModelStore image = image(BACK);
        deleteAndForget();
        return image;
    }

    RefillStatus refill(int node) {
        return await(node(node).operations().status()).refill();
    }

    /** What a node says to those who want to read what it holds itself. */
    String whyClosed(int node) {
        return String.valueOf(failureOf(node(node)
                        .scan(KeyRange.all(), ScanScope.NODE, CallOptions.defaults())
                        .next())
                .getMessage());
    }

    void awaitRefilled(int node) {
        for (int i = 0; i < LONG.toSeconds() && refill(node).partitions() > 0; i++) {
            env.advance(Duration.ofSeconds(1));
        }
        assertThat(refill(node).partitions()).isZero();
    }

    /** What each coordinator shows of a key, whatever it says otherwise. */
    void assertNobodyShows(Key key) {
        for (int node = 0; node < nodes.size(); node++) {
            for (int from = 1; from <= 3; from++) {
                for (int ack = 1; ack <= from; ack++) {
                    CallOptions options = CallOptions.defaults().withPolicy(ack, from);
                    try {
                        assertThat(await(node(node).get(key, options)))
                                .as("at n%s with %s/%s", node, ack, from)
                                .isEmpty();
                    } catch (DhtException refused) {
                        assertThat(refused.code()).isIn(ErrorCode.NOT_ENOUGH_REPLICAS, ErrorCode.NOT_SERVING);
                    }
                }
            }
            try {
                assertThat(drain(node(node).scan(KeyRange.all(), ScanScope.NODE, OWN)))
                        .extracting(KeyValue::key)
                        .doesNotContain(key);
            } catch (DhtException refused) {
                assertThat(refused.code()).isIn(ErrorCode.NOT_ENOUGH_REPLICAS, ErrorCode.NOT_SERVING);
            }
        }
    }

    /** Nobody shows a key, from now until the node has been refilled. */
    void assertNeverShownUntilRefilled(Key key, int node) {
        assertNobodyShows(key);
        for (int i = 0; i < 200; i++) {
            env.advance(Duration.ofMillis(20));
            assertNobodyShows(key);
        }
        awaitRefilled(node);
        assertNobodyShows(key);
    }

    /** Every disk holds these keys, alive. */
    void assertAllShow(String prefix, int count) {
        for (int i = 0; i < count; i++) {
            for (Store store : stores) {
                assertThat(store.get(Key.of(prefix + i)))
                        .as(prefix + i)
                        .hasValueSatisfying(
                                entry -> assertThat(entry.isTombstone()).isFalse());
            }
        }
    }

    void assertAllEqual() {
        // What was buried goes when it is old enough.
        ageAndRepair();
        repairAll();
        for (Store store : stores) {
            assertThat(content(store)).isEqualTo(content(stores.get(0)));
        }
    }
}
