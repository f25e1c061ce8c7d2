package io.dht4j.spring.boot.metrics;

import io.dht4j.Cluster;
import io.dht4j.micrometer.ClusterMetrics;
import io.micrometer.core.instrument.MeterRegistry;

/**
 * The gauges and counters of a cluster in a registry, until the close. Not a {@code MeterBinder}: Spring Boot would
 * bind it a second time.
 */
public final class BoundMetrics implements AutoCloseable {

    private final ClusterMetrics metrics;

    /**
     * Registers the meters. Does not block.
     *
     * @param cluster the measured cluster; not closed by this
     * @param registry receives them; not closed by this
     */
    BoundMetrics(Cluster cluster, MeterRegistry registry) {
        metrics = new ClusterMetrics(cluster);
        metrics.bindTo(registry);
    }

    /** Removes the meters. May be called repeatedly. */
    @Override
    public void close() {
        metrics.close();
    }
}
