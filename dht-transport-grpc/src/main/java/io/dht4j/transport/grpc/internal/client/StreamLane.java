package io.dht4j.transport.grpc.internal.client;

import io.dht4j.transport.grpc.internal.client.PeerChannels.Target;
import io.dht4j.transport.grpc.internal.loops.EventLoops;
import io.dht4j.transport.grpc.internal.loops.EventLoops.Loop;
import io.dht4j.transport.grpc.internal.wire.PeerMethods;
import io.dht4j.transport.grpc.internal.wire.RecordHead;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.netty.shaded.io.netty.util.concurrent.Future;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The calls to one peer that share one stream. Any thread adds calls. The first of several calls wakes the event loop,
 * which takes them all and writes them as one message. Everything else happens on this loop.
 *
 * <p>Deadlines need no timer per call. One timer stands at the earliest deadline that was known when it was set. When
 * it runs, it ends the due calls and is set to the earliest remaining deadline. With equal timeouts that is one timer
 * per timeout, however many calls there are.
 */
final class StreamLane implements PeerClient {

    /** A moment after every deadline. */
    private static final long NEVER = Long.MAX_VALUE / 2;

    /**
     * The least interval between two sweeps, so that many different deadlines do not cause constant scans of all calls.
     */
    private static final long SWEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private final Target target;
    private final Loop loop;
    private final EventLoops loops;
    private final PeerChannels channels;
    private final PeerOptions options;
    private final CallBudget budget;
    private final long keepAliveNanos;
    private final Runnable flush = this::flush;
    private final Runnable sweep = this::sweep;
    /** The origin of all times here, so that plain comparison is safe. */
    private final long origin = System.nanoTime();

    // For any thread.
    private final CallInbox inbox = new CallInbox();
    private volatile boolean closed;

    // For the event loop.
    private final Deque<PeerCall> waiting = new ArrayDeque<>();
    /** The calls whose frames travel in parts, in turn. */
    private final Deque<PeerCall> parted = new ArrayDeque<>();

    private @Nullable StreamLink link;
    private int ended;
    /** The number of connection attempts that have begun. */
    private long attempts;

    private long timerAt = NEVER;
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
    public CallBudget budget() {
        return budget;
    }

    boolean isCurrent() {
        return loop.isCurrent();
    }

    @Override
    public void offer(PeerCall call) {
        if (inbox.put(call)) {
            try {
                loop.executor().execute(flush);
            } catch (RejectedExecutionException e) {
                abandonInbox();
            }
        }
        // Most calls end before their caller cancels them.
        call.context().onCancel(() -> cancel(call));
    }

    /** Ends a call that its caller has cancelled, from any thread. */
    private void cancel(PeerCall call) {
        if (call.abandon("cancelled")) {
            try {
                loop.executor().execute(() -> cancelled(call));
            } catch (RejectedExecutionException e) {
                // The loop has ended, and the stream with it.
                return;
            }
        }
    }

    private void cancelled(PeerCall call) {
        // The bound on bytes keeps the number of large frames small, so the search is short.
        parted.remove(call);
        if (link != null && link.withdraw(call)) {
            flush();
        } else if (++ended > 64 && ended > waiting.size() / 2) {
            ended = 0;
            waiting.removeIf(PeerCall::hasEnded);
        }
    }

    private void abandonInbox() {
        for (PeerCall call = inbox.takeAll(); call != null; ) {
            PeerCall next = call.next;
            call.next = null;
            call.abandon("the transport is closed");
            call = next;
        }
    }

    private void flush() {
        assert loop.isCurrent();
        if (closed) {
            abandonInbox();
            return;
        }
        takeIn();
        if (waiting.isEmpty() && parted.isEmpty() && link == null) {
            return;
        }
        if (link == null) {
            connect();
        } else {
            link.write(waiting, parted);
        }
    }

    private void connect() {
        attempts++;
        ManagedChannel channel;
        try {
            channel = channels.open(target, loops, loop, RecordHead.MAX_MESSAGE);
        } catch (RuntimeException e) {
            String why = "cannot connect: " + e.getMessage();
            failWaiting(call -> call.abandon(why), attempts);
            return;
        }
        StreamLink connecting = new StreamLink(this, loop, options);
        link = connecting;
        connecting.connect(channels, channel);
    }

    private void takeIn() {
        long earliest = NEVER;
        for (PeerCall call = inbox.takeAll(); call != null; ) {
            PeerCall next = call.next;
            call.next = null;
            // A concurrent cancellation may have looked for the call already.
            if (!call.hasEnded()) {
                takeIn(call);
                earliest = Math.min(earliest, call.deadline() - origin);
            }
            call = next;
        }
        setTimer(earliest);
    }

