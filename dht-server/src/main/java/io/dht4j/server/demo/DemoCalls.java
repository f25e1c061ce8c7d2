package io.dht4j.server.demo;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.Value;
import io.dht4j.server.client.BackOff;
import io.dht4j.server.demo.UnicodeNames.Named;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/** Calls the nodes of the demo. For one thread. */
final class DemoCalls {

    /** The options of all calls. */
    static final CallOptions PATIENT = CallOptions.defaults().withTimeout(Duration.ofSeconds(30));

    private static final int IN_FLIGHT = 256;

    private final BooleanSupplier isStopAsked;

    DemoCalls(BooleanSupplier isStopAsked) {
        this.isStopAsked = isStopAsked;
    }

    /**
     * Runs a call for each thing with a bounded number in flight, and waits for all; fails as the first failed call
     * does.
     */
    <T> void inParallel(List<T> things, Function<T, CompletionStage<?>> call) {
        InFlightLimiter limiter = new InFlightLimiter(IN_FLIGHT);
        for (T thing : things) {
            checkStop();
            limiter.add(() -> call.apply(thing));
        }
        limiter.await();
    }

    /** Returns whether the user has asked to stop. */
    BooleanSupplier stopAsked() {
        return isStopAsked;
    }

    /** Ends the tour if the user has asked to stop. */
    void checkStop() {
        if (isStopAsked.getAsBoolean()) {
            throw new Demo.StoppedException();
        }
    }

    /** Reads a character's name, and requires that it is the right one. */
    static CompletionStage<Void> read(Cluster cluster, Named character) {
        return BackOff.call(() -> cluster.get(Key.of(character.key()), PATIENT)).thenAccept(value -> {
            String actual = value.map(Value::text).orElse("");
            if (!character.name().equals(actual)) {
                throw new IllegalStateException(character.key() + " should be " + character.name() + ", not " + actual);
            }
        });
    }

    static <T> T join(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }

    static double secondsSince(long start) {
        return (System.nanoTime() - start) / 1e9;
    }
}
