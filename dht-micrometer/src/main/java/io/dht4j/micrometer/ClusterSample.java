package io.dht4j.micrometer;

import io.dht4j.NodeGauges;
import io.dht4j.NodeStatus;
import io.dht4j.RepairStatus;
import java.util.Optional;

/**
 * What a cluster was asked for at one moment.
 *
 * @param status the status of the node; empty if it is unknown
 * @param repair the progress of its repair; empty in a member without a store
 * @param gauges what the node has in hand; empty for a remote cluster
 */
record ClusterSample(Optional<NodeStatus> status, Optional<RepairStatus> repair, Optional<NodeGauges> gauges) {

    /** Nothing is known. */
    static final ClusterSample UNKNOWN = new ClusterSample(Optional.empty(), Optional.empty(), Optional.empty());
}
