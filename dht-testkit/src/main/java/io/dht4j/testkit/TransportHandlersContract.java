package io.dht4j.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.spi.FrameHandler;
import io.dht4j.spi.TransportException.Outcome;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Handlers that fail hurt nobody but their own callers. A part of {@link TransportContract}. */
public abstract class TransportHandlersContract extends TransportPeersContract {

    /** For {@link TransportContract}. */
    protected TransportHandlersContract() {}

    @Test
    void a_handler_that_throws_fails_only_its_own_call() {
        assertFailsOnlyItsOwnCall((request, context) -> {
            throw new IllegalStateException("as this test wants it");
        });
    }

    @Test
    void a_handler_whose_stage_fails_fails_only_its_own_call() {
        assertFailsOnlyItsOwnCall((request, context) ->
                CompletableFuture.failedFuture(new IllegalStateException("as this test wants it")));
    }

    @Test
    @SuppressWarnings("NullAway") // what a careless handler may do
    void a_handler_that_gives_nothing_back_fails_only_its_own_call() {
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
}
