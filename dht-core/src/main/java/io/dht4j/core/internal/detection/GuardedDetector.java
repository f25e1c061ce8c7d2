package io.dht4j.core.internal.detection;

import io.dht4j.NodeId;
import io.dht4j.core.internal.observation.LimitedWarning;
import io.dht4j.spi.Environment;
import io.dht4j.spi.FailureDetector;
import java.time.Duration;
import java.util.Set;

/**
 * Catches and logs exceptions that another detector throws against its contract; then it suspects no node. Does not
 * block; safe for use by any number of threads.
 */
public final class GuardedDetector implements FailureDetector {

    /** The patience when the detector fails to return one. */
    private static final Duration UNKNOWN_PATIENCE = Duration.ofMinutes(1);
    /** A longer patience makes no difference, and might overflow in nanoseconds. */
    private static final Duration LONGEST_PATIENCE = Duration.ofDays(365);

    private final FailureDetector detector;
    private final LimitedWarning warning;

    /**
     * Creates a guard.
     *
     * @param detector the detector, which may throw
     * @param environment the clock
     */
    public GuardedDetector(FailureDetector detector, Environment environment) {
        this.detector = detector;
        this.warning = new LimitedWarning(environment, "failure detector", "it suspects no node");
    }

    // No lambdas: these are called with every request and every reply.

    @Override
    public void sent(NodeId node, long nowNanos) {
        try {
            detector.sent(node, nowNanos);
        } catch (Throwable e) {
            warning.log(e);
        }
    }

    @Override
    public void heard(NodeId node, long nowNanos) {
        try {
            detector.heard(node, nowNanos);
        } catch (Throwable e) {
            warning.log(e);
        }
    }

    @Override
    public void unreachable(NodeId node, long nowNanos) {
        try {
            detector.unreachable(node, nowNanos);
        } catch (Throwable e) {
            warning.log(e);
        }
    }

    @Override
    public void resumed(long nowNanos) {
        try {
            detector.resumed(nowNanos);
        } catch (Throwable e) {
            warning.log(e);
        }
    }

    @Override
    public void retain(Set<NodeId> nodes) {
        try {
            detector.retain(nodes);
        } catch (Throwable e) {
            warning.log(e);
        }
    }

    /** Returns false if the detector throws: suspecting no node does the least harm. */
    @Override
    public boolean isSuspected(NodeId node, long nowNanos) {
        try {
            return detector.isSuspected(node, nowNanos);
        } catch (Throwable e) {
            warning.log(e);
            return false;
        }
    }

    @Override
    public Duration patience() {
        try {
            Duration patience = detector.patience();
            return patience.compareTo(LONGEST_PATIENCE) < 0 ? patience : LONGEST_PATIENCE;
        } catch (Throwable e) {
            warning.log(e);
            return UNKNOWN_PATIENCE;
        }
    }
}
