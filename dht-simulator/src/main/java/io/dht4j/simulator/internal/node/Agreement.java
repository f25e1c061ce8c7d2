package io.dht4j.simulator.internal.node;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.options.Membership;
import io.dht4j.spi.Environment;
import io.dht4j.spi.NodeRef;
import io.dht4j.spi.TopologyLog;
import io.dht4j.spi.TopologyLogFactory;
import io.dht4j.testkit.topology.ModelTopologyGroup;
import io.dht4j.testkit.topology.ModelTopologyLog;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** How nodes become members of an agreed cluster. Confined to the simulation's thread. */
public final class Agreement {

    /** Few, so that members that were down get a snapshot. */
    private static final int COMMANDS_PER_SNAPSHOT = 20;

    private final List<Node> founders;
    private final int replicas;
    private final Supplier<List<Node>> seeds;
    private final TopologyLogFactory logs;
    /** The last log of each node. */
    private final Map<NodeId, TopologyLog> opened = new LinkedHashMap<>();

    /**
     * Creates the agreement of a cluster.
     *
     * @param founders the nodes that form it, in order
     * @param seeds returns the present nodes
     * @param logs opens the logs of the nodes, which outlive their processes
     * @param replicas the number of replicas with which they form it
     */
    public Agreement(List<Node> founders, Supplier<List<Node>> seeds, TopologyLogFactory logs, int replicas) {
        this.replicas = replicas;
        this.seeds = seeds;
        this.founders = List.copyOf(founders);
        this.logs = logs;
    }

    /** Returns perfect logs, which share their memory. */
    public static TopologyLogFactory perfectLogs() {
        Map<List<NodeRef>, ModelTopologyGroup> groups = new HashMap<>();
        return (self, initial, environment) -> new ModelTopologyLog(
                groups.computeIfAbsent(initial, members -> new ModelTopologyGroup(members, COMMANDS_PER_SNAPSHOT)),
                self,
                environment);
    }

    /**
     * Returns a builder of a node.
     *
     * @param joins whether it joins the cluster instead of forming it
     */
    public ClusterBuilder member(Node node, boolean joins) {
        if (!joins) {
            return ClusterBuilder.of(Membership.bootstrap(node.id(), founders, this::open))
                    .replicationFactor(replicas);
        }
        List<Node> others = seeds.get().stream()
                .filter(seed -> !seed.id().equals(node.id()))
                .toList();
        return ClusterBuilder.of(Membership.join(node, others, this::open));
    }

    private TopologyLog open(NodeRef self, List<NodeRef> initial, Environment environment) {
        TopologyLog log = logs.open(self, initial, environment);
        opened.put(self.name(), log);
        return log;
    }

    /** Returns the node that leads by its own knowledge. */
    public Optional<NodeId> leader() {
        return opened.entrySet().stream()
                .filter(each -> each.getValue().leads())
                .map(Map.Entry::getKey)
                .findFirst();
    }
}
