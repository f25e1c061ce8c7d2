package io.dht4j.core.internal.coordinator.config;

import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Topology;
import io.dht4j.core.internal.wire.ClusterSettings;
import io.dht4j.core.internal.wire.NodeIds;
import io.dht4j.spi.Environment;
import io.dht4j.spi.FailureDetector;
import io.dht4j.spi.HashFunction;
import io.dht4j.spi.HintLog;
import io.dht4j.spi.PartitionTable;
import io.dht4j.spi.RefillMarker;
import io.dht4j.spi.Store;
import io.dht4j.spi.Transport;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a node is made of.
 *
 * @param self its name
 * @param topology the cluster's nodes
 * @param transport how it talks to the others
 * @param store where its entries are
 * @param hints where it keeps what nodes missed of what it coordinates
 * @param refill what it must get back from others before it is read
 * @param detector tells which nodes will most likely not answer
 * @param environment time, chance, threads and timers
 * @param hash maps keys to partitions
 * @param placement the name of the strategy that made the table
 * @param table maps partitions to nodes
 * @param trusted members besides the nodes whose requests are served
 */
public record NodeComponents(
        NodeId self,
        Topology topology,
        Transport transport,
        Store store,
        HintLog hints,
        RefillMarker refill,
        FailureDetector detector,
        Environment environment,
        HashFunction hash,
        String placement,
        PartitionTable table,
        Set<NodeId> trusted) {

    /** Of larger clusters a description gives the number of nodes only. */
    private static final int MAX_NAMED = 32;

    /** Longer lists of nodes are not told in words. */
    private static final int MAX_WORDS = 1000;

    /** The same node over another store. */
    public NodeComponents withStore(Store other) {
        return new NodeComponents(
                self,
                topology,
                transport,
                other,
                hints,
                refill,
                detector,
                environment,
                hash,
                placement,
                table,
                trusted);
    }

    /** Whether this is one of the nodes, and not a member that stores nothing. */
    public boolean isNode() {
        return topology.node(self).isPresent();
    }

    /** Whether requests of someone of this name are served. */
    public boolean mayCall(String name) {
        return Stream.concat(topology.nodes().stream().map(Node::id), trusted.stream())
                .anyMatch(id -> id.value().equals(name));
    }

    /** The names that frames are expected to bear. */
    public NodeIds names() {
        List<NodeId> names = new ArrayList<>(trusted);
        names.add(self);
        topology.nodes().forEach(node -> names.add(node.id()));
        return new NodeIds(names);
    }

    public int partitionOf(Key key) {
        return table.partitionOf(hash.hash(key.unsafeBytes()));
    }

    public List<Node> replicas(Key key, int from) {
        return table.replicas(partitionOf(key), from);
    }

    /** A number that differs, with all likelihood, when two nodes would place some key differently. */
    public long fingerprint() {
        Map<NodeId, Long> idHashes = new HashMap<>();
        for (Node node : topology.nodes()) {
            idHashes.put(node.id(), hash.hash(node.id().value().getBytes(StandardCharsets.UTF_8)));
        }
        // A keyed or another hash function gives another start.
        long print = mix(hash.hash("fingerprint".getBytes(StandardCharsets.US_ASCII)), table.partitions());
        for (int partition = 0; partition < table.partitions(); partition++) {
            for (Node node : table.replicas(partition, table.depth())) {
                print = mix(print, idHashes.getOrDefault(node.id(), 0L));
            }
        }
        return print;
    }

    /** What must be equal on all nodes. */
    public ClusterSettings settings(NodeConfig config) {
        Map<String, String> values = new LinkedHashMap<>();
        values.put("nodes", nodesInWords());
        values.put("partitions", Integer.toString(table.partitions()));
        values.put("placement", placement);
        values.put("hash", hash.name());
        // Not the key: what is hashed here is hashed for no other purpose.
        values.put(
                "check of the hash key",
                Long.toHexString(hash.hash("fingerprint".getBytes(StandardCharsets.US_ASCII))));
        values.put("replication factor", Integer.toString(config.replicationFactor()));
        values.put("largest value", config.limits().maxValueBytes() + " bytes");
        values.put(ClusterSettings.TABLE, Long.toHexString(fingerprint()));
        return new ClusterSettings(values);
    }

    private String nodesInWords() {
        List<String> nodes = new ArrayList<>();
        for (Node node : topology.nodes()) {
            nodes.add(node.id() + (node.weight() == 1 ? "" : " of weight " + node.weight()));
        }
        String all = String.join(", ", nodes);
        return all.length() <= MAX_WORDS ? all : nodes.size() + " nodes, hash " + Integer.toHexString(all.hashCode());
    }

    /** What decides where keys live, in a line; two of them are equal only if they decide alike. */
    public String description() {
        String nodes = topology.size() + " nodes";
        if (topology.size() <= MAX_NAMED) {
            nodes += topology.nodes().stream()
                    .map(node -> node.id().value())
                    .collect(Collectors.joining(", ", " (", ")"));
        }
        return table.partitions() + " partitions, placement " + placement + ", hash " + hash.name() + ", " + nodes
                + ", fingerprint " + Long.toHexString(fingerprint());
    }

    private static long mix(long print, long next) {
        return Long.rotateLeft(print * 0x9E37_79B9_7F4A_7C15L, 29) ^ next;
    }
}
