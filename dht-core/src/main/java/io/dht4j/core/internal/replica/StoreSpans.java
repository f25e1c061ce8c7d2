package io.dht4j.core.internal.replica;

import io.dht4j.ErrorCode;
import io.dht4j.core.internal.observation.TracedSpan;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.spi.Observer;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The spans of an operation of the store: one below each request that it serves. Without a request of a trace there is
 * no object of this class. Confined to the thread of the operation.
 */
final class StoreSpans {

    private final @Nullable TracedSpan[] spans;

    private StoreSpans(@Nullable TracedSpan[] spans) {
        this.spans = spans;
    }

    /** Begins the span of a read; null if its request belongs to no trace. */
    static @Nullable TracedSpan begin(StoreGate.Read read) {
        TracedSpan parent = read.liveness().span();
        return parent == null
                ? null
                : parent.startStore(read.work().kind(), read.work().items());
    }

    /** Begins the span of a write; null if its request belongs to no trace. */
    static @Nullable TracedSpan begin(@Nullable TracedSpan parent, int entries) {
        return parent == null ? null : parent.startStore(Observer.Request.WRITE, entries);
    }

    /** Begins the spans of writes that are merged together; null if none belongs to a trace. */
    static @Nullable StoreSpans begin(List<StoreGate.Write> group) {
        // No lambdas: without a tracer this creates no object.
        for (int i = 0; i < group.size(); i++) {
            if (group.get(i).liveness().span() != null) {
                int entries =
                        group.stream().mapToInt(write -> write.entries().size()).sum();
                return begin(group.size(), each -> group.get(each).liveness().span(), entries);
            }
        }
        return null;
    }

    /**
     * Begins the spans of writes that are merged together.
     *
     * @param writes their number
     * @param parents returns the span of the request of each; null if it belongs to no trace
     * @param entries the total number of their entries
     * @return null if none belongs to a trace
     */
    static @Nullable StoreSpans begin(int writes, IntFunction<@Nullable TracedSpan> parents, int entries) {
        @Nullable TracedSpan[] spans = null;
        for (int i = 0; i < writes; i++) {
            TracedSpan parent = parents.apply(i);
            if (parent != null) {
                spans = spans == null ? new TracedSpan[writes] : spans;
                spans[i] = begin(parent, entries);
            }
        }
        return spans == null ? null : new StoreSpans(spans);
    }

    /** Ends the spans of writes, one reply for each. */
    void end(List<Reply> replies) {
        for (int i = 0; i < spans.length; i++) {
            end(spans[i], replies.get(i));
        }
    }

    /** Ends the spans of writes whose store has thrown against its contract. */
    void fail() {
        for (TracedSpan span : spans) {
            if (span != null) {
                span.end(Observer.Outcome.of(ErrorCode.STORE_FAILED));
            }
        }
    }

    /** Ends a span, if there is one. */
    static void end(@Nullable TracedSpan span, Reply reply) {
        if (span != null) {
            span.end(ServedSpans.outcome(reply));
        }
    }
}
