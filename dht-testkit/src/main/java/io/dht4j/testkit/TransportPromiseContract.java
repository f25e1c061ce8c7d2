package io.dht4j.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.spi.CallContext;
import io.dht4j.spi.TransportException.Outcome;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** The promise: <i>not sent</i> is said only of calls that no handler ever saw. A part of {@link TransportContract}. */
public abstract class TransportPromiseContract extends TransportLifecycleContract {

    /** For {@link TransportContract}. */
    protected TransportPromiseContract() {}

    /** Deadlines, cancelled calls and a closing peer, at random: whatever is called not sent was never handled. */
    @Test
    void what_is_said_not_to_be_sent_was_never_handled() {
        for (long seed = 1; seed <= 5; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            Set<Integer> handled = ConcurrentHashMap.newKeySet();
            Started server = start((request, context) -> {
                handled.add(ByteBuffer.wrap(request).getInt());
                return answerMost(request);
            });
            Started client = start(echo());
            List<CompletableFuture<byte[]>> calls = new ArrayList<>();
            List<CallContext> contexts = new ArrayList<>();
            int closeAt = 1_000 + random.nextInt(1_000);
            CompletableFuture<Void> closing = new CompletableFuture<>();
            for (int i = 0; i < 2_000; i++) {
                CallContext context = within(Duration.ofMillis(1 + random.nextInt(200)));
                calls.add(client.call(server, number(i), context));
                contexts.add(context);
                if (random.nextInt(4) == 0) {
                    contexts.get(random.nextInt(contexts.size())).cancel();
                }
                if (i == closeAt) {
                    new Thread(() -> {
                                server.transport().close();
                                closing.complete(null);
                            })
                            .start();
                }
            }
            reply(closing.thenApply(done -> NO_BYTES));
            int answered = 0;
            for (int i = 0; i < calls.size(); i++) {
                if (outcomeOf(calls.get(i)) == null) {
                    answered++;
                }
            }
            client.transport().close();
            for (int i = 0; i < calls.size(); i++) {
                if (outcomeOf(calls.get(i)) == Outcome.NOT_SENT) {
                    assertThat(handled).as("seed %d", seed).doesNotContain(i);
                }
            }
            assertThat(handled.size()).as("seed %d", seed).isGreaterThanOrEqualTo(answered);
        }
    }

    private static CompletionStage<byte[]> answerMost(byte[] request) {
        return ByteBuffer.wrap(request).getInt() % 5 == 0
                ? new CompletableFuture<>()
                : CompletableFuture.completedFuture(request);
    }
}
