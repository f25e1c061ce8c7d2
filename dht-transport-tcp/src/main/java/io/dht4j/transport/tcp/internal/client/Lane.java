package io.dht4j.transport.tcp.internal.client;

import io.dht4j.Node;
import io.dht4j.spi.CallContext;
import io.dht4j.transport.common.options.PeerTransportOptions.Limits;
import io.dht4j.transport.tcp.internal.loop.EventLoop;
import io.dht4j.transport.tcp.internal.loop.Inbox;
import io.dht4j.transport.tcp.internal.loop.LoopTask;
import io.dht4j.transport.tcp.internal.loop.LoopTimer;
import io.dht4j.transport.tcp.internal.loop.Resident;
import io.dht4j.transport.tcp.internal.wire.MalformedException;
import io.dht4j.transport.tcp.internal.wire.RecordWriter;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The calls to one peer that share one connection. Any thread adds calls. The first of several calls wakes the event
 * loop, which takes them all and writes them together. Everything else happens on this loop.
 *
 * <p>Deadlines need no timer per call. One timer stands at the earliest deadline that was known when it was set. When
 * it rings, it ends the due calls and is set to the earliest remaining deadline. With equal timeouts that is one timer
 * per timeout, however many calls there are.
 */
final class Lane implements Resident, Dialer.Owner {

    /** The least interval between two looks at all calls, so that many different deadlines do not cause them always. */
    private static final long LEAST_SWEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /** Later than every deadline. */
    private static final long FAR_NANOS = TimeUnit.DAYS.toNanos(30);

    /** Ended calls are removed from the queue in one go once there are so many. */
    private static final int MANY_ENDED = 64;

    private static final String CLOSED = "the transport is closed";

    private final Node node;
    private final EventLoop loop;
    private final Peers peers;
    private final PeerBudget budget;
    private final LoopTask flush = new LoopTask(this::flush);
    private final LoopTimer timer = new LoopTimer(this::sweep);

    // For any thread.
    private final Inbox<TcpCall> inbox = new Inbox<>();
    private volatile boolean closed;

    // For the event loop.
    private final Deque<TcpCall> waiting = new ArrayDeque<>();
    /** The calls whose frames travel in parts, in turn. */
    private final Deque<TcpCall> parted = new ArrayDeque<>();

    private @Nullable Dialer dialer;
    private @Nullable Link link;
    private boolean isResident;
    private int ended;
    /** The number of connection attempts that have begun. */
    private long attempts;

    Lane(Node node, EventLoop loop, Peers peers, PeerBudget budget) {
        this.node = node;
        this.loop = loop;
        this.peers = peers;
        this.budget = budget;
    }

    String address() {
        return node.address();
    }

    PeerBudget budget() {
        return budget;
    }

    Limits limits() {
        return peers.limits();
    }

    boolean isCurrent() {
        return loop.isCurrent();
    }

    /** Returns the calls whose frames go in one record, in their order. */
    Deque<TcpCall> waiting() {
        return waiting;
    }

    /** Returns the calls whose frames travel in parts, in turn. */
    Deque<TcpCall> parted() {
        return parted;
    }

    /** Adds a call. On any thread. */
    void offer(TcpCall call, CallContext context) {
        if (inbox.put(call) && !loop.execute(flush)) {
            abandonInbox();
        }
        call.endWith(context);
    }

    /** A call has ended because its caller has cancelled it. On any thread. */
    void cancelled(TcpCall call) {
        loop.execute(new LoopTask(() -> remove(call)));
    }

    private void remove(TcpCall call) {
        // The bound on bytes keeps the number of large frames small, so the search is short.
        parted.remove(call);
        if (link != null && link.withdraw(call)) {
            loop.execute(flush);
        } else if (++ended > MANY_ENDED && ended > waiting.size() / 2) {
            ended = 0;
            waiting.removeIf(TcpCall::hasEnded);
        }
    }

