package io.dht4j.simulator.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.KeyValue;
import io.dht4j.Scan;
import io.dht4j.Snapshot;
import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.client.RemoteCluster;
import io.dht4j.client.RemoteOptions;
import io.dht4j.simulator.contract.DirectRemoteApi;
import io.dht4j.testkit.network.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A remote cluster in front of real nodes, some of which fail. */
class RemoteClusterOverNodesTest {

    private static final CallOptions ALL_OF_THREE = CallOptions.defaults().withPolicy(3, 3);

    private final SimulatedCluster cluster = SimulatedCluster.of(5, 3).start();
    private final Map<String, Cluster> listening =
            new LinkedHashMap<>(Map.of("a:1", cluster.node(0), "b:1", cluster.node(1), "c:1", cluster.node(2)));
    private final RemoteCluster remote = cluster.await(RemoteCluster.connecting(
            new DirectRemoteApi(listening, cluster.env),
            List.of("a:1", "b:1", "c:1"),
            RemoteOptions.defaults().withTimeout(Duration.ofSeconds(1)).withScanPageSize(10),
            cluster.env));

    @AfterEach
    void close() {
        remote.close();
        cluster.close();
    }

    private String serving() {
        return switch (cluster.await(remote.operations().status()).id().value()) {
            case "n0" -> "a:1";
            case "n1" -> "b:1";
            default -> "c:1";
        };
    }

    @Test
    void remoteClientSeesTheStateOfTheNodes() {
        Key key = Key.of("key");
        cluster.await(remote.put(key, new byte[] {7}, ALL_OF_THREE));
        assertThat(cluster.await(remote.get(key)))
                .isEqualTo(cluster.await(cluster.node(1).get(key)));
        assertThat(cluster.await(remote.locate(key)))
                .isEqualTo(cluster.await(cluster.node(2).locate(key)));
        assertThat(remote.topology()).isEqualTo(cluster.topology);
        assertThat(remote.defaultPolicy()).isEqualTo(cluster.node(0).defaultPolicy());
        assertThat(cluster.failureOf(remote.get(key, CallOptions.defaults().withPolicy(4, 7)))
                        .code())
                .isEqualTo(ErrorCode.POLICY_INVALID);
    }

    @Test
    void callsSucceedWhileNodesLeaveInTurn() {
        Key key = Key.of("key");
        for (int left = 3; left > 0; left--) {
            byte[] value = {(byte) left};
            cluster.await(remote.put(key, value, ALL_OF_THREE));
            assertThat(cluster.await(remote.get(key)).map(Value::bytes)).contains(value);
            listening.remove(serving());
        }
        assertThat(cluster.failureOf(remote.put(key, new byte[1])).code()).isEqualTo(ErrorCode.NOT_SENT);
        listening.put("b:1", cluster.node(1));
        cluster.await(remote.put(key, new byte[1], ALL_OF_THREE));
    }

    @Test
    void clientLeavesANodeCutOffFromTheOthers() {
        Key key = Key.of("key");
        cluster.await(remote.put(key, new byte[1], ALL_OF_THREE));
        int preferred = List.of("a:1", "b:1", "c:1").indexOf(serving());
        cluster.links.get(preferred).towardAll(Fault.refuse());
        // Reads two of three, which the node that is cut off cannot.
        assertThat(cluster.await(remote.get(key))).isPresent();
        assertThat(serving()).isNotEqualTo(List.of("a:1", "b:1", "c:1").get(preferred));
        cluster.await(remote.put(key, new byte[2]));
    }

    @Test
    void aScanSurvivesTheNodeThatBeganIt() {
        Map<Key, byte[]> values = new LinkedHashMap<>();
        for (int i = 0; i < 35; i++) {
            values.put(Key.of("key%03d".formatted(i)), new byte[i]);
        }
        cluster.await(remote.putAll(values, ALL_OF_THREE));
        Scan scan = remote.scan(KeyRange.all());
        List<KeyValue> shown = new ArrayList<>(cluster.await(scan.next()));
        listening.remove(serving());
        for (List<KeyValue> page = cluster.await(scan.next()); !page.isEmpty(); page = cluster.await(scan.next())) {
            shown.addAll(page);
        }
        assertThat(shown).extracting(KeyValue::key).containsExactlyElementsOf(values.keySet());
    }

    @Test
    void unconfirmedWriteIsIndeterminateAndNotRetried() {
        Key key = Key.of("key");
        int preferred = List.of("a:1", "b:1", "c:1").indexOf(serving());
        cluster.links.get(preferred).towardAll(Fault.loseReply());
        assertThat(cluster.failureOf(remote.put(key, new byte[1], ALL_OF_THREE)).code())
                .isIn(ErrorCode.WRITE_INDETERMINATE, ErrorCode.INTERNAL);
        cluster.heal();
        Value first = cluster.await(cluster.node(0).get(key, ALL_OF_THREE)).orElseThrow();
        cluster.env.advance(Duration.ofSeconds(5));
        assertThat(cluster.await(cluster.node(0).get(key, ALL_OF_THREE))).contains(first);
    }

    @Test
    void snapshotIsReadAndClosedFromAfar() {
        Key key = Key.of("key");
        cluster.await(remote.put(key, "before".getBytes(UTF_8)));
        Version version;
        try (Snapshot snapshot = cluster.await(remote.openSnapshot(Duration.ofMinutes(1), CallOptions.defaults()))) {
            version = snapshot.version();
            cluster.await(remote.put(key, "after".getBytes(UTF_8)));
            assertThat(cluster.drain(snapshot.scan(KeyRange.all())))
                    .extracting(entry -> entry.value().text())
                    .containsExactly("before");
        }
        cluster.env.advance(Duration.ofSeconds(1));

        assertThat(cluster.failureOf(
                                remote.snapshot(version).scan(KeyRange.all()).next())
                        .code())
                .isEqualTo(ErrorCode.SNAPSHOT_GONE);
    }

    @Test
    void aNullArgumentIsNamedByTheCallItself() {
        Key key = Key.of("key");
        for (Cluster each : List.of(cluster.node(0), remote)) {
            requireNamed("key", () -> each.get(null));
            requireNamed("options", () -> each.get(key, null));
            requireNamed("key", () -> each.put(null, new byte[1]));
            requireNamed("value", () -> each.put(key, null));
            requireNamed("key", () -> each.delete(null));
            requireNamed("keys", () -> each.getAll(null));
            requireNamed("key", () -> each.getAll(Arrays.asList(key, null)));
            requireNamed("values", () -> each.putAll(null));
            requireNamed("value", () -> each.putAll(Collections.singletonMap(key, null)));
            requireNamed("range", () -> each.scan(null));
            requireNamed("lease", () -> each.openSnapshot(null, CallOptions.defaults()));
            requireNamed("version", () -> each.snapshot(null));
            Snapshot snapshot = each.snapshot(new Version(1));
            requireNamed("range", () -> snapshot.scan(null));
            requireNamed("options", () -> snapshot.scan(KeyRange.all(), null));
            requireNamed("options", () -> snapshot.close(null));
            requireNamed("key", () -> each.locate(null));
            requireNamed("partitions", () -> each.operations().repair(null));
        }
        requireNamed(
                "addresses",
                () -> RemoteCluster.connecting(
                        new DirectRemoteApi(listening, cluster.env), null, RemoteOptions.defaults(), cluster.env));
        requireNamed("api", () -> RemoteCluster.connect(null, List.of("a:1"), RemoteOptions.defaults()));
    }

    private static void requireNamed(String name, ThrowingCallable call) {
        assertThatNullPointerException().isThrownBy(call).withMessage(name);
    }
}
