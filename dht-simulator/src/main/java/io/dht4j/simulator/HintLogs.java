package io.dht4j.simulator;

import io.dht4j.NodeId;
import io.dht4j.spi.HintLog;

/** Where the nodes of one simulation keep their hints, so that these outlive their processes. */
@FunctionalInterface
public interface HintLogs {

    /**
     * Opens a node's log; called each time when the node starts, when the log that it had before has been closed. For
     * the simulation to be the same again, the log must answer without chance, threads or clocks of its own.
     *
     * @param node whose log it is
     * @return an open log, which the simulation closes: when the node is shut down, and also when it is killed
     */
    HintLog open(NodeId node);
}
