package io.dht4j.transport.http.internal.vertx;

import io.dht4j.spi.CallContext;
import io.dht4j.transport.common.calls.CallBudget;
import io.dht4j.transport.common.calls.PeerCall;
import io.dht4j.transport.common.calls.PeerCalls;
import io.dht4j.transport.common.calls.PeerLane;
import io.dht4j.transport.common.calls.WaitingCalls;
import io.dht4j.transport.http.internal.peer.LoopTimer;
import io.dht4j.transport.http.internal.peer.PeerLoop;
import io.dht4j.transport.http.internal.peer.PeerReply;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpConnectOptions;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The calls to one peer that share one event loop: a queue, and the connections that empty it. Any thread adds calls.
 * The first of several calls wakes the loop, which takes them all. All other work runs on the loop.
 *
 * <p>One {@linkplain LoopTimer timer} serves all deadlines.
 */
final class VertxLane implements PeerLane {

    private static final Logger LOG = LoggerFactory.getLogger(VertxLane.class);

    /** The shortest interval at which TLS is renewed after a peer has refused the certificate. */
    private static final long RENEW_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Later than every deadline. */
    private static final long FAR_NANOS = TimeUnit.DAYS.toNanos(30);

    private final String address;
    private final PeerLoop loop;
    private final HttpClientAgent client;
    private final VertxTarget target;
    private final int maxConnections;
    private final CallBudget budget;
    private final LoopTimer timer;
    private final long keepAliveNanos;

    private final Handler<Void> wake = now -> pump();
    private final WaitingCalls waiting = new WaitingCalls(Integer.MAX_VALUE);

    // For any thread.
    /** Why the lane is closed; null while it is open. */
    private volatile @Nullable String closed;

    // For the event loop.
    private final Deque<VertxConnection> idle = new ArrayDeque<>();
    private final Set<VertxConnection> open = new HashSet<>();
    private int connecting;
    /**
     * Whether the waiting calls are being iterated over. Calls that their callers make during that time follow
     * afterwards.
     */
    private boolean pumping;

    private HttpConnectOptions connectOptions;
    private long lastRenewal = System.nanoTime() - RENEW_NANOS;
    /** Whether connecting has just failed: calls may only share the existing connections. */
    private boolean refused;

    VertxLane(
            String address,
            PeerLoop loop,
            HttpClientAgent client,
            VertxTarget target,
            int maxConnections,
            long keepAliveNanos,
            CallBudget budget) {
        this.address = address;
        this.budget = budget;
        this.loop = loop;
        this.client = client;
        this.target = target;
        this.connectOptions = target.connect().get();
        this.maxConnections = maxConnections;
        this.timer = new LoopTimer(loop, this::sweep);
        this.keepAliveNanos = keepAliveNanos;
    }

    @Override
    public String address() {
        return address;
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
        boolean wakes = waiting.put(call);
        if (loop.isCurrent()) {
            pump();
        } else if (wakes) {
            try {
                loop.context().runOnContext(wake);
            } catch (RejectedExecutionException e) {
                waiting.abandonIncoming(PeerCalls.CLOSED);
            }
        }
        if (!call.isDone()) {
            call.endWith(context);
        }
    }

    @Override
    public void cancelled(PeerCall call) {
        if (!call.drop()) {
            onLoop(waiting::endedWhole);
        }
    }

    /** Returns a call to the end of the queue that was taken out but not written. */
    void sendAgain(PeerCall call) {
        if (call.unsend()) {
            waiting.whole().add(call);
            pump();
        }
    }

    /** Runs a task on the loop, unless that has ended. */
    void onLoop(Runnable task) {
        try {
            loop.context().runOnContext(now -> task.run());
        } catch (RejectedExecutionException e) {
            LOG.debug("{} has ended", this);
        }
    }

    private void pump() {
        assert loop.isCurrent();
        if (pumping) {
            return;
        }
        pumping = true;
        try {
            do {
                pumpOnce();
            } while (waiting.haveCome());
        } finally {
            pumping = false;
        }
    }

    private void pumpOnce() {
        takeIn();
        while (true) {
            VertxConnection connection = choose();
            if (connection == null) {
                return;
            }
            PeerCall call = next();
            if (call == null) {
                free(connection);
                return;
            }
            connection.send(call);
        }
    }

    private void takeIn() {
        String why = closed;
        if (why != null) {
            waiting.abandonAll(why);
        } else if (waiting.haveCome()) {
            // If there is no memory, the next sweep takes in the others.
            long earliest = System.nanoTime();
            try {
                earliest = waiting.takeIn(earliest + FAR_NANOS);
            } finally {
                setTimer(timer.at(earliest));
            }
        }
    }

    /** Runs work on the waiting calls, then passes on those that have arrived during the work. */
    private void alone(Runnable work) {
        boolean wasPumping = pumping;
        pumping = true;
        try {
            work.run();
        } finally {
            pumping = wasPumping;
        }
        pump();
    }

    /**
     * Returns the connection for the next call, or null if none has capacity or one is being opened for it. Calls share
     * a connection only at the maximum number of connections.
     */
    private @Nullable VertxConnection choose() {
        VertxConnection free = idle.pollLast();
        if (free != null) {
            return free;
        }
        if (!refused) {
            connect();
        }
        if (target.callsPerConnection() == 1
                || connecting >= Math.max(1, waiting.whole().size())) {
            return null;
        }
        VertxConnection best = null;
        for (VertxConnection connection : open) {
            if (connection.hasRoom() && (best == null || connection.load() < best.load())) {
                best = connection;
            }
        }
        return best;
    }

