package io.dht4j.benchmarks.load.closed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.lab.internal.load.LoadClient;
import io.dht4j.lab.internal.load.LoadException;
import io.dht4j.lab.internal.load.Outcome;
import io.dht4j.lab.workload.ValueSizes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class ReadBackTest {

    /** Lacks key 3, fails to read key 5, and throws at key 7. */
    private static final class Client implements LoadClient {

        private final List<Long> read = Collections.synchronizedList(new ArrayList<>());

        @Override
        public CompletionStage<Outcome> get(long key) {
            read.add(key);
            if (key == 7) {
                throw new IllegalStateException("against the contract");
            }
            return key == 5
                    ? CompletableFuture.failedFuture(new LoadException("TIMEOUT", "no answer"))
                    : CompletableFuture.completedFuture(key == 3 ? Outcome.ABSENT : Outcome.DONE);
        }

        @Override
        public CompletionStage<Outcome> put(long key, int valueBytes) {
            throw new AssertionError("reading back writes nothing");
        }

        @Override
        public ValueSizes valueSizes() {
            return new ValueSizes.Fixed(1);
        }

        @Override
        public void close() {}
    }

    @Test
    void eachKeyIsReadOnceAndThoseThatAreNotThereAreCounted() throws Exception {
        Client client = new Client();

        ReadBack.Result result = ReadBack.of(client, 10, 2);

        assertThat(client.read)
                .containsExactlyElementsOf(LongStream.range(0, 10).boxed().toList());
        assertThat(result.found()).isEqualTo(7);
        assertThat(result.absent()).isEqualTo(1);
        assertThat(result.errors()).isEqualTo(Map.of("TIMEOUT", 1L, "IllegalStateException", 1L));
    }

    @Test
    void impossibleNumbersAreRefused() {
        assertThatThrownBy(() -> ReadBack.of(new Client(), -1, 1)).hasMessageContaining("-1 is not 0 or more");
        assertThatThrownBy(() -> ReadBack.of(new Client(), 1, 0)).hasMessageContaining("0 is not 1 to 1,000,000");
    }
}
