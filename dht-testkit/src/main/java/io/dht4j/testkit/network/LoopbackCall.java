package io.dht4j.testkit.network;

import io.dht4j.DhtException;
import io.dht4j.NodeId;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Frame;
import io.dht4j.spi.FrameHandler;
import io.dht4j.spi.TransportException;
import io.dht4j.spi.TransportException.Outcome;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * One call over a {@link LoopbackNetwork}: the caller's future, the task that delivers the request, and the receiver of
 * the reply, in one object. A call is waiting, delivered or ended; waiting becomes delivered or ended, and delivered
 * becomes ended. Only a call that ended while waiting was not sent.
 */
final class LoopbackCall extends CompletableFuture<byte[]>
        implements Runnable, BiFunction<byte[], Throwable, LoopbackCall> {

    private static final int WAITING = 0;
    private static final int HANDED = 1;
    private static final int ENDED = 2;

    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(LoopbackCall.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final LoopbackTransport peer;
    /** Whom the caller takes for the peer. */
    final NodeId node;

    final CallContext context;
    final long deadline;
    private final LoopbackTransport caller;
    private final Frame request;

    @SuppressWarnings("unused") // through the handle
    private volatile int state;

    /** The links of the list that contains the call. */
    @Nullable
    LoopbackCalls list;

    @Nullable
    LoopbackCall previous;

    @Nullable
    LoopbackCall next;

    LoopbackCall(
            LoopbackTransport caller,
            LoopbackTransport peer,
            NodeId node,
            Frame request,
            CallContext context,
            long deadline) {
        this.caller = caller;
        this.peer = peer;
        this.node = node;
        this.request = request;
        this.context = context;
        this.deadline = deadline;
    }

    /** Delivers the request, on the network's executor. */
    @Override
    public void run() {
        FrameHandler handler = peer.openHandler();
        if (handler == null) {
            abandon("nothing listens on " + peer.address);
        } else if (context.isExpired()) {
            abandon("the deadline of a call to " + peer.address + " passed");
        } else if (STATE.compareAndSet(this, WAITING, HANDED)) {
            handOver(handler);
        }
    }

    private void handOver(FrameHandler handler) {
        try {
            CompletionStage<byte[]> reply = handler.handle(request.toBytes(), context);
            if (reply instanceof CompletableFuture<byte[]> future
                    && future.isDone()
                    && !future.isCompletedExceptionally()) {
                accept(future.join(), null);
            } else {
                // Not {@code whenComplete}: its stage would fail too, at the cost of another exception and stack
                // trace.
                reply.handle(this);
            }
        } catch (Throwable e) {
            accept(null, e);
        }
    }

    /** Receives the reply, on any thread. */
    @Override
    public LoopbackCall apply(byte @Nullable [] reply, @Nullable Throwable error) {
        accept(reply, error);
        return this;
    }

    private void accept(byte @Nullable [] reply, @Nullable Throwable error) {
        if (!STATE.compareAndSet(this, HANDED, ENDED)) {
            return;
        }
        leaveList();
        if (error != null) {
            Throwable cause = DhtException.unwrap(error);
            fail(Outcome.UNKNOWN, peer.address + " failed to answer: " + cause, cause);
        } else if (reply == null) {
            fail(Outcome.UNKNOWN, peer.address + " answered without a frame", null);
        } else if (reply.length > caller.maxFrameBytes()) {
            fail(
                    Outcome.UNKNOWN,
                    peer.address + " answered with " + reply.length + " bytes, over the limit of "
                            + caller.maxFrameBytes(),
                    null);
        } else {
            complete(reply);
        }
    }

    /** Ends the call after its cancellation by the caller. */
    void cancelled() {
        abandon("call to " + peer.address + " was cancelled");
    }

    /** Ends the call without a reply, if it has not ended. */
    void abandon(String why) {
        if (STATE.compareAndSet(this, WAITING, ENDED)) {
            leaveList();
            fail(Outcome.NOT_SENT, why + ", before the request was handed over", null);
        } else if (STATE.compareAndSet(this, HANDED, ENDED)) {
            leaveList();
            fail(Outcome.UNKNOWN, why + ", after the request was handed over", null);
        }
    }

    private void leaveList() {
        LoopbackCalls owner = list;
        if (owner != null) {
            owner.remove(this);
        }
        caller.ended();
    }

    private void fail(Outcome outcome, String message, @Nullable Throwable cause) {
        completeExceptionally(
                cause == null
                        ? new TransportException(outcome, message)
                        : new TransportException(outcome, message, cause));
    }
}
