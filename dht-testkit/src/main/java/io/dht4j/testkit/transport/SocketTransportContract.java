package io.dht4j.testkit.transport;

import static io.dht4j.testkit.transport.Calls.PATIENCE;
import static io.dht4j.testkit.transport.Calls.bytes;
import static io.dht4j.testkit.transport.Calls.echo;
import static io.dht4j.testkit.transport.Calls.reply;
import static io.dht4j.testkit.transport.Calls.within;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Node;
import io.dht4j.testkit.network.SilencedLink;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * The contract of transports over sockets, in addition to {@link TransportContract}: faulty peers down to single bytes,
 * and links that fall silent.
 */
public abstract class SocketTransportContract extends TransportContract
        implements FaultyPeersSuite, SilencedLinksSuite {

    /** More than a transport has connections. */
    private static final int CALLS = 40;

    /** Constructor for subclasses. */
    protected SocketTransportContract() {}

    /**
     * Returns the first bytes of a valid reply in the transport's protocol, ending within its frame.
     *
     * @return the bytes that a peer may have written when it dies
     */
    @Override
    public abstract byte[] beginningOfReply();

    /**
     * Returns whether a peer must send bytes before the transport sends it a request, as in a TLS handshake or HTTP/2
     * settings. Such a transport may report that a request to a silent peer was not sent.
     *
     * @return false by default
     */
    @Override
    public boolean greets() {
        return false;
    }

    @Test
    void movedNodeIsFoundAfterAnotherAnsweredAtItsAddress() throws IOException {
        Started wrong = start((request, context) -> CompletableFuture.completedFuture(bytes("wrong")));
        Started right = start((request, context) -> CompletableFuture.completedFuture(bytes("right")));
        Started client = start(echo());
        try (SilencedLink link = new SilencedLink(wrong.port())) {
            Started linked = new Started(right.transport(), link.address());
            List<CompletableFuture<byte[]>> first = new ArrayList<>();
            for (int i = 0; i < CALLS; i++) {
                first.add(client.call(linked, bytes("who is it"), within(PATIENCE)));
            }
            first.forEach(call -> assertThat(reply(call)).isEqualTo(bytes("wrong")));
            link.redirect(right.port());
            // As a node does: on the thread that brings the reply.
            CompletableFuture<byte[]> found = client.call(linked, bytes("and now"), within(PATIENCE))
                    .thenCompose(reply -> {
                        client.transport().forget(linked.node());
                        return client.call(linked, bytes("again"), within(PATIENCE));
                    });
            assertThat(reply(found)).isEqualTo(bytes("right"));
            for (int i = 0; i < CALLS; i++) {
                assertThat(reply(client.call(linked, bytes("still"), within(PATIENCE))))
                        .isEqualTo(bytes("right"));
            }
        }
    }

    @Test
    void twoNamesOfOneEndpointAreFound() {
        Started client = start(echo());
        List<Set<String>> endpoints = client.transport()
                .endpoints(List.of(
                        Node.of("n1", "127.0.0.1:8080"),
                        Node.of("n2", "localhost:8080"),
                        Node.of("n3", "127.0.0.1:8081"),
                        Node.of("n4", "[2001:db8::1]:8080"),
                        Node.of("n5", "no-such-host.invalid:8080")))
                .toCompletableFuture()
                .orTimeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
                .join();
        assertThat(endpoints.get(0)).containsExactly("127.0.0.1:8080");
        assertThat(endpoints.get(1)).contains("127.0.0.1:8080");
        assertThat(endpoints.get(2)).containsExactly("127.0.0.1:8081");
        assertThat(endpoints.get(3)).hasSize(1).doesNotContain("127.0.0.1:8080");
        assertThat(endpoints.get(4)).isEmpty();
    }
}
