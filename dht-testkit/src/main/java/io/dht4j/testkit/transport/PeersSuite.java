package io.dht4j.testkit.transport;

import static io.dht4j.testkit.transport.Calls.NO_BYTES;
import static io.dht4j.testkit.transport.Calls.PATIENCE;
import static io.dht4j.testkit.transport.Calls.bytes;
import static io.dht4j.testkit.transport.Calls.echo;
import static io.dht4j.testkit.transport.Calls.failure;
import static io.dht4j.testkit.transport.Calls.negated;
import static io.dht4j.testkit.transport.Calls.number;
import static io.dht4j.testkit.transport.Calls.numberIn;
import static io.dht4j.testkit.transport.Calls.outcomeOf;
import static io.dht4j.testkit.transport.Calls.ownAddress;
import static io.dht4j.testkit.transport.Calls.reply;
import static io.dht4j.testkit.transport.Calls.within;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Node;
import io.dht4j.spi.Frame;
import io.dht4j.spi.FrameHandler;
import io.dht4j.spi.TransportException;
import io.dht4j.spi.TransportException.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Peers that are absent, that stop, and that restart. A part of {@link TransportContract}. */
interface PeersSuite extends TransportHarness {

    @Test
    @Tag("core")
    default void callToARefusingAddressFailsAtOnceAsNotSent() {
        Started client = start(echo());
        Started gone = startAt(ownAddress(), echo());
        gone.transport().close();
        // With a deadline of an hour, only an answer independent of the deadline passes.
        assertThat(failure(client.call(gone, NO_BYTES, within(Duration.ofHours(1))))
                        .reason())
                .isEqualTo(TransportException.Reason.REFUSED);
        assertThat(failure(client.call(gone, NO_BYTES, within(Duration.ofHours(1))))
                        .outcome())
                .isEqualTo(Outcome.NOT_SENT);
    }

    @Test
    default void manyCallsToARefusingAddressFailAtOnceAsNotSent() {
        Started client = start(echo());
        Started gone = startAt(ownAddress(), echo());
        gone.transport().close();
        List<CompletableFuture<byte[]>> calls = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            calls.add(client.call(gone, NO_BYTES, within(Duration.ofHours(1))));
        }
        calls.forEach(call -> assertThat(failure(call).outcome()).isEqualTo(Outcome.NOT_SENT));
    }

    @Test
    default void aCallToAHostThatDoesNotExistFailsAsNotSent() {
        Started client = start(echo());
        Node nowhere = Node.of("nowhere", "no-such-host.invalid:1");
        TransportException error = failure(client.transport()
                .call(nowhere, Frame.of(NO_BYTES), within(PATIENCE))
                .toCompletableFuture());
        assertThat(error.outcome()).isEqualTo(Outcome.NOT_SENT);
        assertThat(error).hasMessageContaining("no-such-host.invalid:1");
    }

    @Test
    @Tag("core")
    default void aPeerThatRestartsIsUsedByTheNextCall() {
        Started client = start(echo());
        Started server = startAt(ownAddress(), echo());
        for (int round = 0; round < 3; round++) {
            assertThat(reply(client.call(server, number(round), within(PATIENCE))))
                    .isEqualTo(number(round));
            server.transport().close();
            failure(client.call(server, NO_BYTES, within(PATIENCE)));
            awaitHungUp(client, server);
            server = startAt(server.address(), echo());
        }
        assertThat(reply(client.call(server, bytes("back"), within(PATIENCE)))).isEqualTo(bytes("back"));
    }

    @Test
    @Tag("core")
    default void callsUnderWayToAPeerThatClosesAllEnd() {
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

    /** Callers continue while the peer closes, and while it restarts at the same address. */
    @Test
    default void aPeerMayRestartManyTimesUnderLoad() throws Exception {
        Set<Integer> handled = ConcurrentHashMap.newKeySet();
        FrameHandler handler = (request, context) -> {
            handled.add(numberIn(request));
            return CompletableFuture.completedFuture(negated(request));
        };
        Started client = start(echo());
        Started server = startAt(ownAddress(), handler);
        Map<Integer, CompletableFuture<byte[]>> calls = new ConcurrentHashMap<>();
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            for (int round = 0; round < 5; round++) {
                Started now = server;
                CompletableFuture<Void> underWay = new CompletableFuture<>();
                List<Future<?>> callers = new ArrayList<>();
                for (int t = 0; t < 2; t++) {
                    int from = (2 * round + t) * 300;
                    callers.add(threads.submit(() -> {
                        for (int i = from; i < from + 300; i++) {
                            CompletableFuture<byte[]> call = client.call(now, number(i), within(PATIENCE));
                            calls.put(i, call);
                            if (i == from + 50) {
                                underWay.complete(null);
                            }
                            // At most ten calls at a time.
                            if (i % 10 == 0) {
                                outcomeOf(call);
                            }
                        }
                    }));
                }
                underWay.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                server.transport().close();
                server = startAt(server.address(), handler);
                for (Future<?> caller : callers) {
                    caller.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                }
                awaitAnswerFrom(client, server);
            }
        } finally {
            threads.shutdown();
        }
        assertThat(calls).hasSize(5 * 600).allSatisfy((number, call) -> {
            Outcome outcome = outcomeOf(call);
            if (outcome == null) {
                assertThat(reply(call)).isEqualTo(negated(number(number)));
            } else if (outcome == Outcome.NOT_SENT) {
                assertThat(handled).doesNotContain(number);
            }
        });
    }

    /** Calls a restarted peer until it answers. Calls on stale connections may fail. */
    private static void awaitAnswerFrom(Started client, Started server) {
        for (int attempt = 0; attempt < 100; attempt++) {
            CompletableFuture<byte[]> call = client.call(server, number(-1), within(PATIENCE));
            if (outcomeOf(call) == null) {
                return;
            }
        }
        throw new AssertionError("100 calls to a peer that is back have failed");
    }

    @Test
    default void closingPeerLosesOnlyTheCallInFlight() {
        Recorder recorder = new Recorder((request, context) -> new CompletableFuture<>());
        Started mortal = start(recorder);
        Started other = start(echo());
        Started client = start(echo());
        CompletableFuture<byte[]> lost = client.call(mortal, NO_BYTES, within(Duration.ofHours(1)));
        recorder.awaitCount(1);
        List<CompletableFuture<byte[]>> neighbours = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            neighbours.add(client.call(other, number(i), within(PATIENCE)));
            if (i == 50) {
                mortal.transport().close();
            }
        }
        assertThat(failure(lost).outcome()).isEqualTo(Outcome.UNKNOWN);
        for (int i = 0; i < 100; i++) {
            assertThat(reply(neighbours.get(i))).isEqualTo(number(i));
        }
    }
}
