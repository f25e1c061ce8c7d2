package io.dht4j.core.internal.replica;

import io.dht4j.NodeId;
import io.dht4j.TraceContext;
import io.dht4j.core.internal.observation.RequestKinds;
import io.dht4j.core.internal.observation.TracedSpan;
import io.dht4j.core.internal.observation.Tracing;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.spi.Observer.Outcome;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The spans of the requests in a frame: one for a single request, one for each part of a batch that belongs to a trace.
 * Safe for use by any number of threads.
 */
final class ServedSpans {

    private final @Nullable TracedSpan[] spans;

    private ServedSpans(int requests) {
        this.spans = new TracedSpan[requests];
    }

    /**
     * Begins the spans of a request.
     *
     * @param tracing begins them; null without a tracer
     * @param sender the sender
     * @param request the request
     * @param trace the sender's span; null if it has none, and for a batch
     * @return the spans; null if no part of the request belongs to a trace
     */
    static @Nullable ServedSpans begin(
            @Nullable Tracing tracing, NodeId sender, Request request, @Nullable TraceContext trace) {
        if (tracing == null) {
            return null;
        }
        if (request instanceof Request.Batch batch) {
            return begin(tracing, sender, batch.parts());
        }
        if (trace == null) {
            return null;
        }
        ServedSpans begun = new ServedSpans(1);
        begun.spans[0] = tracing.startServed(RequestKinds.of(request), sender, trace);
        return begun;
    }

    private static @Nullable ServedSpans begin(
            Tracing tracing, NodeId sender, List<? extends Request.BatchPart> parts) {
        ServedSpans begun = null;
        for (int i = 0; i < parts.size(); i++) {
            TraceContext trace = parts.get(i).trace();
            if (trace != null) {
                begun = begun == null ? new ServedSpans(parts.size()) : begun;
                begun.spans[i] =
                        tracing.startServed(RequestKinds.of(parts.get(i).request()), sender, trace);
            }
        }
        return begun;
    }

    /** Returns the span of a part, or of the only request; null if it belongs to no trace. */
    @Nullable
    TracedSpan of(int index) {
        return spans[index];
    }

    /** Ends the span of a part, or of the only request. */
    void end(int index, Reply reply) {
        StoreSpans.end(spans[index], reply);
    }

    /** Returns the outcome that a reply shows. */
    static Outcome outcome(Reply reply) {
        return reply instanceof Reply.Failed failed ? Outcome.of(failed.code()) : Outcome.success();
    }
}
