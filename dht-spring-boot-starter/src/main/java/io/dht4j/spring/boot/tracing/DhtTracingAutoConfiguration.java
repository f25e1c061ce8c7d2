package io.dht4j.spring.boot.tracing;

import io.dht4j.opentelemetry.OpenTelemetryTracer;
import io.dht4j.spi.Tracer;
import io.dht4j.spring.boot.DhtAutoConfiguration;
import io.opentelemetry.api.OpenTelemetry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/**
 * Records the spans of the cluster with the application's {@code OpenTelemetry}, if {@code dht-opentelemetry} is on the
 * class path. {@code docs/reference/tracing.md} lists the spans.
 */
@AutoConfiguration(
        after = DhtAutoConfiguration.class,
        // Where Spring Boot 3 and 4, and the starter of OpenTelemetry, provide it.
        afterName = {
            "org.springframework.boot.actuate.autoconfigure.opentelemetry.OpenTelemetryAutoConfiguration",
            "org.springframework.boot.opentelemetry.autoconfigure.OpenTelemetrySdkAutoConfiguration",
            "io.opentelemetry.instrumentation.spring.autoconfigure.OpenTelemetryAutoConfiguration"
        })
@ConditionalOnClass({OpenTelemetry.class, OpenTelemetryTracer.class})
@ConditionalOnBooleanProperty(
        prefix = "dht4j",
        name = {"enabled", "tracing.enabled"},
        matchIfMissing = true)
@ConditionalOnSingleCandidate(OpenTelemetry.class)
public final class DhtTracingAutoConfiguration {

    /** Creates the configuration. */
    public DhtTracingAutoConfiguration() {}

    /**
     * Returns the tracer that records the spans. The auto-configured cluster reports to it. Backs off if the
     * application has a tracer of its own.
     *
     * @param openTelemetry creates and exports the spans
     * @return the tracer
     */
    @Bean
    @ConditionalOnMissingBean(Tracer.class)
    public OpenTelemetryTracer dhtTracer(OpenTelemetry openTelemetry) {
        return OpenTelemetryTracer.of(openTelemetry);
    }
}
