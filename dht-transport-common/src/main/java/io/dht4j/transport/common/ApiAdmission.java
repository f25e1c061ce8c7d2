package io.dht4j.transport.common;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.OverloadedException;
import io.dht4j.transport.common.options.PublicApiOptions.Limits;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Bounds the requests of a public API in flight and the bytes that are held for them, and reports when none is left.
 * Requests beyond the bounds are refused at once. A request is in progress from {@link #begin} to {@link #end}; of
 * those, the ones between {@link #enter} and {@link #leave} count as in flight. Safe for use by any number of threads.
 *
 * @param <R> a request
 */
public abstract class ApiAdmission<R> {

    private final String api;
    private final RateLimitedLog failures;
    private final int maxRequests;
    private final long maxBytes;
    private final AtomicInteger requests = new AtomicInteger();
    private final AtomicLong bytes = new AtomicLong();
    private final Set<R> inProgress = ConcurrentHashMap.newKeySet();
    private final CompletableFuture<Void> idle = new CompletableFuture<>();
    private volatile boolean stopping;
    private volatile boolean stopped;

    /**
     * Creates an admission without requests.
     *
     * @param api the name of the API, for messages
     * @param limits the numbers of requests and of bytes
     * @param failures for failures that any number of requests may meet
     */
    protected ApiAdmission(String api, Limits limits, RateLimitedLog failures) {
        this.api = api;
        this.failures = failures;
        this.maxRequests = limits.maxInFlight();
        this.maxBytes = limits.maxBodyBytesInFlight();
    }

    /**
     * Returns the log for failures that any number of requests may meet.
     *
     * @return the log of this API
     */
    public final RateLimitedLog failures() {
        return failures;
    }

    /**
     * Makes answers say that this API is about to stop. Requests are served as before.
     *
     * @return false if this was called before
     */
    public final synchronized boolean announceStop() {
        boolean first = !stopping;
        stopping = true;
        return first;
    }

    /**
     * Returns whether answers say that this API is about to stop.
     *
     * @return true from {@link #announceStop} on
     */
    public final boolean isStopping() {
        return stopping;
    }

    /**
     * Returns whether requests are refused.
     *
     * @return true once stopped
     */
    public final boolean isStopped() {
        return stopped;
    }

    /**
     * Refuses the request when stopped.
     *
     * @throws DhtException if this is stopped
     */
    public final void requireServing() {
        if (stopped) {
            throw DhtException.of(ErrorCode.NOT_SERVING, "this node's " + api + " is shutting down");
        }
    }

    /**
     * Marks a request as in progress.
     *
     * @param request the request
     * @throws DhtException if this is stopped
     */
    public final void begin(R request) {
        // Added before the check of the flag: stop() sets the flag before it reads the set.
        try {
            inProgress.add(request);
            requireServing();
        } catch (RuntimeException | Error e) {
            end(request);
            throw e;
        }
    }

    /**
     * Marks a request in progress as ended. It must no longer be in flight.
     *
     * @param request the request
     */
    public final void end(R request) {
        inProgress.remove(request);
        if (stopped && inProgress.isEmpty()) {
            idle.complete(null);
        }
    }

    /**
     * Returns the requests in progress.
     *
     * @return a view, whose iterators neither fail nor reflect every change
     */
    public final Iterable<R> inProgress() {
        return inProgress;
    }

    /**
     * Returns whether another request would be refused now.
     *
     * @return true if as many are in flight as may be
     */
    protected final boolean isFull() {
        return requests.get() >= maxRequests;
    }

    /**
     * Returns the number of requests that may be in flight.
     *
     * @return the bound
     */
    protected final int maxRequests() {
        return maxRequests;
    }

    /**
     * Counts a request in.
     *
     * @throws OverloadedException if as many are in flight as may be
     */
    public final void enter() {
        if (requests.incrementAndGet() > maxRequests) {
            requests.decrementAndGet();
            throw noPlace();
        }
    }

    /** Counts a request out that was counted in. */
    public final void leave() {
        requests.decrementAndGet();
    }

    /**
     * Returns the refusal of a request for want of a place.
     *
     * @return a new exception
     */
    protected final OverloadedException noPlace() {
        return new OverloadedException(maxRequests + " requests are in flight, the most this node takes");
    }

    /**
     * Takes bytes from the budget. While no bytes are held, any number is granted.
     *
     * @param count 0 or more
     * @return whether there were enough
     */
    public final boolean reserve(long count) {
        long before = bytes.getAndAdd(count);
        if (before > 0 && before + count > maxBytes) {
            bytes.addAndGet(-count);
            return false;
        }
        return true;
    }

    /**
     * Returns bytes to the budget.
     *
     * @param count as many as were reserved, or a part of them
     */
    public final void release(long count) {
        bytes.addAndGet(-count);
    }

    /**
     * Returns whether the budget has this number of bytes now.
     *
     * @param count 0 or more
     * @return an answer that may be outdated at once
     */
    public final boolean hasRoomFor(long count) {
        return bytes.get() + count <= maxBytes;
    }

    /**
     * Returns the refusal of a request for want of bytes.
     *
     * @return a new exception
     */
    public final OverloadedException outOfBytes() {
        return new OverloadedException("more than " + maxBytes + " bytes would be in flight, the most this node holds");
    }

    /**
     * Returns the number of bytes that may be held.
     *
     * @return the bound
     */
    public final long maxBytes() {
        return maxBytes;
    }

    /**
     * Returns the number of requests in flight.
     *
     * @return an answer that may be outdated at once
     */
    public final int requestsInFlight() {
        return requests.get();
    }

    /**
     * Returns the number of bytes that are held.
     *
     * @return an answer that may be outdated at once
     */
    public final long bytesInFlight() {
        return bytes.get();
    }

    /** Stops taking requests. */
    public final void stop() {
        stopped = true;
        if (inProgress.isEmpty()) {
            idle.complete(null);
        }
    }

    /**
     * Waits, once stopped, until no request is in progress. Blocks; an interrupt does not shorten the wait.
     *
     * @param timeout the longest wait
     * @return whether none is left
     */
    public final boolean awaitIdle(Duration timeout) {
        return BoundedWait.upTo(timeout, idle);
    }
}
