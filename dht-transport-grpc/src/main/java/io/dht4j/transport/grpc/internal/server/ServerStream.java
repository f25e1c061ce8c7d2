package io.dht4j.transport.grpc.internal.server;

import io.dht4j.DhtException;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Frame;
import io.dht4j.spi.FrameHandler;
import io.dht4j.transport.common.options.PeerTransportOptions;
import io.dht4j.transport.grpc.internal.loops.EventLoops.Loop;
import io.dht4j.transport.grpc.internal.loops.PeriodicTask;
import io.dht4j.transport.grpc.internal.tls.PeerTls;
import io.dht4j.transport.grpc.internal.wire.FlowControl;
import io.dht4j.transport.grpc.internal.wire.FrameAssembler;
import io.dht4j.transport.grpc.internal.wire.PeerMethods;
import io.dht4j.transport.grpc.internal.wire.RecordBatch;
import io.dht4j.transport.grpc.internal.wire.RecordHead;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.grpc.netty.shaded.io.netty.util.collection.LongObjectHashMap;
import io.grpc.netty.shaded.io.netty.util.collection.LongObjectMap;
import io.grpc.netty.shaded.io.netty.util.concurrent.Future;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A stream of a calling peer: reads requests, passes them to the handler, and writes replies in the order of their
 * completion. It lives on the connection's event loop. It reads only while the peer takes the replies, and holds no
 * more of them than the bounds on requests in flight allow.
 */
final class ServerStream extends ServerCall.Listener<InputStream> {

    private static final Logger LOG = LoggerFactory.getLogger(ServerStream.class);

    private static final long MAX_MICROS = TimeUnit.HOURS.toMicros(1);
    private static final byte[] NO_BYTES = {};
    private static final Status EXPIRED =
            Status.DEADLINE_EXCEEDED.withDescription("the deadline passed before the request was complete");

    /** The number of answers that the peer has not taken at which reading stops. */
    private static final int MAX_UNTAKEN = 1024;

    private final ServerCall<InputStream, InputStream> call;
    private final FrameHandler frames;
    private final RequestAdmission admission;
    private final Loop loop;
    private final long idleNanos;
    private final Set<String> callerNames;
    private final boolean callerKnowsNoRoom;
    private final Runnable flush = this::flush;

    // For any thread.
    private final Queue<Exchange> answered = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean woken = new AtomicBoolean();

    // For the event loop.
    private final RecordHead head = new RecordHead();
    private final LongObjectMap<Exchange> exchanges = new LongObjectHashMap<>();
    private final Deque<Answer> outgoing = new ArrayDeque<>();
    private final Deque<Exchange> parted = new ArrayDeque<>();
    private final Future<?> timer;
    private boolean reading;
    private boolean paused;
    private boolean halfClosed;
    private boolean ended;
    /** Whether every request that was passed on has been answered or is still in progress. */
    private boolean allAnswered = true;

    private long movedAt = System.nanoTime();

    /** An answer that waits to be written, apart from the parts of large replies. */
    private static final class Answer {

        private final int type;
        private final long id;
        private final byte[] bytes;
        private final @Nullable Exchange exchange;

        Answer(int type, long id, byte[] bytes, @Nullable Exchange exchange) {
            this.type = type;
            this.id = id;
            this.bytes = bytes;
            this.exchange = exchange;
        }
    }

    private ServerStream(
            ServerCall<InputStream, InputStream> call,
            FrameHandler frames,
            RequestAdmission admission,
            Loop loop,
            PeerTransportOptions<?> options,
            boolean callerKnowsNoRoom) {
        this.call = call;
        this.frames = frames;
        this.admission = admission;
        this.loop = loop;
        this.idleNanos = options.listener().idleTimeout().toNanos();
        this.callerKnowsNoRoom = callerKnowsNoRoom;
        this.callerNames = PeerTls.provenNames(call.getAttributes());
        long interval = Math.min(idleNanos / 4, TimeUnit.SECONDS.toNanos(1));
        this.timer = loop.executor()
                .scheduleWithFixedDelay(
                        new PeriodicTask("clearing away what a peer left behind", this::sweep),
                        interval,
                        interval,
                        TimeUnit.NANOSECONDS);
    }

    /** Begins to read. On the connection's event loop. */
    static ServerCall.Listener<InputStream> begin(
            ServerCall<InputStream, InputStream> call,
            Metadata headers,
            FrameHandler frames,
            RequestAdmission admission,
            Loop loop,
            PeerTransportOptions<?> options) {
        String refusal = PeerTls.refusal(call.getAttributes());
        if (refusal != null) {
            call.close(Status.PERMISSION_DENIED.withDescription(refusal), PeerMethods.notSent());
            return new ServerCall.Listener<>() {};
        }
        call.setOnReadyThreshold(FlowControl.READY_THRESHOLD);
        call.sendHeaders(new Metadata());
        call.request(1);
        return new ServerStream(call, frames, admission, loop, options, headers.containsKey(PeerMethods.KNOWS_NO_ROOM));
    }

