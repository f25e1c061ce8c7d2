package io.dht4j.opentelemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.dht4j.ErrorCode;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.TraceContext;
import io.dht4j.spi.Observer;
import io.dht4j.spi.Observer.Outcome;
import io.dht4j.spi.Tracer;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OpenTelemetryTracerTest {

    private static final TraceContext CALLER = new TraceContext(1, 2, 3, 1, "a=1");

    private final Spans spans = new Spans();
    private final OpenTelemetryTracer tracer = OpenTelemetryTracer.of(spans.api());

    @AfterEach
    void close() {
        spans.close();
    }

    private SpanData only() {
        return spans.ended().get(0);
    }

    @Test
    void aCallHasTheAttributesOfTheConventions() {
        Tracer.Span call = tracer.startCall(Observer.Call.GET_ALL, 7, Optional.empty());
        call.keyHash(-1);
        call.serverAddress("[::1]:70");
        call.end(Outcome.success());
        assertThat(only().getName()).isEqualTo("getAll");
        assertThat(only().getKind()).isEqualTo(SpanKind.CLIENT);
        assertThat(only().getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
        assertThat(only().getAttributes().asMap())
                .isEqualTo(Attributes.builder()
                        .put("db.system.name", "dht4j")
                        .put("db.operation.name", "getAll")
                        .put("db.operation.batch.size", 7)
                        .put("dht4j.key.hash", "ffffffffffffffff")
                        .put("server.address", "::1")
                        .put("server.port", 70)
                        .build()
                        .asMap());
    }

    @Test
    void aFailureHasTheErrorsNameAndNumber() {
        tracer.startCall(Observer.Call.PUT, 1, Optional.empty()).end(Outcome.of(ErrorCode.OVERLOADED));
        assertThat(only().getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
        assertThat(only().getAttributes().get(AttributeKey.stringKey("error.type")))
                .isEqualTo("OVERLOADED");
        assertThat(only().getAttributes().get(AttributeKey.stringKey("db.response.status_code")))
                .isEqualTo(String.valueOf(ErrorCode.OVERLOADED.number()));
        assertThat(only().getAttributes().get(AttributeKey.longKey("db.operation.batch.size")))
                .isNull();
    }

    @Test
    void aCancellationIsNoError() {
        tracer.startCall(Observer.Call.GET, 1, Optional.empty()).end(Outcome.cancelled());
        assertThat(only().getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
        assertThat(only().getAttributes().get(AttributeKey.booleanKey("dht4j.cancelled")))
                .isTrue();
    }

    @Test
    void theNamedParentIsThatOfACallFromAnotherProcess() {
        tracer.startCall(Observer.Call.GET, 1, Optional.of(CALLER)).end(Outcome.success());
        assertThat(only().getKind()).isEqualTo(SpanKind.SERVER);
        assertThat(only().getParentSpanContext().isRemote()).isTrue();
        assertThat(only().getParentSpanId()).isEqualTo("0000000000000003");
        assertThat(only().getTraceId()).isEqualTo("00000000000000010000000000000002");
        assertThat(only().getSpanContext().getTraceState().get("a")).isEqualTo("1");
    }

    @Test
    void aCurrentSpanOfTheNamedTraceIsNearerThanTheNamedOne() {
        Tracer.Span instrumented = tracer.startCall(Observer.Call.GET, 1, Optional.of(CALLER));
        TraceContext context = instrumented.context().orElseThrow();
        String id = String.format("%016x", context.spanId());
        Span current = spans.api()
                .getTracer("server")
                .spanBuilder("GET /")
                .setParent(Context.root()
                        .with(Span.wrap(SpanContext.create(
                                "00000000000000010000000000000002",
                                id,
                                TraceFlags.getSampled(),
                                TraceState.getDefault()))))
                .startSpan();
        try (Scope scope = current.makeCurrent()) {
            assertThat(scope).isNotNull();
            tracer.startCall(Observer.Call.GET, 1, Optional.of(CALLER)).end(Outcome.success());
            tracer.startCall(Observer.Call.PUT, 1, Optional.of(new TraceContext(9, 9, 9, 1, "")))
                    .end(Outcome.success());
        }
        assertThat(spans.ended().get(0).getParentSpanId())
                .isEqualTo(current.getSpanContext().getSpanId());
        assertThat(spans.ended().get(1).getTraceId()).isEqualTo("00000000000000090000000000000009");
    }

    @Test
    void childrenHaveTheKindsOfTheirSides() {
        Tracer.Span served = tracer.startServed(Observer.Request.READ, new NodeId("n1"), CALLER);
        Tracer.Span request = served.startRequest(Node.of("n2", "host:70"), Observer.Request.WRITE);
        request.end(Outcome.success());
        served.startStore(Observer.Request.READ, 3).end(Outcome.success());
        served.end(Outcome.success());
        assertThat(spans.ended())
                .extracting(SpanData::getName, SpanData::getKind)
                .containsExactly(
                        tuple("request write", SpanKind.CLIENT),
                        tuple("store read", SpanKind.INTERNAL),
                        tuple("serve read", SpanKind.SERVER));
        assertThat(spans.ended().get(0).getAttributes().asMap())
                .isEqualTo(Attributes.builder()
                        .put("db.system.name", "dht4j")
                        .put("db.operation.name", "write")
                        .put("dht4j.node", "n2")
                        .put("server.address", "host")
                        .put("server.port", 70)
                        .build()
                        .asMap());
        assertThat(spans.ended().get(2).getAttributes().get(AttributeKey.stringKey("dht4j.sender")))
                .isEqualTo("n1");
    }

    @Test
    void anUnsampledSpanHasAContextThatSaysSo() {
        try (Spans unsampled = new Spans(Sampler.alwaysOff())) {
            Tracer.Span span =
                    OpenTelemetryTracer.of(unsampled.api()).startCall(Observer.Call.GET, 1, Optional.empty());
            assertThat(span.context().orElseThrow().isSampled()).isFalse();
            span.end(Outcome.success());
            assertThat(unsampled.ended()).isEmpty();
        }
    }

    @Test
    void withoutAnSdkThereIsNoTrace() {
        Tracer.Span span =
                OpenTelemetryTracer.of(OpenTelemetry.noop()).startCall(Observer.Call.GET, 1, Optional.empty());
        assertThat(span.context()).isEmpty();
    }
}
