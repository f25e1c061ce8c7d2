package io.dht4j.spi;

import io.dht4j.NodeId;
import java.time.Duration;

/**
 * Tells which nodes will most likely not answer. What it says is a hint: a suspected node is asked after the others,
 * and those that wait for it ask another one too. Nothing that could still succeed is refused because of it, so it may
 * be wrong.
 *
 * <p>It judges by what it is told of the node's own calls. Methods are called on every request and every reply, by any
 * number of threads, and must neither block nor throw. If one throws all the same, the core warns of it in the log,
 * every ten seconds at most, and goes on as if it had returned: with false from {@link #isSuspected} and one minute
 * from {@link #patience}. Moments are of {@link Environment#nanoTime()}.
 */
public interface FailureDetector {

    /**
     * A request is on its way to a node.
     *
     * @param node who was asked
     * @param nowNanos the moment
     */
    void sent(NodeId node, long nowNanos);

    /**
     * A node has answered, whatever it was.
     *
     * @param node who answered
     * @param nowNanos the moment
     */
    void heard(NodeId node, long nowNanos);

    /**
     * A request could not be sent to a node.
     *
     * @param node who cannot be reached
     * @param nowNanos the moment
     */
    void unreachable(NodeId node, long nowNanos);

    /**
     * This node itself stood still for a while: that others were silent meanwhile says nothing of them.
     *
     * @param nowNanos the moment when it went on
     */
    void resumed(long nowNanos);

    /**
     * Whether a node will most likely not answer.
     *
     * @param node who
     * @param nowNanos the moment
     * @return true to ask it last
     */
    boolean isSuspected(NodeId node, long nowNanos);

    /**
     * How long a node may be silent before it is suspected.
     *
     * @return more than zero
     */
    Duration patience();
}
