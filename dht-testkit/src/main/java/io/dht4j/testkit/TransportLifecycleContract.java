package io.dht4j.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dht4j.Node;
import io.dht4j.spi.Transport;
import io.dht4j.spi.TransportException;
import io.dht4j.spi.TransportException.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Starting and closing, in every order. A part of {@link TransportContract}. */
public abstract class TransportLifecycleContract extends TransportHandlersContract {

    /** For {@link TransportContract}. */
    protected TransportLifecycleContract() {}

    @Test
    void starting_at_a_busy_address_fails_with_the_address() {
        Started first = start(echo());
        Transport second = newTransport(first.address());
        transports.add(second);
        TransportException error =
                failure(second.start(echo()).thenApply(done -> NO_BYTES).toCompletableFuture());
        assertThat(error).hasMessageContaining(first.address());
        second.close();
        assertThat(reply(start(echo()).call(first, bytes("a"), within(PATIENCE))))
                .isEqualTo(bytes("a"));
    }

    @Test
    void closing_ends_every_call_under_way() {
        Recorder recorder = new Recorder((request, context) -> new CompletableFuture<>());
        Started server = start(recorder);
        Started client = start(echo());
        List<CompletableFuture<byte[]>> calls = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            calls.add(client.call(server, NO_BYTES, within(Duration.ofHours(1))));
        }
        recorder.awaitCount(1);
        client.transport().close();
        assertThat(calls).allSatisfy(call -> assertThat(call).isDone());
        calls.forEach(TransportHarness::failure);
        assertThat(failure(client.call(server, NO_BYTES, within(PATIENCE))).outcome())
                .isEqualTo(Outcome.NOT_SENT);
    }

    @Test
    void closing_is_allowed_repeatedly_and_before_the_start() {
        Transport neverStarted = newTransport();
        neverStarted.close();
        neverStarted.close();
        Started started = start(echo());
        started.transport().close();
        started.transport().close();
    }

    @Test
    void a_start_that_is_overtaken_by_closing_completes() {
        for (int i = 0; i < 5; i++) {
            Transport transport = newTransport();
            transports.add(transport);
            CompletableFuture<Void> starting = transport.start(echo()).toCompletableFuture();
            transport.close();
            await().atMost(PATIENCE).until(starting::isDone);
            assertThat(failure(transport
                                    .call(Node.of("any", "127.0.0.1:1"), NO_BYTES, within(PATIENCE))
                                    .toCompletableFuture())
                            .outcome())
                    .isEqualTo(Outcome.NOT_SENT);
        }
    }

    @Test
    void a_transport_has_a_name() {
        assertThat(start(echo()).transport().name()).isNotBlank();
    }
}
