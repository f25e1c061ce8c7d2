package io.dht4j.spring.boot.metrics;

import io.dht4j.Cluster;
import io.dht4j.micrometer.MicrometerObserver;
import io.dht4j.spi.Observer;
import io.dht4j.spring.boot.DhtAutoConfiguration;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/**
 * Binds the metrics of the cluster to the application's registry of Micrometer, if {@code dht-micrometer} is on the
 * class path. {@code docs/reference/metrics.md} lists the metrics.
 */
@AutoConfiguration(
        after = DhtAutoConfiguration.class,
        // Where Spring Boot 3 and 4 choose the registry of an application that has several.
        afterName = {
            "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
        })
@ConditionalOnClass({MeterRegistry.class, MicrometerObserver.class})
@ConditionalOnBooleanProperty(prefix = "dht4j.metrics", name = "enabled", matchIfMissing = true)
@ConditionalOnSingleCandidate(MeterRegistry.class)
public final class DhtMetricsAutoConfiguration {

    /** Creates the configuration. */
    public DhtMetricsAutoConfiguration() {}

    /**
     * Returns the observer that times the calls of the cluster and the requests of its node. The auto-configured
     * cluster reports to it. Backs off if the application has an observer of its own.
     *
     * @param registry receives the timers
     * @return the observer
     */
    @Bean
    @ConditionalOnMissingBean(Observer.class)
    @ConditionalOnBooleanProperty(prefix = "dht4j", name = "enabled", matchIfMissing = true)
    public MicrometerObserver dhtObserver(MeterRegistry registry) {
        return new MicrometerObserver(registry);
    }

    /**
     * Binds the gauges and counters.
     *
     * @param cluster the measured cluster
     * @param registry receives them
     * @return an object that removes them
     */
    @Bean
    @ConditionalOnSingleCandidate(Cluster.class)
    public BoundMetrics dhtMetrics(Cluster cluster, MeterRegistry registry) {
        return new BoundMetrics(cluster, registry);
    }

    /**
     * Binds with the start of the application, even if other beans are made when they are first used.
     *
     * @return a filter
     */
    @Bean
    static LazyInitializationExcludeFilter dhtMetricsAreBoundWithTheApplication() {
        return LazyInitializationExcludeFilter.forBeanTypes(BoundMetrics.class);
    }
}
