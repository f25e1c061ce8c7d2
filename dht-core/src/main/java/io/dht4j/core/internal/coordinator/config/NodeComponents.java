package io.dht4j.core.internal.coordinator.config;

import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Topology;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.view.Views;
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

/**
 * The components of a node.
 *
 * @param self the name of the node
 * @param transport sends requests to the other nodes
 * @param store holds the entries
 * @param hints holds the writes that replicas miss
 * @param refill the partitions to refill before they are read
 * @param detector predicts which nodes will not answer
 * @param environment time, random numbers, threads and timers
 * @param hash maps keys to partitions
 * @param placement the name of the strategy that has created the table
 * @param views the nodes and the replicas of each partition
 * @param trusted members whose requests are served although they are no nodes
 */
public record NodeComponents(
        NodeId self,
        Transport transport,
        Store store,
        HintLog hints,
        RefillMarker refill,
        FailureDetector detector,
        Environment environment,
        HashFunction hash,
        String placement,
        Views views,
        Set<NodeId> trusted) {

    /** The maximum number of nodes that a description names. */
    private static final int MAX_NAMED = 32;

    /** The maximum length of the list of nodes in the settings; a hash replaces a longer one. */
    private static final int MAX_WORDS = 1000;

    /**
     * Returns whether this is one of the nodes.
     *
     * @return false for a member without a store
     */
    public boolean isNode() {
        return view().topology().node(self).isPresent();
    }

    /**
     * Returns the names that frames are expected to carry.
     *
     * @return the nodes and trusted members
     */
    public NodeIds names() {
        List<NodeId> names = new ArrayList<>(trusted);
        names.add(self);
        view().topology().nodes().forEach(node -> names.add(node.id()));
        return new NodeIds(names);
    }

    /**
     * Returns the current view.
     *
     * @return the view that an operation takes at its beginning, and uses to its end
     */
    public ClusterView view() {
        return views.current();
    }

    /**
     * Returns the partition of a key.
     *
     * @param key any key
     * @return 0 to the number of partitions minus 1; the same in every view
     */
    public int partitionOf(Key key) {
        return view().partitionOf(key);
    }

    /** Returns a number that differs, with very high probability, if two nodes would place some key differently. */
    private long fingerprint(Topology topology, PartitionTable table) {
        Map<NodeId, Long> idHashes = new HashMap<>();
        for (Node node : topology.nodes()) {
            idHashes.put(node.id(), hash.hash(node.id().value().getBytes(StandardCharsets.UTF_8)));
        }
        // A keyed or another hash function results in another fingerprint.
        long print = mix(hash.hash("fingerprint".getBytes(StandardCharsets.US_ASCII)), table.partitions());
        for (int partition = 0; partition < table.partitions(); partition++) {
            for (Node node : table.replicas(partition, table.depth())) {
                print = mix(print, idHashes.getOrDefault(node.id(), 0L));
            }
        }
        return print;
    }

    /**
     * Returns the settings that must be equal on all nodes.
     *
     * @param config the options of the node
     * @return names and values
     */
    public ClusterSettings settings(NodeConfig config) {
        ClusterView view = view();
        Map<String, String> values = new LinkedHashMap<>();
        // The nodes of an agreed cluster change, and its placement does not depend on them.
        view.cluster()
                .ifPresentOrElse(
                        cluster -> values.put("cluster", cluster.toString()),
                        () -> values.put("nodes", nodesInWords(view.topology())));
        values.put("partitions", Integer.toString(view.partitions()));
        if (view.cluster().isEmpty()) {
            values.put("placement", placement);
        }
        values.put("hash", hash.name());
        // Does not reveal the hash key: this input is hashed for no other purpose.
        values.put(
                "check of the hash key",
                Long.toHexString(hash.hash("fingerprint".getBytes(StandardCharsets.US_ASCII))));
        // That of an agreed cluster can be raised while it serves.
        if (view.cluster().isEmpty()) {
            values.put("replication factor", Integer.toString(view.narrowest()));
        }
        values.put("largest value", config.limits().maxValueBytes() + " bytes");
        view.table()
                .ifPresent(table ->
                        values.put(ClusterSettings.TABLE, Long.toHexString(fingerprint(view.topology(), table))));
        return new ClusterSettings(values);
    }

    private static String nodesInWords(Topology topology) {
        List<String> nodes = new ArrayList<>();
        for (Node node : topology.nodes()) {
            nodes.add(node.id() + (node.weight() == 1 ? "" : " of weight " + node.weight()));
        }
        String all = String.join(ClusterSettings.SEPARATOR, nodes);
        return all.length() <= MAX_WORDS ? all : nodes.size() + " nodes, hash " + Integer.toHexString(all.hashCode());
    }

    /**
     * Returns the description that binds the store of a static cluster.
     *
     * @return one line; equal only if the node is a replica of the same keys
     */
    public String binding() {
        ClusterView view = view();
        Topology topology = view.topology();
        String nodes = topology.size() + " nodes";
        if (topology.size() <= MAX_NAMED) {
            nodes += topology.nodes().stream()
                    .map(node -> node.id().value())
                    .collect(Collectors.joining(", ", " (", ")"));
        }
        String fingerprint = view.table()
                .map(table -> ", fingerprint " + Long.toHexString(fingerprint(topology, table)))
                .orElse("");
        return "name " + self + ", " + view.partitions() + " partitions, placement " + placement + ", hash "
                + hash.name() + ", " + nodes + fingerprint;
    }

    private static long mix(long print, long next) {
        return Long.rotateLeft(print * 0x9E37_79B9_7F4A_7C15L, 29) ^ next;
    }
}
