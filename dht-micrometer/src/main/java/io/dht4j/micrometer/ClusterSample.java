package io.dht4j.micrometer;

import io.dht4j.NodeGauges;
import io.dht4j.NodeStatus;
import io.dht4j.RepairStatus;
import java.util.Optional;

/**
 * A sample of a cluster's status at one moment.
 *
 * @param status the status of the node; empty if it is unknown
 * @param repair the progress of its repair; empty in a member without a store
 * @param gauges the gauges of the node; empty for a remote cluster
 */
record ClusterSample(Optional<NodeStatus> status, Optional<RepairStatus> repair, Optional<NodeGauges> gauges) {

    /** The empty sample. */
    static final ClusterSample UNKNOWN = new ClusterSample(Optional.empty(), Optional.empty(), Optional.empty());
}
