package io.dht4j.server.config;

import io.dht4j.Node;
import java.util.Optional;

/**
 * The addresses of a node.
 *
 * @param listen where the public HTTP API listens
 * @param peer where the other nodes reach this one
 * @param isShared whether both are one port, which is bound at {@code listen}
 * @param grpc where the public gRPC API listens; empty if there is none
 */
public record Addresses(HostPort listen, HostPort peer, boolean isShared, Optional<HostPort> grpc) {

    static Addresses of(SettingsReader given, HostPort listen, Node self, TransportChoice transport, Setting source)
            throws ConfigException {
        HostPort peer = HostPort.parse(self.address());
        Optional<HostPort> grpc = given.find(Setting.GRPC_LISTEN, HostPort::parse);
        String listenText = Setting.LISTEN.option() + " " + listen;
        String peerText = "this node's address in " + source.option() + ", " + peer;
        boolean isShared = transport instanceof TransportChoice.Http
                && (listen.isSameSocketAs(peer) || (listen.port() == peer.port() && listen.isWildcard()));
        if (!isShared && listen.overlaps(peer)) {
            throw new ConfigException(listenText + " must differ from " + peerText
                    + (transport instanceof TransportChoice.Http
                            ? ", or be the same: then both share the port"
                            : ": " + (transport instanceof TransportChoice.Grpc ? "gRPC" : "TCP")
                                    + " between the nodes shares no port, name another one in "
                                    + source.option()));
        }
        if (grpc.isPresent()) {
            String grpcText = Setting.GRPC_LISTEN.option() + " " + grpc.get();
            if (grpc.get().overlaps(listen)) {
                throw new ConfigException(grpcText + " must differ from " + listenText + ": take another port");
            }
            if (grpc.get().overlaps(peer)) {
                throw new ConfigException(grpcText + " must differ from " + peerText + ": take another port");
            }
        }
        return new Addresses(listen, peer, isShared, grpc);
    }

    /** Returns where the transport listens. */
    public HostPort transport() {
        return isShared ? listen : peer;
    }
}
