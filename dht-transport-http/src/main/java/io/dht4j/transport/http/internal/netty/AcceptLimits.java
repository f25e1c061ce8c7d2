package io.dht4j.transport.http.internal.netty;

import io.dht4j.transport.common.ConnectionShares;
import java.time.Duration;

/**
 * The limits of a listener's connections.
 *
 * @param connections the total number, 1 or more
 * @param connectionsPerAddress that make public requests from one remote address, and as many that have made no
 *     request; 1 or more
 * @param keptForOthers the number of places for connections without public requests: for peers, and for liveness
 *     probes; 0 or more, fewer than all
 * @param headTimeout for the first request of a connection to arrive, and for the head of each later one, from its
 *     first byte on
 */
public record AcceptLimits(int connections, int connectionsPerAddress, int keptForOthers, Duration headTimeout) {

    /** Returns how many connections may make public requests. */
    int publicConnections() {
        return connections - keptForOthers;
    }

    /**
     * Returns how many connections may make public requests before an idle one has to give way to one more of an
     * address.
     *
     * @param ofAddress how many the address has
     */
    int publicConnectionsBefore(int ofAddress) {
        return ConnectionShares.placesFor(publicConnections(), connectionsPerAddress, ofAddress);
    }

    /** Returns whether one address may have all places. */
    boolean oneAddressMayHaveAll() {
        return ConnectionShares.oneAddressMayHaveAll(publicConnections(), connectionsPerAddress);
    }
}