    private void takeIn(PeerCall call) {
        call.attempt = attempts + 1;
        if (call.request().length() > RecordHead.MAX_PART) {
            parted.add(call);
        } else {
            waiting.add(call);
        }
    }

    /** Returns the number of calls with large frames that have not been written completely. On the event loop. */
    int parted() {
        assert loop.isCurrent();
        return parted.size();
    }

    /** Writes more, because the link can take more. */
    void ready() {
        flush();
        setTimer(now() + keepAliveNanos);
    }

    /** Handles the end of the link, whatever its cause. */
    void lost(StreamLink lost, Status status, Metadata trailers) {
        assert loop.isCurrent();
        if (link != lost) {
            return;
        }
        link = null;
        boolean connected = lost.wasReady();
        if (connected) {
            parted.removeIf(call -> call.written > 0);
            lost.end(status, trailers);
        } else {
            String why = "cannot connect: " + PeerMethods.reason(status);
            failWaiting(call -> call.unconnected(why, status), attempts);
        }
        flush();
    }

    /**
     * Ends the waiting calls up to those of one connection attempt. Calls that came after it had begun get an attempt
     * of their own, because the peer may have begun to listen in the meantime.
     */
    private void failWaiting(Consumer<PeerCall> end, long attempt) {
        List<PeerCall> failed = new ArrayList<>();
        for (Deque<PeerCall> calls : List.of(waiting, parted)) {
            for (PeerCall call : calls) {
                if (call.attempt <= attempt) {
                    failed.add(call);
                }
            }
            calls.removeIf(call -> call.attempt <= attempt);
        }
        failed.forEach(end);
    }

    private long now() {
        return System.nanoTime() - origin;
    }

    /** Sets the timer, unless it stands earlier. */
    private void setTimer(long due) {
        assert loop.isCurrent();
        if (due >= timerAt || closed) {
            return;
        }
        if (timer != null) {
            timer.cancel(false);
        }
        timerAt = due;
        timer = loop.executor().schedule(sweep, Math.max(SWEEP_NANOS, due - now()), TimeUnit.NANOSECONDS);
    }

    private void sweep() {
        assert loop.isCurrent();
        timer = null;
        timerAt = NEVER;
        if (closed) {
            return;
        }
        long next = now() + SWEEP_NANOS;
        try {
            next = sweepCalls();
        } finally {
            // Also after an out-of-memory error: the remaining calls have deadlines too.
            setTimer(next);
        }
    }

    /** Ends the due calls. Returns when the next one is due, or {@link #NEVER}. */
    private long sweepCalls() {
        takeIn();
        long now = System.nanoTime();
        long next = sweep(waiting, now, NEVER);
        next = sweep(parted, now, next);
        StreamLink current = link;
        if (current != null) {
            long deadline = current.expire(now);
            if (deadline != Long.MAX_VALUE) {
                next = Math.min(next, deadline - origin);
            }
            if (current.wasReady() && current.isUnused() && waiting.isEmpty() && parted.isEmpty()) {
                long idleAt = current.usedAt() - origin + keepAliveNanos;
                if (idleAt <= now - origin) {
                    link = null;
                    current.close();
                } else {
                    next = Math.min(next, idleAt);
                }
            }
        }
        flush();
        return next;
    }

    /** Ends and removes the due calls. Returns the earliest of the remaining deadlines and {@code next}. */
    private long sweep(Deque<PeerCall> calls, long now, long next) {
        long earliest = next;
        for (var each = calls.iterator(); each.hasNext(); ) {
            PeerCall call = each.next();
            if (call.deadline() - now <= 0) {
                call.expire();
            }
            if (!call.hasEnded()) {
                earliest = Math.min(earliest, call.deadline() - origin);
            } else if (call.written == 0) {
                // A call of which a part was written stays: the link has to withdraw it.
                each.remove();
            }
        }
        return earliest;
    }

    @Override
    public void close() {
        closed = true;
        try {
            loop.executor().execute(() -> {
                if (timer != null) {
                    timer.cancel(false);
                    timer = null;
                }
                takeIn();
                failWaiting(call -> call.abandon("the transport is closed"), Long.MAX_VALUE);
                StreamLink current = link;
                link = null;
                if (current != null) {
                    current.abandonAll("the transport is closed");
                    current.close();
                }
            });
        } catch (RejectedExecutionException e) {
            abandonInbox();
        }
    }

    @Override
    public String toString() {
        return "lane to " + target.node().address();
    }
}
