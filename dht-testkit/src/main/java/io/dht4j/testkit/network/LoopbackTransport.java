package io.dht4j.testkit.network;

import io.dht4j.Node;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Environment;
import io.dht4j.spi.Frame;
import io.dht4j.spi.FrameHandler;
import io.dht4j.spi.Transport;
import io.dht4j.spi.TransportException;
import io.dht4j.spi.TransportException.Outcome;
import io.dht4j.spi.TransportException.Reason;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A transport of a {@link LoopbackNetwork}.
 *
 * <p>Deadlines need no timer per call. One timer is set to the earliest known deadline; when it fires, overdue calls
 * fail, and it is set to the earliest remaining deadline. With equal timeouts, whose deadlines are ordered, this is one
 * timer per timeout for any number of calls.
 */
final class LoopbackTransport implements Transport {

    private static final int STRIPES = 8;

    final String address;
    private final LoopbackNetwork network;
    private final Environment environment;
    private final LoopbackCalls[] calls = new LoopbackCalls[STRIPES];
    private final AtomicInteger inFlight = new AtomicInteger();
    private volatile @Nullable FrameHandler handler;
    private volatile boolean closed;

    private final Object timerLock = new Object();
    /** Guarded by the timer lock. */
    private Environment.@Nullable Timer timer;
    /** Whether the timer is set, and its time. Written under the timer lock. */
    private volatile boolean armed;

    private volatile long armedFor;

    LoopbackTransport(LoopbackNetwork network, String address) {
        this.network = network;
        this.address = address;
        this.environment = network.environment;
        for (int i = 0; i < STRIPES; i++) {
            calls[i] = new LoopbackCalls();
        }
    }

    @Override
    public CompletionStage<Void> start(FrameHandler frameHandler) {
        if (closed) {
            return CompletableFuture.failedFuture(notSent("transport " + address + " is closed"));
        }
        if (handler != null) {
            return CompletableFuture.failedFuture(
                    new TransportException(Reason.STARTED, "transport " + address + " is started already"));
        }
        handler = frameHandler;
        if (!network.listen(address, this)) {
            handler = null;
            return CompletableFuture.failedFuture(
                    notSent("cannot listen on " + address + ": another transport listens there"));
        }
        if (closed) {
            network.leave(address, this);
            return CompletableFuture.failedFuture(notSent("transport " + address + " is closed"));
        }
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<byte[]> call(Node node, Frame request, CallContext context) {
        if (closed || handler == null) {
            return refused("transport " + address + (closed ? " is closed" : " is not started"));
        }
        if (request.length() > network.maxFrameBytes) {
            return refused("a frame of " + request.length() + " bytes to " + node.address() + " is over the limit of "
                    + network.maxFrameBytes + " bytes");
        }
        if (context.isCancelled()) {
            return refused("call to " + node.address() + " was cancelled before it was sent");
        }
        long remaining = context.remainingNanos();
        if (remaining <= 0) {
            return refused("the deadline of a call to " + node.address() + " passed before it was sent");
        }
        LoopbackTransport peer = network.find(node.address());
        if (peer == null) {
            return CompletableFuture.failedFuture(
                    new TransportException(Reason.REFUSED, "nothing listens on " + node.address()));
        }
        if (inFlight.incrementAndGet() > network.maxInFlight) {
            inFlight.decrementAndGet();
            return CompletableFuture.failedFuture(new TransportException(
                    Reason.NO_ROOM,
                    network.maxInFlight + " calls of " + address + " are under way, no room for another"));
        }
        return send(new LoopbackCall(this, peer, node.id(), request, context, environment.nanoTime() + remaining));
    }

    private LoopbackCall send(LoopbackCall call) {
        calls[Thread.currentThread().hashCode() & (STRIPES - 1)].add(call);
        if (!armed || call.deadline - armedFor < 0) {
            arm(call.deadline);
        }
        // Closing sets the mark before it searches for calls; this code adds the call before it reads the mark.
        if (closed) {
            call.abandon("transport " + address + " was closed");
            return call;
        }
        try {
            network.executor.execute(call);
        } catch (RejectedExecutionException e) {
            call.abandon("the executor refused a call to " + call.peer.address);
        }
        if (!call.isDone()) {
            call.context.onCancel(call::cancelled);
        }
        return call;
    }

    /** Returns the handler of peers' calls, or null if the transport has been closed. */
    @Nullable
    FrameHandler openHandler() {
        return closed ? null : handler;
    }

    int maxFrameBytes() {
        return network.maxFrameBytes;
    }

    /** Releases a call's place. Called once per call, after its removal from its list. */
    void ended() {
        inFlight.decrementAndGet();
    }

    void failCallsTo(LoopbackTransport peer) {
        abandonAll(call -> call.peer == peer, peer.address + " was closed");
    }

    private void abandonAll(Predicate<LoopbackCall> which, String why) {
        for (LoopbackCalls stripe : calls) {
            for (LoopbackCall call : stripe.select(which)) {
                call.abandon(why);
            }
        }
    }

    private void arm(long deadline) {
        synchronized (timerLock) {
            if (closed || (armed && deadline - armedFor >= 0)) {
                return;
            }
            if (timer != null) {
                timer.cancel();
            }
            armedFor = deadline;
            armed = true;
            timer = environment.schedule(this::sweep, Math.max(1, deadline - environment.nanoTime()));
        }
    }

    private void sweep() {
        synchronized (timerLock) {
            // The timer is cleared before the lists are read, so that a call added in between sets the timer itself.
            armed = false;
            timer = null;
        }
        long now = environment.nanoTime();
        LoopbackCall earliest = null;
        for (LoopbackCalls stripe : calls) {
            for (LoopbackCall call : stripe.select(call -> call.deadline - now <= 0)) {
                call.abandon("the deadline of a call to " + call.peer.address + " passed");
            }
            LoopbackCall candidate = stripe.earliest();
            if (earliest == null || (candidate != null && candidate.deadline - earliest.deadline < 0)) {
                earliest = candidate;
            }
        }
        if (earliest != null) {
            arm(earliest.deadline);
        }
    }

    @Override
    public void forget(Node node) {
        abandonAll(
                call -> call.node.equals(node.id()) && call.peer.address.equals(node.address()),
                "the node at " + node.address() + " has left the cluster, or has another address");
    }

    @Override
    public String name() {
        return "loopback";
    }

    @Override
    public void close() {
        closed = true;
        network.leave(address, this);
        abandonAll(call -> true, "transport " + address + " was closed");
        synchronized (timerLock) {
            if (timer != null) {
                timer.cancel();
                timer = null;
            }
        }
    }

    private static CompletionStage<byte[]> refused(String message) {
        return CompletableFuture.failedFuture(notSent(message));
    }

    private static TransportException notSent(String message) {
        return new TransportException(Outcome.NOT_SENT, message);
    }
}
