package io.dht4j.simulator.remote;

import static io.dht4j.simulator.remote.ScriptedApi.failing;
import static io.dht4j.simulator.remote.ScriptedCluster.ADDRESSES;
import static io.dht4j.simulator.remote.ScriptedCluster.KEY;
import static io.dht4j.simulator.remote.ScriptedCluster.OPTIONS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.CallOptions;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.KeyValue;
import io.dht4j.Scan;
import io.dht4j.ScanScope;
import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.client.RemoteCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Scans of a remote cluster. */
class RemoteScansTest {

    private final ScriptedCluster scripted = new ScriptedCluster();
    private final ScriptedApi api = scripted.api;
    private final RemoteCluster cluster = scripted.cluster;

    private void fill(int entries) {
        for (int i = 0; i < entries; i++) {
            Value value = new Value(new byte[1], new Version(i), Optional.empty());
            api.entries.add(new KeyValue(Key.of("key%03d".formatted(i)), value));
        }
    }

    @Test
    void aScanGoesOnBehindItsLastKeyOnAnotherNode() {
        fill(25);
        RemoteCluster pages = scripted.connect(OPTIONS.withScanPageSize(10));
        String first = api.askedOf("status").get(api.askedOf("status").size() - 1);
        Scan scan = pages.scan(KeyRange.all());
        List<KeyValue> shown = new ArrayList<>(scripted.await(scan.next()));
        assertThat(shown).hasSize(10);
        api.at(first, failing(ErrorCode.NOT_SENT));
        shown.addAll(scripted.await(scan.next()));
        shown.addAll(scripted.await(scan.next()));
        assertThat(shown).isEqualTo(api.entries);
        assertThat(scripted.await(scan.next())).isEmpty();
        assertThat(scripted.await(scan.next())).isEmpty();
        assertThat(new HashSet<>(api.askedOf("scan"))).hasSize(2);
    }

    @Test
    void aLeaseOutOfItsRangeIsRefusedInTheWordsOfItsCaller() {
        for (Duration lease :
                List.of(Duration.ofMillis(999), Duration.ofHours(2), Duration.ofSeconds(Long.MAX_VALUE))) {
            assertThatThrownBy(() -> scripted.await(cluster.openSnapshot(lease, CallOptions.defaults())))
                    .hasMessageStartingWith("the lease of a snapshot must be 1s to 1h, not ");
        }
        assertThatThrownBy(() -> scripted.await(cluster.operations().repair(Set.of(-1))))
                .hasMessage("a partition is 0 or more, not -1");
        assertThat(api.askedOf("openSnapshot")).isEmpty();
    }

    @Test
    void aScanEndsWithItsRange() {
        fill(25);
        Scan scan = cluster.scan(KeyRange.between(Key.of("key003"), Key.of("key004")));
        assertThat(scripted.await(scan.next())).hasSize(1);
        assertThat(scripted.await(scan.next())).isEmpty();
        assertThat(scripted.await(
                        cluster.scan(KeyRange.between(Key.of("z"), Key.of("z"))).next()))
                .isEmpty();
    }

    @Test
    void aScanThatFailedIsOverAndDoesNotReportItsEnd() {
        fill(5);
        Scan scan = cluster.scan(KeyRange.all());
        ADDRESSES.forEach(address -> api.at(address, failing(ErrorCode.NOT_ENOUGH_REPLICAS)));
        assertThat(scripted.failureOf(scan.next()).code()).isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
        ADDRESSES.forEach(api::healthy);
        assertThat(scripted.failureOf(scan.next()).code()).isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
        scan.close();
        assertThat(scripted.await(scan.next())).isEmpty();
    }

    @Test
    void aClosedScanShowsNothing() {
        fill(25);
        RemoteCluster pages = scripted.connect(OPTIONS.withScanPageSize(10));
        Scan scan = pages.scan(KeyRange.all());
        scripted.await(scan.next());
        scan.close();
        assertThat(scripted.await(scan.next())).isEmpty();
    }

    @Test
    void aScanOfANodesOwnEntriesStaysWithThatNode() {
        fill(25);
        RemoteCluster pages = scripted.connect(OPTIONS.withScanPageSize(10));
        String first = api.askedOf("status").get(api.askedOf("status").size() - 1);
        Scan scan = pages.scan(KeyRange.all(), ScanScope.NODE, CallOptions.defaults());
        scripted.await(scan.next());
        api.at(first, failing(ErrorCode.NOT_SENT));
        // Another call makes another node the preferred one.
        scripted.await(pages.get(KEY));
        api.healthy(first);
        scripted.await(scan.next());
        assertThat(new HashSet<>(api.askedOf("scan"))).containsExactly(first);
        api.at(first, failing(ErrorCode.NOT_SENT));
        assertThat(scripted.failureOf(scan.next()).code()).isEqualTo(ErrorCode.NOT_SENT);
        assertThat(new HashSet<>(api.askedOf("scan"))).containsExactly(first);
    }
}
