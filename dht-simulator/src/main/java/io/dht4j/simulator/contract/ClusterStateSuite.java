package io.dht4j.simulator.contract;

import static io.dht4j.simulator.contract.RemoteApiSuite.awkwardKeys;
import static io.dht4j.simulator.contract.Results.PATIENCE;
import static io.dht4j.simulator.contract.Results.bytes;
import static io.dht4j.simulator.contract.Results.failure;
import static io.dht4j.simulator.contract.Results.result;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyPlacement;
import io.dht4j.KeyRange;
import io.dht4j.KeyValue;
import io.dht4j.Node;
import io.dht4j.NodeStatus;
import io.dht4j.RepairStatus;
import io.dht4j.Version;
import io.dht4j.spi.RemoteApi;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Placements, status, repairs and snapshots. A part of {@link RemoteApiContract}. */
interface ClusterStateSuite extends RemoteApiSuite {

    @Test
    default void aKeyIsLocatedWhereTheClusterPlacesIt() {
        for (Key key : awkwardKeys()) {
            KeyPlacement placement = result(clusters().get(0).locate(key));
            RemoteApi.Located located = result(api().locate(address(1), key, OPTIONS));
            assertThat(located.partition()).isEqualTo(placement.partition());
            assertThat(located.replicas())
                    .containsExactlyElementsOf(
                            placement.replicas().stream().map(Node::id).toList());
        }
    }

    @Test
    default void aNodesStatusIsItsOwn() {
        result(api().put(address(0), KEY, bytes("value"), EVERYWHERE));
        for (int node = 0; node < 3; node++) {
            int asked = node;
            // The status may change between the two reads, for example the suspected nodes.
            await().atMost(PATIENCE).untilAsserted(() -> assertThatStatusIsItsOwn(asked));
        }
    }

    private void assertThatStatusIsItsOwn(int node) {
        NodeStatus status = result(api().status(address(node), OPTIONS));
        NodeStatus direct = result(clusters().get(node).operations().status());
        assertThat(status.uptime()).isBetween(Duration.ZERO, direct.uptime().plusMillis(1));
        assertThat(withoutUptime(status)).isEqualTo(withoutUptime(direct));
    }

    private static Map<String, Object> withoutUptime(NodeStatus status) {
        Map<String, Object> components = new TreeMap<>();
        for (RecordComponent component : NodeStatus.class.getRecordComponents()) {
            try {
                components.put(component.getName(), component.getAccessor().invoke(status));
            } catch (ReflectiveOperationException e) {
                throw new LinkageError("a status shows no " + component.getName(), e);
            }
        }
        assertThat(components.remove("uptime")).isNotNull();
        return components;
    }

    @Test
    default void aRepairIsBegunAndComesToItsEnd() {
        RepairStatus before = result(api().repairStatus(address(1), OPTIONS));
        assertThat(before.node())
                .isEqualTo(result(api().status(address(1), OPTIONS)).id());

        int partition = result(api().locate(address(1), KEY, OPTIONS)).partition();
        assertThat(result(api().repair(address(1), Set.of(partition), OPTIONS)).rounds())
                // The session is small and may have ended before the answer was created.
                .isBetween(before.rounds(), before.rounds() + 1);
        await().atMost(PATIENCE)
                .until(() -> result(api().repairStatus(address(1), OPTIONS)).rounds() > before.rounds());

        RepairStatus after = result(api().repairStatus(address(1), OPTIONS));
        assertThat(after.lastError()).isEmpty();
        assertThat(after.completed()).containsOnlyKeys(partition);
        assertThat(after).isEqualTo(result(clusters().get(1).operations().repairStatus()));
        assertThat(failure(api().repair(address(1), Set.of(1 << 19), OPTIONS)).code())
                .isEqualTo(ErrorCode.BAD_REQUEST);
    }

    @Test
    default void snapshotOfOneNodeIsReadThroughAnother() {
        Map<Key, byte[]> values = new LinkedHashMap<>();
        for (int i = 0; i < 300; i++) {
            values.put(Key.of("snap%03d".formatted(i)), bytes("before " + i));
        }
        Version written = result(api().putAll(address(0), values, EVERYWHERE));
        Version snapshot = result(api().openSnapshot(address(0), Duration.ofMinutes(1), OPTIONS));
        assertThat(snapshot).isGreaterThan(written);
        values.replaceAll((key, value) -> bytes("after"));
        result(api().putAll(address(1), values, EVERYWHERE));
        result(api().put(address(1), Key.of("snap"), bytes("new"), EVERYWHERE));

        List<KeyValue> shown = result(api().scanSnapshot(address(2), snapshot, KeyRange.all(), 1000, OPTIONS));

        assertThat(shown).hasSize(300);
        for (int i = 0; i < 300; i++) {
            assertThat(shown.get(i).key()).isEqualTo(Key.of("snap%03d".formatted(i)));
            assertThat(shown.get(i).value().text()).isEqualTo("before " + i);
            assertThat(shown.get(i).value().version()).isEqualTo(written);
        }
        KeyRange two = KeyRange.between(Key.of("snap010"), Key.of("snap012"));
        assertThat(result(api().scanSnapshot(address(0), snapshot, two, 1000, OPTIONS)))
                .isEqualTo(shown.subList(10, 12));
        assertThat(result(api().scanSnapshot(address(0), snapshot, KeyRange.all(), 7, OPTIONS)))
                .isEqualTo(shown.subList(0, 7));
        result(api().closeSnapshot(address(1), snapshot, OPTIONS));
        for (int node = 0; node < 3; node++) {
            assertThat(failure(api().scanSnapshot(address(node), snapshot, KeyRange.all(), 10, OPTIONS))
                            .code())
                    .isEqualTo(ErrorCode.SNAPSHOT_GONE);
        }
        assertThat(failure(api().openSnapshot(address(0), Duration.ofMillis(1), OPTIONS))
                        .code())
                .isEqualTo(ErrorCode.BAD_REQUEST);
    }
}
