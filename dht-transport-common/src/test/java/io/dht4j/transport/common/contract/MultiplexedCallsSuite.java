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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Calls of which a connection carries many: the bounds on them, and a refusal that leaves the connection open. */
public interface MultiplexedCallsSuite<T extends PeerTransportOptions<T>> extends LimitedTransports<T> {

    @Test
    default void callsOverTheBoundOfCallsFailAtOnceAsNotSent() {
        with(options -> options.withMaxQueuedPerPeer(10));
        CompletableFuture<byte[]> held = new CompletableFuture<>();
        Started server = start((request, context) -> held);
        Started client = start(echo());
        List<CompletableFuture<byte[]>> calls = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            calls.add(client.call(server, bytes("a"), within(PATIENCE)));
        }
        assertThat(calls.subList(10, 50)).allSatisfy(call -> assertThat(call).isCompletedExceptionally());
        calls.subList(10, 50).forEach(MultiplexedCallsSuite::assertNoRoom);
        held.complete(bytes("b"));
        calls.subList(0, 10).forEach(call -> assertThat(reply(call)).isEqualTo(bytes("b")));
        assertThat(reply(client.call(server, bytes("a"), within(PATIENCE)))).isEqualTo(bytes("b"));
    }

    @Test
    default void callsOverTheByteLimitAreNotSentUnlessAlone() {
        with(options -> options.withMaxQueuedBytesPerPeer(1_000));
        CompletableFuture<byte[]> held = new CompletableFuture<>();
        Started server = start((request, context) -> held);
        Started client = start(echo());
        List<CompletableFuture<byte[]>> calls = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            calls.add(client.call(server, new byte[5_000], within(PATIENCE)));
        }
        assertThat(calls.subList(1, 20)).allSatisfy(call -> assertThat(call).isCompletedExceptionally());
        calls.subList(1, 20).forEach(MultiplexedCallsSuite::assertNoRoom);
        held.complete(bytes("b"));
        assertThat(reply(calls.get(0))).isEqualTo(bytes("b"));
        assertThat(reply(client.call(server, new byte[5_000], within(PATIENCE))))
                .isEqualTo(bytes("b"));
    }

    @Test
    default void callRefusedForItsSizeIsNotSent() {
        Started client = start(echo());
        with(options -> options.withMaxFrameBytes(100_000));
        Recorder recorder = new Recorder(echo());
        Started server = start(recorder);
        assertThat(reply(client.call(server, new byte[100_000], within(PATIENCE))))
                .hasSize(100_000);
        for (int size : new int[] {100_001, 1 << 20}) {
            assertThat(failure(client.call(server, new byte[size], within(PATIENCE))))
                    .hasMessageContaining("a frame may have 100000 bytes, not " + size)
                    .extracting("outcome", "reason")
                    .containsExactly(Outcome.NOT_SENT, Reason.OTHER);
        }
        assertThat(recorder.count()).isEqualTo(1);
        assertThat(reply(client.call(server, bytes("next"), within(PATIENCE)))).isEqualTo(bytes("next"));
        awaitNothingHeld(server);
    }

    private static void assertNoRoom(CompletableFuture<byte[]> call) {
        assertThat(failure(call)).extracting("outcome", "reason").containsExactly(Outcome.NOT_SENT, Reason.NO_ROOM);
    }
}
