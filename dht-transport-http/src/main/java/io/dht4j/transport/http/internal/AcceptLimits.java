package io.dht4j.transport.http.internal;

import java.time.Duration;

/**
 * How many connections a listener takes.
 *
 * @param connections in all, 1 or more
 * @param connectionsPerAddress that make public requests from one remote address, and as many that have made no
 *     request; 1 or more
 * @param keptForOthers how many of all are never given to those that make public requests: for peers, and for those who
 *     ask whether the node lives; 0 or more, fewer than all
 * @param headTimeout for the first request of a connection to be there, and for the head of each later one, from its
 *     first byte on
 */
public record AcceptLimits(int connections, int connectionsPerAddress, int keptForOthers, Duration headTimeout) {

    /** How many connections may make public requests. */
    int publicConnections() {
        return connections - keptForOthers;
    }
}
