package io.dht4j.benchmarks.placement;

import io.dht4j.Node;
import io.dht4j.Topology;
import io.dht4j.core.LoadBound;
import io.dht4j.core.Placements;
import io.dht4j.core.RingOptions;
import io.dht4j.spi.Placement;
import java.util.ArrayList;
import java.util.List;

/** The placements that are compared. */
final class Candidates {

    private Candidates() {}

    static List<Placement> placements() {
        return List.of(
                Placements.ring(),
                Placements.rendezvous(),
                Placements.jump(),
                Placements.modulo(),
                Placements.ring(RingOptions.defaults().withBound(LoadBound.none())),
                Placements.rendezvous(LoadBound.none()),
                Placements.jump(LoadBound.none()));
    }

    static Placement placement(String name) {
        return placements().stream()
                .filter(placement -> placement.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no placement is named " + name));
    }

    static Topology nodes(int count) {
        List<Node> nodes = new ArrayList<>();
        for (int i = 1; i <= count; i++) {
            nodes.add(Node.of("n" + i, "host" + i + ":8080"));
        }
        return new Topology(1, nodes);
    }
}
