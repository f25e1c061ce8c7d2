package io.dht4j.transport.tcp.internal.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.dht4j.spi.CallContext;
import io.dht4j.transport.common.FloodCount;
import io.dht4j.transport.common.PeerAdmission;
import io.dht4j.transport.common.calls.FrameAssembler;
import io.dht4j.transport.tcp.internal.wire.LongMap;
import io.dht4j.transport.tcp.internal.wire.MalformedException;
import io.dht4j.transport.tcp.internal.wire.RecordHead;
import io.dht4j.transport.tcp.internal.wire.RecordReader;
import io.dht4j.transport.tcp.internal.wire.RecordType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one connection: admits or refuses them as they begin, collects their frames, and passes them to the
 * handler. For the loop's thread.
 */
final class Requests implements RecordReader.Receiver {

    private static final long MAX_MICROS = TimeUnit.HOURS.toMicros(1);

    /** Far more pings than callers send in half a minute, far fewer than would keep a processor busy. */
    private static final int MAX_PINGS = 1000;

    private static final byte[] NO_BYTES = {};

    private final ServerConnection connection;
    private final PeerAdmission admission;
    private final Replies replies;
    private final LongMap<Exchange> exchanges = new LongMap<>();
    private final FloodCount pings = new FloodCount(MAX_PINGS);
    private long lastId;
    private boolean kept;
    /** The exchange of the record that is being read; null if its bytes are dropped. */
    private @Nullable Exchange current;

    Requests(ServerConnection connection, Replies replies) {
        this.connection = connection;
        this.admission = connection.requests().admission();
        this.replies = replies;
    }

    @Override
    public boolean isEnded() {
        return connection.isDeaf();
    }

    boolean isEmpty() {
        return exchanges.isEmpty();
    }

    @Override
    public void begin(RecordHead head) throws IOException {
        current = null;
        if (head.type() == RecordType.PING) {
            if (pings.isOneTooMany()) {
                throw new MalformedException(
                        "more than " + MAX_PINGS + " pings in " + FloodCount.WINDOW_SECONDS + " s");
            }
            replies.add(new PendingAnswer(head.id(), RecordType.PONG, NO_BYTES));
            return;
        }
        if (head.type() > RecordType.CANCEL) {
            throw new MalformedException("a record of type " + head.type() + " from the caller");
        }
        if (head.type() == RecordType.PART || head.type() == RecordType.CANCEL) {
            if (head.id() > lastId || head.id() <= 0) {
                throw new MalformedException("a part or end of request " + head.id() + ", which has not begun");
            }
            continueRequest(head);
        } else {
            beginRequest(head);
        }
    }

    private void continueRequest(RecordHead head) throws MalformedException {
        Exchange exchange = exchanges.get(head.id());
        if (exchange == null) {
            // It was refused, answered or forgotten before.
            return;
        }
        if (head.type() == RecordType.CANCEL) {
            forget(exchange);
        } else if (exchange.handled) {
            throw new MalformedException("a part of request " + head.id() + ", which is complete");
        } else {
            current = exchange;
        }
    }

    private void beginRequest(RecordHead head) throws MalformedException {
        long id = head.id();
        if (id <= lastId) {
            throw new MalformedException("request " + id + " after request " + lastId);
        }
        lastId = id;
        int total = head.total();
        String refusal = admission.enter(total);
        if (refusal != null) {
            boolean noRoom = !admission.isDraining() && total >= 0 && total <= admission.maxFrameBytes();
            refuse(id, noRoom ? RecordType.NO_ROOM : RecordType.REFUSED, refusal);
            return;
        }
        if (!kept) {
            kept = true;
            connection.keepPlace();
        }
        try {
            long nanos = TimeUnit.MICROSECONDS.toNanos(Math.min(head.micros(), MAX_MICROS));
            CallContext context =
                    new CallContext(System::nanoTime, nanos, connection.callerNames(), admission.replyRoom());
            Exchange exchange = new Exchange(connection, id, context, total);
            exchanges.put(id, exchange);
            current = exchange;
        } catch (OutOfMemoryError e) {
            admission.leave(total);
            throw e;
        }
    }

    private void refuse(long id, int type, String why) {
        replies.add(new PendingAnswer(id, type, why.getBytes(UTF_8)));
    }

    @Override
    public void take(RecordHead head, ByteBuffer in, int count, boolean last) throws IOException {
        Exchange exchange = current;
        if (exchange == null || exchange.isReleased()) {
            in.position(in.position() + count);
            return;
        }
        int end = in.position() + count;
        byte[] whole = null;
        try {
            if (exchange.body == null && count == head.total()) {
                whole = new byte[count];
                in.get(whole);
            } else {
                whole = add(exchange, head, in, count);
            }
        } catch (OutOfMemoryError e) {
            // The other requests of the connection continue.
            in.position(end);
            forget(exchange);
            connection.requests().logNoMemory(connection.caller());
            refuse(exchange.id(), RecordType.NO_ROOM, "no memory for the frame");
        }
        if (whole != null) {
            handle(exchange, whole);
        }
    }

    /** Adds the next bytes of a request that comes in pieces. Returns the request if it is complete. */
    private static byte @Nullable [] add(Exchange exchange, RecordHead head, ByteBuffer in, int count)
            throws MalformedException {
        FrameAssembler body = exchange.body;
        if (body == null) {
            body = new FrameAssembler(head.total());
            exchange.body = body;
        }
        RecordReader.collect(body, in, count);
        return body.isComplete() ? body.bytes() : null;
    }

    private void handle(Exchange exchange, byte[] request) {
        if (exchange.context().isExpired()) {
            remove(exchange);
            refuse(exchange.id(), RecordType.REFUSED, "the deadline passed before the request was complete");
        } else {
            exchange.handle(connection.requests().handler(), request);
        }
    }

    /** Ends an exchange and releases its place and its bytes. */
    void remove(Exchange exchange) {
        release(exchange);
        exchanges.remove(exchange.id());
    }

    private void release(Exchange exchange) {
        long bytes = exchange.release();
        if (bytes >= 0) {
            admission.leave(bytes);
        }
    }

    /** Ends an exchange whose caller no longer wants the reply. */
    private void forget(Exchange exchange) {
        remove(exchange);
        exchange.context().cancel();
    }

    /** Ends the exchanges whose callers have given up by now. */
    void forgetExpired() {
        List<Exchange> late = new ArrayList<>(0);
        exchanges.forEach(exchange -> {
            if (exchange.context().isExpired()) {
                late.add(exchange);
            }
        });
        late.forEach(this::forget);
    }

    /** Returns whether more of a request has to come. */
    boolean isAwaitingMore() {
        boolean[] awaiting = {false};
        exchanges.forEach(exchange -> awaiting[0] |= !exchange.handled);
        return awaiting[0];
    }

    /** Ends all exchanges. */
    void forgetAll() {
        // The counts are updated first: a cancellation runs foreign code.
        exchanges.forEach(this::release);
        exchanges.forEach(exchange -> exchange.context().cancel());
        exchanges.clear();
    }
}
