package io.dht4j.transport.grpc.internal.client;

import io.dht4j.transport.common.options.PeerTransportOptions;
import java.time.Duration;

/**
 * The options of the calls to peers.
 *
 * @param common the options that every transport has
 * @param streams whether calls share streams; otherwise each is a gRPC call of its own
 * @param connectionsPerPeer the number of connections to a peer
 */
public record PeerOptions(PeerTransportOptions<?> common, boolean streams, int connectionsPerPeer) {

    /**
     * Returns the time a peer has to complete TLS and HTTP/2. It exceeds the connect timeout because the peer may be
     * busy, while its operating system accepts the connection.
     */
    Duration greetingTimeout() {
        return common.connectTimeout().multipliedBy(5);
    }
}
