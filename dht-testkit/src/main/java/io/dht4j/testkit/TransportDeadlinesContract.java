package io.dht4j.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.spi.CallContext;
import io.dht4j.spi.TransportException.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Calls end by their deadlines, and handlers know them. A part of {@link TransportContract}. */
public abstract class TransportDeadlinesContract extends TransportConcurrencyContract {

    /** For {@link TransportContract}. */
    protected TransportDeadlinesContract() {}

    @Test
    void a_deadline_that_has_passed_keeps_a_call_from_being_sent() {
        Recorder recorder = new Recorder(echo());
        Started server = start(recorder);
        Started client = start(echo());
        assertThat(failure(client.call(server, NO_BYTES, within(Duration.ZERO))).outcome())
                .isEqualTo(Outcome.NOT_SENT);
        reply(client.call(server, NO_BYTES, within(PATIENCE)));
        assertThat(recorder.count()).isEqualTo(1);
    }

    @Test
    void a_call_without_a_reply_ends_at_its_deadline_with_its_outcome_unknown() {
        Recorder recorder = new Recorder((request, context) -> new CompletableFuture<>());
        Started server = start(recorder);
        Started client = start(echo());
        CallContext context = within(Duration.ofMillis(300));
        CompletableFuture<byte[]> call = client.call(server, NO_BYTES, context);
        recorder.awaitCount(1);
        assertThat(failure(call).outcome()).isEqualTo(Outcome.UNKNOWN);
        assertThat(context.isExpired()).isTrue();
    }

    @Test
    void calls_with_different_deadlines_end_each_at_its_own() {
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
    void the_handler_sees_how_much_time_is_left() {
        CompletableFuture<Long> seen = new CompletableFuture<>();
        Started server = start((request, context) -> {
            seen.complete(context.remainingNanos());
            return CompletableFuture.completedFuture(request);
        });
        Started client = start(echo());
        reply(client.call(server, NO_BYTES, within(PATIENCE)));
        assertThat(seen.join()).isPositive().isLessThanOrEqualTo(PATIENCE.toNanos());
    }
}
