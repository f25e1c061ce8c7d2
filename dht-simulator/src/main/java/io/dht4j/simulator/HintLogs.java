package io.dht4j.simulator;

import io.dht4j.NodeId;
import io.dht4j.spi.HintLog;

/** The hint logs of a simulation's nodes, which outlive their processes. */
@FunctionalInterface
public interface HintLogs {

    /**
     * Opens a node's log. Called at each start of the node, after its previous log has been closed. The log must be
     * deterministic: it may use no random numbers, threads or clocks of its own.
     *
     * @param node the owner of the log
     * @return an open log, which the simulation closes when the node is shut down or killed
     */
    HintLog open(NodeId node);
}
