package io.dht4j.opentelemetry;

import io.dht4j.ErrorCode;
import io.dht4j.Node;
import io.dht4j.TraceContext;
import io.dht4j.spi.Observer;
import io.dht4j.spi.Tracer;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Context;
import java.util.Optional;

/** A span of OpenTelemetry. Safe for use by any number of threads. */
final class RecordedSpan implements Tracer.Span {

    private final io.opentelemetry.api.trace.Tracer tracer;
    private final Span span;
    /** The parent of children. */
    private final Context context;

    RecordedSpan(io.opentelemetry.api.trace.Tracer tracer, Span span, Context parent) {
        this.tracer = tracer;
        this.span = span;
        this.context = parent.with(span);
    }

    @Override
    public Optional<TraceContext> context() {
        return SpanContexts.of(span.getSpanContext());
    }

    @Override
    public void keyHash(long hash) {
        span.setAttribute(Keys.KEY_HASH, String.format("%016x", hash));
    }

    @Override
    public void serverAddress(String address) {
        int colon = address.lastIndexOf(':');
        String host = colon < 0 ? address : address.substring(0, colon);
        boolean isIpv6 = host.startsWith("[") && host.endsWith("]");
        span.setAttribute(Keys.SERVER_ADDRESS, isIpv6 ? host.substring(1, host.length() - 1) : host);
        port(address, colon).ifPresent(port -> span.setAttribute(Keys.SERVER_PORT, port));
    }

    private static Optional<Long> port(String address, int colon) {
        try {
            return colon < 0 ? Optional.empty() : Optional.of(Long.parseLong(address.substring(colon + 1)));
        } catch (NumberFormatException e) {
            // An address of a transport that has no ports.
            return Optional.empty();
        }
    }

    @Override
    public Tracer.Span startRequest(Node node, Observer.Request request) {
        String operation = Operations.of(request);
        SpanBuilder builder = child("request " + operation, SpanKind.CLIENT)
                .setAttribute(Keys.NODE, node.id().value());
        Keys.describe(builder, operation, 0);
        RecordedSpan begun = new RecordedSpan(tracer, builder.startSpan(), context);
        begun.serverAddress(node.address());
        return begun;
    }

    @Override
    public Tracer.Span startStore(Observer.Request request, int items) {
        String operation = Operations.of(request);
        SpanBuilder builder = child("store " + operation, SpanKind.INTERNAL);
        Keys.describe(builder, operation, items);
        return new RecordedSpan(tracer, builder.startSpan(), context);
    }

    private SpanBuilder child(String name, SpanKind kind) {
        return tracer.spanBuilder(name).setParent(context).setSpanKind(kind);
    }

    @Override
    public void end(Observer.Outcome outcome) {
        Optional<ErrorCode> error = outcome.error();
        if (error.isPresent()) {
            span.setStatus(StatusCode.ERROR, error.get().name());
            span.setAttribute(Keys.ERROR_TYPE, error.get().name());
            span.setAttribute(Keys.RESPONSE_STATUS, String.valueOf(error.get().number()));
        } else if (outcome == Observer.Outcome.cancelled()) {
            span.setAttribute(Keys.CANCELLED, true);
        }
        span.end();
    }
}