    private void abandonInbox() {
        for (TcpCall call = inbox.takeAll(); call != null; ) {
            TcpCall next = unlinked(call);
            call.abandon(CLOSED);
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
        Link current = link;
        if (current != null) {
            current.flush();
        } else if (dialer == null && !(waiting.isEmpty() && parted.isEmpty())) {
            connect();
        }
    }

    private void takeIn() {
        TcpCall call = inbox.takeAll();
        if (call == null) {
            return;
        }
        long earliest = call.deadline();
        try {
            if (!isResident) {
                loop.add(this);
                isResident = true;
            }
            while (call != null) {
                // A concurrent cancellation may have looked for the call already.
                if (!call.hasEnded()) {
                    call.attempt = attempts + 1;
                    (RecordWriter.isWhole(call.size()) ? waiting : parted).add(call);
                    earliest = earlier(earliest, call.deadline());
                }
                call = unlinked(call);
            }
        } finally {
            if (call != null) {
                // There was no memory. The next sweep takes in the others.
                putBack(call);
                earliest = System.nanoTime();
            }
            setTimer(earliest);
        }
    }

    private void putBack(TcpCall first) {
        for (TcpCall call = first; call != null; ) {
            TcpCall next = unlinked(call);
            inbox.put(call);
            call = next;
        }
    }

    /** Unlinks a call. Returns the next one. */
    private static @Nullable TcpCall unlinked(TcpCall call) {
        TcpCall next = call.linked();
        call.link(null);
        return next;
    }

    private void connect() {
        attempts++;
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

    @Override
    public void unconnected(Throwable failure) {
        dialer = null;
        link = null;
        String why = "cannot connect: " + Dialer.inWords(failure);
        failWaiting(call -> call.unconnected(why, failure), attempts);
        loop.execute(flush);
    }

    /** Everything that has come at one time was read; there may be more to write. */
    void ready() {
        loop.execute(flush);
        setTimer(System.nanoTime() + peers.keepAliveNanos());
    }

    /** The peer refuses this node. */
    void refused(Link by, String why) {
        if (link == by) {
            link = null;
            failWaiting(call -> call.refused("refused: " + why), attempts);
            loop.execute(flush);
        }
    }

    /** Handles the end of the link, whatever its cause. */
    void lost(Link lost, Throwable why) {
        if (link != lost) {
            return;
        }
        if (why instanceof MalformedException) {
            peers.logMalformed(node, String.valueOf(why.getMessage()));
        }
        if (!lost.hasCarried()) {
            // Also a peer that greets and then goes away: else it would be called again without an end.
            unconnected(why);
            return;
        }
        parted.removeIf(call -> call.written > 0);
        lost.endAll("connection lost before the reply: " + Dialer.inWords(why));
        link = null;
        loop.execute(flush);
    }

    /**
     * Ends the waiting calls up to those of one connection attempt. Calls that came after it had begun get an attempt
     * of their own, because the peer may have begun to listen in the meantime.
     */
    private void failWaiting(Consumer<TcpCall> end, long attempt) {
        failWaiting(waiting, end, attempt);
        failWaiting(parted, end, attempt);
    }

    private static void failWaiting(Deque<TcpCall> calls, Consumer<TcpCall> end, long attempt) {
        for (var each = calls.iterator(); each.hasNext(); ) {
            TcpCall call = each.next();
            if (call.attempt <= attempt) {
                end.accept(call);
                each.remove();
            }
        }
    }

    private void setTimer(long moment) {
        if (!closed) {
            long soonest = System.nanoTime() + LEAST_SWEEP_NANOS;
            loop.set(timer, moment - soonest < 0 ? soonest : moment);
        }
    }

    /** Ends what is overdue. */
    private void sweep() {
        if (closed) {
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
        long next = sweep(waiting, now, now + FAR_NANOS);
        next = sweep(parted, now, next);
        Dialer dialing = dialer;
        if (dialing != null) {
            dialing.giveUp(now);
            if (dialer == dialing) {
                next = earlier(next, dialing.giveUpAt());
            }
        }
        Link current = link;
        if (current != null && current.isClosed()) {
            // There was no memory to handle its end.
            lost(current, new ClosedChannelException());
        } else if (current != null) {
            next = current.expire(now, next);
        }
        if (current != null && current == link && current.isReady() && isIdle(current)) {
            long idleAt = current.usedAt() + peers.keepAliveNanos();
            if (idleAt - now <= 0) {
                link = null;
                current.close();
            } else {
                next = earlier(next, idleAt);
            }
        }
        loop.execute(flush);
        return next;
    }

    private boolean isIdle(Link current) {
        return current.isUnused() && waiting.isEmpty() && parted.isEmpty();
    }

    private static long earlier(long one, long other) {
        return one - other <= 0 ? one : other;
    }

    /** Ends and removes the due calls. Returns the earliest of the remaining deadlines and {@code next}. */
    private static long sweep(Deque<TcpCall> calls, long now, long next) {
        long earliest = next;
        for (var each = calls.iterator(); each.hasNext(); ) {
            TcpCall call = each.next();
            if (call.deadline() - now <= 0) {
                call.expire();
            }
            if (!call.hasEnded()) {
                earliest = earlier(earliest, call.deadline());
            } else if (call.written == 0) {
                // A call of which a part was written stays: the link has to withdraw it.
                each.remove();
            }
        }
        return earliest;
    }

    @Override
    public void sweep(long now) {
        // The timer does it.
    }

    @Override
    public void loopEnds() {
        closed = true;
        end();
    }

    /** Ends all calls and the connection. On any thread. */
    void close() {
        closed = true;
        if (!loop.execute(new LoopTask(this::end))) {
            abandonInbox();
        }
    }

    private void end() {
        loop.unset(timer);
        loop.remove(this);
        abandonInbox();
        failWaiting(call -> call.abandon(CLOSED), Long.MAX_VALUE);
        if (dialer != null) {
            dialer.cancel();
            dialer = null;
        }
        Link current = link;
        if (current != null) {
            current.endAll(CLOSED);
            link = null;
            current.close();
        }
    }

    @Override
    public String toString() {
        return "lane to " + node.address();
    }
}
