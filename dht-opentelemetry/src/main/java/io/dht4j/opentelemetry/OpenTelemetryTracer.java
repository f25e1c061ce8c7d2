package io.dht4j.opentelemetry;

import io.dht4j.NodeId;
import io.dht4j.TraceContext;
import io.dht4j.spi.Observer;
import io.dht4j.spi.Tracer;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.context.Context;
import java.util.Optional;

/**
 * Records spans by the API of OpenTelemetry, with attributes of its conventions for databases. The application installs
 * the SDK, or runs under the Java agent. Does not block unless the SDK does; safe for use by any number of threads.
 */
public final class OpenTelemetryTracer implements Tracer {

    /** The name of the instrumentation scope. */
    private static final String SCOPE = "io.dht4j";

    private final io.opentelemetry.api.trace.Tracer tracer;

    private OpenTelemetryTracer(io.opentelemetry.api.trace.Tracer tracer) {
        this.tracer = tracer;
    }

    /**
     * Creates a tracer.
     *
     * @param openTelemetry makes and exports the spans
     * @return a tracer for any number of clusters
     */
    public static OpenTelemetryTracer of(OpenTelemetry openTelemetry) {
        return new OpenTelemetryTracer(openTelemetry.getTracer(SCOPE));
    }

    @Override
    public Tracer.Span startCall(Observer.Call call, int keys, Optional<TraceContext> parent) {
        Context current = Context.current();
        SpanContext active = SpanContexts.in(current);
        // The instrumentation of a public API's server has begun a span below the caller's: it is nearer.
        boolean isNamed = parent.isPresent() && !SpanContexts.isOfTrace(active, parent.get());
        Context chosen = isNamed ? SpanContexts.with(current, parent.get()) : current;
        String operation = Operations.of(call);
        SpanBuilder builder = tracer.spanBuilder(operation)
                .setParent(chosen)
                .setSpanKind(isNamed || active.isRemote() ? SpanKind.SERVER : SpanKind.CLIENT);
        Keys.describe(builder, operation, keys);
        return new RecordedSpan(tracer, builder.startSpan(), chosen);
    }

    @Override
    public Tracer.Span startServed(Observer.Request request, NodeId sender, TraceContext parent) {
        Context remote = SpanContexts.with(Context.root(), parent);
        String operation = Operations.of(request);
        SpanBuilder builder = tracer.spanBuilder("serve " + operation)
                .setParent(remote)
                .setSpanKind(SpanKind.SERVER)
                .setAttribute(Keys.SENDER, sender.value());
        Keys.describe(builder, operation, 0);
        return new RecordedSpan(tracer, builder.startSpan(), remote);
    }
}
