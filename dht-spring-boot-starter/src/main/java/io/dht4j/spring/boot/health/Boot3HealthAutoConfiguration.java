package io.dht4j.spring.boot.health;

import io.dht4j.Cluster;
import io.dht4j.spring.boot.DhtAutoConfiguration;
import io.dht4j.spring.boot.DhtProperties;
import org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** Reports the health of the cluster to the actuator of Spring Boot 3. */
@AutoConfiguration(after = DhtAutoConfiguration.class)
@ConditionalOnClass(
        name = {
            "org.springframework.boot.actuate.health.HealthIndicator",
            "org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator"
        })
@ConditionalOnSingleCandidate(Cluster.class)
@ConditionalOnEnabledHealthIndicator("dht4j")
@EnableConfigurationProperties(DhtProperties.class)
public final class Boot3HealthAutoConfiguration {

    /** Creates the configuration. */
    public Boot3HealthAutoConfiguration() {}

    /**
     * Returns the indicator: down when the node is not ready or refuses writes, and with {@code dht4j.health.quorum}
     * also while a partition has no quorum. A check takes no longer than {@code dht4j.health.timeout}.
     *
     * @param cluster the cluster to check
     * @param properties the timeout and the condition
     * @return the indicator
     */
    @Bean
    @ConditionalOnMissingBean(name = {"dht4jHealthIndicator", "dht4jHealthContributor"})
    public HealthIndicator dht4jHealthIndicator(Cluster cluster, DhtProperties properties) {
        ClusterHealth health = new ClusterHealth(cluster, properties.health());
        return () -> {
            ClusterHealth.Report report = health.report();
            Health.Builder builder =
                    report.problems().isEmpty() ? Health.up() : Health.down().withDetail("problems", report.problems());
            return builder.withDetails(report.details()).build();
        };
    }
}
