package io.dht4j.core.internal.admission;

import io.dht4j.ErrorCode;
import io.dht4j.NodeGauges.Bounded;
import io.dht4j.OverloadedException;
import io.dht4j.UnavailableException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * Bounds the work in flight, in number and in bytes. Past a limit work is refused at once; nothing queues. Lock-free;
 * safe for use by any number of threads.
 */
public final class Admission {

    private final String what;
    private final int limit;
    private final long byteLimit;
    private final AtomicInteger inside = new AtomicInteger();
    private final AtomicLong bytesInside = new AtomicLong();
    private final CompletableFuture<Void> empty = new CompletableFuture<>();
    private final LongAdder refused = new LongAdder();
    private volatile boolean closed;
    /** Why, once it is closed. */
    private volatile String reason = "";

    /**
     * Creates a bound.
     *
     * @param what the name of the bounded work in messages, as in {@code calls under way}
     * @param limit the maximum number of pieces of work
     * @param byteLimit the maximum number of their bytes
     */
    public Admission(String what, int limit, long byteLimit) {
        this.what = what;
        this.limit = limit;
        this.byteLimit = byteLimit;
    }

    /**
     * Admits a piece of work, which must {@link #leave} exactly once. A piece larger than the byte limit is admitted if
     * no others have bytes; a piece without bytes is not subject to that limit.
     *
     * @param bytes its bytes, zero or more
     * @throws OverloadedException past a limit
     * @throws UnavailableException after {@link #close}
     */
    public void enter(long bytes) {
        int now = inside.incrementAndGet();
        // These numbers are contended by all threads: reads, which have no bytes, leave the second one alone.
        long bytesBefore = bytes == 0 ? 0 : bytesInside.getAndAdd(bytes);
        if (closed) {
            leave(bytes);
            throw new UnavailableException(ErrorCode.NOT_SERVING, reason);
        }
        if (now > limit) {
            leave(bytes);
            refused.increment();
            throw new OverloadedException("overloaded: at most " + limit + " " + what);
        }
        if (bytesBefore > 0 && bytesBefore + bytes > byteLimit) {
            leave(bytes);
            refused.increment();
            throw new OverloadedException("overloaded: at most " + byteLimit + " bytes of " + what);
        }
    }

    /**
     * Removes a piece of work.
     *
     * @param bytes its bytes, as when it entered
     */
    public void leave(long bytes) {
        if (bytes != 0) {
            bytesInside.addAndGet(-bytes);
        }
        if (inside.decrementAndGet() == 0 && closed) {
            empty.complete(null);
        }
    }

    /**
     * Refuses all later work, since the node is closed.
     *
     * @return completes when the last piece has left
     */
    public CompletableFuture<Void> close() {
        return close("this node is closed");
    }

    /**
     * Refuses all later work.
     *
     * @param why why, for people; a later reason replaces it
     * @return completes when the last piece has left
     */
    public CompletableFuture<Void> close(String why) {
        reason = why;
        closed = true;
        if (inside.get() == 0) {
            empty.complete(null);
        }
        return empty;
    }

    /**
     * Returns the number of pieces of work in flight.
     *
     * @return a number that may be outdated at once
     */
    public int inside() {
        return inside.get();
    }

    /**
     * Returns the number of pieces of work in flight, and their limit.
     *
     * @return a number that may be outdated at once
     */
    public Bounded number() {
        return new Bounded(inside.get(), limit);
    }

    /**
     * Returns the bytes of the work in flight, and their limit.
     *
     * @return bytes that may be outdated at once
     */
    public Bounded bytes() {
        return new Bounded(bytesInside.get(), byteLimit);
    }

    /**
     * Returns the number of pieces of work refused past a limit.
     *
     * @return the number since the start
     */
    public long refused() {
        return refused.sum();
    }
}
