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
import static org.assertj.core.api.Assumptions.assumeThat;

import io.dht4j.spi.CallContext;
import io.dht4j.spi.TransportException.Outcome;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Calls cancelled before, during and after their execution. A part of {@link TransportContract}. */
interface CancellationSuite extends TransportHarness {

    @Test
    @Tag("core")
    default void aCallThatWasCancelledBeforeIsNotSent() {
        Recorder recorder = new Recorder(echo());
        Started server = start(recorder);
        Started client = start(echo());
        CallContext context = within(PATIENCE);
        context.cancel();
        assertThat(failure(client.call(server, NO_BYTES, context)).outcome()).isEqualTo(Outcome.NOT_SENT);
        reply(client.call(server, NO_BYTES, within(PATIENCE)));
        assertThat(recorder.count()).isEqualTo(1);
    }

    @Test
    @Tag("core")
    default void callCancelledDuringItsHandlerEndsAsUnknown() {
        Recorder recorder = new Recorder((request, context) ->
                request.length == 0 ? new CompletableFuture<>() : CompletableFuture.completedFuture(request));
        Started server = start(recorder);
        Started client = start(echo());
        CallContext context = within(PATIENCE);
        CompletableFuture<byte[]> call = client.call(server, NO_BYTES, context);
        recorder.awaitCount(1);
        context.cancel();
        assertThat(failure(call).outcome()).isEqualTo(Outcome.UNKNOWN);
        assertThat(reply(client.call(server, bytes("next"), within(PATIENCE)))).isEqualTo(bytes("next"));
    }

    @Test
    default void cancellingAfterTheReplyChangesNothing() {
        Started server = start(echo());
        Started client = start(echo());
        CallContext context = within(PATIENCE);
        CompletableFuture<byte[]> call = client.call(server, bytes("a"), context);
        assertThat(reply(call)).isEqualTo(bytes("a"));
        context.cancel();
        assertThat(call).isCompletedWithValueMatching(value -> Arrays.equals(value, bytes("a")));
        assertThat(reply(client.call(server, bytes("b"), within(PATIENCE)))).isEqualTo(bytes("b"));
    }

    @Test
    default void theHandlerIsCancelledWhenItsCallerLosesInterest() {
        assumeThat(cancelsHandlers()).isTrue();
        CompletableFuture<CallContext> seen = new CompletableFuture<>();
        CompletableFuture<Void> cancelled = new CompletableFuture<>();
        Started server = start((request, context) -> {
            context.onCancel(() -> cancelled.complete(null));
            seen.complete(context);
            return new CompletableFuture<>();
        });
        Started client = start(echo());
        CallContext context = within(PATIENCE);
        CompletableFuture<byte[]> call = client.call(server, NO_BYTES, context);
        eventually().until(seen::isDone);
        assertThat(seen.join().isCancelled()).isFalse();
        context.cancel();
        assertThat(failure(call).outcome()).isEqualTo(Outcome.UNKNOWN);
        eventually().until(cancelled::isDone);
        assertThat(seen.join().isCancelled()).isTrue();
    }

    @Test
    default void theHandlerOfAnAnsweredCallIsNotCancelledWithOthers() {
        Queue<CallContext> answered = new ConcurrentLinkedQueue<>();
        Started server = start((request, context) -> {
            if (request.length == 0) {
                return new CompletableFuture<>();
            }
            answered.add(context);
            return CompletableFuture.completedFuture(request);
        });
        Started client = start(echo());
        CallContext context = within(PATIENCE);
        CompletableFuture<byte[]> held = client.call(server, NO_BYTES, context);
        reply(client.call(server, bytes("a"), within(PATIENCE)));
        context.cancel();
        failure(held);
        reply(client.call(server, bytes("b"), within(PATIENCE)));
        assertThat(answered).hasSize(2).noneMatch(CallContext::isCancelled);
    }

    @Test
    default void cancellingACallThatIsAnsweredLeavesTheNextOneAlone() {
        Queue<CompletableFuture<byte[]>> held = new ConcurrentLinkedQueue<>();
        Started server = start((request, context) -> {
            if (numberIn(request) % 2 == 0) {
                return CompletableFuture.completedFuture(request);
            }
            CompletableFuture<byte[]> reply = new CompletableFuture<>();
            held.add(reply);
            return reply;
        });
        Started client = start(echo());
        for (int i = 0; i < 200; i += 2) {
            CallContext context = within(PATIENCE);
            reply(client.call(server, number(i), context));
            CompletableFuture<byte[]> next = client.call(server, number(i + 1), within(PATIENCE));
            context.cancel();
            while (held.isEmpty()) {
                assertThat(next).isNotDone();
                Thread.onSpinWait();
            }
            held.remove().complete(number(i));
            assertThat(reply(next)).isEqualTo(number(i));
        }
    }

    @Test
    default void oneContextEndsAllItsCalls() {
        Recorder recorder = new Recorder((request, context) -> new CompletableFuture<>());
        Started one = start(recorder);
        Started two = start(recorder);
        Started client = start(echo());
        CallContext context = within(PATIENCE);
        List<CompletableFuture<byte[]>> calls = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            calls.add(client.call(i % 2 == 0 ? one : two, number(i), context));
        }
        recorder.awaitCount(1);
        context.cancel();
        calls.forEach(Calls::failure);
    }

    @Test
    default void cancellingAtAnyMomentLeavesTheCallsBesideAlone() {
        ExecutorService cancellers = Executors.newFixedThreadPool(2);
        try {
            Started server = start((request, context) -> CompletableFuture.completedFuture(negated(request)));
            Started client = start(echo());
            SplittableRandom random = new SplittableRandom(1);
            List<CompletableFuture<byte[]>> calls = new ArrayList<>();
            List<CallContext> unlucky = new ArrayList<>();
            for (int i = 0; i < 4_000; i++) {
                CallContext context = within(PATIENCE);
                calls.add(client.call(server, number(i), context));
                if (i % 2 == 1) {
                    unlucky.add(context);
                    // One of the last few calls: some are waiting, some sent, some answered.
                    CallContext chosen = unlucky.get(unlucky.size() - 1 - random.nextInt(Math.min(40, unlucky.size())));
                    if (random.nextBoolean()) {
                        chosen.cancel();
                    } else {
                        cancellers.execute(chosen::cancel);
                    }
                }
            }
            for (int i = 0; i < calls.size(); i++) {
                if (i % 2 == 0 || outcomeOf(calls.get(i)) == null) {
                    assertThat(reply(calls.get(i))).isEqualTo(negated(number(i)));
                }
            }
        } finally {
            cancellers.shutdown();
        }
    }
}
