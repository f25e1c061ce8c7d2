package io.dht4j.server.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.InvalidRequestException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class BackOffTest {

    private final AtomicInteger calls = new AtomicInteger();

    private Supplier<CompletionStage<String>> failing(int times, ErrorCode code) {
        return () -> calls.incrementAndGet() <= times
                ? CompletableFuture.failedFuture(DhtException.of(code, "a failure of the test"))
                : CompletableFuture.completedFuture("done");
    }

    @Test
    void whatABusyNodeRefusesIsCalledAgain() throws Exception {
        CompletionStage<String> outcome = BackOff.call(failing(3, ErrorCode.OVERLOADED));

        assertThat(outcome.toCompletableFuture().get(60, TimeUnit.SECONDS)).isEqualTo("done");
        assertThat(calls).hasValue(4);
    }

    @Test
    void whatCannotSucceedIsCalledOnce() {
        CompletionStage<String> outcome = BackOff.call(failing(3, ErrorCode.KEY_INVALID));

        assertThatThrownBy(() -> outcome.toCompletableFuture().get(60, TimeUnit.SECONDS))
                .hasCauseInstanceOf(InvalidRequestException.class);
        assertThat(calls).hasValue(1);
    }

    private BackOff.Request<String> refusedWith(int times, boolean overload) {
        return () -> {
            if (calls.incrementAndGet() <= times) {
                throw new ClientException("a failure of the test", true, overload, Duration.ZERO);
            }
            return "done";
        };
    }

    @Test
    void aRequestWaitsUntilANodeHasRoomForIt() throws Exception {
        assertThat(BackOff.whileOverloaded(refusedWith(3, true))).isEqualTo("done");
        assertThat(calls).hasValue(4);
    }

    @Test
    void aRequestIsRefusedInTheEndAndAtOnceForAnotherReason() {
        assertThatThrownBy(() -> BackOff.whileOverloaded(refusedWith(Integer.MAX_VALUE, true), Duration.ofMillis(1)))
                .hasMessage("a failure of the test");
        calls.set(0);
        assertThatThrownBy(() -> BackOff.whileOverloaded(refusedWith(1, false))).hasMessage("a failure of the test");
        assertThat(calls).hasValue(1);
    }
}
