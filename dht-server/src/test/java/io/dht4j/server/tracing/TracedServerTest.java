package io.dht4j.server.tracing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dht4j.server.ServerNode;
import io.dht4j.server.TestNodes;
import io.dht4j.testkit.network.FreePorts;
import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A server records spans by what is installed in its process, as by the Java agent. */
class TracedServerTest {

    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final Duration BOUND = Duration.ofSeconds(20);

    private final InMemorySpanExporter spans = InMemorySpanExporter.create();
    private final OpenTelemetrySdk sdk = OpenTelemetrySdk.builder()
            .setTracerProvider(SdkTracerProvider.builder()
                    .addSpanProcessor(SimpleSpanProcessor.create(spans))
                    .build())
            .build();

    @AfterEach
    void close() {
        GlobalOpenTelemetry.resetForTest();
        sdk.close();
    }

    private static int put(ServerNode node) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(node.url() + "/v0/entity?id=k"))
                .header("traceparent", "00-" + TRACE + "-b7ad6b7169203331-01")
                .PUT(HttpRequest.BodyPublishers.ofString("value"))
                .timeout(BOUND)
                .build();
        return HttpClient.newHttpClient()
                .send(request, BodyHandlers.discarding())
                .statusCode();
    }

    /** Servers also call themselves. */
    private List<SpanData> ofTheCaller() {
        return spans.getFinishedSpanItems().stream()
                .filter(span -> span.getTraceId().equals(TRACE))
                .toList();
    }

    @Test
    void aCallOverHttpContinuesTheTraceOfItsCaller() throws Exception {
        GlobalOpenTelemetry.resetForTest();
        GlobalOpenTelemetry.set(sdk);
        List<Integer> ports = FreePorts.find(2);
        try (ServerNode first = TestNodes.start(1, ports, Map.of());
                ServerNode second = TestNodes.start(2, ports, Map.of())) {
            assertThat(second).isNotNull();
            await().atMost(BOUND).until(() -> {
                assertThat(put(first)).isEqualTo(201);
                return ofTheCaller().stream()
                        .map(SpanData::getName)
                        .toList()
                        .containsAll(List.of("put", "request write", "serve write", "store write"));
            });
        }
        assertThat(ofTheCaller())
                .filteredOn(span -> span.getName().equals("put"))
                .isNotEmpty()
                .allSatisfy(span -> {
                    assertThat(span.getKind()).isEqualTo(SpanKind.SERVER);
                    assertThat(span.getParentSpanId()).isEqualTo("b7ad6b7169203331");
                });
    }

    @Test
    void withoutAnythingInstalledTheHeaderIsIgnored() throws Exception {
        GlobalOpenTelemetry.resetForTest();
        try (ServerNode node = TestNodes.start(1, FreePorts.find(1), Map.of())) {
            assertThat(put(node)).isEqualTo(201);
        }
        assertThat(spans.getFinishedSpanItems()).isEmpty();
    }
}
