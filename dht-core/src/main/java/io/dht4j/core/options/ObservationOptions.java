package io.dht4j.core.options;

import static java.util.Objects.requireNonNull;

import io.dht4j.spi.FrequencySketch;
import io.dht4j.spi.Observer;
import io.dht4j.spi.Tracer;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * The options of a node for reports about its calls. Confined to one thread.
 *
 * @param <B> the builder, which each method returns
 */
public abstract class ObservationOptions<B extends ObservationOptions<B>> {

    private Observation observation = Observation.off();

    /** Creates the defaults. */
    protected ObservationOptions() {}

    /**
     * Returns this builder.
     *
     * @return this
     */
    protected abstract B self();

    /**
     * Sets the receiver of the outcomes and durations of calls and of requests to other nodes. Default: none, and calls
     * read no clock for it.
     *
     * @param observer the observer, which the caller closes after the cluster if it needs that
     * @return this builder
     */
    public B observer(Observer observer) {
        observation = observation.withObserver(requireNonNull(observer, "observer"));
        return self();
    }

    /**
     * Sets the tracer of calls, of requests between nodes and of operations of the store. Default: none, and frames
     * carry no trace context.
     *
     * @param tracer the tracer, which the caller closes after the cluster if it needs that
     * @return this builder
     */
    public B tracer(Tracer tracer) {
        observation = observation.withTracer(requireNonNull(tracer, "tracer"));
        return self();
    }

    /**
     * Sets how long a call takes at least that is logged as slow, with its requests. Default: no call is. The last 128
     * are kept, see {@link io.dht4j.NodeDiagnostics#slowCalls}.
     *
     * @param slowCalls 1 millisecond to 1 hour
     * @return this builder
     */
    public B slowCalls(Duration slowCalls) {
        observation = observation.withSlowCalls(requireNonNull(slowCalls, "slowCalls"));
        return self();
    }

    /**
     * Sets the sketches that find hot keys, see {@link io.dht4j.NodeDiagnostics#hotKeys}. Default: none. A count
     * creates twelve sketches and drops them at its end.
     *
     * @param sketches creates an empty sketch; the module {@code dht-datasketches} has one
     * @return this builder
     */
    public B hotKeys(Supplier<FrequencySketch> sketches) {
        observation = observation.withSketches(requireNonNull(sketches, "sketches"));
        return self();
    }

    /**
     * Returns the receivers of reports.
     *
     * @return the present values
     */
    protected final Observation observation() {
        return observation;
    }
}
