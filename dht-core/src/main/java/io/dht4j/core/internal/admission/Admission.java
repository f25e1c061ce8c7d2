package io.dht4j.core.internal.admission;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.NodeGauges.Bounded;
import io.dht4j.OverloadedException;
import io.dht4j.UnavailableException;
import io.dht4j.core.internal.observation.LogInterval;
import io.dht4j.core.internal.observation.ObservedCall;
import io.dht4j.spi.Environment;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bounds the work in flight, in number and in bytes. Past a limit work is refused at once; there is no queue.
 * Lock-free; safe for use by any number of threads.
 */
public final class Admission {

    private static final Logger LOG = LoggerFactory.getLogger(Admission.class);

    /** An action that takes longer probably blocks. */
    private static final long SLOW_ACTION_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final String what;
    private final int limit;
    private final long byteLimit;
    private final AtomicInteger inside = new AtomicInteger();
    private final AtomicLong bytesInside = new AtomicLong();
    private final CompletableFuture<Void> empty = new CompletableFuture<>();
    private final LongAdder refused = new LongAdder();
    private final LongSupplier nanoTime;
    private final LogInterval slowActions;
    private volatile boolean closed;
    /** The reason for refusals, once this is closed. */
    private volatile String reason = "";

    /**
     * Creates a bound.
     *
     * @param what the name of the bounded work in messages, as in {@code calls under way}
     * @param limit the maximum number of pieces of work
     * @param byteLimit the maximum number of their bytes
     */
    public Admission(String what, int limit, long byteLimit) {
        this(what, limit, byteLimit, () -> 0);
    }

    private Admission(String what, int limit, long byteLimit, LongSupplier nanoTime) {
        this.what = what;
        this.limit = limit;
        this.byteLimit = byteLimit;
        this.nanoTime = nanoTime;
        this.slowActions = new LogInterval(nanoTime);
    }

    /**
     * Creates a bound of an application's calls. It logs stage actions that take over a second.
     *
     * @param limit the maximum number of calls
     * @param byteLimit the maximum number of their bytes
     * @param environment the clock
     * @return a bound without calls
     */
    public static Admission ofCalls(int limit, long byteLimit, Environment environment) {
        return new Admission("calls under way", limit, byteLimit, environment::nanoTime);
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
            requireOpen();
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
     * Refuses work that is not bounded by this, as {@link #enter} would.
     *
     * @throws UnavailableException after {@link #close}
     */
    public void requireOpen() {
        if (closed) {
            throw new UnavailableException(ErrorCode.NOT_SERVING, reason);
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
     * Admits a call, starts it, and removes it when it has ended.
     *
     * @param bytes its bytes, zero or more
     * @param observed its observation, which is ended; null without an observer
     * @param work starts the call
     * @param <T> its result
     * @return the outcome; every failure, also of the admission, fails the stage
     */
    public <T> CompletableFuture<T> run(
            long bytes, @Nullable ObservedCall observed, Supplier<CompletableFuture<T>> work) {
        try {
            enter(bytes);
        } catch (DhtException e) {
            if (observed != null) {
                observed.ended(e);
            }
            return CompletableFuture.failedFuture(e);
        }
        CompletableFuture<T> running;
        try {
            running = work.get();
        } catch (RuntimeException | Error e) {
            running = CompletableFuture.failedFuture(failure(e));
        }
        if (running.isDone()) {
            leave(bytes);
            if (observed != null) {
                running.whenComplete((result, error) -> observed.ended(error));
            }
            return running.isCompletedExceptionally() ? DhtException.unwrap(running) : running;
        }
        // So that the caller's next call finds the room that this one leaves.
        return CallerStage.behind(
                running,
                (result, error) -> {
                    leave(bytes);
                    if (observed != null) {
                        observed.ended(error);
                    }
                },
                this::complete);
    }

    /**
     * Admits a call without bytes, and does the same.
     *
     * @param observed its observation, which is ended; null without an observer
     * @param work starts the call
     * @param <T> its result
     * @return the outcome; every failure, also of the admission, fails the stage
     */
    public <T> CompletableFuture<T> run(@Nullable ObservedCall observed, Supplier<CompletableFuture<T>> work) {
        return run(0, observed, work);
    }

    /**
     * Completes a caller's stage, and logs actions of the stage that take long.
     *
     * @param completion completes the stage, which runs the actions that depend on it
     */
    public void complete(Runnable completion) {
        long begun = nanoTime.getAsLong();
        completion.run();
        long nanos = nanoTime.getAsLong() - begun;
        if (nanos > SLOW_ACTION_NANOS && slowActions.begin()) {
            LOG.warn(
                    "actions of a call's stage ran for {} ms on this thread, and held up all that this thread does for"
                            + " other calls: run what blocks on a thread of the application, for example with"
                            + " thenApplyAsync in place of thenApply",
                    TimeUnit.NANOSECONDS.toMillis(nanos));
        }
    }

    private static DhtException failure(Throwable error) {
        if (error instanceof DhtException expected) {
            return expected;
        }
        // An error, mostly a lack of memory, fails this call only.
        LOG.error("a call failed in an unexpected way", error);
        return DhtException.of(ErrorCode.INTERNAL, "internal error: " + error);
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
     * @param why the reason, for people; a later reason replaces it
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
