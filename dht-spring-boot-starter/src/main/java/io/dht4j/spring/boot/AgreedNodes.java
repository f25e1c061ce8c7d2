package io.dht4j.spring.boot;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.core.options.Membership;
import io.dht4j.core.options.Membership.Attributes;
import io.dht4j.core.options.Membership.JoinToken;
import io.dht4j.topology.microraft.MicroRaftLogs;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Reads the membership of a node whose cluster's nodes may change. */
final class AgreedNodes {

    private static final String PREFIX = "dht4j.membership.";
    private static final String BOOTSTRAP = PREFIX + "bootstrap";
    private static final String JOIN = PREFIX + "join";

    private AgreedNodes() {}

    /**
     * Returns how the node becomes a member.
     *
     * @param directory of the store, with the topology log below it
     */
    static Membership of(DhtProperties properties, Path directory) {
        DhtProperties.Membership membership = properties.membership();
        NodeId self = NodeAddresses.self(properties);
        MicroRaftLogs log =
                StartException.read("dht4j.store.directory", () -> new MicroRaftLogs(directory.resolve("meta")));
        Membership options = membership.join().isEmpty()
                ? bootstrap(self, membership.bootstrap(), log)
                : join(self, membership, log);
        Optional<String> zone = Optional.ofNullable(membership.zone());
        Membership placed = StartException.read(
                        PREFIX + "zone",
                        () -> options.withAttributes(new Attributes(zone, Optional.empty(), Optional.empty())))
                .withStartTimeout(membership.startTimeout());
        return membership.joinToken() == null ? placed : placed.withJoinToken(token(membership.joinToken()));
    }

    private static Membership bootstrap(NodeId self, List<String> entries, MicroRaftLogs log) {
        List<Node> founders = NodeAddresses.parse(BOOTSTRAP, entries);
        NodeAddresses.requireAmong(BOOTSTRAP, self, founders);
        return StartException.read(BOOTSTRAP, () -> Membership.bootstrap(self, founders, log));
    }

    private static Membership join(NodeId self, DhtProperties.Membership membership, MicroRaftLogs log) {
        String address = membership.address();
        if (address == null) {
            throw StartException.of(
                    PREFIX + "address",
                    JOIN + " needs " + PREFIX + "address, the HOST:PORT at which the other nodes reach this one");
        }
        Node own = StartException.read(PREFIX + "address", () -> new Node(self, address, 1));
        // One list serves all nodes.
        List<Node> others = NodeAddresses.parse(JOIN, membership.join()).stream()
                .filter(node -> !node.id().equals(self))
                .toList();
        return StartException.read(JOIN, () -> Membership.join(own, others, log));
    }

    private static JoinToken token(String secret) {
        byte[] bytes = secret.getBytes(StandardCharsets.UTF_8);
        if (bytes.length < JoinToken.MIN_BYTES) {
            throw StartException.of(
                    PREFIX + "join-token",
                    PREFIX + "join-token must have " + JoinToken.MIN_BYTES + " bytes or more, not " + bytes.length);
        }
        return bytes::clone;
    }
}
