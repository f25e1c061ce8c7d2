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
import static io.dht4j.testkit.transport.Calls.withEnoughTime;
import static io.dht4j.testkit.transport.Calls.within;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.spi.CallContext;
import io.dht4j.spi.TransportException.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Calls end by their deadlines, and handlers know the deadlines. A part of {@link TransportContract}. */
interface DeadlinesSuite extends TransportHarness {

    @Test
    @Tag("core")
    default void aDeadlineThatHasPassedKeepsACallFromBeingSent() {
        Recorder recorder = new Recorder(echo());
        Started server = start(recorder);
        Started client = start(echo());
        assertThat(failure(client.call(server, NO_BYTES, within(Duration.ZERO))).outcome())
                .isEqualTo(Outcome.NOT_SENT);
        reply(client.call(server, NO_BYTES, within(PATIENCE)));
        assertThat(recorder.count()).isEqualTo(1);
    }

    @Test
    @Tag("core")
    default void callWithoutAReplyIsUnknownAtItsDeadline() {
        Started client = start(echo());
        withEnoughTime(time -> {
            // A new recorder for each attempt, so that a late request of an earlier attempt is not counted.
            Recorder recorder = new Recorder((request, unused) -> new CompletableFuture<>());
            Started server = start(recorder);
            CallContext context = within(time);
            Outcome outcome = failure(client.call(server, NO_BYTES, context)).outcome();
            assertThat(context.isExpired()).isTrue();
            if (recorder.count() == 0) {
                return false;
            }
            assertThat(outcome).isEqualTo(Outcome.UNKNOWN);
            return true;
        });
    }

    @Test
    default void callsWithDifferentDeadlinesEndEachAtItsOwn() {
        Started server = start((request, context) -> new CompletableFuture<>());
        Started client = start(echo());
        CompletableFuture<byte[]> late = client.call(server, NO_BYTES, within(PATIENCE));
        List<CallContext> contexts = new ArrayList<>();
        List<CompletableFuture<byte[]>> calls = new ArrayList<>();
        for (int millis : new int[] {600, 200, 400, 300, 500}) {
            contexts.add(within(Duration.ofMillis(millis)));
            calls.add(client.call(server, NO_BYTES, contexts.get(contexts.size() - 1)));
        }
        for (int i = 0; i < calls.size(); i++) {
            failure(calls.get(i));
            assertThat(contexts.get(i).isExpired()).isTrue();
        }
        assertThat(late).isNotDone();
    }

    @Test
    default void theHandlerSeesHowMuchTimeIsLeft() {
        CompletableFuture<Long> seen = new CompletableFuture<>();
        Started server = start((request, context) -> {
            seen.complete(context.remainingNanos());
            return CompletableFuture.completedFuture(request);
        });
        Started client = start(echo());
        reply(client.call(server, NO_BYTES, within(PATIENCE)));
        assertThat(seen.join()).isPositive().isLessThanOrEqualTo(PATIENCE.toNanos());
    }

    @Test
    default void handlerDeadlineIsAtMostTheCallers() {
        Started client = start(echo());
        withEnoughTime(time -> {
            CompletableFuture<CallContext> seen = new CompletableFuture<>();
            CompletableFuture<Long> left = new CompletableFuture<>();
            Started server = start((request, context) -> {
                left.complete(context.remainingNanos());
                seen.complete(context);
                return new CompletableFuture<>();
            });
            Outcome outcome =
                    failure(client.call(server, NO_BYTES, within(time))).outcome();
            if (!seen.isDone()) {
                return false;
            }
            assertThat(outcome).isEqualTo(Outcome.UNKNOWN);
            assertThat(left.join()).isLessThanOrEqualTo(time.toNanos());
            eventually().until(() -> seen.join().isExpired());
            return true;
        });
    }

    @Test
    default void repliesAfterTheDeadlineAreDroppedHarmlessly() {
        Queue<Runnable> late = new ConcurrentLinkedQueue<>();
        Started server = start((request, context) -> {
            if (numberIn(request) % 2 == 0) {
                return CompletableFuture.completedFuture(negated(request));
            }
            CompletableFuture<byte[]> reply = new CompletableFuture<>();
            late.add(() -> reply.complete(request));
            return reply;
        });
        Started client = start(echo());
        for (int round = 0; round < 3; round++) {
            List<CompletableFuture<byte[]>> good = new ArrayList<>();
            List<CompletableFuture<byte[]>> bad = new ArrayList<>();
            for (int i = 0; i < 50; i += 2) {
                bad.add(client.call(server, number(i + 1), within(Duration.ofMillis(50))));
                good.add(client.call(server, number(i), within(PATIENCE)));
            }
            bad.forEach(Calls::failure);
            for (Runnable reply = late.poll(); reply != null; reply = late.poll()) {
                reply.run();
            }
            for (int i = 0; i < good.size(); i++) {
                assertThat(reply(good.get(i))).isEqualTo(negated(number(2 * i)));
                assertThat(reply(client.call(server, number(2 * i), within(PATIENCE))))
                        .isEqualTo(negated(number(2 * i)));
            }
        }
    }

    @Test
    default void thousandsOfCallsWithHardlyAnyTimeAllEnd() {
        Started server = start(echo());
        Started client = start(echo());
        SplittableRandom random = new SplittableRandom(1);
        List<CompletableFuture<byte[]>> calls = new ArrayList<>();
        for (int i = 0; i < 3_000; i++) {
            calls.add(client.call(server, number(i), within(Duration.ofNanos(random.nextInt(5_000_000)))));
        }
        for (int i = 0; i < calls.size(); i++) {
            if (outcomeOf(calls.get(i)) == null) {
                assertThat(reply(calls.get(i))).isEqualTo(number(i));
            }
        }
        assertThat(reply(client.call(server, bytes("next"), within(PATIENCE)))).isEqualTo(bytes("next"));
    }
}
