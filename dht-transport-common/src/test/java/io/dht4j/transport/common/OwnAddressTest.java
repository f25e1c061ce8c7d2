package io.dht4j.transport.common;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Node;
import io.dht4j.NodeId;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class OwnAddressTest {

    private static final Optional<NodeId> B = Optional.of(new NodeId("b"));

    private final OwnAddress address = new OwnAddress();

    @Test
    void anotherPortThanThatOfTheTopologyIsNamed() {
        address.resolving(List.of(Node.of("a", "127.0.0.1:7301"), Node.of("b", "127.0.0.1:7302")));
        assertThat(address.warning(B, OptionalInt.of(7309)))
                .contains("this node, b, listens on port 7309, but peers call it at 127.0.0.1:7302, its address in the"
                        + " topology: unless a proxy or NAT forwards port 7302, correct one of the two");
        assertThat(address.warning(B, OptionalInt.empty()))
                .contains("this node, b, does not listen, but peers call it at 127.0.0.1:7302, its address in the"
                        + " topology: they cannot reach it");
    }

    @Test
    void thereIsNoWarningIfPeersReachTheNodeOrThereAreNone() {
        assertThat(address.warning(B, OptionalInt.empty())).as("no topology").isEmpty();
        address.resolving(List.of(Node.of("a", "127.0.0.1:7301"), Node.of("b", "127.0.0.1:7302")));
        assertThat(address.warning(B, OptionalInt.of(7302))).as("the same port").isEmpty();
        assertThat(address.warning(Optional.of(new NodeId("c")), OptionalInt.empty()))
                .as("a member without a store")
                .isEmpty();
        assertThat(address.warning(Optional.empty(), OptionalInt.of(1))).isEmpty();
        address.resolving(List.of(Node.of("b", "127.0.0.1:7302")));
        assertThat(address.warning(B, OptionalInt.of(7309))).as("no peers").isEmpty();
    }
}
