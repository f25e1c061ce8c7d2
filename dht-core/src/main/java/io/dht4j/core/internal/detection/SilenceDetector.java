package io.dht4j.core.internal.detection;

import io.dht4j.NodeId;
import io.dht4j.spi.FailureDetector;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Suspects a node that has not answered since a request older than the patience, or that cannot be reached. Lock-free;
 * safe for use by any number of threads.
 */
public final class SilenceDetector implements FailureDetector {

    private static final long NOT_WAITING = 0;

    private final Duration patience;
    private final long patienceNanos;
    private final Map<NodeId, Link> links = new ConcurrentHashMap<>();

    /** The state of a node. */
    private static final class Link {
        /** The time of the first request since the node's last answer. */
        private final AtomicLong waitingSince = new AtomicLong(NOT_WAITING);

        private volatile boolean unreachable;
    }

    /**
     * Creates a detector without information.
     *
     * @param patience how long a node may be silent
     */
    public SilenceDetector(Duration patience) {
        this.patience = patience;
        this.patienceNanos = patience.toNanos();
    }

    private Link link(NodeId node) {
        Link known = links.get(node);
        return known == null ? links.computeIfAbsent(node, id -> new Link()) : known;
    }

    private static long moment(long nanos) {
        return nanos == NOT_WAITING ? 1 : nanos;
    }

    @Override
    public void sent(NodeId node, long nowNanos) {
        AtomicLong waiting = link(node).waitingSince;
        if (waiting.get() == NOT_WAITING) {
            waiting.compareAndSet(NOT_WAITING, moment(nowNanos));
        }
    }

    @Override
    public void heard(NodeId node, long nowNanos) {
        Link link = link(node);
        if (link.waitingSince.get() != NOT_WAITING) {
            link.waitingSince.set(NOT_WAITING);
        }
        if (link.unreachable) {
            link.unreachable = false;
        }
    }

    @Override
    public void unreachable(NodeId node, long nowNanos) {
        link(node).unreachable = true;
    }

    @Override
    public void resumed(long nowNanos) {
        for (Link link : links.values()) {
            link.waitingSince.updateAndGet(since -> since == NOT_WAITING ? since : moment(nowNanos));
        }
    }

    @Override
    public void retain(Set<NodeId> nodes) {
        links.keySet().retainAll(nodes);
    }

    @Override
    public boolean isSuspected(NodeId node, long nowNanos) {
        Link link = links.get(node);
        if (link == null) {
            return false;
        }
        long since = link.waitingSince.get();
        return link.unreachable || (since != NOT_WAITING && nowNanos - since >= patienceNanos);
    }

    @Override
    public Duration patience() {
        return patience;
    }
}
