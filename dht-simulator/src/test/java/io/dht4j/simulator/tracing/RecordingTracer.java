package io.dht4j.simulator.tracing;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.TraceContext;
import io.dht4j.spi.Observer;
import io.dht4j.spi.Tracer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/** Keeps the spans of all nodes that share it. For one thread at a time. */
final class RecordingTracer implements Tracer {

    private final AtomicLong ids = new AtomicLong();
    private boolean sampled;
    final List<Recorded> spans = new ArrayList<>();

    RecordingTracer(boolean sampled) {
        this.sampled = sampled;
    }

    /** Samples the calls from now on, or samples none. */
    void sample(boolean wanted) {
        sampled = wanted;
    }

    /** A span. */
    final class Recorded implements Span {

        final String name;
        final long trace;
        final long parent;
        final long id = ids.incrementAndGet();
        final List<Observer.Outcome> ends = new ArrayList<>();

        private final int flags;

        private Recorded(String name, long trace, long parent, int flags) {
            this.flags = flags;
            this.name = name;
            this.trace = trace == 0 ? id : trace;
            this.parent = parent;
            spans.add(this);
        }

        @Override
        public Optional<TraceContext> context() {
            return Optional.of(new TraceContext(0, trace, id, flags, ""));
        }

        @Override
        public Span startRequest(Node node, Observer.Request request) {
            return new Recorded("request " + request + " " + node.id(), trace, id, flags);
        }

        @Override
        public Span startStore(Observer.Request request, int items) {
            return new Recorded("store " + request + " " + items, trace, id, flags);
        }

        @Override
        public void end(Observer.Outcome outcome) {
            ends.add(outcome);
        }

        /** Returns the names of this span and of those below it, in order. */
        String tree() {
            List<String> below = spans.stream()
                    .filter(span -> span.parent == id)
                    .map(Recorded::tree)
                    .sorted()
                    .toList();
            return name + (below.isEmpty() ? "" : below.toString());
        }
    }

    @Override
    public Span startCall(Observer.Call call, int keys, Optional<TraceContext> parent) {
        return new Recorded(
                call.toString(),
                parent.map(TraceContext::traceIdLow).orElse(0L),
                parent.map(TraceContext::spanId).orElse(0L),
                sampled ? 1 : 0);
    }

    @Override
    public Span startServed(Observer.Request request, NodeId sender, TraceContext parent) {
        return new Recorded("serve " + request + " of " + sender, parent.traceIdLow(), parent.spanId(), parent.flags());
    }

    /** Returns the trees of the calls, in the order in which they began. */
    List<String> trees() {
        return spans.stream()
                .filter(span -> span.parent == 0)
                .map(Recorded::tree)
                .toList();
    }
}