    /** Returns the caller's address, for the log. */
    static String caller(ServerCall<?, ?> call) {
        return String.valueOf(call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR));
    }

    @Override
    public void onMessage(InputStream message) {
        if (ended) {
            return;
        }
        movedAt = System.nanoTime();
        reading = true;
        try {
            while (message.available() > 0 && !ended) {
                head.read(message);
                read(message);
            }
        } catch (IOException | UncheckedIOException e) {
            LOG.debug("{} sent what is no request", caller(call), e);
            end(Status.INVALID_ARGUMENT.withDescription("malformed message: " + e.getMessage()));
        } finally {
            reading = false;
        }
        flush();
        if (!ended) {
            if (outgoing.size() < MAX_UNTAKEN) {
                call.request(1);
            } else {
                paused = true;
            }
        }
    }

    private void read(InputStream message) throws IOException {
        switch (head.type()) {
            case RecordHead.REQUEST, RecordHead.REQUEST_BEGINS -> begin(message);
            case RecordHead.PART -> {
                Exchange exchange = exchanges.get(head.id());
                if (exchange == null || exchange.body == null) {
                    // Refused before.
                    message.skipNBytes(head.length());
                } else {
                    add(message, exchange, exchange.body);
                }
            }
            case RecordHead.CANCEL -> {
                message.skipNBytes(head.length());
                Exchange exchange = exchanges.remove(head.id());
                if (exchange != null) {
                    exchange.release();
                    exchange.context.cancel();
                }
            }
            default -> throw new IOException("a record of type " + head.type() + " from who calls");
        }
    }

    private void begin(InputStream message) throws IOException {
        long id = head.id();
        long micros = head.micros();
        if (exchanges.containsKey(id)) {
            throw new IOException("two requests with the number " + id);
        }
        if (micros < 0) {
            throw new IOException("a remaining time of " + micros + " microseconds");
        }
        int total = head.total();
        Status refusal = admission.enter(total);
        if (refusal != null) {
            message.skipNBytes(head.length());
            refuse(id, refusal);
            return;
        }
        Exchange exchange = new Exchange(id, total, TimeUnit.MICROSECONDS.toNanos(Math.min(micros, MAX_MICROS)));
        exchanges.put(id, exchange);
        if (head.type() == RecordHead.REQUEST) {
            exchange.handle(message.readNBytes(total));
        } else {
            FrameAssembler body = new FrameAssembler(total);
            exchange.body = body;
            add(message, exchange, body);
        }
    }

    private void refuse(long id, Status why) {
        boolean noRoom = callerKnowsNoRoom && why.getCode() == PeerMethods.NO_ROOM;
        int type = noRoom ? RecordHead.NO_ROOM : RecordHead.REFUSED;
        byte[] text = String.valueOf(why.getDescription()).getBytes(StandardCharsets.UTF_8);
        outgoing.add(new Answer(type, id, text, null));
    }

    private void add(InputStream message, Exchange exchange, FrameAssembler body) throws IOException {
        try {
            if (!body.add(message, head.length())) {
                throw new IOException("more bytes than were announced");
            }
        } catch (OutOfMemoryError e) {
            // Nothing of the part has been read. The other calls of the stream go on.
            message.skipNBytes(head.length());
            exchanges.remove(exchange.id);
            exchange.release();
            refuse(exchange.id, admission.noMemory(caller(call)));
            return;
        }
        if (body.isComplete()) {
            exchange.body = null;
            exchange.handle(body.bytes());
        }
    }

    @Override
    public void onReady() {
        flush();
    }

    /** Handles the end of the caller's requests; those that came are still answered. */
    @Override
    public void onHalfClose() {
        halfClosed = true;
        List<Exchange> incomplete = new ArrayList<>();
        for (Exchange exchange : exchanges.values()) {
            if (exchange.body != null) {
                incomplete.add(exchange);
            }
        }
        for (Exchange exchange : incomplete) {
            exchanges.remove(exchange.id);
            exchange.release();
            refuse(exchange.id, Status.CANCELLED.withDescription("the request was not sent to its end"));
        }
        flush();
    }

    @Override
    public void onCancel() {
        ended = true;
        dropAll();
    }

    @Override
    public void onComplete() {
        ended = true;
        dropAll();
    }

    /** Writes the finished answers for as long as the peer takes them. */
    private void flush() {
        assert loop.isCurrent();
        for (Exchange exchange = answered.poll(); exchange != null; exchange = answered.poll()) {
            exchange.queue();
        }
        if (ended) {
            return;
        }
        RecordBatch batch = loop.batch();
        while ((!outgoing.isEmpty() || !parted.isEmpty()) && call.isReady()) {
            batch.clear();
            while (!outgoing.isEmpty() && !batch.isFull()) {
                write(batch, outgoing.remove());
            }
            Exchange large = parted.poll();
            if (large != null) {
                writePart(batch, large);
            }
            if (!batch.isEmpty()) {
                movedAt = System.nanoTime();
                call.sendMessage(batch);
            }
        }
        if (paused && outgoing.size() < MAX_UNTAKEN) {
            paused = false;
            call.request(1);
        }
        if (halfClosed && exchanges.isEmpty() && outgoing.isEmpty()) {
            end(Status.OK);
        }
    }

    private void write(RecordBatch batch, Answer answer) {
        Exchange exchange = answer.exchange;
        if (exchange != null) {
            if (exchange.released) {
                return;
            }
            exchanges.remove(exchange.id);
            exchange.release();
        }
        batch.addReply(answer.type, answer.id, answer.bytes);
    }

    private void writePart(RecordBatch batch, Exchange exchange) {
        byte[] reply = exchange.reply;
        if (exchange.released || reply == null) {
            return;
        }
        int from = exchange.written;
        int length = Math.min(RecordHead.MAX_PART, reply.length - from);
        if (from == 0) {
            batch.endWithReply(exchange.id, reply, length);
        } else {
            batch.endWithPart(exchange.id, Frame.of(reply), from, length);
        }
        exchange.written = from + length;
        if (exchange.written < reply.length) {
            parted.add(exchange);
        } else {
            exchanges.remove(exchange.id);
            exchange.release();
        }
    }

    /** Forgets requests whose callers have given up by now, and ends a stream on which nothing moves. */
    private void sweep() {
        if (ended) {
            return;
        }
        List<Exchange> late = new ArrayList<>();
        for (Exchange exchange : exchanges.values()) {
            if (exchange.context.isExpired()) {
                late.add(exchange);
            }
        }
        for (Exchange exchange : late) {
            allAnswered = false;
            exchanges.remove(exchange.id);
            exchange.release();
            exchange.context.cancel();
        }
        boolean untaken = !outgoing.isEmpty() || !parted.isEmpty();
        if ((exchanges.isEmpty() || untaken) && System.nanoTime() - movedAt > idleNanos) {
            end(Status.UNAVAILABLE.withDescription(
                    "nothing moved for " + TimeUnit.NANOSECONDS.toMillis(idleNanos) + " ms"));
        }
    }

    private void end(Status status) {
        if (ended) {
            return;
        }
        ended = true;
        boolean nothingLost = allAnswered && exchanges.isEmpty() && outgoing.isEmpty();
        call.close(status, nothingLost ? PeerMethods.notSent() : new Metadata());
        dropAll();
    }

    private void dropAll() {
        timer.cancel(false);
        List<Exchange> dropped = new ArrayList<>(exchanges.values());
        exchanges.clear();
        outgoing.clear();
        parted.clear();
        for (Exchange exchange : dropped) {
            exchange.release();
            exchange.context.cancel();
        }
    }

    /** One request and its reply. Everything except {@link #accept} runs on the event loop. */
    private final class Exchange {

        private final long id;
        private final CallContext context;
        private long heldBytes;
        private @Nullable FrameAssembler body;
        private byte @Nullable [] reply;
        private @Nullable Throwable error;
        private int written;
        private boolean released;

        Exchange(long id, int length, long remainingNanos) {
            this.id = id;
            this.heldBytes = length;
            this.context = new CallContext(System::nanoTime, remainingNanos, callerNames, admission.replyRoom);
        }

        void handle(byte[] request) {
            if (context.isExpired()) {
                exchanges.remove(id);
                release();
                refuse(id, EXPIRED);
                return;
            }
            try {
                frames.handle(request, context).whenComplete(this::accept);
            } catch (Throwable e) {
                accept(null, e);
            }
        }

        /** Takes the reply, on any thread. */
        private void accept(byte @Nullable [] result, @Nullable Throwable failure) {
            reply = result;
            error = failure;
            answered.add(this);
            if (loop.isCurrent() && reading) {
                // Written when the message has been read to its end.
                return;
            }
            if (woken.compareAndSet(false, true)) {
                try {
                    loop.executor().execute(() -> {
                        woken.set(false);
                        flush.run();
                    });
                } catch (RejectedExecutionException e) {
                    LOG.debug("a reply came after the transport was closed");
                }
            }
        }

        /** Queues the answer for writing. */
        void queue() {
            if (released) {
                return;
            }
            byte[] frame = reply;
            if (error != null || frame == null) {
                Throwable cause = error == null ? new IllegalStateException("no reply") : DhtException.unwrap(error);
                admission.logFailed(caller(call), cause);
                fail(PeerMethods.oneLine(cause.toString()));
            } else if (frame.length > admission.maxFrameBytes()) {
                LOG.warn("a reply of {} bytes is over the limit of {}", frame.length, admission.maxFrameBytes());
                fail("the reply of " + frame.length + " bytes is over the limit");
            } else {
                admission.grow(frame.length);
                heldBytes += frame.length;
                if (frame.length > RecordHead.MAX_PART) {
                    parted.add(this);
                } else {
                    outgoing.add(new Answer(RecordHead.REPLY, id, frame, this));
                }
            }
        }

        private void fail(String why) {
            outgoing.add(new Answer(RecordHead.FAILED, id, why.getBytes(StandardCharsets.UTF_8), this));
        }

        void release() {
            if (!released) {
                released = true;
                reply = NO_BYTES;
                body = null;
                admission.leave(heldBytes);
            }
        }
    }
}
