package io.dht4j.transport.http.clients;

import static io.dht4j.testkit.transport.Calls.PATIENCE;
import static io.dht4j.testkit.transport.Calls.bytes;
import static io.dht4j.testkit.transport.Calls.echo;
import static io.dht4j.testkit.transport.Calls.failure;
import static io.dht4j.testkit.transport.Calls.reply;
import static io.dht4j.testkit.transport.Calls.within;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.spi.CallContext;
import io.dht4j.spi.FrameHandler;
import io.dht4j.spi.Transport;
import io.dht4j.transport.http.contract.HttpClientContract;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
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
    void aConnectionThatComesBackAfterItsPeerHasGoneIsNotUsedUnseen() throws Exception {
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
        options = options.withConnectionsPerPeer(1);
        Started server = start(echo());
        Started client = start(echo());
        Thread caller = Thread.currentThread();
        LongSupplier clock = () -> {
            if (Thread.currentThread() != caller) {
                throw new AssertionError("a clock that stands still");
            }
            return System.nanoTime();
        };
        // An hour: neither call may wait for a deadline.
        for (int i = 0; i < 3; i++) {
            CallContext context = new CallContext(clock, TimeUnit.HOURS.toNanos(1));
            assertThat(failure(client.call(server, bytes("first"), context)))
                    .hasMessageContaining("a clock that stands still");
            assertThat(reply(client.call(server, bytes("second"), within(PATIENCE))))
                    .isEqualTo(bytes("second"));
        }
    }
}
