package io.dht4j.client;

import static java.util.Objects.requireNonNull;

import io.dht4j.CallOptions;
import io.dht4j.Ranges;
import io.dht4j.spi.Observer;
import io.dht4j.spi.Tracer;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * Options of a {@link RemoteCluster}. Immutable.
 *
 * @param timeout the time limit of calls without one, tries at several nodes included, 1 millisecond to 1 hour
 * @param connectTimeout the time limit of connecting, until one node has answered, 1 millisecond to 1 hour
 * @param scanPageSize the largest number of entries that a scan requests at a time, 1 to 10,000
 * @param maxInFlight how many calls may be in flight; further calls are refused as overloaded; 1 to 1,000,000
 * @param observer receives the outcomes and durations of calls, but of no requests, since the nodes coordinate; empty
 *     for none
 * @param tracer records spans of calls, whose contexts go to the nodes; empty for none
 */
public record RemoteOptions(
        Duration timeout,
        Duration connectTimeout,
        int scanPageSize,
        int maxInFlight,
        Optional<Observer> observer,
        Optional<Tracer> tracer) {

    private static final Duration SHORTEST = Duration.ofMillis(1);

    private static final RemoteOptions DEFAULTS = new RemoteOptions(
            Duration.ofSeconds(5), Duration.ofSeconds(15), 1_000, 10_000, Optional.empty(), Optional.empty());

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException if an option is out of its range
     */
    public RemoteOptions {
        Ranges.require("timeout", timeout, SHORTEST, CallOptions.MAX_TIMEOUT);
        Ranges.require("connectTimeout", connectTimeout, SHORTEST, CallOptions.MAX_TIMEOUT);
        Ranges.require("scanPageSize", scanPageSize, 1, 10_000);
        Ranges.require("maxInFlight", maxInFlight, 1, 1_000_000);
        Objects.requireNonNull(observer, "observer");
        Objects.requireNonNull(tracer, "tracer");
    }

    /**
     * Returns the defaults: 5 seconds for calls, 15 for connecting, pages of 1,000 entries, 10,000 calls in flight.
     * Connecting takes longer because a new JVM loads much of a client then.
     *
     * @return the defaults
     */
    public static RemoteOptions defaults() {
        return DEFAULTS;
    }

    /**
     * Returns these options with another timeout of calls.
     *
     * @param timeout 1 millisecond to 1 hour
     * @return new options
     */
    public RemoteOptions withTimeout(Duration timeout) {
        return new RemoteOptions(timeout, connectTimeout, scanPageSize, maxInFlight, observer, tracer);
    }

    /**
     * Returns these options with another timeout of connecting.
     *
     * @param connectTimeout 1 millisecond to 1 hour
     * @return new options
     */
    public RemoteOptions withConnectTimeout(Duration connectTimeout) {
        return new RemoteOptions(timeout, connectTimeout, scanPageSize, maxInFlight, observer, tracer);
    }

    /**
     * Returns these options with another page size.
     *
     * @param scanPageSize 1 to 10,000
     * @return new options
     */
    public RemoteOptions withScanPageSize(int scanPageSize) {
        return new RemoteOptions(timeout, connectTimeout, scanPageSize, maxInFlight, observer, tracer);
    }

    /**
     * Returns these options with another limit of calls in flight.
     *
     * @param maxInFlight 1 to 1,000,000
     * @return new options
     */
    public RemoteOptions withMaxInFlight(int maxInFlight) {
        return new RemoteOptions(timeout, connectTimeout, scanPageSize, maxInFlight, observer, tracer);
    }

    /**
     * Returns these options with an observer.
     *
     * @param observer receives the outcomes and durations of calls
     * @return new options
     */
    public RemoteOptions withObserver(Observer observer) {
        return new RemoteOptions(
                timeout,
                connectTimeout,
                scanPageSize,
                maxInFlight,
                Optional.of(requireNonNull(observer, "observer")),
                tracer);
    }

    /**
     * Returns these options with a tracer.
     *
     * @param tracer records spans of calls
     * @return new options
     */
    public RemoteOptions withTracer(Tracer tracer) {
        return new RemoteOptions(
                timeout,
                connectTimeout,
                scanPageSize,
                maxInFlight,
                observer,
                Optional.of(requireNonNull(tracer, "tracer")));
    }
}
