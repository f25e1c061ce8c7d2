package io.dht4j.core.internal.replica;

import io.dht4j.core.internal.observation.TracedSpan;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.wire.RegisterRequest;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Entry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Serves the parts of a batch independently: each has its own deadline, reply and errors. They share the size limit for
 * values of the reply, which is sent when the last part ends. Parts end on any thread.
 */
final class BatchService {

    private static final long[] NO_VERSIONS = {};

    private final Replica replica;
    private final ReplicaReader reader;
    private final RegisterReplica registers;
    private final StoreGate gate;
    private final LongSupplier nanoTime;
    private final Request.Batch batch;
    private final CallContext context;
    /** Null if no part belongs to a trace. */
    private final @Nullable ServedSpans spans;

    private final Consumer<Reply> reply;
    private final ReplyRoom room;
    /**
     * Each element is written once. The thread that ends the last part reads them; the counter orders it after the
     * others.
     */
    private final Reply[] replies;

    private final AtomicInteger awaited;

    BatchService(
            Replica replica,
            ReplicaReader reader,
            RegisterReplica registers,
            StoreGate gate,
            LongSupplier nanoTime,
            Request.Batch batch,
            CallContext context,
            @Nullable ServedSpans spans,
            Consumer<Reply> reply) {
        this.replica = replica;
        this.reader = reader;
        this.registers = registers;
        this.gate = gate;
        this.nanoTime = nanoTime;
        this.batch = batch;
        this.context = context;
        this.spans = spans;
        this.reply = reply;
        this.room = reader.room(batch);
        this.replies = new Reply[batch.parts().size()];
        this.awaited = new AtomicInteger(replies.length + 1);
    }

    void serve() {
        List<StoreGate.Read> reads = new ArrayList<>();
        List<StoreGate.Write> writes = new ArrayList<>();
        boolean isMemoryFast = gate.isMemoryFast();
        List<List<Entry>> atOnce = new ArrayList<>(isMemoryFast ? replies.length : 0);
        // Mostly none has a row version.
        long[] rowVersions = NO_VERSIONS;
        long now = nanoTime.getAsLong();
        long remaining = context.remainingNanos();
        for (int i = 0; i < replies.length; i++) {
            int index = i;
            Request.BatchPart part = batch.parts().get(i);
            long left = Math.min(part.remainingNanos(), remaining);
            long rowVersion = part.rowVersion();
            if (part.request() instanceof Request.ReadKeys read) {
                reads.add(new StoreGate.Read(
                        liveness(index, now + left),
                        reader.work(read, rowVersion, room),
                        answer -> end(index, answer)));
            } else if (isWrite(part.request())) {
                Reply refusal = left <= 0 || context.isCancelled() ? Replica.late() : refusal(part);
                List<Entry> entries = entries(part.request());
                if (refusal != null) {
                    end(i, refusal);
                } else if (isMemoryFast) {
                    if (rowVersion != ClusterView.NO_VERSION) {
                        rowVersions = rowVersions.length == 0 ? new long[replies.length] : rowVersions;
                        rowVersions[atOnce.size()] = rowVersion;
                    }
                    atOnce.add(entries);
                } else {
                    writes.add(
                            gate.write(entries, rowVersion, liveness(index, now + left), answer -> end(index, answer)));
                }
            } else if (part.request() instanceof RegisterRequest register) {
                registers.serve(register, rowVersion, liveness(index, now + left), room, answer -> end(index, answer));
            } else {
                throw new IllegalArgumentException("no part of a batch: " + part.request());
            }
        }
        applyAtOnce(atOnce, rowVersions);
        gate.applyAll(writes);
        gate.readAll(reads);
        finishOne();
    }

    private static boolean isWrite(Request request) {
        return request instanceof Request.ApplyEntries || request instanceof RegisterRequest.Accept;
    }

    private static List<Entry> entries(Request request) {
        return request instanceof RegisterRequest.Accept accept
                ? List.of(accept.entry())
                : ((Request.ApplyEntries) request).entries();
    }

    private @Nullable Reply refusal(Request.BatchPart part) {
        return part.request() instanceof RegisterRequest.Accept accept
                ? registers.admit(accept, part.rowVersion())
                : replica.admit((Request.ApplyEntries) part.request());
    }

    private void applyAtOnce(List<List<Entry>> writes, long[] rowVersions) {
        if (writes.isEmpty()) {
            return;
        }
        StoreSpans storeSpans = spans == null ? null : storeSpans(spans, writes);
        List<Reply> results =
                gate.applyAllAtOnce(writes, i -> i < rowVersions.length ? rowVersions[i] : ClusterView.NO_VERSION);
        if (storeSpans != null) {
            storeSpans.end(results);
        }
        Iterator<Reply> applied = results.iterator();
        for (int i = 0; i < replies.length; i++) {
            boolean isRefused = replies[i] != null;
            if (!isRefused && isWrite(batch.parts().get(i).request())) {
                end(i, applied.next());
            }
        }
    }

    /** Begins the spans of the writes that are merged at once: of the parts that are not refused, in their order. */
    private @Nullable StoreSpans storeSpans(ServedSpans ofParts, List<List<Entry>> writes) {
        int[] parts = IntStream.range(0, replies.length)
                .filter(i -> replies[i] == null && isWrite(batch.parts().get(i).request()))
                .toArray();
        int entries = writes.stream().mapToInt(List::size).sum();
        return StoreSpans.begin(parts.length, i -> ofParts.of(parts[i]), entries);
    }

    private CallLiveness liveness(int index, long deadline) {
        return new CallLiveness() {
            @Override
            public @Nullable TracedSpan span() {
                return spans == null ? null : spans.of(index);
            }

            @Override
            public boolean isExpired() {
                return nanoTime.getAsLong() - deadline >= 0;
            }

            @Override
            public boolean isOver() {
                return context.isCancelled() || isExpired();
            }
        };
    }

    private void end(int index, Reply answer) {
        replies[index] = answer;
        if (spans != null) {
            spans.end(index, answer);
        }
        finishOne();
    }

    private void finishOne() {
        if (awaited.decrementAndGet() == 0) {
            reply.accept(new Reply.Batch(Arrays.asList(replies)));
        }
    }
}
