package io.dht4j.transport.http.internal.vertx;

import io.dht4j.transport.common.calls.ConnectionCount;
import io.dht4j.transport.http.internal.peer.LoopTimer;
import io.dht4j.transport.http.internal.peer.PeerCall;
import io.dht4j.transport.http.internal.peer.PeerCallLimits;
import io.dht4j.transport.http.internal.peer.PeerLoop;
import io.dht4j.transport.http.internal.peer.PeerOptions;
import io.dht4j.transport.http.internal.peer.PeerReply;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpConnectOptions;
import io.vertx.core.net.HostAndPort;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
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
 * The calls to one peer that share one event loop: a bounded queue, and the connections that empty it. Any thread adds
 * calls. The first of several calls wakes the loop, which takes them all. Everything else happens on the loop.
 *
 * <p>One {@linkplain LoopTimer timer} serves all deadlines.
 */
final class VertxLane {

    private static final Logger LOG = LoggerFactory.getLogger(VertxLane.class);

    /** The shortest interval at which TLS is renewed after a peer has refused the certificate. */
    private static final long RENEW_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final HostAndPort peer;
    private final PeerLoop loop;
    private final HttpClientAgent client;
    private final VertxTarget target;
    private final int maxConnections;
    private final PeerCallLimits bounds;
    private final ConnectionCount connections;
    private final LoopTimer timer;
    private final long keepAliveNanos;

    // For any thread.
    private final Queue<PeerCall> queue = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean woken = new AtomicBoolean();
    /** Why the lane is closed; null while it is open. */
    private volatile @Nullable String closed;

    // For the event loop.
    private final Deque<VertxConnection> idle = new ArrayDeque<>();
    private final Set<VertxConnection> open = new HashSet<>();
    private int connecting;
    /** When the last attempt to connect began. */
    private long attemptedAt;

    private boolean pumping;
    private HttpConnectOptions connectOptions;
    private long lastRenewal = System.nanoTime() - RENEW_NANOS;
    /** Whether connecting has just failed: calls may only share the existing connections. */
    private boolean refused;

    VertxLane(
            HostAndPort peer,
            PeerLoop loop,
            HttpClientAgent client,
            VertxTarget target,
            PeerOptions options,
            int lanes,
            ConnectionCount connections) {
        this.connections = connections;
        this.peer = peer;
        this.loop = loop;
        this.client = client;
        this.target = target;
        this.connectOptions = target.connect().get();
        this.maxConnections = share(options.connectionsPerPeer(), lanes);
        this.bounds = new PeerCallLimits(
                share(options.limits().maxQueuedPerPeer(), lanes),
                options.limits().maxQueuedBytesPerPeer() / lanes);
        this.timer = new LoopTimer(loop, this::sweep);
        this.keepAliveNanos = options.keepAlive().toNanos();
    }

    private static int share(int total, int lanes) {
        return (total + lanes - 1) / lanes;
    }

    boolean isCurrent() {
        return loop.isCurrent();
    }

    /** Takes a call from any thread. It always ends: with a reply, by its deadline, or when the lane is closed. */
    void offer(PeerCall call) {
        if (!bounds.admit(call)) {
            return;
        }
        queue.add(call);
        // Closing sets its mark first and then empties the queue. This method adds first and then checks the mark.
        String why = closed;
        if (why != null) {
            call.abandon(why);
            return;
        }
        long due = timer.at(call.deadline());
        try {
            if (loop.isCurrent()) {
                setTimer(due);
                pump();
                return;
            }
            if (timer.isLaterThan(due)) {
                loop.context().runOnContext(now -> setTimer(due));
            }
            if (woken.compareAndSet(false, true)) {
                loop.context().runOnContext(now -> {
                    woken.set(false);
                    pump();
                });
            }
        } catch (RejectedExecutionException e) {
            call.abandon("the transport is closed");
        }
    }

    /** Returns a call to the end of the queue that was taken out but not written. */
    void sendAgain(PeerCall call) {
        if (call.unsend()) {
            bounds.waitsAgain();
            queue.add(call);
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
        } finally {
            pumping = false;
        }
    }

    /**
     * Returns the connection for the next call, or null if none has room or one is being made for it. Calls share a
     * connection only when there may be no more of them.
     */
    private @Nullable VertxConnection choose() {
        VertxConnection free = idle.pollLast();
        if (free != null) {
            return free;
        }
        if (!refused) {
            connect();
        }
        if (target.callsPerConnection() == 1 || connecting >= Math.max(1, bounds.waiting())) {
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
            PeerCall call = queue.poll();
            if (call == null) {
                return null;
            }
            bounds.waitsNoMore();
            if (call.context().isExpired()) {
                call.expire();
            } else if (call.send()) {
                return call;
            }
        }
    }

    private void connect() {
        int wanted = Math.min(maxConnections - open.size(), bounds.waiting()) - connecting;
        for (int i = 0; i < wanted && closed == null; i++) {
            connecting++;
            attemptedAt = System.nanoTime();
            client.connect(connectOptions).onComplete(result -> {
                connecting--;
                if (result.failed()) {
                    connections.failed();
                    connectFailed(result.cause());
                } else if (closed != null) {
                    result.result().close();
                } else {
                    VertxConnection connection = new VertxConnection(this, result.result(), target);
                    open.add(connection);
                    connections.opened();
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
        for (int left = bounds.waiting(); left > 0; left--) {
            PeerCall call = queue.poll();
            if (call == null) {
                break;
            }
            if (call.madeAt() - attemptedAt > 0) {
                queue.add(call);
            } else {
                bounds.waitsNoMore();
                call.unconnected(why, cause);
            }
        }
        pump();
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
     * Probes unused connections after one has been silent for the time of a call. Those over which nothing has come
     * since then are likely to be dead too, and each would cost a call its deadline.
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
            connections.closed();
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
        long next = LoopTimer.NEVER;
        for (Iterator<PeerCall> calls = queue.iterator(); calls.hasNext(); ) {
            PeerCall call = calls.next();
            if (timer.at(call.deadline()) <= now) {
                call.expire();
            }
            if (call.hasEnded()) {
                calls.remove();
                bounds.waitsNoMore();
            } else {
                next = Math.min(next, timer.at(call.deadline()));
            }
        }
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

    /** Ends all calls and connections. For any thread; work on the loop follows soon afterwards. */
    void close(String why) {
        closed = why;
        try {
            loop.context().runOnContext(now -> {
                timer.stop();
                for (PeerCall call = queue.poll(); call != null; call = queue.poll()) {
                    bounds.waitsNoMore();
                    call.abandon(why);
                }
                for (VertxConnection connection : new ArrayList<>(open)) {
                    connection.close(why);
                }
            });
        } catch (RejectedExecutionException e) {
            queue.forEach(call -> call.abandon(why));
        }
    }

    @Override
    public String toString() {
        return "lane to " + peer;
    }
}
