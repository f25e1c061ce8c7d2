package io.dht4j.core.internal.repair.session;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.core.internal.admission.Throttle;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.repair.RepairCounters;
import io.dht4j.core.internal.repair.RepairPeers;
import io.dht4j.core.internal.repair.tree.LocalReplica;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.options.Repair;
import io.dht4j.spi.Environment;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * The services and settings that the repair sessions of a node share. All sessions of a node share it, except the view
 * of requests.
 *
 * @param environment time, timers and store threads
 * @param local this node's replicas
 * @param peers the other replicas
 * @param throttle limits the load
 * @param options how often repair runs, how fast, and when dead entries are purged
 * @param counters count the work
 * @param self this node
 * @param lostNodes other nodes that a rolled-back partition does not wait for
 * @param undelivered receives a node that may have missed a decision to commit, and the partitions concerned
 */
record SessionContext(
        Environment environment,
        LocalReplica local,
        RepairPeers peers,
        Throttle throttle,
        Repair options,
        RepairCounters counters,
        NodeId self,
        Set<NodeId> lostNodes,
        BiConsumer<Node, PartitionSet> undelivered) {

    /** Returns the context of a session with a view. */
    SessionContext at(ClusterView view) {
        return new SessionContext(
                environment, local, peers.at(view), throttle, options, counters, self, lostNodes, undelivered);
    }
}
