package io.dht4j.benchmarks.placement;

import io.dht4j.Node;
import io.dht4j.Topology;
import io.dht4j.benchmarks.process.node.LabCustomizer;
import io.dht4j.core.LoadBound;
import io.dht4j.core.Placements;
import io.dht4j.core.RingOptions;
import io.dht4j.spi.Placement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The placements of the comparison. */
final class PlacementCandidates {

    private PlacementCandidates() {}

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

    static Map<String, Placement> byName() {
        Map<String, Placement> byName = new LinkedHashMap<>();
        placements().forEach(placement -> byName.put(placement.name(), placement));
        return byName;
    }

    /**
     * Returns rings with and without bound, for each number of virtual nodes.
     *
     * @throws IllegalArgumentException if a number is out of range
     */
    static Map<String, Placement> rings(List<Integer> virtualNodes) {
        Map<String, Placement> rings = new LinkedHashMap<>();
        for (int count : virtualNodes) {
            RingOptions bounded = RingOptions.defaults().withVirtualNodes(count);
            for (RingOptions options : List.of(bounded, bounded.withBound(LoadBound.none()))) {
                Placement ring = Placements.ring(options);
                rings.put(ring.name() + ", " + count, ring);
            }
        }
        return rings;
    }

    static Placement placement(String name) {
        return Optional.ofNullable(byName().get(name))
                .or(() -> LabCustomizer.ownPlacement().filter(own -> own.name().equals(name)))
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
