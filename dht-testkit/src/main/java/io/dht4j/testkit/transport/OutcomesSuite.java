package io.dht4j.testkit.transport;

import static io.dht4j.testkit.transport.Calls.PATIENCE;
import static io.dht4j.testkit.transport.Calls.echo;
import static io.dht4j.testkit.transport.Calls.negated;
import static io.dht4j.testkit.transport.Calls.number;
import static io.dht4j.testkit.transport.Calls.numberIn;
import static io.dht4j.testkit.transport.Calls.outcomeOf;
import static io.dht4j.testkit.transport.Calls.ownAddress;
import static io.dht4j.testkit.transport.Calls.reply;
import static io.dht4j.testkit.transport.Calls.within;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.spi.CallContext;
import io.dht4j.spi.FrameHandler;
import io.dht4j.spi.Transport;
import io.dht4j.spi.TransportException.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The outcome <i>not sent</i> is reported only for calls that no handler received. A part of {@link TransportContract}.
 * Each request has a unique number, and the peer records the numbers that reach its handler.
 */
interface OutcomesSuite extends TransportHarness {

    /** How many calls each thread makes. */
    int CALLS_OF_A_THREAD = 1_000;

    @Test
    @Tag("core")
    default void expiredOrCancelledUnsentCallWasNeverHandled() throws Exception {
        for (long seed = 1; seed <= 2; seed++) {
            provoke(seed, newTransport(), 0);
        }
    }

    @Test
    @Tag("core")
    default void notSentCallWasNeverHandledWhenThePeerRestarts() throws Exception {
        for (long seed = 1; seed <= 2; seed++) {
            provoke(seed, newTransport(), 3);
        }
    }

    @Test
    @Tag("core")
    default void notSentCallWasNeverHandledWithLittleRoom() throws Exception {
        for (long seed = 1; seed <= 2; seed++) {
            provoke(seed, newNarrowTransport(), 1);
        }
    }

    /**
     * Makes calls with random deadlines, some of them cancelled, from two threads to a peer that restarts during the
     * calls.
     */
    private void provoke(long seed, Transport caller, int restarts) throws Exception {
        Set<Integer> handled = ConcurrentHashMap.newKeySet();
        FrameHandler handler = (request, context) -> {
            int number = numberIn(request);
            handled.add(number);
            return number % 5 == 0 ? new CompletableFuture<>() : CompletableFuture.completedFuture(negated(request));
        };
        Started server = startAt(ownAddress(), handler);
        transports().add(caller);
        Started client = start(caller, echo());
        Map<Integer, CompletableFuture<byte[]>> calls = new ConcurrentHashMap<>();
        SplittableRandom random = new SplittableRandom(seed);
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            List<Future<?>> callers = new ArrayList<>();
            for (int t = 0; t < 2; t++) {
                int from = t * CALLS_OF_A_THREAD;
                SplittableRandom chance = random.split();
                Started peer = server;
                callers.add(threads.submit(() -> callAtRandom(from, chance, client, peer, calls)));
            }
            for (int i = 0; i < restarts; i++) {
                server.transport().close();
                server = startAt(server.address(), handler);
            }
            for (Future<?> each : callers) {
                each.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdown();
        }
        assertThat(calls).hasSize(2 * CALLS_OF_A_THREAD);
        calls.values().forEach(Calls::outcomeOf);
        // A request still in transit after its call has ended arrives before this, or never.
        client.transport().close();
        server.transport().close();
        calls.forEach((number, call) -> {
            Outcome outcome = outcomeOf(call);
            if (outcome == null) {
                assertThat(reply(call)).as("reply to %d, seed %d", number, seed).isEqualTo(negated(number(number)));
            } else if (outcome == Outcome.NOT_SENT) {
                assertThat(handled).as("not sent, seed %d", seed).doesNotContain(number);
            }
        });
    }

    private static void callAtRandom(
            int from,
            SplittableRandom chance,
            Started client,
            Started peer,
            Map<Integer, CompletableFuture<byte[]>> calls) {
        List<CallContext> contexts = new ArrayList<>();
        for (int i = from; i < from + CALLS_OF_A_THREAD; i++) {
            CallContext context = within(Duration.ofMillis(1 + chance.nextInt(200)));
            CompletableFuture<byte[]> call = client.call(peer, number(i), context);
            calls.put(i, call);
            contexts.add(context);
            if (chance.nextInt(4) == 0) {
                contexts.get(chance.nextInt(contexts.size())).cancel();
            }
            // Bursts with pauses between them.
            if (chance.nextInt(300) == 0) {
                outcomeOf(call);
            }
        }
    }
}
