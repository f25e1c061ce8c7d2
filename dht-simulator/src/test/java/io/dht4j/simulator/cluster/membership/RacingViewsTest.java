package io.dht4j.simulator.cluster.membership;

import static io.dht4j.simulator.cluster.membership.AgreedCluster.COORDINATOR;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dht4j.CallOptions;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.Scan;
import io.dht4j.ScanScope;
import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.core.internal.view.Views;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.simulator.cluster.BlockingStore;
import io.dht4j.simulator.cluster.SimulatedCluster;
import io.dht4j.spi.Entry;
import io.dht4j.spi.EntryCursor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** A view is installed while requests are served: each is on the old side of it, or refused. */
class RacingViewsTest {

    private static final int MOVED = 0;
    private static final int FORMER = 0;
    private static final int HEIR = 3;
    private static final byte[] OLD = {1};
    private static final byte[] NEW = {2};
    private static final CallOptions ONE = CallOptions.defaults().withPolicy(1, 3);
    private static final CallOptions ALL = CallOptions.defaults().withPolicy(3, 3);

    private final AgreedCluster agreed = AgreedCluster.start();
    private final SimulatedCluster cluster = agreed.cluster;
    private final Key key = agreed.key(MOVED);
    private final BlockingStore former = agreed.stores.get(FORMER);

    @Test
    void newViewRefusesAWriteThatWaitsForTheStore() {
        try (agreed) {
            CompletionStage<?> put = agreed.coordinator().put(key, NEW, ALL);
            // It has passed the door of the former replica, and waits for a store thread.
            cluster.env.runUntil(() -> writesAt(FORMER) > 0, SimulatedCluster.BOUND);
            assertThat(former.applied).isEmpty();
            agreed.change(MOVED, HEIR, 1, 2);
            agreed.install(FORMER);
            cluster.await(put);
            assertThat(former.applied).isEmpty();
            assertThat(former.get(key)).isEmpty();
            assertThat(agreed.stores.get(HEIR).get(key)).isPresent();
        }
    }

    @Test
    void viewInstallationWaitsForAWriteInProgress() throws InterruptedException {
        try (agreed) {
            Views views = agreed.views(FORMER);
            AtomicReference<Thread> installing = new AtomicReference<>();
            AtomicBoolean early = new AtomicBoolean();
            former.beforeApply = entries -> {
                agreed.change(MOVED, HEIR, 1, 2);
                Thread thread = new Thread(() -> {
                    agreed.install(FORMER);
                    early.set(former.applied.isEmpty());
                });
                installing.set(thread);
                thread.start();
                await().atMost(Duration.ofSeconds(30))
                        .until(() -> views.applying().hasQueuedThread(thread));
                assertThat(views.current().epoch()).isEqualTo(2);
            };
            cluster.await(agreed.coordinator().put(key, NEW, ALL));
            installing.get().join();
            assertThat(early).isFalse();
            assertThat(views.current().epoch()).isEqualTo(3);
            assertThat(former.get(key)).isPresent();
            // Nothing by the old table is taken from then on.
            former.beforeApply = entries -> {};
            cluster.await(agreed.coordinator().put(key, OLD, ALL));
            assertThat(former.applied).hasSize(1);
        }
    }

    @Test
    void readDuringWhichAViewIsInstalledIsRefused() {
        try (agreed) {
            cluster.await(agreed.coordinator().put(key, OLD, ALL));
            former.beforeGet = () -> {
                former.beforeGet = () -> {};
                agreed.change(MOVED, HEIR, 1, 2);
                agreed.install(0, 1, 2, 3);
                applyNewer(1, 2, HEIR);
            };
            // The former replica is asked first, and reads the old value after it has ceased to be one.
            assertThat(cluster.await(agreed.coordinator().get(key, ONE)).map(Value::bytes))
                    .hasValue(NEW);
            assertThat(agreed.refreshed()).contains(COORDINATOR);
        }
    }

    @Test
    void readFromTheMemoryOfAFormerReplicaIsRefusedToo() {
        try (agreed) {
            cluster.await(agreed.coordinator().put(key, OLD, ALL));
            former.remembers = true;
            assertThat(cluster.await(cluster.node(FORMER).get(key, ONE)).map(Value::bytes))
                    .hasValue(OLD);
            agreed.change(MOVED, HEIR, 1, 2);
            agreed.installAtAll();
            cluster.await(cluster.node(1).put(key, NEW, ALL));
            assertThat(cluster.await(cluster.node(FORMER).get(key, ONE)).map(Value::bytes))
                    .hasValue(NEW);
        }
    }

    @Test
    void scanFollowsANewTableBetweenPages() {
        try (agreed) {
            Map<Key, byte[]> values = new HashMap<>();
            agreed.keys(MOVED, 1_500).forEach(each -> values.put(each, OLD));
            cluster.await(agreed.coordinator().putAll(values, ALL));
            Scan scan = agreed.coordinator().scan(KeyRange.all(), ScanScope.CLUSTER, ONE);
            int first = cluster.await(scan.next()).size();
            agreed.change(MOVED, HEIR, 1, 2);
            agreed.install(0, 1, 2, 3);
            List<Entry> moved = new ArrayList<>();
            try (EntryCursor content = agreed.stores.get(1).scan(KeyRange.all())) {
                content.forEachRemaining(moved::add);
            }
            agreed.stores.get(HEIR).apply(moved);
            int rest = 0;
            for (int page = cluster.await(scan.next()).size(); page > 0; ) {
                rest += page;
                page = cluster.await(scan.next()).size();
            }
            assertThat(first + rest).isEqualTo(1_500);
            assertThat(agreed.refreshed()).contains(COORDINATOR);
            scan.close();
        }
    }

    /** Brings a newer value to the stores of some nodes, as other coordinators would. */
    private void applyNewer(int... nodes) {
        Version later = Version.of(cluster.env.currentTimeMillis() + 1, 0);
        for (int node : nodes) {
            agreed.stores.get(node).apply(List.of(Entry.value(key, later, NEW, Entry.NEVER)));
        }
    }

    /** The number of writes that have arrived at a node. */
    private long writesAt(int node) {
        return agreed.served.stream()
                .filter(each -> each.at() == node && FrameHeaders.request(each.frame()) instanceof Request.ApplyEntries)
                .count();
    }
}
