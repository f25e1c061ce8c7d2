package io.dht4j.transport.http.internal.api;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.OverloadedException;
import io.dht4j.transport.common.RateLimitedLog;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bounds the requests in flight and the bytes of their values, and reports when none is left. Nothing waits here:
 * requests beyond the bounds are refused.
 *
 * <p>A request whose body is still arriving has no place among those in flight. Clients that send heads and no bodies
 * therefore take none from others. The number of awaited bodies has a bound of its own; beyond it the request that has
 * waited longest gives way.
 *
 * <p>Safe for use by any number of threads.
 */
public final class HttpApiAdmission {

    /** The number of awaited bodies for each place among the requests in flight. */
    private static final int AWAITED_FOR_EACH_PLACE = 4;

    private static final Logger LOG = LoggerFactory.getLogger(HttpApiAdmission.class);

    /** For failures that any number of requests may meet. */
    private final RateLimitedLog failures = new RateLimitedLog(LOG::warn);

    private final int maxRequests;
    private final long maxBytes;
    private final AtomicInteger requests = new AtomicInteger();
    private final AtomicLong bytes = new AtomicLong();
    private final Set<HttpApiExchange> underWay = ConcurrentHashMap.newKeySet();
    private final AtomicInteger open = new AtomicInteger();
    /** The requests with awaited bodies, and how each gives way; the one that waits longest is first. */
    private final Map<HttpApiExchange, Runnable> awaited = new LinkedHashMap<>();

    private final CompletableFuture<Void> idle = new CompletableFuture<>();
    private volatile boolean stopped;

    public HttpApiAdmission(int maxRequests, long maxBytes) {
        this.maxRequests = maxRequests;
        this.maxBytes = maxBytes;
    }

    /** Returns the log for failures that any number of requests may meet. */
    RateLimitedLog failures() {
        return failures;
    }

    /** Returns whether no more requests are taken. */
    boolean isStopped() {
        return stopped;
    }

    /** Refuses the request when stopped. */
    void requireServing() {
        if (stopped) {
            throw DhtException.of(ErrorCode.NOT_SERVING, "this node's HTTP API is shutting down");
        }
    }

    /**
     * Marks a request as in progress.
     *
     * @throws DhtException if no more requests are taken
     */
    void begin(HttpApiExchange exchange) {
        // Counted before the check of the flag: stop() sets the flag before it reads the count.
        open.incrementAndGet();
        try {
            requireServing();
        } catch (DhtException e) {
            ended();
            throw e;
        }
        underWay.add(exchange);
    }

    /** Marks a request in progress as ended. It must have no place and no awaited body. */
    void end(HttpApiExchange exchange) {
        underWay.remove(exchange);
        ended();
    }

    private void ended() {
        if (open.decrementAndGet() == 0 && stopped) {
            idle.complete(null);
        }
    }

    /**
     * Begins to await the body of a request in progress. If too many are awaited, the one that has waited longest gives
     * way.
     *
     * @param giveWay refuses the request; called on its event loop, once at most
     * @throws OverloadedException if there is no place for the request now, so that its body would come in vain
     */
    void awaitBody(HttpApiExchange exchange, Runnable giveWay) {
        if (requests.get() >= maxRequests) {
            throw noPlace();
        }
        HttpApiExchange longest = null;
        Runnable itsWay = null;
        synchronized (awaited) {
            awaited.put(exchange, giveWay);
            if (awaited.size() > (long) maxRequests * AWAITED_FOR_EACH_PLACE) {
                Iterator<Map.Entry<HttpApiExchange, Runnable>> eldest =
                        awaited.entrySet().iterator();
                Map.Entry<HttpApiExchange, Runnable> first = eldest.next();
                longest = first.getKey();
                itsWay = first.getValue();
                eldest.remove();
            }
        }
        if (longest != null && itsWay != null) {
            longest.later(itsWay);
        }
    }

    /** Stops awaiting the body of a request. */
    void bodyCame(HttpApiExchange exchange) {
        synchronized (awaited) {
            awaited.remove(exchange);
        }
    }

    /**
     * Gives a place to a request in progress.
     *
     * @throws OverloadedException if there is none left
     */
    void enter() {
        if (requests.incrementAndGet() > maxRequests) {
            requests.decrementAndGet();
            throw noPlace();
        }
    }

    /** Releases a place. */
    void leave() {
        requests.decrementAndGet();
    }

    private OverloadedException noPlace() {
        return new OverloadedException(maxRequests + " requests are in flight, the most this node takes");
    }

    /** Makes every request in progress check, on its event loop, whether its token is still valid. */
    public void recheckTokens() {
        underWay.forEach(exchange -> exchange.later(exchange::recheckToken));
    }

    /**
     * Takes bytes from the budget and returns whether there were enough. When nothing is held, any number is granted.
     */
    boolean reserve(long count) {
        long before = bytes.getAndAdd(count);
        if (before > 0 && before + count > maxBytes) {
            bytes.addAndGet(-count);
            return false;
        }
        return true;
    }

    OverloadedException outOfBytes() {
        return new OverloadedException("the values in flight would exceed " + maxBytes + " bytes");
    }

    /** Returns bytes to the budget. */
    void release(long count) {
        bytes.addAndGet(-count);
    }

    /** Returns whether the budget has this number of bytes now. */
    boolean hasRoomFor(long count) {
        return bytes.get() + count <= maxBytes;
    }

    long maxBytes() {
        return maxBytes;
    }

    /** Stops taking requests. */
    public void stop() {
        stopped = true;
        if (open.get() == 0) {
            idle.complete(null);
        }
    }

    /** Waits, once stopped, until no request is in progress; an interrupt does not shorten the wait. */
    public boolean awaitIdle(Duration timeout) {
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

    /** Closes the connections of the requests in progress. */
    public void cutAll() {
        underWay.forEach(HttpApiExchange::cutFromAnyThread);
    }
}
