package io.dht4j.transport.http.internal.peer;

import io.dht4j.transport.common.options.PeerTransportOptions.Limits;
import java.time.Duration;

/**
 * The options of the calls to peers.
 *
 * @param limits the largest frame, and how much may wait for a peer
 * @param connectionsPerPeer the maximum number of connections to a peer
 * @param connectTimeout the time to connect
 * @param keepAlive how long a connection may stay unused
 */
public record PeerOptions(Limits limits, int connectionsPerPeer, Duration connectTimeout, Duration keepAlive) {}
