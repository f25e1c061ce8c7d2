package io.dht4j.core.options;

import io.dht4j.Ranges;
import io.dht4j.spi.FrequencySketch;
import io.dht4j.spi.Observer;
import io.dht4j.spi.Tracer;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The receivers of reports about a node's calls. Immutable.
 *
 * @param observer receives the outcomes of calls and requests; empty without an observer
 * @param slowCalls the minimum duration of a call that is logged as slow; empty if none is
 * @param tracer records spans of calls and requests; empty without a tracer
 * @param sketches creates the sketches that find hot keys; empty if these are not counted
 */
public record Observation(
        Optional<Observer> observer,
        Optional<Duration> slowCalls,
        Optional<Tracer> tracer,
        Optional<Supplier<FrequencySketch>> sketches) {

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException if one is out of its range
     */
    public Observation {
        Objects.requireNonNull(observer, "observer");
        Objects.requireNonNull(tracer, "tracer");
        Objects.requireNonNull(sketches, "sketches");
        slowCalls.ifPresent(least -> Ranges.require("slowCalls", least, Duration.ofMillis(1), Duration.ofHours(1)));
    }

    /**
     * Returns the observation without receivers.
     *
     * @return the default
     */
    public static Observation off() {
        return new Observation(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
    }

    /**
     * Returns a copy with an observer.
     *
     * @param other the observer
     * @return calls and requests are reported
     */
    public Observation withObserver(Observer other) {
        return new Observation(Optional.of(other), slowCalls, tracer, sketches);
    }

    /**
     * Returns a copy with a log of slow calls.
     *
     * @param least how long a slow call takes at least, 1 millisecond to 1 hour
     * @return slow calls are logged
     */
    public Observation withSlowCalls(Duration least) {
        return new Observation(observer, Optional.of(least), tracer, sketches);
    }

    /**
     * Returns a copy with a tracer.
     *
     * @param other the tracer
     * @return spans of calls and requests are recorded
     */
    public Observation withTracer(Tracer other) {
        return new Observation(observer, slowCalls, Optional.of(other), sketches);
    }

    /**
     * Returns a copy with sketches.
     *
     * @param created creates an empty sketch
     * @return hot keys are counted on demand
     */
    public Observation withSketches(Supplier<FrequencySketch> created) {
        return new Observation(observer, slowCalls, tracer, Optional.of(created));
    }
}
