package io.dht4j.opentelemetry;

import io.dht4j.TraceContext;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanId;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceId;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Converts the contexts of spans. A state, which most lack, takes the detour through the headers. Stateless. */
final class SpanContexts {

    private static final String PARENT = "traceparent";
    private static final String STATE = "tracestate";
    private static final int DIGITS = 16;

    private SpanContexts() {}

    /** Returns the context of a span for other processes; empty if the span belongs to no trace. */
    static Optional<TraceContext> of(SpanContext span) {
        if (!span.isValid()) {
            return Optional.empty();
        }
        String trace = span.getTraceId();
        return Optional.of(new TraceContext(
                Long.parseUnsignedLong(trace, 0, DIGITS, DIGITS),
                Long.parseUnsignedLong(trace, DIGITS, 2 * DIGITS, DIGITS),
                Long.parseUnsignedLong(span.getSpanId(), DIGITS),
                span.getTraceFlags().asByte() & 0xFF,
                state(span)));
    }

    private static String state(SpanContext span) {
        if (span.getTraceState().isEmpty()) {
            return "";
        }
        Map<String, String> headers = new HashMap<>();
        W3CTraceContextPropagator.getInstance()
                .inject(Context.root().with(Span.wrap(span)), headers, (carrier, key, value) -> {
                    if (carrier != null) {
                        carrier.put(key, value);
                    }
                });
        String state = headers.getOrDefault(STATE, "");
        // A state must be complete: a part of it may have another meaning.
        return TraceContext.isState(state) ? state : "";
    }

    /** Returns the span that is current in a context; an invalid one if none is. */
    static SpanContext in(Context context) {
        return Span.fromContext(context).getSpanContext();
    }

    /** Returns a context in which the span of another process is current. */
    static Context with(Context context, TraceContext remote) {
        return context.with(Span.wrap(remote(remote)));
    }

    private static SpanContext remote(TraceContext context) {
        if (!context.state().isEmpty()) {
            Context extracted = W3CTraceContextPropagator.getInstance().extract(Context.root(), context, HEADERS);
            return Span.fromContext(extracted).getSpanContext();
        }
        return SpanContext.createFromRemoteParent(
                TraceId.fromLongs(context.traceIdHigh(), context.traceIdLow()),
                SpanId.fromLong(context.spanId()),
                TraceFlags.fromByte((byte) context.flags()),
                TraceState.getDefault());
    }

    /** Returns whether a span is of the same trace as a context. */
    static boolean isOfTrace(SpanContext span, TraceContext context) {
        return span.isValid()
                && span.getTraceId().equals(TraceId.fromLongs(context.traceIdHigh(), context.traceIdLow()));
    }

    private static final TextMapGetter<TraceContext> HEADERS = new TextMapGetter<>() {
        @Override
        @SuppressWarnings("deprecation") // Required by the versions that frameworks manage.
        public Iterable<String> keys(TraceContext context) {
            return List.of(PARENT, STATE);
        }

        @Override
        public @Nullable String get(@Nullable TraceContext context, String key) {
            if (context == null) {
                return null;
            }
            return switch (key) {
                case PARENT -> context.traceparent();
                case STATE -> context.state();
                default -> null;
            };
        }
    };
}
