package io.dht4j.core.internal.observation;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.ErrorCode;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.spi.Environment;
import io.dht4j.spi.Observer;
import io.dht4j.spi.Observer.Call;
import io.dht4j.spi.Observer.Outcome;
import io.dht4j.spi.Observer.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

class ObservationsTest {

    private static final NodeId NODE = new NodeId("n1");

    private final TickingClock clock = new TickingClock();

    @Test
    void withoutAnObserverNothingIsCreatedAndNoClockIsRead() {
        Observations none = new Observations(Optional.empty(), Optional.empty(), Optional.empty(), clock);
        assertThat(none.begin(Call.GET, 0, CallOptions.defaults())).isNull();
        assertThat(none.begin(Node.of("n1", "localhost:1"), false, Request.READ, null))
                .isNull();
        none.retain(Set.of(NODE));
        assertThat(clock.reads).isZero();
    }

    @Test
    void aCallIsReportedWithItsOutcomeAndDuration() {
        List<String> seen = new ArrayList<>();
        Observer observer = (call, outcome, nanos) -> seen.add(call + " " + outcome + " " + nanos);
        Observations observations = new Observations(Optional.of(observer), Optional.empty(), Optional.empty(), clock);
        observations.begin(Call.PUT, 0, CallOptions.defaults()).ended(null);
        observations
                .begin(Call.GET, 0, CallOptions.defaults())
                .ended(new CompletionException(new CancellationException()));
        observations.begin(Call.GET, 0, CallOptions.defaults()).ended(new IllegalStateException("unexpected"));
        assertThat(seen).containsExactly("PUT SUCCESS 1", "GET CANCELLED 1", "GET INTERNAL 1");
    }

    @Test
    void eachErrorHasOneOutcomeOfItsName() {
        for (ErrorCode code : ErrorCode.values()) {
            assertThat(Outcome.of(code)).isSameAs(Outcome.of(code)).hasToString(code.name());
            assertThat(Outcome.of(code).error()).contains(code);
        }
    }

    @Test
    void whatAnObserverThrowsGoesNoFurther() {
        Observer throwing = (call, outcome, nanos) -> {
            throw new StackOverflowError("says this test");
        };
        Observations observations = new Observations(Optional.of(throwing), Optional.empty(), Optional.empty(), clock);
        observations.begin(Call.GET, 0, CallOptions.defaults()).ended(null);
        observations.begin(Call.GET, 0, CallOptions.defaults()).ended(null);
    }

    /** A clock that moves on by a nanosecond whenever it is read. */
    private static final class TickingClock implements Environment {

        private long reads;

        @Override
        public long nanoTime() {
            return reads++;
        }

        @Override
        public long currentTimeMillis() {
            throw new UnsupportedOperationException();
        }

        @Override
        public RandomGenerator random() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Executor executor() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Executor storeExecutor() {
            throw new UnsupportedOperationException();
        }

        @Override
        public int storeThreads() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Timer schedule(Runnable task, long delayNanos) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {}
    }
}
