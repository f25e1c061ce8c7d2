package io.dht4j.simulator.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.Version;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.view.Phase;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.simulator.cluster.BlockingStore;
import io.dht4j.simulator.cluster.SimulatedCluster;
import io.dht4j.spi.Entry;
import java.time.Duration;
import java.util.List;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;

/** The first slot of a partition of an agreed cluster moves. The nodes follow when a test says so. */
abstract class MovingSlot {

    static final int MOVED = 0;
    static final int OWNER = 0;
    static final int OTHER = 1;
    static final int THIRD = 2;
    static final int HEIR = 3;
    static final CallOptions ALL = CallOptions.defaults().withPolicy(3, 3);
    static final CallOptions MAJORITY = CallOptions.defaults().withPolicy(2, 3);

    final AgreedCluster agreed;
    final SimulatedCluster cluster;

    MovingSlot() {
        this((i, store) -> {});
    }

    /** Nodes with content in their stores. */
    MovingSlot(BiConsumer<Integer, BlockingStore> content) {
        agreed = AgreedCluster.with(content);
        cluster = agreed.cluster;
        // So that the coordinator and the heir know each other.
        put(List.of(agreed.key(HEIR)), 1, ALL);
    }

    @AfterEach
    final void close() {
        agreed.close();
    }

    void put(List<Key> keys, int value, CallOptions options) {
        keys.forEach(key -> cluster.await(agreed.coordinator().put(key, new byte[] {(byte) value}, options)));
    }

    boolean isComplete() {
        return agreed.isComplete(HEIR, MOVED);
    }

    void awaitComplete() {
        for (int i = 0; i < 1200 && !isComplete(); i++) {
            cluster.env.advance(Duration.ofMillis(100));
        }
        assertThat(isComplete()).as("%s", agreed.node(HEIR).moves().progress()).isTrue();
    }

    String waitsFor() {
        return agreed.node(HEIR).moves().progress().get(0).waitsFor().orElse("");
    }

    void assertHolds(int node, List<Key> keys, int value) {
        assertThat(keys)
                .allSatisfy(key -> assertThat(agreed.stores.get(node).get(key))
                        .map(Entry::value)
                        .hasValue(new byte[] {(byte) value}));
    }

    void assertHoldsNone(int node, List<Key> keys) {
        assertThat(keys)
                .allSatisfy(key -> assertThat(agreed.stores.get(node).get(key)).isEmpty());
    }

    void move(Phase phase, int heir) {
        agreed.move(MOVED, 0, phase, heir);
        agreed.installAtAll();
    }

    /** Sends a request about the moving partition to the heir, as the coordinator would. */
    Reply sendToHeir(Request request) {
        return agreed.send(AgreedCluster.COORDINATOR, HEIR, MOVED, request);
    }

    Reply write(Entry entry) {
        return sendToHeir(new Request.ApplyEntries(List.of(entry)));
    }

    Reply read(Key key) {
        return sendToHeir(new Request.ReadKeys(List.of(new Request.Query(key, true)), 1 << 10));
    }

    Reply page() {
        return sendToHeir(new Request.ScanPage(KeyRange.all(), PartitionSet.of(MOVED), 100, 1 << 16));
    }

    /** A version of some minutes ago, so that no clock refuses it. */
    Version old(int minutes) {
        return Version.of(
                cluster.env.currentTimeMillis() - Duration.ofMinutes(minutes).toMillis(), 0);
    }

    Entry value(Key key, Version version) {
        return Entry.value(key, version, new byte[] {1}, Entry.NEVER);
    }

    long pagesOfOwner() {
        return agreed.between(HEIR, OWNER).stream()
                .filter(sent -> FrameHeaders.request(sent.request) instanceof Request.RefillPage)
                .count();
    }
}
