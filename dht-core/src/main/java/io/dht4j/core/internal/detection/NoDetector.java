package io.dht4j.core.internal.detection;

import io.dht4j.NodeId;
import io.dht4j.spi.FailureDetector;
import java.time.Duration;

/** A detector that suspects no node. */
public final class NoDetector implements FailureDetector {

    /** Creates a detector. */
    public NoDetector() {}

    @Override
    public void sent(NodeId node, long nowNanos) {}

    @Override
    public void heard(NodeId node, long nowNanos) {}

    @Override
    public void unreachable(NodeId node, long nowNanos) {}

    @Override
    public void resumed(long nowNanos) {}

    @Override
    public boolean isSuspected(NodeId node, long nowNanos) {
        return false;
    }

    @Override
    public Duration patience() {
        return Duration.ofMinutes(1);
    }
}
