package io.dht4j.transport.tcp.internal.client;

import io.dht4j.Node;
import io.dht4j.spi.CallContext;
import io.dht4j.transport.common.calls.CallBudget;
import io.dht4j.transport.common.calls.PeerCall;
import io.dht4j.transport.common.calls.PeerCalls;
import io.dht4j.transport.common.calls.PeerLane;
import io.dht4j.transport.common.calls.WaitingCalls;
import io.dht4j.transport.common.options.PeerTransportOptions.Limits;
import io.dht4j.transport.tcp.internal.loop.EventLoop;
import io.dht4j.transport.tcp.internal.loop.LoopTask;
import io.dht4j.transport.tcp.internal.loop.LoopTimer;
import io.dht4j.transport.tcp.internal.loop.Resident;
import io.dht4j.transport.tcp.internal.wire.MalformedException;
import io.dht4j.transport.tcp.internal.wire.RecordType;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The calls to one peer that share one connection. Any thread adds calls. The first of several calls wakes the event
 * loop, which writes all of them together. All other work runs on this loop.
 *
 * <p>Deadlines need no timer per call. One timer is set to the earliest known deadline. When it runs, it ends the due
 * calls and is set to the earliest remaining deadline. With equal timeouts this takes one timer per timeout, for any
 * number of calls.
 */
final class Lane implements PeerLane, Resident, Dialer.Owner {

    /** Later than every deadline. */
    private static final long FAR_NANOS = TimeUnit.DAYS.toNanos(30);

    /** How long a peer may take for its hello before a failure asks whether it is one. */
    private static final long DOUBT_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final Node node;
    private final EventLoop loop;
    private final Peers peers;
    private final CallBudget budget;
    private final LoopTask flush = new LoopTask(this::flush);
    private final LoopTimer timer = new LoopTimer(this::sweep);
    private final WaitingCalls waiting = new WaitingCalls(RecordType.MAX_WHOLE);

    // For any thread.
    /** Why the lane is closed; null while it is open. */
    private volatile @Nullable String closed;

    // For the event loop.
    private @Nullable Dialer dialer;
    private @Nullable Link link;
    private boolean isResident;

    Lane(Node node, EventLoop loop, Peers peers, CallBudget budget) {
        this.node = node;
        this.loop = loop;
        this.peers = peers;
        this.budget = budget;
    }

    @Override
    public String address() {
        return node.address();
    }

    @Override
    public CallBudget budget() {
        return budget;
    }

    Limits limits() {
        return peers.limits();
    }

    @Override
    public boolean isCurrent() {
        return loop.isCurrent();
    }

    /** Returns the calls that are not written to their end. */
    WaitingCalls waiting() {
        return waiting;
    }

    @Override
    public void offer(PeerCall call, CallContext context) {
        if (waiting.put(call) && !loop.execute(flush)) {
            waiting.abandonIncoming(PeerCalls.CLOSED);
        }
        call.endWith(context);
    }

    @Override
    public void cancelled(PeerCall call) {
        loop.execute(new LoopTask(() -> remove(call)));
    }

