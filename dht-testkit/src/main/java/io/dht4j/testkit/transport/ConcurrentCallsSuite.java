package io.dht4j.testkit.transport;

import static io.dht4j.testkit.transport.Calls.NO_BYTES;
import static io.dht4j.testkit.transport.Calls.PATIENCE;
import static io.dht4j.testkit.transport.Calls.bytes;
import static io.dht4j.testkit.transport.Calls.echo;
import static io.dht4j.testkit.transport.Calls.eventually;
import static io.dht4j.testkit.transport.Calls.failure;
import static io.dht4j.testkit.transport.Calls.negated;
import static io.dht4j.testkit.transport.Calls.number;
import static io.dht4j.testkit.transport.Calls.numberIn;
import static io.dht4j.testkit.transport.Calls.outcomeOf;
import static io.dht4j.testkit.transport.Calls.reply;
import static io.dht4j.testkit.transport.Calls.within;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.spi.Frame;
import io.dht4j.spi.Transport;
import io.dht4j.spi.TransportException.Outcome;
import io.dht4j.spi.TransportException.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Concurrent calls from many threads, in any order, each with its own reply. A part of {@link TransportContract}. */
interface ConcurrentCallsSuite extends TransportHarness {

    @Test
    @Tag("core")
    default void aThousandCallsAtATimeEachGetTheirOwnReply() {
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            Started server =
                    start((request, context) -> CompletableFuture.supplyAsync(() -> negated(request), threads));
            Started client = start(echo());
            int calls = 1_000;
            List<CompletableFuture<byte[]>> replies = new ArrayList<>();
            for (int i = 0; i < calls; i++) {
                replies.add(client.call(server, number(i), within(PATIENCE)));
            }
            for (int i = 0; i < calls; i++) {
                assertThat(reply(replies.get(i))).isEqualTo(negated(number(i)));
            }
        } finally {
            threads.shutdown();
        }
    }

    @Test
    default void manyThreadsMayCallAtTheSameTime() {
        Started server = start((request, context) -> CompletableFuture.completedFuture(negated(request)));
        Started client = start(echo());
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            List<CompletableFuture<Void>> callers = new ArrayList<>();
            for (int t = 0; t < 8; t++) {
                int from = t * 1_000;
                callers.add(CompletableFuture.runAsync(
                        () -> {
                            for (int i = from; i < from + 100; i++) {
                                assertThat(reply(client.call(server, number(i), within(PATIENCE))))
                                        .isEqualTo(negated(number(i)));
                            }
                        },
                        threads));
            }
            callers.forEach(caller -> reply(caller.thenApply(done -> NO_BYTES)));
        } finally {
            threads.shutdown();
        }
    }

    @Test
    @Tag("core")
    default void aLaterCallMayBeAnsweredFirst() {
        CompletableFuture<byte[]> held = new CompletableFuture<>();
        Started server =
                start((request, context) -> request.length == 0 ? held : CompletableFuture.completedFuture(request));
        Started client = start(echo());
        CompletableFuture<byte[]> first = client.call(server, NO_BYTES, within(PATIENCE));
        for (int i = 0; i < 20; i++) {
            assertThat(reply(client.call(server, number(i), within(PATIENCE)))).isEqualTo(number(i));
        }
        assertThat(first).isNotDone();
        held.complete(bytes("at last"));
        assertThat(reply(first)).isEqualTo(bytes("at last"));
    }

    @Test
    default void nodesCallEachOtherAndThemselves() {
        Started one = start((request, context) -> CompletableFuture.completedFuture(bytes("one")));
        Started two = start((request, context) -> CompletableFuture.completedFuture(bytes("two")));
        assertThat(reply(one.call(two, NO_BYTES, within(PATIENCE)))).isEqualTo(bytes("two"));
        assertThat(reply(two.call(one, NO_BYTES, within(PATIENCE)))).isEqualTo(bytes("one"));
        assertThat(reply(one.call(one, NO_BYTES, within(PATIENCE)))).isEqualTo(bytes("one"));
    }

    @Test
    default void aHandlerMayCallOn() {
        Started last = start(echo());
        Transport middle = newTransport();
        transports().add(middle);
        start(middle, (request, context) -> middle.call(last.node(), Frame.of(negated(request)), context));
        Started first = start(echo());
        assertThat(reply(first.call(new Started(middle, address(middle)), number(7), within(PATIENCE))))
                .isEqualTo(negated(number(7)));
    }

    @Test
    default void tenThousandCallsMayBeInFlightAtOneTime() {
        CompletableFuture<Void> go = new CompletableFuture<>();
        Recorder recorder = new Recorder((request, context) -> go.thenApply(now -> negated(request)));
        Started server = startRoomy(recorder);
        Started client = startRoomy(echo());
        List<CompletableFuture<byte[]>> calls = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            calls.add(client.call(server, number(i), within(PATIENCE)));
        }
        recorder.awaitCount(Math.min(10_000, requestsAtAHandler()));
        assertThat(calls).noneMatch(CompletableFuture::isDone);
        go.complete(null);
        for (int i = 0; i < calls.size(); i++) {
            assertThat(reply(calls.get(i))).isEqualTo(negated(number(i)));
        }
        assertThat(recorder.count()).isEqualTo(10_000);
    }

    @Test
    @Tag("core")
    default void requestsThatAPeerHasNoRoomForAreNotSentForThatReason() {
        int count = 80;
        CompletableFuture<byte[]> held = new CompletableFuture<>();
        Recorder recorder = new Recorder((request, context) -> held);
        Started server = start(newNarrowTransport(), recorder);
        Started client = start(echo());
        List<CompletableFuture<byte[]>> calls = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            calls.add(client.call(server, NO_BYTES, within(PATIENCE)));
        }
        int refused = Math.max(0, count - requestsAtNarrowTransport());
        eventually()
                .until(() -> calls.stream().filter(CompletableFuture::isDone).count() >= refused);
        held.complete(bytes("b"));
        long answered = calls.stream().filter(call -> outcomeOf(call) == null).count();
        assertThat(answered).isEqualTo(recorder.count()).isLessThanOrEqualTo(count - refused);
        calls.stream()
                .filter(CompletableFuture::isCompletedExceptionally)
                .forEach(call -> assertThat(failure(call))
                        .extracting("outcome", "reason")
                        .containsExactly(Outcome.NOT_SENT, Reason.NO_ROOM));
    }

    @Test
    default void repliesMayComeInTheOppositeOrderOfTheirCalls() {
        int count = Math.min(8, requestsAtAHandler());
        List<CompletableFuture<byte[]>> held = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            held.add(new CompletableFuture<>());
        }
        Recorder recorder = new Recorder((request, context) -> held.get(numberIn(request)));
        Started server = start(recorder);
        Started client = start(echo());
        List<CompletableFuture<byte[]>> calls = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            calls.add(client.call(server, number(i), within(PATIENCE)));
        }
        recorder.awaitCount(count);
        for (int i = count - 1; i >= 0; i--) {
            held.get(i).complete(negated(number(i)));
            assertThat(reply(calls.get(i))).isEqualTo(negated(number(i)));
            assertThat(calls.subList(0, i)).noneMatch(CompletableFuture::isDone);
        }
    }
}
