package io.dht4j.spring.boot;

import io.dht4j.client.RemoteOptions;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.spi.Observer;
import io.dht4j.spi.Tracer;
import java.util.Optional;

/** The beans that watch a cluster. */
record Observation(Optional<Observer> observer, Optional<Tracer> tracer) {

    /** Adds them to a node. */
    void addTo(ClusterBuilder builder) {
        observer.ifPresent(builder::observer);
        tracer.ifPresent(builder::tracer);
    }

    /** Returns the options of a client with them. */
    RemoteOptions addTo(RemoteOptions options) {
        RemoteOptions observed = observer.map(options::withObserver).orElse(options);
        return tracer.map(observed::withTracer).orElse(observed);
    }
}