    private void remove(PeerCall call) {
        waiting.removeParted(call);
        if (link != null && link.withdraw(call)) {
            loop.execute(flush);
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
        Link current = link;
        if (current != null) {
            current.flush();
        } else if (dialer == null && !waiting.isEmpty()) {
            connect();
        }
    }

    private void takeIn() {
        if (!waiting.haveCome()) {
            return;
        }
        // If there is no memory, the next sweep takes in the others.
        long earliest = System.nanoTime();
        try {
            if (!isResident) {
                loop.add(this);
                isResident = true;
            }
            earliest = waiting.takeIn(earliest + FAR_NANOS);
        } finally {
            setTimer(earliest);
        }
    }

    private void connect() {
        waiting.attemptBegins();
        Dialer dialing = new Dialer(node, loop, peers.connectNanos(), this);
        dialer = dialing;
        try {
            dialing.begin(peers.resolver());
        } catch (RuntimeException | Error e) {
            // The system may have no thread for a lookup. A further call tries again.
            dialing.cancel();
            unconnected(e);
            throw e;
        }
        if (dialer == dialing) {
            setTimer(dialing.giveUpAt());
        }
    }

    @Override
    public void connected(SelectionKey key) {
        dialer = null;
        try {
            long greetBy = System.nanoTime() + peers.greetingNanos();
            Link greeting = new Link(this, loop, key, peers.wire(key, loop, node), peers.hello(node), greetBy);
            link = greeting;
            setTimer(greetBy);
            greeting.greet();
        } catch (RuntimeException | Error e) {
            Dialer.discard(key);
            unconnected(e);
            throw e;
        }
    }

    /** The peer has greeted. */
    void greeted() {
        budget.connections().opened();
    }

    private void ended(Link ended) {
        if (ended.isReady()) {
            budget.connections().closed();
        } else {
            budget.connections().failed();
        }
    }

    @Override
    public void unconnected(Throwable failure) {
        budget.connections().failed();
        endAttempt(failure);
    }

    private void endAttempt(Throwable failure) {
        dialer = null;
        link = null;
        String why = "cannot connect: " + Dialer.inWords(failure);
        waiting.endAttempted(call -> call.unconnected(why, failure));
        loop.execute(flush);
    }

    /** All bytes that had arrived were read; there may be more to write. */
    void ready() {
        loop.execute(flush);
        setTimer(System.nanoTime() + peers.keepAliveNanos());
    }

    /** The peer refuses this node. */
    void refused(Link by, String why) {
        if (link == by) {
            ended(by);
            link = null;
            waiting.endAttempted(call -> call.refused("refused: " + why));
            loop.execute(flush);
        }
    }

    /** Handles the end of the link for any cause. */
    void lost(Link lost, Throwable why) {
        if (link != lost) {
            return;
        }
        ended(lost);
        if (why instanceof MalformedException) {
            peers.logMalformed(node, String.valueOf(why.getMessage()));
        }
        if (!lost.hasCarried()) {
            // Also a peer that greets and then goes away: else it would be called again without an end.
            endAttempt(why);
            return;
        }
        waiting.removeBegun();
        lost.endAll("connection lost before the reply: " + Dialer.inWords(why));
        link = null;
        loop.execute(flush);
    }

    private void setTimer(long moment) {
        if (closed == null) {
            long soonest = System.nanoTime() + WaitingCalls.LEAST_SWEEP_NANOS;
            loop.set(timer, moment - soonest < 0 ? soonest : moment);
        }
    }

    /** Ends overdue calls. */
    private void sweep() {
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
        boolean isSilent = link != null && !link.isReady() && now - link.usedAt() > DOUBT_NANOS;
        long next = waiting.sweep(now, now + FAR_NANOS, isSilent ? ", no hello came" + PeerSilence.DOUBT : "");
        Dialer dialing = dialer;
        if (dialing != null) {
            dialing.giveUp(now);
            if (dialer == dialing) {
                next = WaitingCalls.earlier(next, dialing.giveUpAt());
            }
        }
        Link current = link;
        if (current != null && current.isClosed()) {
            // There was no memory to handle its end.
            lost(current, new ClosedChannelException());
        } else if (current != null) {
            next = current.expire(now, next);
        }
        if (current != null && current == link && current.isReady() && current.isUnused() && waiting.isEmpty()) {
            long idleAt = current.usedAt() + peers.keepAliveNanos();
            if (idleAt - now <= 0) {
                ended(current);
                link = null;
                current.close();
            } else {
                next = WaitingCalls.earlier(next, idleAt);
            }
        }
        loop.execute(flush);
        return next;
    }

    @Override
    public void sweep(long now) {
        // The timer does it.
    }

    @Override
    public void loopEnds() {
        closed = PeerCalls.CLOSED;
        end(PeerCalls.CLOSED);
    }

    @Override
    public void close(String why) {
        closed = why;
        if (!loop.execute(new LoopTask(() -> end(why)))) {
            waiting.abandonIncoming(why);
        }
    }

    private void end(String why) {
        loop.unset(timer);
        loop.remove(this);
        waiting.abandonAll(why);
        if (dialer != null) {
            dialer.cancel();
            dialer = null;
        }
        Link current = link;
        if (current != null) {
            current.endAll(why);
            if (current.isReady()) {
                ended(current);
            }
            link = null;
            current.close();
        }
    }

    @Override
    public String toString() {
        return "lane to " + node.address();
    }
}
