package io.dht4j.opentelemetry;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.awaitility.Awaitility;

/** The SDK of OpenTelemetry, which keeps the spans of all nodes in memory. */
final class Spans implements AutoCloseable {

    private static final Duration BOUND = Duration.ofSeconds(20);

    private final InMemorySpanExporter exporter = InMemorySpanExporter.create();
    private final OpenTelemetrySdk sdk;

    Spans() {
        this(Sampler.parentBased(Sampler.alwaysOn()));
    }

    Spans(Sampler sampler) {
        sdk = OpenTelemetrySdk.builder()
                .setTracerProvider(SdkTracerProvider.builder()
                        .setSampler(sampler)
                        .addSpanProcessor(SimpleSpanProcessor.create(exporter))
                        .build())
                .build();
    }

    OpenTelemetry api() {
        return sdk;
    }

    List<SpanData> ended() {
        return exporter.getFinishedSpanItems();
    }

    void clear() {
        exporter.reset();
    }

    /** Waits for a number of ended spans, and returns those that have no parent among them. */
    List<SpanData> roots(int spans) {
        Awaitility.await().atMost(BOUND).until(() -> ended().size() >= spans);
        List<SpanData> all = ended();
        return all.stream()
                .filter(span -> all.stream().noneMatch(other -> isChild(span, other)))
                .toList();
    }

    /** Waits until something has happened. */
    static void await(Callable<Boolean> condition) {
        Awaitility.await().atMost(BOUND).until(condition);
    }

    private static boolean isChild(SpanData span, SpanData parent) {
        return span.getParentSpanId().equals(parent.getSpanId());
    }

    /** Returns the kinds and names of a span and of those below it, in order. */
    String tree(SpanData root) {
        List<String> below = ended().stream()
                .filter(span -> isChild(span, root))
                .map(this::tree)
                .sorted()
                .toList();
        String node = root.getAttributes().get(Keys.NODE);
        return root.getKind() + " " + root.getName() + (node == null ? "" : " " + node)
                + (below.isEmpty() ? "" : below.toString());
    }

    @Override
    public void close() {
        sdk.close();
    }
}
