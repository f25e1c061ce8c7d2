package io.dht4j.examples.transport;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.dht4j.DhtException;
import io.dht4j.PrintableText;
import io.dht4j.examples.transport.TcpConnection.Kind;
import io.dht4j.examples.transport.TcpConnection.Message;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Frame;
import io.dht4j.spi.FrameHandler;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The requests of one caller, over the connection that it opened. Safe for use by any number of threads. */
final class TcpGuest implements TcpConnection.Owner {

    private static final long MAX_NANOS = TimeUnit.HOURS.toNanos(1);
    private static final int MAX_TEXT = 200;

    final TcpConnection connection;
    private final FrameHandler handler;
    private final int maxFrameBytes;
    private final long maxBytes;
    private final AtomicLong bytesOfAll;
    private final Consumer<TcpGuest> whenClosed;
    private final Map<Long, Request> requests = new ConcurrentHashMap<>();

    private record Request(CallContext context, long cost) {}

    /**
     * Creates a caller.
     *
     * @param bytesOfAll bytes of the requests of all callers in flight, bounded by {@code maxBytes}
     */
    TcpGuest(
            FrameHandler handler,
            int maxFrameBytes,
            long maxBytes,
            AtomicLong bytesOfAll,
            Consumer<TcpGuest> whenClosed) {
        this.handler = handler;
        this.maxFrameBytes = maxFrameBytes;
        this.maxBytes = maxBytes;
        this.bytesOfAll = bytesOfAll;
        this.whenClosed = whenClosed;
        this.connection = new TcpConnection(maxFrameBytes, maxBytes, this);
    }

    // tag::received[]
    @Override
    public void received(Message message) {
        switch (message.kind()) {
            case REQUEST -> begin(message);
            case CANCEL -> cancel(message.id());
            case PING -> send(Kind.PONG, message.id(), new byte[0]);
            default -> throw new IllegalArgumentException("a caller sends no " + message.kind());
        }
    }

    private void begin(Message message) {
        long id = message.id();
        Request request = new Request(
                new CallContext(System::nanoTime, Math.min(message.nanosLeft(), MAX_NANOS)),
                message.frame().length() + TcpConnection.OVERHEAD);
        if (requests.putIfAbsent(id, request) != null) {
            throw new IllegalArgumentException("request " + id + " came twice");
        }
        if (bytesOfAll.addAndGet(request.cost()) > maxBytes) {
            answer(id, Kind.NO_ROOM, text("too many requests are under way"));
        } else if (request.context().isExpired()) {
            answer(id, Kind.REFUSED, text("the deadline passed before the request was handled"));
        } else {
            handle(id, message.frame().toBytes(), request.context());
        }
        // Closing sets the mark, then visits the requests; this adds one, then reads the mark. One of them cancels it.
        if (connection.isClosed()) {
            cancel(id);
        }
    }

    private void handle(long id, byte[] frame, CallContext context) {
        try {
            handler.handle(frame, context).whenComplete((reply, error) -> finish(id, reply, error));
        } catch (Throwable e) {
            finish(id, null, e);
        }
    }

    private void finish(long id, byte @Nullable [] reply, @Nullable Throwable error) {
        if (error != null) {
            answer(id, Kind.FAILED, text("failed: " + DhtException.unwrap(error)));
        } else if (reply == null) {
            answer(id, Kind.FAILED, text("gave no reply"));
        } else if (reply.length > maxFrameBytes) {
            answer(
                    id,
                    Kind.FAILED,
                    text("replied with " + reply.length + " bytes, over the limit of " + maxFrameBytes));
        } else {
            answer(id, Kind.REPLY, reply);
        }
    }

    /** Answers a request once; later answers, and those after a cancellation, are dropped. */
    private void answer(long id, Kind kind, byte[] frame) {
        if (end(id).isPresent()) {
            send(kind, id, frame);
        }
    }

    private void send(Kind kind, long id, byte[] frame) {
        if (!connection.offer(frame.length, () -> Optional.of(new Message(kind, id, 0, Frame.of(frame))))) {
            connection.close("its replies are not taken");
        }
    }
    // end::received[]

    private void cancel(long id) {
        end(id).ifPresent(request -> request.context().cancel());
    }

    private Optional<Request> end(long id) {
        Optional<Request> request = Optional.ofNullable(requests.remove(id));
        request.ifPresent(ended -> bytesOfAll.addAndGet(-ended.cost()));
        return request;
    }

    private static byte[] text(String message) {
        String line = PrintableText.of(message);
        return line.substring(0, Math.min(line.length(), MAX_TEXT)).getBytes(UTF_8);
    }

    @Override
    public void closed(String why) {
        whenClosed.accept(this);
        requests.keySet().forEach(this::cancel);
    }
}
