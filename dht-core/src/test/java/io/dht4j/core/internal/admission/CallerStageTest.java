package io.dht4j.core.internal.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.dht4j.ErrorCode;
import io.dht4j.UnavailableException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class CallerStageTest {

    /** A failure that has passed through other stages is wrapped already, by what completed them. */
    @Test
    void joinShowsItsCaller() {
        CompletableFuture<String> first = new CompletableFuture<>();
        CompletableFuture<String> given = CallerStage.behind(first.thenApply(text -> text), (text, error) -> {});
        CompletableFuture.runAsync(
                        () -> first.completeExceptionally(new UnavailableException(ErrorCode.NOT_SERVING, "closed")))
                .join();
        Throwable thrown = catchThrowable(given::join);
        assertThat(thrown).hasCauseInstanceOf(UnavailableException.class);
        assertThat(thrown.getStackTrace())
                .extracting(StackTraceElement::getMethodName)
                .contains("joinShowsItsCaller");
    }
}
