package io.dht4j.transport.grpc.internal.server;

import io.dht4j.spi.CallContext;
import io.dht4j.spi.FrameHandler;
import io.dht4j.transport.common.calls.FrameAssembler;
import io.dht4j.transport.common.options.PeerTransportOptions;
import io.dht4j.transport.grpc.internal.loops.EventLoops.Loop;
import io.dht4j.transport.grpc.internal.loops.PeriodicTask;
import io.dht4j.transport.grpc.internal.tls.PeerTls;
import io.dht4j.transport.grpc.internal.wire.FlowControl;
import io.dht4j.transport.grpc.internal.wire.PeerMethods;
import io.dht4j.transport.grpc.internal.wire.RecordHead;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.grpc.netty.shaded.io.netty.util.concurrent.Future;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A stream of a calling peer: reads requests, passes them to the handler, and has a {@link ReplyWriter} for the
 * replies. For the connection's event loop. It reads only while the peer reads the replies, and holds no more of them
 * than the bounds on requests in flight allow.
 */
final class ServerStream extends ServerCall.Listener<InputStream> {

    private static final Logger LOG = LoggerFactory.getLogger(ServerStream.class);

    private static final long MAX_MICROS = TimeUnit.HOURS.toMicros(1);
    private static final Status EXPIRED =
            Status.DEADLINE_EXCEEDED.withDescription("the deadline passed before the request was complete");

    private final ServerCall<InputStream, InputStream> call;
    private final FrameHandler frames;
    private final RequestAdmission admission;
    private final Loop loop;
    private final long idleNanos;
    private final Set<String> callerNames;

    private final RecordHead head = new RecordHead();
    private final OpenExchanges exchanges = new OpenExchanges();
    private final ReplyWriter replies;
    private final Future<?> timer;
    private boolean paused;
    private boolean halfClosed;
    private boolean ended;
    /** Whether every request that was passed on has been answered or is still in progress. */
    private boolean allAnswered = true;

    private long movedAt = System.nanoTime();

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
        this.callerNames = PeerTls.provenNames(call.getAttributes());
        this.replies = new ReplyWriter(call, callerKnowsNoRoom, loop, admission, exchanges, this::flush);
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

    @Override
    public void onMessage(InputStream message) {
        if (ended) {
            return;
        }
        movedAt = System.nanoTime();
        replies.setReading(true);
        try {
            while (message.available() > 0 && !ended) {
                head.read(message);
                read(message);
            }
        } catch (IOException | UncheckedIOException e) {
            LOG.debug("{} sent what is no request", RequestAdmission.caller(call), e);
            end(Status.INVALID_ARGUMENT.withDescription("malformed message: " + e.getMessage()));
        } finally {
            replies.setReading(false);
        }
        flush();
        if (!ended) {
            if (replies.isFull()) {
                paused = true;
            } else {
                call.request(1);
            }
        }
    }

    private void read(InputStream message) throws IOException {
        switch (head.type()) {
            case RecordHead.REQUEST, RecordHead.REQUEST_BEGINS -> begin(message);
            case RecordHead.PART -> {
                StreamExchange exchange = exchanges.find(head.id());
                FrameAssembler request = exchange == null ? null : exchange.request();
                if (exchange == null || request == null) {
                    // Refused before.
                    message.skipNBytes(head.length());
                } else {
                    add(message, exchange, request);
                }
            }
            case RecordHead.CANCEL -> {
                message.skipNBytes(head.length());
                StreamExchange exchange = exchanges.find(head.id());
                if (exchange != null) {
                    exchanges.cancel(exchange);
                }
            }
            default -> throw new IOException("a record of type " + head.type() + " from the calling peer");
        }
    }

    private void begin(InputStream message) throws IOException {
        long id = head.id();
        long micros = head.micros();
        if (exchanges.find(id) != null) {
            throw new IOException("two requests with the number " + id);
        }
        if (micros < 0) {
            throw new IOException("a remaining time of " + micros + " microseconds");
        }
        int total = head.total();
        Status refusal = admission.enter(total);
        if (refusal != null) {
            message.skipNBytes(head.length());
            replies.refuse(id, refusal);
            return;
        }
        long remainingNanos = TimeUnit.MICROSECONDS.toNanos(Math.min(micros, MAX_MICROS));
        CallContext context = new CallContext(System::nanoTime, remainingNanos, callerNames, admission.replyRoom);
        StreamExchange exchange = new StreamExchange(id, total, context, admission, replies);
        exchanges.add(exchange);
        if (head.type() == RecordHead.REQUEST) {
            handle(exchange, message.readNBytes(total));
        } else {
            add(message, exchange, exchange.begin(total));
        }
    }

    private void add(InputStream message, StreamExchange exchange, FrameAssembler request) throws IOException {
        try {
            if (!request.add(message, head.length())) {
                throw new IOException("more bytes than were announced");
            }
        } catch (OutOfMemoryError e) {
            // The part was not read. The other calls of the stream continue.
            message.skipNBytes(head.length());
            exchanges.end(exchange);
            replies.refuse(exchange.id(), admission.noMemory(call));
            return;
        }
        if (request.isComplete()) {
            handle(exchange, request.bytes());
        }
    }

    private void handle(StreamExchange exchange, byte[] frame) {
        if (exchange.isExpired()) {
            exchanges.end(exchange);
            replies.refuse(exchange.id(), EXPIRED);
        } else {
            exchange.handle(frames, frame);
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
        for (StreamExchange exchange : exchanges.endIncomplete()) {
            replies.refuse(exchange.id(), Status.CANCELLED.withDescription("the request was not sent to its end"));
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

    /** Writes the finished answers for as long as the peer takes them, and reads on if it may. */
    private void flush() {
        assert loop.isCurrent();
        replies.takeAnswered();
        if (ended) {
            return;
        }
        if (replies.write()) {
            movedAt = System.nanoTime();
        }
        if (paused && !replies.isFull()) {
            paused = false;
            call.request(1);
        }
        if (halfClosed && exchanges.isEmpty() && !replies.hasQueued()) {
            end(Status.OK);
        }
    }

    /** Forgets requests that their callers have abandoned, and ends a stream without traffic. */
    private void sweep() {
        if (ended) {
            return;
        }
        if (exchanges.cancelExpired()) {
            allAnswered = false;
        }
        boolean waitsForCaller = exchanges.areIncomplete() || replies.hasUntaken();
        if (waitsForCaller && System.nanoTime() - movedAt > idleNanos) {
            end(Status.UNAVAILABLE.withDescription(
                    "nothing moved for " + TimeUnit.NANOSECONDS.toMillis(idleNanos) + " ms"));
        }
    }

    private void end(Status status) {
        if (ended) {
            return;
        }
        ended = true;
        boolean nothingLost = allAnswered && exchanges.isEmpty() && !replies.hasQueued();
        call.close(status, nothingLost ? PeerMethods.notSent() : new Metadata());
        dropAll();
    }

    private void dropAll() {
        timer.cancel(false);
        replies.clear();
        exchanges.cancelAll();
    }
}
