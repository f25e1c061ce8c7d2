package io.dht4j.transport.grpc.internal.client;

import io.dht4j.spi.Frame;
import io.dht4j.transport.common.calls.PeerCall;
import io.dht4j.transport.common.calls.WaitingCalls;
import io.dht4j.transport.grpc.internal.wire.RecordBatch;
import io.dht4j.transport.grpc.internal.wire.RecordHead;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Assembles the messages of a stream from calls. For the lane's event loop. */
final class RequestWriter {

    private final SentCalls sent;
    /** The calls that the peer may forget, reported to it with the next message. */
    private final List<Long> withdrawn = new ArrayList<>();

    RequestWriter(SentCalls sent) {
        this.sent = sent;
    }

    /** Returns whether calls have ended that the peer still knows. */
    boolean hasWithdrawn() {
        return !withdrawn.isEmpty();
    }

    /**
     * Assembles the next message: waiting calls up to its size, the next part of one large frame, and the calls that
     * the peer may forget.
     */
    void assemble(RecordBatch batch, WaitingCalls waiting, long now) {
        batch.clear();
        Deque<PeerCall> whole = waiting.whole();
        while (!whole.isEmpty() && !batch.isFull()) {
            add(batch, whole.remove(), now);
        }
        addPart(batch, waiting.parted(), now);
        for (long id : withdrawn) {
            batch.addCancel(id);
        }
        withdrawn.clear();
    }

    private void add(RecordBatch batch, PeerCall call, long now) {
        Frame frame = call.request();
        long remaining = call.deadline() - now;
        if (remaining <= 0) {
            call.expire();
        } else if (call.send()) {
            sent.add(call, now);
            batch.addRequest(call.id(), TimeUnit.NANOSECONDS.toMicros(remaining), frame);
        }
    }

    private void addPart(RecordBatch batch, Deque<PeerCall> parted, long now) {
        PeerCall call = parted.poll();
        if (call == null) {
            return;
        }
        Frame frame = call.request();
        long remaining = call.deadline() - now;
        if (remaining <= 0) {
            call.expire();
        }
        int from = call.written();
        int length = Math.min(RecordHead.MAX_PART, call.size() - from);
        boolean last = from + length == call.size();
        // A request can reach a handler only with its last part.
        if (call.hasEnded() || (last && !call.send())) {
            if (from > 0) {
                withdraw(call);
            }
            return;
        }
        if (from == 0) {
            sent.add(call, now);
            batch.endWithRequest(call.id(), TimeUnit.NANOSECONDS.toMicros(remaining), frame, length);
        } else {
            batch.endWithPart(call.id(), frame, from, length);
        }
        call.written(from + length);
        if (!last) {
            parted.add(call);
        }
    }

    /** Reports to the peer, with the next message, the end of a call that it has at least in part. */
    void withdraw(PeerCall call) {
        if (sent.remove(call.id()) != null) {
            withdrawn.add(call.id());
        }
    }
}
