package io.dht4j.testkit.transport;

import static io.dht4j.testkit.transport.Calls.NO_BYTES;
import static io.dht4j.testkit.transport.Calls.PATIENCE;
import static io.dht4j.testkit.transport.Calls.bytes;
import static io.dht4j.testkit.transport.Calls.echo;
import static io.dht4j.testkit.transport.Calls.eventually;
import static io.dht4j.testkit.transport.Calls.failure;
import static io.dht4j.testkit.transport.Calls.negated;
import static io.dht4j.testkit.transport.Calls.number;
import static io.dht4j.testkit.transport.Calls.outcomeOf;
import static io.dht4j.testkit.transport.Calls.reply;
import static io.dht4j.testkit.transport.Calls.within;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.dht4j.Node;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Frame;
import io.dht4j.spi.Transport;
import io.dht4j.spi.TransportException;
import io.dht4j.spi.TransportException.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Starting and closing, in every order. A part of {@link TransportContract}. */
interface LifecycleSuite extends TransportHarness {

    @Test
    default void startingAtABusyAddressFailsWithTheAddress() {
        Started first = start(echo());
        Transport second = newTransport(first.address());
        transports().add(second);
        TransportException error =
                failure(second.start(echo()).thenApply(done -> NO_BYTES).toCompletableFuture());
        assertThat(error).hasMessageContaining(first.address());
        second.close();
        assertThat(reply(start(echo()).call(first, bytes("a"), within(PATIENCE))))
                .isEqualTo(bytes("a"));
    }

    @Test
    @Tag("core")
    default void closingEndsEveryCallUnderWay() {
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
        calls.forEach(Calls::failure);
        assertThat(failure(client.call(server, NO_BYTES, within(PATIENCE))).outcome())
                .isEqualTo(Outcome.NOT_SENT);
    }

    @Test
    default void closingIsAllowedRepeatedlyAndBeforeTheStart() {
        Transport neverStarted = newTransport();
        neverStarted.close();
        neverStarted.close();
        Started started = start(echo());
        started.transport().close();
        started.transport().close();
    }

    @Test
    default void aStartThatIsOvertakenByClosingCompletes() {
        for (int i = 0; i < 5; i++) {
            Transport transport = newTransport();
            transports().add(transport);
            CompletableFuture<Void> starting = transport.start(echo()).toCompletableFuture();
            transport.close();
            eventually().until(starting::isDone);
            assertThat(failure(transport
                                    .call(Node.of("any", "127.0.0.1:1"), Frame.of(NO_BYTES), within(PATIENCE))
                                    .toCompletableFuture())
                            .outcome())
                    .isEqualTo(Outcome.NOT_SENT);
        }
    }

    @Test
    default void aTransportHasAName() {
        assertThat(start(echo()).transport().name()).isNotBlank();
    }

    @Test
    default void aSecondStartFailsAndLeavesTheFirstAlone() {
        Started server = start(echo());
        assertThat(failure(server.transport()
                                .start((request, context) -> CompletableFuture.completedFuture(bytes("usurper")))
                                .thenApply(done -> NO_BYTES)
                                .toCompletableFuture())
                        .reason())
                .isEqualTo(TransportException.Reason.STARTED);
        assertThat(reply(start(echo()).call(server, bytes("a"), within(PATIENCE))))
                .isEqualTo(bytes("a"));
    }

    @Test
    @Tag("core")
    default void aTransportThatIsNotStartedOrClosedSendsNothing() {
        Recorder recorder = new Recorder(echo());
        Started server = start(recorder);
        Transport transport = newTransport();
        transports().add(transport);
        assertThat(failure(transport
                                .call(server.node(), Frame.of(NO_BYTES), within(PATIENCE))
                                .toCompletableFuture())
                        .outcome())
                .isEqualTo(Outcome.NOT_SENT);
        transport.close();
        assertThat(failure(transport
                                .call(server.node(), Frame.of(NO_BYTES), within(PATIENCE))
                                .toCompletableFuture())
                        .outcome())
                .isEqualTo(Outcome.NOT_SENT);
        failure(transport.start(echo()).thenApply(done -> NO_BYTES).toCompletableFuture());
        reply(start(echo()).call(server, NO_BYTES, within(PATIENCE)));
        assertThat(recorder.count()).isEqualTo(1);
    }

