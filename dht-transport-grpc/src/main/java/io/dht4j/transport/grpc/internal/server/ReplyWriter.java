package io.dht4j.transport.grpc.internal.server;

import io.dht4j.DhtException;
import io.dht4j.transport.grpc.internal.loops.EventLoops.Loop;
import io.dht4j.transport.grpc.internal.wire.PeerMethods;
import io.dht4j.transport.grpc.internal.wire.RecordBatch;
import io.dht4j.transport.grpc.internal.wire.RecordHead;
import io.grpc.ServerCall;
import io.grpc.Status;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the replies of a stream in the order of their completion, while the caller reads them. For the connection's
 * event loop, except {@link #answered}.
 */
final class ReplyWriter {

    private static final Logger LOG = LoggerFactory.getLogger(ReplyWriter.class);

    /** The number of unread answers at which reading stops. */
    private static final int MAX_UNTAKEN = 1024;

    private final ServerCall<InputStream, InputStream> call;
    private final boolean callerKnowsNoRoom;
    private final Loop loop;
    private final RequestAdmission admission;
    private final OpenExchanges exchanges;
    private final Runnable wake;

    // For any thread.
    private final Queue<StreamExchange> answered = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean woken = new AtomicBoolean();

    // For the event loop.
    private final Deque<Answer> outgoing = new ArrayDeque<>();
    private final Deque<StreamExchange> parted = new ArrayDeque<>();
    private boolean reading;

    /** An answer that waits to be written, except the parts of large replies. */
    private static final class Answer {

        private final int type;
        private final long id;
        private final byte[] bytes;
        private final @Nullable StreamExchange exchange;

        Answer(int type, long id, byte[] bytes, @Nullable StreamExchange exchange) {
            this.type = type;
            this.id = id;
            this.bytes = bytes;
            this.exchange = exchange;
        }
    }

    /**
     * Creates a writer.
     *
     * @param callerKnowsNoRoom whether the caller understands {@link RecordHead#NO_ROOM}
     * @param flush makes the stream write, on the event loop
     */
    ReplyWriter(
            ServerCall<InputStream, InputStream> call,
            boolean callerKnowsNoRoom,
            Loop loop,
            RequestAdmission admission,
            OpenExchanges exchanges,
            Runnable flush) {
        this.call = call;
        this.callerKnowsNoRoom = callerKnowsNoRoom;
        this.loop = loop;
        this.admission = admission;
        this.exchanges = exchanges;
        this.wake = () -> {
            woken.set(false);
            flush.run();
        };
    }

    /** Takes an exchange that its handler has answered, on any thread, and wakes the stream. */
    void answered(StreamExchange exchange) {
        answered.add(exchange);
        if (loop.isCurrent() && reading) {
            return;
        }
        if (woken.compareAndSet(false, true)) {
            try {
                loop.executor().execute(wake);
            } catch (RejectedExecutionException e) {
                LOG.debug("a reply came after the transport was closed");
            }
        }
    }

    /** Records whether the stream reads a message: answers during that time are written after it. */
    void setReading(boolean reading) {
        this.reading = reading;
    }

    /** Queues the refusal of a request that no handler has seen. */
    void refuse(long id, Status why) {
        boolean noRoom = callerKnowsNoRoom && why.getCode() == PeerMethods.NO_ROOM;
        int type = noRoom ? RecordHead.NO_ROOM : RecordHead.REFUSED;
        byte[] text = String.valueOf(why.getDescription()).getBytes(StandardCharsets.UTF_8);
        outgoing.add(new Answer(type, id, text, null));
    }

    /** Queues the answers of the handlers. */
    void takeAnswered() {
        for (StreamExchange exchange = answered.poll(); exchange != null; exchange = answered.poll()) {
            if (!exchange.isReleased()) {
                queue(exchange);
            }
        }
    }

    private void queue(StreamExchange exchange) {
        byte[] reply = exchange.reply();
        Throwable failure = exchange.failure();
        if (failure != null || reply == null) {
            Throwable cause = failure == null ? new IllegalStateException("no reply") : DhtException.unwrap(failure);
            admission.logFailed(call, cause);
            queueFailure(exchange, PeerMethods.oneLine(cause.toString()));
        } else if (reply.length > admission.maxFrameBytes()) {
            LOG.warn("a reply of {} bytes is over the limit of {}", reply.length, admission.maxFrameBytes());
            queueFailure(exchange, "the reply of " + reply.length + " bytes is over the limit");
        } else {
            exchange.holdReply(reply.length);
            if (reply.length > RecordHead.MAX_PART) {
                parted.add(exchange);
            } else {
                outgoing.add(new Answer(RecordHead.REPLY, exchange.id(), reply, exchange));
            }
        }
    }

    private void queueFailure(StreamExchange exchange, String why) {
        outgoing.add(new Answer(RecordHead.FAILED, exchange.id(), why.getBytes(StandardCharsets.UTF_8), exchange));
    }

    /** Writes queued answers while the caller reads them. Returns whether any was written. */
    boolean write() {
        assert loop.isCurrent();
        boolean wrote = false;
        RecordBatch batch = loop.batch();
        while (hasUntaken() && call.isReady()) {
            batch.clear();
            while (!outgoing.isEmpty() && !batch.isFull()) {
                write(batch, outgoing.remove());
            }
            StreamExchange large = parted.poll();
            if (large != null && !large.isReleased()) {
                writePart(batch, large);
            }
            if (!batch.isEmpty()) {
                wrote = true;
                call.sendMessage(batch);
            }
        }
        return wrote;
    }

    private void write(RecordBatch batch, Answer answer) {
        StreamExchange exchange = answer.exchange;
        if (exchange != null) {
            if (exchange.isReleased()) {
                return;
            }
            exchanges.end(exchange);
        }
        batch.addReply(answer.type, answer.id, answer.bytes);
    }

    private void writePart(RecordBatch batch, StreamExchange exchange) {
        if (exchange.writePart(batch)) {
            exchanges.end(exchange);
        } else {
            parted.add(exchange);
        }
    }

    /** Returns whether so many answers wait that no further requests should be read. */
    boolean isFull() {
        return outgoing.size() >= MAX_UNTAKEN;
    }

    /** Returns whether answers wait, apart from the parts of large replies. */
    boolean hasQueued() {
        return !outgoing.isEmpty();
    }

    /** Returns whether an answer waits for the caller to read. */
    boolean hasUntaken() {
        return !outgoing.isEmpty() || !parted.isEmpty();
    }

    void clear() {
        outgoing.clear();
        parted.clear();
    }
}
