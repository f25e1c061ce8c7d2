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
import static io.dht4j.testkit.transport.Calls.reply;
import static io.dht4j.testkit.transport.Calls.within;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.spi.FrameHandler;
import io.dht4j.spi.TransportException.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Failing handlers affect only their own callers. A part of {@link TransportContract}. */
interface HandlersSuite extends TransportHarness {

    @Test
    @Tag("core")
    default void aHandlerThatThrowsFailsOnlyItsOwnCall() {
        assertFailsOnlyItsOwnCall((request, context) -> {
            throw new IllegalStateException("as this test wants it");
        });
    }

    @Test
    default void aHandlerWhoseStageFailsFailsOnlyItsOwnCall() {
        assertFailsOnlyItsOwnCall((request, context) ->
                CompletableFuture.failedFuture(new IllegalStateException("as this test wants it")));
    }

    @Test
    @SuppressWarnings("NullAway") // as in a careless handler
    default void aHandlerThatGivesNothingBackFailsOnlyItsOwnCall() {
        assertFailsOnlyItsOwnCall((request, context) -> null);
        assertFailsOnlyItsOwnCall((request, context) -> CompletableFuture.completedFuture(null));
    }

    private void assertFailsOnlyItsOwnCall(FrameHandler careless) {
        Started server = start((request, context) ->
                request.length == 0 ? careless.handle(request, context) : CompletableFuture.completedFuture(request));
        Started client = start(echo());
        for (int i = 0; i < 3; i++) {
            assertThat(failure(client.call(server, NO_BYTES, within(PATIENCE))).outcome())
                    .isEqualTo(Outcome.UNKNOWN);
            assertThat(reply(client.call(server, bytes("next"), within(PATIENCE))))
                    .isEqualTo(bytes("next"));
        }
    }

    @Test
    default void aHandlerThatThrowsAnErrorFailsOnlyItsOwnCall() {
        assertFailsOnlyItsOwnCall((request, context) -> {
            throw new AssertionError("as this test wants it");
        });
        assertFailsOnlyItsOwnCall((request, context) -> {
            throw new StackOverflowError("as this test wants it");
        });
    }

    @Test
    default void aHandlerThatNeverAnswersCostsOnlyItsOwnCallers() {
        Recorder recorder = new Recorder((request, context) ->
                request.length == 0 ? new CompletableFuture<>() : CompletableFuture.completedFuture(request));
        Started server = start(recorder);
        Started client = start(echo());
        List<CompletableFuture<byte[]>> forgotten = new ArrayList<>();
        for (int i = 0; i < Math.min(5, requestsAtAHandler() - 1); i++) {
            forgotten.add(client.call(server, NO_BYTES, within(Duration.ofHours(1))));
        }
        recorder.awaitCount(forgotten.size());
        for (int i = 0; i < 100; i++) {
            assertThat(reply(client.call(server, number(i), within(PATIENCE)))).isEqualTo(number(i));
        }
        assertThat(forgotten).noneMatch(CompletableFuture::isDone);
        client.transport().close();
        forgotten.forEach(Calls::failure);
    }

    @Test
    default void aHandlerThatAnswersTwiceIsHeardOnce() {
        Queue<CompletableFuture<byte[]>> open = new ConcurrentLinkedQueue<>();
        Started server = start((request, context) -> {
            CompletableFuture<byte[]> reply = new CompletableFuture<>();
            open.add(reply);
            return reply;
        });
        Started client = start(echo());
        for (int i = 0; i < 50; i++) {
            CompletableFuture<byte[]> call = client.call(server, number(i), within(PATIENCE));
            eventually().until(() -> !open.isEmpty());
            CompletableFuture<byte[]> reply = open.remove();
            reply.complete(number(i));
            reply.complete(bytes("another"));
            reply.completeExceptionally(new IllegalStateException("as this test wants it"));
            assertThat(reply(call)).isEqualTo(number(i));
        }
    }

    @Test
    default void failingHandlersBesideGoodOnesTakeNothingFromThem() {
        Started server = start((request, context) -> switch (numberIn(request) % 3) {
            case 0 -> CompletableFuture.completedFuture(negated(request));
            case 1 -> throw new IllegalStateException("as this test wants it");
            default -> CompletableFuture.failedFuture(new IllegalStateException("as this test wants it"));
        });
        Started client = start(echo());
        List<CompletableFuture<byte[]>> calls = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            calls.add(client.call(server, number(i), within(PATIENCE)));
        }
        for (int i = 0; i < calls.size(); i++) {
            if (i % 3 == 0) {
                assertThat(reply(calls.get(i))).isEqualTo(negated(number(i)));
            } else {
                assertThat(failure(calls.get(i)).outcome()).isEqualTo(Outcome.UNKNOWN);
            }
        }
    }
}