    @Test
    default void closingEndsThousandsOfCallsOnBothSides() {
        for (boolean callerCloses : new boolean[] {true, false}) {
            Recorder recorder = new Recorder((request, context) -> new CompletableFuture<>());
            Started server = startRoomy(recorder);
            Started client = startRoomy(echo());
            List<CompletableFuture<byte[]>> calls = new ArrayList<>();
            for (int i = 0; i < 5_000; i++) {
                calls.add(client.call(server, number(i), within(Duration.ofHours(1))));
            }
            recorder.awaitCount(Math.min(5_000, requestsAtAHandler()));
            (callerCloses ? client : server).transport().close();
            int unknown = 0;
            for (CompletableFuture<byte[]> call : calls) {
                unknown += failure(call).outcome() == Outcome.UNKNOWN ? 1 : 0;
            }
            assertThat(unknown).isGreaterThanOrEqualTo(Math.min(5_000, requestsAtAHandler()));
        }
    }

    @Test
    default void callsThatRaceWithClosingAllEnd() throws Exception {
        for (int round = 0; round < 5; round++) {
            Started server = start(echo());
            Started client = start(echo());
            Queue<CompletableFuture<byte[]>> calls = new ConcurrentLinkedQueue<>();
            ExecutorService threads = Executors.newFixedThreadPool(4);
            try {
                List<Future<?>> workers = new ArrayList<>();
                for (int t = 0; t < 3; t++) {
                    workers.add(threads.submit(() -> {
                        for (int i = 0; i < 500; i++) {
                            calls.add(client.call(server, number(i), within(PATIENCE)));
                        }
                    }));
                }
                eventually().until(() -> calls.size() > 100);
                workers.add(threads.submit(() -> client.transport().close()));
                client.transport().close();
                for (Future<?> worker : workers) {
                    worker.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                }
            } finally {
                threads.shutdown();
            }
            assertThat(calls).hasSize(1_500);
            calls.forEach(Calls::outcomeOf);
        }
    }

    @Test
    default void twoClustersInOneJvmLeaveEachOtherAlone() {
        Started mortalServer = start((request, context) -> CompletableFuture.completedFuture(bytes("mortal")));
        Started mortalClient = start(echo());
        Started server = start((request, context) -> CompletableFuture.completedFuture(negated(request)));
        Started client = start(echo());
        List<CompletableFuture<byte[]>> calls = new ArrayList<>();
        List<CompletableFuture<byte[]>> mortalCalls = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            calls.add(client.call(server, number(i), within(PATIENCE)));
            mortalCalls.add(mortalClient.call(mortalServer, number(i), within(PATIENCE)));
            if (i == 100) {
                mortalClient.transport().close();
            }
            if (i == 200) {
                mortalServer.transport().close();
            }
        }
        for (int i = 0; i < calls.size(); i++) {
            assertThat(reply(calls.get(i))).isEqualTo(negated(number(i)));
            if (i > 100) {
                assertThat(failure(mortalCalls.get(i)).outcome()).isEqualTo(Outcome.NOT_SENT);
            } else if (outcomeOf(mortalCalls.get(i)) == null) {
                assertThat(reply(mortalCalls.get(i))).isEqualTo(bytes("mortal"));
            }
        }
    }

    @Test
    @Tag("core")
    default void closedTransportsLeaveNoFilesOrSocketsOpen() {
        assumeTrue(closesFiles(), "its library leaves them to the garbage collector");
        // Files that the first use of a transport opens permanently are no leak.
        useAndClose();
        long before = OpenFiles.count();
        for (int round = 0; round < 20; round++) {
            useAndClose();
        }
        // Fewer than one for each iteration.
        OpenFiles.expectAtMost(before + 15);
    }

    private void useAndClose() {
        Started server = start(echo());
        Started client = start(echo());
        for (int i = 0; i < 5; i++) {
            reply(client.call(server, number(i), within(PATIENCE)));
        }
        CallContext cancelled = within(PATIENCE);
        CompletableFuture<byte[]> call = client.call(server, number(0), cancelled);
        cancelled.cancel();
        outcomeOf(call);
        client.transport().close();
        server.transport().close();
    }
}
