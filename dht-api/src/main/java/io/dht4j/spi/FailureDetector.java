package io.dht4j.spi;

import io.dht4j.NodeId;
import java.time.Duration;
import java.util.Set;

/**
 * Predicts which nodes will not answer. The prediction is a hint and may be wrong: the coordinator asks a suspected
 * node after the others, and hedges requests that wait for it. No request that could still succeed is refused because
 * of a suspicion.
 *
 * <p>The detector judges by the node's own calls, which the core reports to it. Any number of threads call the methods
 * for every request and reply; methods must neither block nor throw. If one throws nevertheless, the core logs a
 * warning, at most every ten seconds, and continues as if {@link #isSuspected} had returned false and {@link #patience}
 * one minute. Times are of {@link Environment#nanoTime()}.
 */
public interface FailureDetector {

    /**
     * Reports that a request is on its way to a node.
     *
     * @param node the recipient
     * @param nowNanos the time
     */
    void sent(NodeId node, long nowNanos);

    /**
     * Reports any answer of a node.
     *
     * @param node the sender
     * @param nowNanos the time
     */
    void heard(NodeId node, long nowNanos);

    /**
     * Reports that a request could not be sent to a node.
     *
     * @param node the unreachable node
     * @param nowNanos the time
     */
    void unreachable(NodeId node, long nowNanos);

    /**
     * Reports that this node itself was suspended for a while. The silence of other nodes during that time is no
     * evidence against them.
     *
     * @param nowNanos the time at which this node resumed
     */
    void resumed(long nowNanos);

    /**
     * Reports that the nodes of the cluster have changed. What is known of other nodes can be forgotten. Late reports
     * about these may follow. Never called where the nodes are fixed.
     *
     * @param nodes all nodes but this one; by default the call is ignored
     */
    default void retain(Set<NodeId> nodes) {}

    /**
     * Returns whether a node will most likely not answer.
     *
     * @param node the node
     * @param nowNanos the time
     * @return true if the node should be asked last
     */
    boolean isSuspected(NodeId node, long nowNanos);

    /**
     * Returns how long a node may be silent before it is suspected.
     *
     * @return more than zero
     */
    Duration patience();
}
