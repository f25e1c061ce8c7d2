package io.dht4j.core;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Topology;
import io.dht4j.spi.PartitionTable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What tests ask of partition tables. */
final class Tables {

    private Tables() {}

    static Topology nodes(int count) {
        List<Node> nodes = new ArrayList<>();
        for (int i = 1; i <= count; i++) {
            nodes.add(Node.of("n" + i, "host" + i + ":8080"));
        }
        return new Topology(1, nodes);
    }

    static Topology weighted(int... weights) {
        List<Node> nodes = new ArrayList<>();
        for (int weight : weights) {
            nodes.add(new Node(new NodeId("n" + (nodes.size() + 1)), "host:" + (8080 + nodes.size()), weight));
        }
        return new Topology(1, nodes);
    }

    /** How many partitions each node has among their first replicas. */
    static Map<NodeId, Integer> loads(PartitionTable table, int from) {
        Map<NodeId, Integer> loads = new HashMap<>();
        for (int partition = 0; partition < table.partitions(); partition++) {
            for (Node node : table.replicas(partition, from)) {
                loads.merge(node.id(), 1, Integer::sum);
            }
        }
        return loads;
    }

    /** The greatest load as a multiple of the mean. */
    static double evenness(PartitionTable table, int nodes, int from) {
        int greatest =
                loads(table, from).values().stream().mapToInt(i -> i).max().orElseThrow();
        return (double) greatest * nodes / from / table.partitions();
    }

    /** Which part of the pairs of partition and replica is new, of 1. */
    static double moved(PartitionTable before, int fromBefore, PartitionTable after, int fromAfter) {
        int moved = 0;
        for (int partition = 0; partition < after.partitions(); partition++) {
            List<Node> old = before.replicas(partition, fromBefore);
            for (Node node : after.replicas(partition, fromAfter)) {
                moved += old.contains(node) ? 0 : 1;
            }
        }
        return (double) moved / fromAfter / after.partitions();
    }
}
