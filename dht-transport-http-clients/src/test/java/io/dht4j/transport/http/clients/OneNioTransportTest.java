package io.dht4j.transport.http.clients;

import static io.dht4j.testkit.transport.Calls.PATIENCE;
import static io.dht4j.testkit.transport.Calls.bytes;
import static io.dht4j.testkit.transport.Calls.echo;
import static io.dht4j.testkit.transport.Calls.failure;
import static io.dht4j.testkit.transport.Calls.reply;
import static io.dht4j.testkit.transport.Calls.within;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Node;
import io.dht4j.spi.FrameHandler;
import io.dht4j.spi.Transport;
import io.dht4j.transport.common.calls.PeerCall;
import io.dht4j.transport.http.HttpClientKind;
import io.dht4j.transport.http.contract.HttpClientContract;
import io.dht4j.transport.http.internal.peer.PeerClientKind;
import io.dht4j.transport.http.internal.peer.PeerClients;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import one.nio.net.Socket;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("variant")
class OneNioTransportTest extends HttpClientContract {

    OneNioTransportTest() {
        super(HttpClients.ONE_NIO);
    }

    /** The thread that reads a reply runs what depends on it, and only then gives the connection back to the pool. */
    @Test
    @Tag("core")
    void connectionOfADepartedPeerIsNotReused() throws Exception {
        FrameHandler echo = (request, context) -> CompletableFuture.completedFuture(request);
        Started client = start(echo());
        CompletableFuture<byte[]> answer = new CompletableFuture<>();
        Started server = start((request, context) -> answer);
        CompletableFuture<Void> held = new CompletableFuture<>();
        CompletableFuture<Void> reached = new CompletableFuture<>();
        CompletableFuture<byte[]> first = client.call(server, bytes("first"), within(PATIENCE));
        CompletableFuture<Void> handled = first.thenAccept(reply -> {
            reached.complete(null);
            held.join();
        });
        answer.complete(bytes("answer"));
        reached.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);

        server.transport().close();
        failure(client.call(server, bytes("second"), within(PATIENCE)));
        try (Transport again = newTransport(server.address())) {
            again.start(echo).toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            held.complete(null);
            handled.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            for (int i = 0; i < 100; i++) {
                assertThat(reply(client.call(server, bytes("next"), within(PATIENCE))))
                        .isEqualTo(bytes("next"));
            }
        }
    }

    @Test
    @Tag("core")
    void anErrorWithinACallEndsThatCallAndCostsNoConnection() {
        AtomicBoolean fails = new AtomicBoolean();
        options = options.withClient(new FailingKind(fails)).withConnectionsPerPeer(1);
        Started server = start(echo());
        Started client = start(echo());
        // An hour: neither call may wait for a deadline.
        Duration patience = Duration.ofHours(1);
        for (int i = 0; i < 3; i++) {
            fails.set(true);
            assertThat(failure(client.call(server, bytes("first"), within(patience))))
                    .hasMessageContaining("an error of the library");
            assertThat(reply(client.call(server, bytes("second"), within(PATIENCE))))
                    .isEqualTo(bytes("second"));
        }
    }

    /** Clients that fail with an error when it is set. */
    private record FailingKind(AtomicBoolean fails) implements HttpClientKind, PeerClientKind {

        @Override
        public String label() {
            return "one-nio";
        }

        @Override
        public int defaultConnections() {
            return 1;
        }

        @Override
        public int maxConnections() {
            return 1;
        }

        @Override
        public PeerClients.Factory clients() {
            return (loops, own) -> {
                OneNioSockets.load();
                return new OneNioPeerClients(loops, own) {
                    @Override
                    OneNioClient newClient(Node peer, Optional<OneNioTls> tls) {
                        return new OneNioClient(peer, tls, own, false) {
                            private static final long serialVersionUID = 1;

                            @Override
                            void write(Socket socket, PeerCall call) throws IOException {
                                if (fails.getAndSet(false)) {
                                    throw new AssertionError("an error of the library");
                                }
                                super.write(socket, call);
                            }
                        };
                    }
                };
            };
        }
    }
}
