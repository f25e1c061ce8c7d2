package io.dht4j.spring.boot.tracing;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.opentelemetry.OpenTelemetryTracer;
import io.dht4j.spi.Tracer;
import io.dht4j.spring.boot.Contexts;
import io.dht4j.testkit.network.FreePorts;
import io.dht4j.transport.http.HttpApi;
import io.dht4j.transport.http.HttpApiOptions;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class DhtTracingAutoConfigurationTest {

    private final InMemorySpanExporter spans = InMemorySpanExporter.create();
    private final ApplicationContextRunner untraced =
            Contexts.runner().withConfiguration(AutoConfigurations.of(DhtTracingAutoConfiguration.class));
    private final ApplicationContextRunner runner = untraced.withBean(
            OpenTelemetry.class,
            () -> OpenTelemetrySdk.builder()
                    .setTracerProvider(SdkTracerProvider.builder()
                            .addSpanProcessor(SimpleSpanProcessor.create(spans))
                            .build())
                    .build());

    @Test
    void theCallsOfANodeAreSpans() {
        runner.run(context -> {
            Contexts.await(context.getBean(Cluster.class).get(Key.of("absent")));
            awaitSpan("get");
        });
    }

    @Test
    void theCallsOfAClientAreSpans() {
        int port = FreePorts.find();
        Contexts.runner().run(node -> {
            Cluster called = node.getBean(Cluster.class);
            try (HttpApi api = HttpApi.listening("127.0.0.1", port, called, HttpApiOptions.defaults())) {
                runner.withPropertyValues("dht4j.remote.addresses=127.0.0.1:" + port, "dht4j.remote.api=http")
                        .run(client -> {
                            Contexts.await(client.getBean(Cluster.class).get(Key.of("absent")));
                            awaitSpan("get");
                        });
                assertThat(api).isNotNull();
            }
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"false", "false "})
    void tracingCanBeTurnedOff(String value) {
        Contexts.withSpaces(runner, "dht4j.tracing.enabled", value)
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(Tracer.class));
    }

    @Test
    void withoutOpenTelemetryThereIsNoTracing() {
        untraced.run(context ->
                assertThat(context).hasNotFailed().hasSingleBean(Cluster.class).doesNotHaveBean(Tracer.class));
    }

    @Test
    void withoutDhtOpenTelemetryThereIsNoTracing() {
        runner.withClassLoader(new FilteredClassLoader(OpenTelemetryTracer.class))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(Cluster.class)
                        .doesNotHaveBean(Tracer.class));
    }

    private void awaitSpan(String name) {
        Awaitility.await()
                .until(() -> spans.getFinishedSpanItems().stream()
                        .map(SpanData::getName)
                        .anyMatch(name::equals));
    }
}
