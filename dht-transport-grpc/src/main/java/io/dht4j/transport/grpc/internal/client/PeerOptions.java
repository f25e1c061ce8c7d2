package io.dht4j.transport.grpc.internal.client;

import io.dht4j.transport.common.options.PeerTransportOptions.Limits;
import java.time.Duration;

/**
 * The options of the calls to peers.
 *
 * @param limits the largest frame, and how much may be unfinished for a peer
 * @param streams whether calls share streams; otherwise each is a gRPC call of its own
 * @param connectionsPerPeer the number of connections to a peer
 * @param connectTimeout the time to connect
 * @param keepAlive how long a connection may stay unused
 */
public record PeerOptions(
        Limits limits, boolean streams, int connectionsPerPeer, Duration connectTimeout, Duration keepAlive) {

    /**
     * Returns the time a peer has to complete TLS and HTTP/2. It exceeds the connect timeout because the peer may be
     * busy, while its operating system accepts the connection.
     */
    Duration greetingTimeout() {
        return connectTimeout.multipliedBy(5);
    }
}
