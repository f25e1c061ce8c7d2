package io.dht4j.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Node;
import io.dht4j.spi.TransportException;
import io.dht4j.spi.TransportException.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Peers that are not there, that go away, and that come back. A part of {@link TransportContract}. */
public abstract class TransportPeersContract extends TransportCancellingContract {

    /** For {@link TransportContract}. */
    protected TransportPeersContract() {}

    @Test
    void a_call_to_an_address_where_nobody_listens_fails_at_once_as_not_sent() {
        Started gone = start(echo());
        gone.transport().close();
        Started client = start(echo());
        // An hour: only an answer that does not wait for the deadline passes.
        assertThat(failure(client.call(gone, NO_BYTES, within(Duration.ofHours(1))))
                        .outcome())
                .isEqualTo(Outcome.NOT_SENT);
    }

    @Test
    void many_calls_to_an_address_where_nobody_listens_all_fail_at_once_as_not_sent() {
        Started gone = start(echo());
        gone.transport().close();
        Started client = start(echo());
        List<CompletableFuture<byte[]>> calls = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            calls.add(client.call(gone, NO_BYTES, within(Duration.ofHours(1))));
        }
        calls.forEach(call -> assertThat(failure(call).outcome()).isEqualTo(Outcome.NOT_SENT));
    }

    @Test
    void a_call_to_something_that_is_no_address_fails_as_not_sent() {
        Started client = start(echo());
        Node nowhere = Node.of("nowhere", "no such address");
        TransportException error = failure(
                client.transport().call(nowhere, NO_BYTES, within(PATIENCE)).toCompletableFuture());
        assertThat(error.outcome()).isEqualTo(Outcome.NOT_SENT);
        assertThat(error).hasMessageContaining("no such address");
    }

    @Test
    void a_peer_that_restarts_is_used_by_the_next_call() {
        Started client = start(echo());
        Started server = start(echo());
        for (int round = 0; round < 3; round++) {
            assertThat(reply(client.call(server, number(round), within(PATIENCE))))
                    .isEqualTo(number(round));
            server.transport().close();
            failure(client.call(server, NO_BYTES, within(PATIENCE)));
            server = startAt(server.address(), echo());
        }
        assertThat(reply(client.call(server, bytes("back"), within(PATIENCE)))).isEqualTo(bytes("back"));
    }

    @Test
    void calls_under_way_to_a_peer_that_closes_all_end() {
        Recorder recorder = new Recorder((request, context) -> new CompletableFuture<>());
        Started server = start(recorder);
        Started client = start(echo());
        List<CompletableFuture<byte[]>> calls = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            calls.add(client.call(server, NO_BYTES, within(Duration.ofHours(1))));
        }
        recorder.awaitCount(10);
        server.transport().close();
        calls.forEach(call -> assertThat(failure(call).outcome()).isEqualTo(Outcome.UNKNOWN));
    }
}
