package io.dht4j.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Node;
import io.dht4j.Topology;
import io.dht4j.spi.PartitionTable;
import io.dht4j.spi.Placement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Nodes of different releases must agree on where keys live, so a table never changes: neither must these. */
class PlacementCompatibilityTest {

    @Test
    void tablesAreTheSameInEveryRelease() {
        assertThat(firstReplicas(Placements.ring(), 5)).isEqualTo("52 35 45 53 45 54 14 12 21 23 14 51 12 32 42 34");
        assertThat(firstReplicas(Placements.rendezvous(), 5))
                .isEqualTo("53 34 21 24 24 12 34 32 32 52 53 14 13 15 41 41");
        assertThat(firstReplicas(Placements.jump(), 5)).isEqualTo("35 52 43 52 53 21 41 52 35 35 24 13 43 14 14 14");
        assertThat(firstReplicas(Placements.modulo(), 5)).isEqualTo("12 23 34 45 51 12 23 34 45 51 12 23 34 45 51 12");
    }

    @Test
    void tablesOfManyNodesAreTheSameInEveryRelease() {
        assertThat(fingerprint(Placements.ring())).isEqualTo(1766488293);
        assertThat(fingerprint(Placements.rendezvous())).isEqualTo(697241875);
        assertThat(fingerprint(Placements.jump())).isEqualTo(-1870357421);
        assertThat(fingerprint(Placements.ring(RingOptions.defaults().withBound(LoadBound.none()))))
                .isEqualTo(-1879493841);
        assertThat(fingerprint(Placements.rendezvous(LoadBound.none()))).isEqualTo(1221415947);
        assertThat(fingerprint(Placements.jump(LoadBound.none()))).isEqualTo(730194297);
    }

    private static String firstReplicas(Placement placement, int nodes) {
        PartitionTable table = placement.assign(Tables.nodes(nodes), 16);
        StringBuilder rows = new StringBuilder();
        for (int partition = 0; partition < 16; partition++) {
            for (Node node : table.replicas(partition, 2)) {
                rows.append(node.id().value().charAt(1));
            }
            rows.append(' ');
        }
        return rows.toString().trim();
    }

    /** A number over all rows, of 60 nodes with unequal weights. */
    private static int fingerprint(Placement placement) {
        int[] weights = new int[60];
        for (int i = 0; i < weights.length; i++) {
            weights[i] = 1 + i % 4;
        }
        Topology topology = Tables.weighted(weights);
        PartitionTable table = placement.assign(topology, 1024);
        List<String> ids = new ArrayList<>();
        for (int partition = 0; partition < 1024; partition++) {
            table.replicas(partition, 16).forEach(node -> ids.add(node.id().value()));
        }
        return ids.hashCode();
    }
}
