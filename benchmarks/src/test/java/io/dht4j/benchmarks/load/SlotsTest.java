package io.dht4j.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class SlotsTest {

    @Test
    @Timeout(value = 30, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void an_operation_that_cannot_even_be_begun_ends_the_run_and_is_named() {
        assertThatIllegalStateException()
                .isThrownBy(() -> Slots.run(3, 0.5, slot -> {
                    if (slot == 0) {
                        throw new IllegalArgumentException("no such key");
                    }
                    return CompletableFuture.completedFuture(slot);
                }))
                .withMessageContaining("no such key");
    }
}
