package io.dht4j.transport.http.internal.netty;

import java.time.Duration;

/**
 * The limits of a listener's connections.
 *
 * @param connections in all, 1 or more
 * @param connectionsPerAddress that make public requests from one remote address, and as many that have made no
 *     request; 1 or more
 * @param keptForOthers how many of all are never given to those that make public requests: for peers, and for probes of
 *     whether the node lives; 0 or more, fewer than all
 * @param headTimeout for the first request of a connection to arrive, and for the head of each later one, from its
 *     first byte on
 */
public record AcceptLimits(int connections, int connectionsPerAddress, int keptForOthers, Duration headTimeout) {

    /** The divisor of the public connections that gives the last ones, which are for addresses with few. */
    private static final int PART_LAST = 16;

    /** The divisor of the public connections that gives what are few. */
    private static final int PART_FEW = 256;

    /** Returns how many connections may make public requests. */
    int publicConnections() {
        return connections - keptForOthers;
    }

    /**
     * Returns how many connections may make public requests before an idle one has to give way to one more of an
     * address. The last places are for addresses that have few: so two addresses, all of whose connections are busy,
     * cannot take all.
     *
     * @param ofAddress how many the address has
     */
    int publicConnectionsBefore(int ofAddress) {
        int all = publicConnections();
        boolean hasFew = ofAddress < Math.max(1, all / PART_FEW);
        return hasFew || oneAddressMayHaveAll() ? all : all - all / PART_LAST;
    }

    /** Returns whether one address may have all places. Then its own connections give way to its new ones. */
    boolean oneAddressMayHaveAll() {
        return connectionsPerAddress >= publicConnections();
    }
}
