package io.dht4j.testkit.transport;

import static io.dht4j.testkit.transport.Calls.PATIENCE;
import static io.dht4j.testkit.transport.Calls.bytes;
import static io.dht4j.testkit.transport.Calls.echo;
import static io.dht4j.testkit.transport.Calls.failure;
import static io.dht4j.testkit.transport.Calls.reply;
import static io.dht4j.testkit.transport.Calls.within;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.dht4j.PeerConnections;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The counts of connections, of a transport that has any. A part of {@link TransportContract}. */
interface ConnectionsSuite extends TransportHarness {

    private static PeerConnections connections(Started client, Started server) {
        return client.transport().connections().getOrDefault(server.node().id(), PeerConnections.NONE);
    }

    @Test
    @Tag("core")
    default void connectionsAreCountedUntilTheyEnd() {
        Started server = start(echo());
        Started client = start(echo());
        assertThat(client.transport().connections()).isEmpty();
        reply(client.call(server, bytes("one"), within(PATIENCE)));
        assumeTrue(!client.transport().connections().isEmpty(), "the transport does not count connections");
        PeerConnections connected = connections(client, server);
        assertThat(connected.open()).isPositive();
        assertThat(connected.opened()).isEqualTo(connected.open());
        assertThat(connected.failed()).isZero();

        server.transport().close();
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> connections(client, server).open() == 0);
        failure(client.call(server, bytes("two"), within(PATIENCE)));
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> connections(client, server).failed() > 0);
        assertThat(connections(client, server).open()).isZero();
        assertThat(connections(client, server).opened()).isEqualTo(connected.opened());
    }

    @Test
    default void theConnectionsOfAForgottenNodeAreForgotten() {
        Started server = start(echo());
        Started client = start(echo());
        reply(client.call(server, bytes("one"), within(PATIENCE)));
        client.transport().forget(server.node());
        assertThat(client.transport().connections()).isEmpty();
    }
}
