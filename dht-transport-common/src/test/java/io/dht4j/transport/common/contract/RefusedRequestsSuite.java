package io.dht4j.transport.common.contract;

import static io.dht4j.testkit.transport.Calls.PATIENCE;
import static io.dht4j.testkit.transport.Calls.bytes;
import static io.dht4j.testkit.transport.Calls.echo;
import static io.dht4j.testkit.transport.Calls.failure;
import static io.dht4j.testkit.transport.Calls.reply;
import static io.dht4j.testkit.transport.Calls.within;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.spi.TransportException.Outcome;
import io.dht4j.spi.TransportException.Reason;
import io.dht4j.transport.common.options.PeerTransportOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What a peer refuses, fails or never answers: how its caller learns of that, and that nothing stays behind. */
public interface RefusedRequestsSuite<T extends PeerTransportOptions<T>> extends LimitedTransports<T> {

    @Test
    default void callRefusedForRoomIsNotSent() {
        with(options -> options.withMaxInFlight(3));
        CompletableFuture<byte[]> held = new CompletableFuture<>();
        Recorder recorder = new Recorder((request, context) -> held);
        Started server = start(recorder);
        Started client = start(echo());
        List<CompletableFuture<byte[]>> calls = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            calls.add(client.call(server, bytes("a"), within(PATIENCE)));
        }
        recorder.awaitCount(3);
        assertThat(failure(client.call(server, bytes("a"), within(PATIENCE))))
                .hasMessageContaining("3 requests are under way")
                .extracting("outcome", "reason")
                .containsExactly(Outcome.NOT_SENT, Reason.NO_ROOM);
        held.complete(bytes("b"));
        calls.forEach(call -> assertThat(reply(call)).isEqualTo(bytes("b")));
        assertThat(reply(client.call(server, bytes("a"), within(PATIENCE)))).isEqualTo(bytes("b"));
        assertThat(recorder.count()).isEqualTo(4);
        awaitNothingHeld(server);
    }

    @Test
    default void callRefusedForItsBytesIsNotSent() {
        with(options -> options.withMaxFrameBytes(100_000).withMaxInFlightBytes(250_000));
        CompletableFuture<byte[]> held = new CompletableFuture<>();
        Recorder recorder = new Recorder((request, context) -> held);
        Started server = start(recorder);
        Started client = start(echo());
        CompletableFuture<byte[]> one = client.call(server, new byte[100_000], within(PATIENCE));
        CompletableFuture<byte[]> two = client.call(server, new byte[100_000], within(PATIENCE));
        recorder.awaitCount(2);
        assertThat(failure(client.call(server, new byte[100_000], within(PATIENCE))))
                .hasMessageContaining("250000 bytes are under way")
                .extracting("outcome", "reason")
                .containsExactly(Outcome.NOT_SENT, Reason.NO_ROOM);
        held.complete(bytes("b"));
        assertThat(reply(one)).isEqualTo(bytes("b"));
        assertThat(reply(two)).isEqualTo(bytes("b"));
        assertThat(recorder.count()).isEqualTo(2);
        awaitNothingHeld(server);
    }

    @Test
    default void aFailedHandlerIsNamedToTheCallerInOneLine() {
        Started server = start((request, context) -> {
            throw new IllegalStateException("the reason\nof it");
        });
        Started client = start(echo());
        assertThat(failure(client.call(server, bytes("a"), within(PATIENCE))))
                .hasMessageContaining("the reason\\nof it")
                .extracting("outcome")
                .isEqualTo(Outcome.UNKNOWN);
        awaitNothingHeld(server);
    }

    @Test
    default void unansweredRequestsEndAtTheirDeadline() {
        Recorder recorder = new Recorder((request, context) -> new CompletableFuture<>());
        Started server = start(recorder);
        Started client = start(echo());
        List<CompletableFuture<byte[]>> calls = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            calls.add(client.call(server, new byte[1_000], within(Duration.ofMillis(500))));
        }
        calls.forEach(call -> assertThat(call).failsWithin(PATIENCE));
        awaitNothingHeld(server);
    }
}
