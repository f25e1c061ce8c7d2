package io.dht4j.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.spi.CallContext;
import io.dht4j.spi.TransportException.Outcome;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Calls whose callers lose interest, before, while and after they are carried out. A part of {@link TransportContract}. */
public abstract class TransportCancellingContract extends TransportDeadlinesContract {

    /** For {@link TransportContract}. */
    protected TransportCancellingContract() {}

    @Test
    void a_call_that_was_cancelled_before_is_not_sent() {
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
    void a_call_that_is_cancelled_while_the_handler_works_ends_with_its_outcome_unknown() {
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
    void cancelling_after_the_reply_changes_nothing() {
        Started server = start(echo());
        Started client = start(echo());
        CallContext context = within(PATIENCE);
        CompletableFuture<byte[]> call = client.call(server, bytes("a"), context);
        assertThat(reply(call)).isEqualTo(bytes("a"));
        context.cancel();
        assertThat(call).isCompletedWithValueMatching(value -> Arrays.equals(value, bytes("a")));
        assertThat(reply(client.call(server, bytes("b"), within(PATIENCE)))).isEqualTo(bytes("b"));
    }
}
