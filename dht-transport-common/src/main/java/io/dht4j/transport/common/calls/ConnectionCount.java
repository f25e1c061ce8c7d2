package io.dht4j.transport.common.calls;

import io.dht4j.PeerConnections;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Counts the connections to a peer. Safe for use by any number of threads. */
public final class ConnectionCount {

    private final AtomicInteger open = new AtomicInteger();
    private final AtomicLong opened = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();

    /** Creates a count of no connections. */
    public ConnectionCount() {}

    /** Counts a connection that can carry calls now. */
    public void opened() {
        open.incrementAndGet();
        opened.incrementAndGet();
    }

    /** Counts the end, by either side, of a connection that was counted as opened. */
    public void closed() {
        open.decrementAndGet();
    }

    /** Counts an attempt that has failed. */
    public void failed() {
        failed.incrementAndGet();
    }

    /** Adds up the connections to two addresses of a peer. */
    static PeerConnections sum(PeerConnections one, PeerConnections other) {
        return new PeerConnections(
                one.open() + other.open(), one.opened() + other.opened(), one.failed() + other.failed());
    }

    /**
     * Returns the counts.
     *
     * @return the counts of this moment
     */
    public PeerConnections counts() {
        return new PeerConnections(open.get(), opened.get(), failed.get());
    }
}
