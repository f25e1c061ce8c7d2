package io.dht4j.examples.server;

import io.dht4j.Node;

/**
 * Where a node listens.
 *
 * @param listen where the public HTTP API listens
 * @param peer where the other nodes reach this one
 * @param isShared whether both are one port, which is bound at {@code listen}
 */
public record Addresses(HostPort listen, HostPort peer, boolean isShared) {

    static Addresses of(HostPort listen, Node self) throws ConfigException {
        HostPort peer = HostPort.parse(self.address());
        boolean isShared = listen.isSameSocketAs(peer) || (listen.port() == peer.port() && listen.isWildcard());
        if (!isShared && listen.overlaps(peer)) {
            throw new ConfigException(Setting.LISTEN.option() + " " + listen + " lies within this node's address in "
                    + Setting.PEERS.option() + ", " + peer + ": take the same address for both, or another port");
        }
        return new Addresses(listen, peer, isShared);
    }

    /** Where the transport listens. */
    HostPort transport() {
        return isShared ? listen : peer;
    }
}