    /** Makes a connection that carries no call available to the next one. */
    private void free(VertxConnection connection) {
        if (connection.load() == 0 && connection.hasRoom()) {
            idle.addLast(connection);
        }
    }

    /** Returns the next call to send, marked as sent, or null if none waits. */
    private @Nullable PeerCall next() {
        while (true) {
            PeerCall call = waiting.whole().poll();
            if (call == null) {
                return null;
            }
            if (call.deadline() - System.nanoTime() <= 0) {
                call.expire();
            } else if (call.send()) {
                return call;
            }
        }
    }

    private void connect() {
        int wanted = Math.min(maxConnections - open.size(), waiting.whole().size()) - connecting;
        for (int i = 0; i < wanted && closed == null; i++) {
            connecting++;
            waiting.attemptBegins();
            client.connect(connectOptions).onComplete(result -> {
                connecting--;
                if (result.failed()) {
                    budget.connections().failed();
                    connectFailed(result.cause());
                } else if (closed != null) {
                    result.result().close();
                } else {
                    VertxConnection connection = new VertxConnection(this, result.result(), target);
                    open.add(connection);
                    budget.connections().opened();
                    release(connection);
                }
            });
        }
    }

    private void connectFailed(Throwable cause) {
        assert loop.isCurrent();
        if (connecting > 0 || !open.isEmpty()) {
            // Another attempt or connection decides about the waiting calls. An immediate new attempt for as long as
            // any call waits would never end with a peer that refuses.
            refused = true;
            pump();
            refused = false;
            return;
        }
        // Only calls that have waited since the last attempt began. For the others, and for calls that follow from
        // these, the peer may be back.
        String why = "cannot connect: " + PeerReply.reason(cause);
        alone(() -> waiting.endAttempted(call -> call.unconnected(why, cause)));
    }

    /**
     * Renews TLS after the peer has refused the certificate of a connection. There may be another certificate by now,
     * and Vert.x resumes sessions of the old one, so further connections begin without sessions.
     */
    void renew() {
        assert loop.isCurrent();
        long now = System.nanoTime();
        if (now - lastRenewal > RENEW_NANOS) {
            lastRenewal = now;
            connectOptions = target.connect().get();
        }
    }

    /** Takes back a connection that has room for another call. */
    void release(VertxConnection connection) {
        assert loop.isCurrent();
        if (connection.load() == 0) {
            free(connection);
            setTimer(timer.at(connection.idleSince()) + keepAliveNanos);
        }
        pump();
    }

    /** Runs a task on the loop later, if the lane is not closed by then. */
    void after(long nanos, Runnable task) {
        assert loop.isCurrent();
        long millis = TimeUnit.NANOSECONDS.toMillis(nanos) + 1;
        loop.context().owner().setTimer(millis, id -> {
            if (closed == null) {
                task.run();
            }
        });
    }

    /**
     * Probes unused connections after one has been silent for the time of a call. Those without received bytes since
     * then are likely to be dead too, and a call on each would miss its deadline.
     */
    void doubtUnused(long nanos, long since) {
        assert loop.isCurrent();
        for (VertxConnection unused : List.copyOf(idle)) {
            if (unused.load() == 0 && unused.heardAt() - since < 0) {
                unused.doubt(nanos);
            }
        }
    }

    /** Notes that a connection takes no further calls. */
    void unavailable(VertxConnection connection) {
        assert loop.isCurrent();
        idle.remove(connection);
    }

    /** Notes that a connection has been closed, by either side. */
    void gone(VertxConnection connection) {
        assert loop.isCurrent();
        if (open.remove(connection)) {
            budget.connections().closed();
        }
        idle.remove(connection);
        pump();
    }

    private void setTimer(long due) {
        if (closed == null) {
            timer.setBy(due);
        }
    }

    private void sweep() {
        assert loop.isCurrent();
        long nanoTime = System.nanoTime();
        long now = timer.at(nanoTime);
        alone(() -> {
            takeIn();
            setTimer(timer.at(waiting.sweep(nanoTime, nanoTime + FAR_NANOS)));
        });
        long next = LoopTimer.NEVER;
        for (VertxConnection connection : new ArrayList<>(open)) {
            connection.expire(nanoTime);
            if (connection.load() > 0) {
                next = Math.min(next, now + connection.untilDeadline(nanoTime, LoopTimer.NEVER - now));
            } else if (timer.at(connection.idleSince()) + keepAliveNanos <= now) {
                connection.close("not used");
            } else {
                next = Math.min(next, timer.at(connection.idleSince()) + keepAliveNanos);
            }
        }
        setTimer(next);
    }

    @Override
    public void close(String why) {
        closed = why;
        try {
            loop.context().runOnContext(now -> {
                timer.stop();
                alone(() -> waiting.abandonAll(why));
                for (VertxConnection connection : new ArrayList<>(open)) {
                    connection.close(why);
                }
            });
        } catch (RejectedExecutionException e) {
            // The loop has ended, so they have no other user.
            waiting.abandonAll(why);
        }
    }

    @Override
    public String toString() {
        return "lane to " + address;
    }
}
