package io.dht4j.core.options;

import io.dht4j.spi.Observer;
import java.util.Objects;
import java.util.Optional;

/**
 * What is reported of the calls of a node. Immutable.
 *
 * @param observer receives what calls and requests have come to; empty if nothing does
 */
public record Observation(Optional<Observer> observer) {

    /** Checks that nothing is null. */
    public Observation {
        Objects.requireNonNull(observer, "observer");
    }

    /**
     * Returns the observation by nobody.
     *
     * @return the default
     */
    public static Observation off() {
        return new Observation(Optional.empty());
    }

    /**
     * Returns the observation by an observer.
     *
     * @param observer the observer
     * @return calls and requests are reported
     */
    public static Observation by(Observer observer) {
        return new Observation(Optional.of(observer));
    }
}
