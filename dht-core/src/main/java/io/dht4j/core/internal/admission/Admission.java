package io.dht4j.core.internal.admission;

import io.dht4j.ErrorCode;
import io.dht4j.OverloadedException;
import io.dht4j.UnavailableException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * Bounds how much is under way, in number and in bytes. Past a limit whoever comes is refused at once: nothing queues.
 * Without locks; safe for use by any number of threads.
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

    /**
     * A bound.
     *
     * @param what names what is bounded in messages, as in {@code calls under way}
     * @param limit how many may be inside
     * @param byteLimit how many bytes they may have together
     */
    public Admission(String what, int limit, long byteLimit) {
        this.what = what;
        this.limit = limit;
        this.byteLimit = byteLimit;
    }

    /**
     * Lets one in, which must {@link #leave} exactly once. One that is larger than the byte limit passes when no others
     * have bytes inside; one without bytes is not subject to that limit.
     *
     * @param bytes its bytes, zero or more
     * @throws OverloadedException past a limit
     * @throws UnavailableException after {@link #close}
     */
    public void enter(long bytes) {
        int now = inside.incrementAndGet();
        // All threads meet at these numbers: reads, which have no bytes, need not touch the second one.
        long bytesBefore = bytes == 0 ? 0 : bytesInside.getAndAdd(bytes);
        if (closed) {
            leave(bytes);
            throw new UnavailableException(ErrorCode.NOT_SERVING, "this node is closed");
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
     * Lets one out.
     *
     * @param bytes as when it entered
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
     * Lets nobody in any more.
     *
     * @return completes when the last one has left
     */
    public CompletableFuture<Void> close() {
        closed = true;
        if (inside.get() == 0) {
            empty.complete(null);
        }
        return empty;
    }

    /**
     * How many are inside.
     *
     * @return a number that is outdated at once
     */
    public int inside() {
        return inside.get();
    }

    /**
     * How many were refused past a limit.
     *
     * @return since the beginning
     */
    public long refused() {
        return refused.sum();
    }
}
