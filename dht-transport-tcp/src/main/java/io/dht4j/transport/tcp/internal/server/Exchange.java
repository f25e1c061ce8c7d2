package io.dht4j.transport.tcp.internal.server;

import io.dht4j.spi.CallContext;
import io.dht4j.spi.FrameHandler;
import io.dht4j.transport.common.calls.FrameAssembler;
import io.dht4j.transport.common.calls.Linked;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One request and its reply. It is itself its link in a queue and the receiver of the handler's result, which saves two
 * objects for each request. Everything except {@link #accept} is for the loop's thread.
 */
final class Exchange extends PendingAnswer
        implements Linked<Exchange>, BiConsumer<byte @Nullable [], @Nullable Throwable> {

    private static final AtomicIntegerFieldUpdater<Exchange> ACCEPTED =
            AtomicIntegerFieldUpdater.newUpdater(Exchange.class, "accepted");

    private final ServerConnection connection;
    private final CallContext context;
    private long heldBytes;
    private boolean released;
    private @Nullable Exchange next;
    private volatile int accepted;

    // Written by the thread that brings the result, read on the loop after the hand-over.
    private byte @Nullable [] result;
    private @Nullable Throwable error;

    /** The received bytes of a request that comes in pieces. */
    @Nullable
    FrameAssembler body;

    /** Whether the request has been passed on. */
    boolean handled;

    /** The number of written bytes of a reply that travels in parts. */
    int written;

    /** Creates an exchange whose request is counted with its declared length. */
    Exchange(ServerConnection connection, long id, CallContext context, int declaredBytes) {
        super(id);
        this.connection = connection;
        this.context = context;
        this.heldBytes = declaredBytes;
    }

    CallContext context() {
        return context;
    }

    /** Passes the request to the handler. */
    void handle(FrameHandler handler, byte[] request) {
        handled = true;
        body = null;
        try {
            CompletionStage<byte[]> stage = handler.handle(request, context);
            stage.whenComplete(this);
        } catch (Throwable e) {
            accept(null, e);
        }
    }

    /** Takes the result, on any thread; only the first one counts. */
    @Override
    public void accept(byte @Nullable [] reply, @Nullable Throwable failure) {
        if (accepted == 0 && ACCEPTED.compareAndSet(this, 0, 1)) {
            result = reply;
            error = failure;
            connection.answered(this);
        }
    }

    byte @Nullable [] result() {
        return result;
    }

    @Nullable
    Throwable error() {
        return error;
    }

    boolean isReleased() {
        return released;
    }

    /** Counts further bytes until the exchange is released. */
    void hold(int bytes) {
        heldBytes += bytes;
    }

    /** Ends the exchange and forgets its bytes. Returns how many were counted; -1 if it has ended before. */
    long release() {
        if (released) {
            return -1;
        }
        released = true;
        body = null;
        result = null;
        set(type(), null);
        return heldBytes;
    }

    @Override
    public @Nullable Exchange linked() {
        return next;
    }

    @Override
    public void link(@Nullable Exchange exchange) {
        next = exchange;
    }
}
