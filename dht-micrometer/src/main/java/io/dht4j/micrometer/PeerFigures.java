package io.dht4j.micrometer;

import io.dht4j.Node;
import io.dht4j.NodeGauges;
import io.dht4j.NodeGauges.Bounded;
import io.dht4j.NodeId;
import io.dht4j.NodeStatus;
import io.dht4j.PeerConnections;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/**
 * The figures of each other node in one registry. A node that leaves the cluster loses its gauges with the next sample.
 * Safe for use by any number of threads.
 */
final class PeerFigures {

    private final Supplier<ClusterSample> sample;
    private final MultiGauge active;
    private final MultiGauge limit;
    private final MultiGauge offset;
    private final MultiGauge connections;
    private final MeterRegistry registry;
    private final Tags tags;

    // Guarded by this.
    private Set<NodeId> shown = Set.of();
    /** The counters of each shown node. */
    private final Map<NodeId, List<Meter>> counters = new HashMap<>();

    private boolean closed;

    /**
     * Creates figures of no node.
     *
     * @param sample returns the present sample
     */
    PeerFigures(MeterRegistry registry, Tags tags, Supplier<ClusterSample> sample) {
        this.sample = sample;
        this.registry = registry;
        this.tags = tags;
        this.active = MultiGauge.builder("dht.peer.requests.active")
                .description("Requests to the node that are outstanding")
                .tags(tags)
                .register(registry);
        this.limit = MultiGauge.builder("dht.peer.requests.limit")
                .description("Most requests to the node that may be outstanding, which depends on its speed")
                .tags(tags)
                .register(registry);
        this.offset = MultiGauge.builder("dht.peer.clock.offset")
                .description("How far the clock of the node is ahead of this node's")
                .baseUnit("seconds")
                .tags(tags)
                .register(registry);
        this.connections = MultiGauge.builder("dht.peer.connections.open")
                .description("Open connections to the node")
                .tags(tags)
                .register(registry);
    }

    /** Shows the nodes of a sample, if it names them. */
    synchronized void follow(ClusterSample newest) {
        if (closed || newest.status().isEmpty() || newest.gauges().isEmpty()) {
            return;
        }
        NodeStatus status = newest.status().get();
        show(status.topology().nodes().stream()
                .map(Node::id)
                .filter(node -> !node.equals(status.id()))
                .collect(Collectors.toUnmodifiableSet()));
    }

    private void show(Set<NodeId> nodes) {
        if (nodes.equals(shown)) {
            return;
        }
        shown = nodes;
        connections.register(rows(
                nodes,
                (gauges, node) -> Optional.ofNullable(gauges.connections().get(node))
                        .map(PeerConnections::open)
                        .map(Integer::doubleValue)));
        count(nodes);
        active.register(rows(
                nodes,
                (gauges, node) -> Optional.ofNullable(gauges.peerRequests().get(node))
                        .map(Bounded::used)
                        .map(Long::doubleValue)));
        limit.register(rows(
                nodes,
                (gauges, node) -> Optional.ofNullable(gauges.peerRequests().get(node))
                        .map(Bounded::limit)
                        .map(Long::doubleValue)));
        offset.register(rows(
                nodes,
                (gauges, node) -> Optional.ofNullable(gauges.clockOffsets().get(node))
                        .map(Duration::toMillis)
                        .map(millis -> millis / 1e3)));
    }

    /** Registers the counters of new nodes, and removes those of nodes that have left. */
    private void count(Set<NodeId> nodes) {
        counters.entrySet().removeIf(entry -> {
            boolean left = !nodes.contains(entry.getKey());
            if (left) {
                entry.getValue().forEach(registry::remove);
            }
            return left;
        });
        nodes.forEach(node -> counters.computeIfAbsent(
                node,
                added -> List.of(
                        counter(added, "opened", "Connections to the node that were opened", PeerConnections::opened),
                        counter(added, "failed", "Failed attempts to connect to the node", PeerConnections::failed))));
    }

    private Meter counter(NodeId node, String what, String description, ToLongFunction<PeerConnections> value) {
        LastCount count = new LastCount(node, sample, value);
        // The counter refers weakly to this, and strongly to the function.
        return FunctionCounter.builder("dht.peer.connections." + what, this, any -> count.get())
                .description(description)
                .tags(tags.and("peer", node.value()))
                .register(registry);
    }

    /** The last known count of a node: a counter must not become unknown. */
    private static final class LastCount {
        private final NodeId node;
        private final Supplier<ClusterSample> sample;
        private final ToLongFunction<PeerConnections> value;
        private volatile long last;

        LastCount(NodeId node, Supplier<ClusterSample> sample, ToLongFunction<PeerConnections> value) {
            this.node = node;
            this.sample = sample;
            this.value = value;
        }

        double get() {
            sample.get()
                    .gauges()
                    .map(gauges -> gauges.connections().get(node))
                    .ifPresent(counts -> last = value.applyAsLong(counts));
            return last;
        }
    }

    private List<Row<?>> rows(Set<NodeId> nodes, BiFunction<NodeGauges, NodeId, Optional<Double>> value) {
        return nodes.stream()
                .<Row<?>>map(node -> Row.of(
                        Tags.of("peer", node.value()),
                        () -> sample.get()
                                .gauges()
                                .flatMap(gauges -> value.apply(gauges, node))
                                .orElse(Double.NaN)))
                .toList();
    }

    /** Removes the gauges of all nodes. */
    synchronized void close() {
        show(Set.of());
        closed = true;
    }
}
