package io.dht4j.transport.http;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.OverloadedException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Bounds what is in flight, in requests and in bytes of values, and knows when nothing is. Nothing waits here: what does
 * not fit is refused. Safe for use by any number of threads.
 */
final class HttpApiAdmission {

    private final int maxRequests;
    private final long maxBytes;
    private final AtomicInteger requests = new AtomicInteger();
    private final AtomicLong bytes = new AtomicLong();
    private final Set<HttpApiExchange> underWay = ConcurrentHashMap.newKeySet();
    private final CompletableFuture<Void> idle = new CompletableFuture<>();
    private volatile boolean stopped;

    HttpApiAdmission(int maxRequests, long maxBytes) {
        this.maxRequests = maxRequests;
        this.maxBytes = maxBytes;
    }

    /** Refuses when stopped. */
    void requireServing() {
        if (stopped) {
            throw DhtException.of(ErrorCode.NOT_SERVING, "this node's HTTP API is shutting down");
        }
    }

    /**
     * Counts a request in.
     *
     * @throws DhtException if there is no room, or no more requests are taken
     */
    void enter(HttpApiExchange exchange) {
        // Counted before the look at the flag: stop() sets the flag before it looks at the count.
        if (requests.incrementAndGet() > maxRequests) {
            leaveUncounted();
            throw new OverloadedException(maxRequests + " requests are in flight, the most this node takes");
        }
        try {
            requireServing();
        } catch (DhtException e) {
            leaveUncounted();
            throw e;
        }
        underWay.add(exchange);
    }

    /** Counts a request out that was counted in. */
    void leave(HttpApiExchange exchange) {
        underWay.remove(exchange);
        leaveUncounted();
    }

    private void leaveUncounted() {
        if (requests.decrementAndGet() == 0 && stopped) {
            idle.complete(null);
        }
    }

    /** Takes bytes from the budget, and tells whether there were enough. */
    boolean reserve(long count) {
        if (bytes.addAndGet(count) > maxBytes) {
            bytes.addAndGet(-count);
            return false;
        }
        return true;
    }

    /** Gives bytes back. */
    void release(long count) {
        bytes.addAndGet(-count);
    }

    /** Whether the budget holds so many bytes now. */
    boolean hasRoomFor(long count) {
        return bytes.get() + count <= maxBytes;
    }

    long maxBytes() {
        return maxBytes;
    }

    /** Takes no further requests. */
    void stop() {
        stopped = true;
        if (requests.get() == 0) {
            idle.complete(null);
        }
    }

    /** Waits, once stopped, until nothing is under way; an interrupt does not shorten the wait. */
    boolean awaitIdle(Duration timeout) {
        boolean interrupted = false;
        long end = System.nanoTime() + timeout.toNanos();
        try {
            while (true) {
                try {
                    idle.get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
                    return true;
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (TimeoutException e) {
                    return false;
                } catch (ExecutionException e) {
                    throw new AssertionError("only ever completes normally", e);
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Closes the connections of the requests under way. */
    void cutAll() {
        underWay.forEach(HttpApiExchange::cutFromAnyThread);
    }
}
