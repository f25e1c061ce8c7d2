package io.dht4j.simulator;

import io.dht4j.Node;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.options.Membership;
import io.dht4j.spi.NodeRef;
import io.dht4j.spi.TopologyLogFactory;
import io.dht4j.testkit.topology.ModelTopologyGroup;
import io.dht4j.testkit.topology.ModelTopologyLog;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** How nodes become members of an agreed cluster. Confined to the simulation's thread. */
final class Agreement {

    /** Few, so that members that were down get a snapshot. */
    private static final int COMMANDS_PER_SNAPSHOT = 20;

    private final List<Node> founders;
    private final TopologyLogFactory logs;

    /**
     * Creates the agreement of a cluster.
     *
     * @param founders the nodes that form it, in order
     * @param logs opens the logs of the nodes, which outlive their processes
     */
    Agreement(List<Node> founders, TopologyLogFactory logs) {
        this.founders = List.copyOf(founders);
        this.logs = logs;
    }

    /** Returns perfect logs, which share their memory. */
    static TopologyLogFactory perfectLogs() {
        Map<List<NodeRef>, ModelTopologyGroup> groups = new HashMap<>();
        return (self, initial, environment) -> new ModelTopologyLog(
                groups.computeIfAbsent(initial, members -> new ModelTopologyGroup(members, COMMANDS_PER_SNAPSHOT)),
                self,
                environment);
    }

    /** Returns a builder of a node: a founder forms the cluster, any other node joins it. */
    ClusterBuilder member(Node node) {
        return ClusterBuilder.of(
                founders.contains(node)
                        ? Membership.bootstrap(node.id(), founders, logs)
                        : Membership.join(node, founders, logs));
    }
}
