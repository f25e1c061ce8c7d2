package io.dht4j.transport.grpc.internal.client;

import io.dht4j.spi.CallContext;
import io.dht4j.transport.common.calls.CallBudget;
import io.dht4j.transport.common.calls.PeerCall;
import io.dht4j.transport.common.calls.PeerCalls;
import io.dht4j.transport.common.calls.PeerLane;
import io.dht4j.transport.common.calls.WaitingCalls;
import io.dht4j.transport.grpc.internal.client.PeerChannels.Target;
import io.dht4j.transport.grpc.internal.loops.EventLoops;
import io.dht4j.transport.grpc.internal.loops.EventLoops.Loop;
import io.dht4j.transport.grpc.internal.wire.PeerMethods;
import io.dht4j.transport.grpc.internal.wire.RecordHead;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.netty.shaded.io.netty.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The calls to one peer that share one stream. Any thread adds calls. The first of several calls wakes the event loop,
 * which writes all of them as one message. All other work runs on this loop.
 *
 * <p>Deadlines need no timer per call. One timer is set to the earliest known deadline. When it runs, it ends the due
 * calls and is set to the earliest remaining deadline. With equal timeouts this takes one timer per timeout, for any
 * number of calls.
 */
final class StreamLane implements PeerLane {

    /** Later than every deadline. */
    private static final long FAR_NANOS = TimeUnit.DAYS.toNanos(30);

    private final Target target;
    private final Loop loop;
    private final EventLoops loops;
    private final PeerChannels channels;
    private final PeerOptions options;
    private final CallBudget budget;
    private final long keepAliveNanos;
    private final Runnable flush = this::flush;
    private final Runnable sweep = this::sweep;
    private final WaitingCalls waiting = new WaitingCalls(RecordHead.MAX_PART);

    // For any thread.
    private volatile @Nullable String closed;

    // For the event loop.
    private @Nullable StreamLink link;
    private long timerAt;
    private @Nullable Future<?> timer;

    StreamLane(
            Target target, Loop loop, EventLoops loops, PeerChannels channels, PeerOptions options, CallBudget budget) {
        this.target = target;
        this.loop = loop;
        this.loops = loops;
        this.channels = channels;
        this.options = options;
        this.budget = budget;
        this.keepAliveNanos = options.common().keepAlive().toNanos();
    }

    @Override
    public String address() {
        return target.node().address();
    }

    @Override
    public CallBudget budget() {
        return budget;
    }

    @Override
    public boolean isCurrent() {
        return loop.isCurrent();
    }

    @Override
    public void offer(PeerCall call, CallContext context) {
        if (waiting.put(call)) {
            try {
                loop.executor().execute(flush);
            } catch (RejectedExecutionException e) {
                waiting.abandonIncoming(PeerCalls.CLOSED);
            }
        }
        call.endWith(context);
    }

    @Override
    public void cancelled(PeerCall call) {
        try {
            loop.executor().execute(() -> remove(call));
        } catch (RejectedExecutionException e) {
            // The loop has ended, and the stream with it.
            return;
        }
    }

    private void remove(PeerCall call) {
        waiting.removeParted(call);
        if (link != null && link.withdraw(call)) {
            flush();
        } else {
            waiting.endedWhole();
        }
    }

    private void flush() {
        assert loop.isCurrent();
        String why = closed;
        if (why != null) {
            waiting.abandonIncoming(why);
            return;
        }
        takeIn();
        if (link != null) {
            link.write(waiting);
        } else if (!waiting.isEmpty()) {
            connect();
        }
    }

    private void connect() {
        waiting.attemptBegins();
        ManagedChannel channel;
        try {
            channel = channels.open(target, loops, loop, RecordHead.MAX_MESSAGE, budget.connections());
        } catch (RuntimeException e) {
            String why = "cannot connect: " + e.getMessage();
            waiting.endAttempted(call -> call.abandon(why));
            return;
        }
        StreamLink connecting = new StreamLink(this, loop, options);
        link = connecting;
        connecting.connect(channels, channel);
    }

    private void takeIn() {
        if (!waiting.haveCome()) {
            return;
        }
        // If there is no memory, the next sweep takes in the others.
        long earliest = System.nanoTime();
        try {
            earliest = waiting.takeIn(earliest + FAR_NANOS);
        } finally {
            setTimer(earliest);
        }
    }

    /** Returns the number of calls with large frames that have not been written completely. On the event loop. */
    int parted() {
        assert loop.isCurrent();
        return waiting.parted().size();
    }

    /** Writes more, because the link can take more. */
    void ready() {
        flush();
        setTimer(System.nanoTime() + keepAliveNanos);
    }

    /** Handles the end of the link for any cause. */
    void lost(StreamLink lost, Status status, Metadata trailers) {
        assert loop.isCurrent();
        if (link != lost) {
            return;
        }
        link = null;
        boolean connected = lost.wasReady();
        if (connected) {
            waiting.removeBegun();
            lost.end(status, trailers);
        } else {
            String why = "cannot connect: " + PeerMethods.reason(status);
            waiting.endAttempted(call -> call.unconnected(why, status.getCause()));
        }
        flush();
    }

    /** Sets the timer to a moment of {@link System#nanoTime()}, unless it stands earlier. */
    private void setTimer(long due) {
        assert loop.isCurrent();
        if (closed != null || (timer != null && timerAt - due <= 0)) {
            return;
        }
        if (timer != null) {
            timer.cancel(false);
        }
        timerAt = due;
        long delay = Math.max(WaitingCalls.LEAST_SWEEP_NANOS, due - System.nanoTime());
        timer = loop.executor().schedule(sweep, delay, TimeUnit.NANOSECONDS);
    }

    private void sweep() {
        assert loop.isCurrent();
        timer = null;
        if (closed != null) {
            return;
        }
        long next = System.nanoTime();
        try {
            next = sweepCalls(next);
        } finally {
            // Also after an out-of-memory error: the remaining calls have deadlines too.
            setTimer(next);
        }
    }

    /** Ends the due calls. Returns when the next look is due. */
    private long sweepCalls(long now) {
        takeIn();
        long next = waiting.sweep(now, now + FAR_NANOS);
        StreamLink current = link;
        if (current != null) {
            next = current.expire(now, next);
            if (current.wasReady() && current.isUnused() && waiting.isEmpty()) {
                long idleAt = current.usedAt() + keepAliveNanos;
                if (idleAt - now <= 0) {
                    link = null;
                    current.close();
                } else {
                    next = WaitingCalls.earlier(next, idleAt);
                }
            }
        }
        flush();
        return next;
    }

    @Override
    public void close(String why) {
        closed = why;
        try {
            loop.executor().execute(() -> {
                if (timer != null) {
                    timer.cancel(false);
                    timer = null;
                }
                waiting.abandonAll(why);
                StreamLink current = link;
                link = null;
                if (current != null) {
                    current.abandonAll(why);
                    current.close();
                }
            });
        } catch (RejectedExecutionException e) {
            waiting.abandonIncoming(why);
        }
    }

    @Override
    public String toString() {
        return "lane to " + target.node().address();
    }
}
