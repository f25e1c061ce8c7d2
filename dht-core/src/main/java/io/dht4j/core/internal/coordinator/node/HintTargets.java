package io.dht4j.core.internal.coordinator.node;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Version;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.spi.Entry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * Chooses the nodes to which hints are sent. A node that becomes a replica copies what another one has. If the latter
 * has missed a write, so has the former, and the hint is for both. The time since which a node is a replica is recorded
 * as a version: a write with an older version may have been sent by the row before.
 *
 * <p>Does not block for long; safe for use by any number of threads.
 */
final class HintTargets {

    /** How much longer than hints it is remembered since when a node is a replica. */
    private static final Duration MARGIN = Duration.ofHours(1);

    private static final Version ALWAYS = new Version(0);

    private final Supplier<Version> now;
    private final long patienceMillis;

    // Guarded by this.
    private ClusterView view;
    /** For each partition whose row has got nodes, the newest version when each of them was seen for the first time. */
    private final Map<Integer, Map<NodeId, Version>> since = new HashMap<>();

    /**
     * Where hints go.
     *
     * @param view the view by which they are sent
     * @param nodes the nodes and what each one gets, the node that has missed the writes first if it is still a replica
     */
    record Routes(ClusterView view, Map<Node, List<Entry>> nodes) {}

    /**
     * Creates an object that knows of no change but those under way.
     *
     * @param first the first view
     * @param now returns a version that is not less than all that this node has issued
     * @param maxAge how old hints become
     */
    HintTargets(ClusterView first, Supplier<Version> now, Duration maxAge) {
        this.view = first;
        this.now = now;
        this.patienceMillis = maxAge.plus(MARGIN).toMillis();
        for (int partition = 0; first.hasRowVersions() && partition < first.partitions(); partition++) {
            int number = partition;
            first.movingSlot(number)
                    .ifPresent(slot -> since.put(number, Map.of(slot.heir().id(), now.get())));
        }
    }

    /**
     * Follows an installed view. Until then hints are sent by the view before, which replicas refuse.
     *
     * @param newer the view
     */
    synchronized void follow(ClusterView newer) {
        ClusterView before = view;
        view = newer;
        if (!before.hasRowVersions()) {
            return;
        }
        Version current = now.get();
        for (int partition = 0; partition < newer.partitions(); partition++) {
            if (newer.rowVersion(partition) != before.rowVersion(partition)) {
                remember(before, newer, partition, current);
            }
        }
        since.values()
                .removeIf(nodes -> nodes.values().stream()
                        .allMatch(version -> version.millis() + patienceMillis < current.millis()));
    }

    private void remember(ClusterView before, ClusterView newer, int partition, Version current) {
        List<NodeId> known = before.replicas(partition, before.width(partition)).stream()
                .map(Node::id)
                .toList();
        Map<NodeId, Version> remembered = since.getOrDefault(partition, Map.of());
        Map<NodeId, Version> nodes = new HashMap<>();
        for (Node node : newer.replicas(partition, newer.width(partition))) {
            NodeId id = node.id();
            if (!known.contains(id) || !Objects.equals(before.identity(id), newer.identity(id))) {
                nodes.put(id, current);
            } else if (remembered.containsKey(id)) {
                nodes.put(id, remembered.get(id));
            }
        }
        if (nodes.isEmpty()) {
            since.remove(partition);
        } else {
            since.put(partition, nodes);
        }
    }

    /**
     * Returns where hints go: to the node that has missed the writes, and to those that have become replicas after it
     * and after the write. If it is no replica any more, they go to all that are. So a hint that was copied from
     * another one never returns to the node of that one, unless the row changes again.
     *
     * @param missing the node that has missed the writes
     * @param entries the writes
     */
    synchronized Routes of(Node missing, List<Entry> entries) {
        if (!view.hasRowVersions()) {
            return new Routes(view, Map.of(missing, entries));
        }
        Map<Node, List<Entry>> nodes = new LinkedHashMap<>();
        List<Entry> own = entries.stream()
                .filter(entry -> view.isReplica(missing.id(), entry.key()))
                .toList();
        if (!own.isEmpty()) {
            nodes.put(missing, own);
        }
        for (Entry entry : entries) {
            int partition = view.partitionOf(entry.key());
            Map<NodeId, Version> known = since.getOrDefault(partition, Map.of());
            boolean isReplica = view.isReplica(missing.id(), entry.key());
            if (isReplica && known.isEmpty()) {
                continue;
            }
            Version added = known.getOrDefault(missing.id(), ALWAYS);
            for (Node node : view.replicas(partition, view.width(partition))) {
                Version later = known.getOrDefault(node.id(), ALWAYS);
                boolean mayLack = later.compareTo(entry.version()) >= 0 && later.compareTo(added) > 0;
                if (!node.id().equals(missing.id()) && (mayLack || !isReplica)) {
                    nodes.computeIfAbsent(node, n -> new ArrayList<>()).add(entry);
                }
            }
        }
        return new Routes(view, nodes);
    }
}
