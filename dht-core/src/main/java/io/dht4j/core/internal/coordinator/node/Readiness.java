package io.dht4j.core.internal.coordinator.node;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.UnavailableException;
import io.dht4j.core.internal.admission.CallerStage;
import io.dht4j.spi.Environment;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Detects when reads of all partitions succeed: it repeats a scan of {@link #NOTHING}, which needs an answer of as many
 * replicas of each partition as a read with the default policy. It looks as long as a call waits. In the first moments
 * of a node, reads that fail for want of replicas wait too. Does not block; safe for use by any number of threads.
 */
public final class Readiness {

    /** A range with one key at most. A scan of it asks the replicas of all partitions all the same. */
    public static final KeyRange NOTHING = KeyRange.between(Key.of("ready"), Key.of("ready\0"));

    private static final Logger LOG = LoggerFactory.getLogger(Readiness.class);

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** Later than at first: the replicas that are missing may stay away for long. */
    private static final long LATE_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The number of looks after short pauses, which take at least five seconds. */
    private static final int EARLY_LOOKS = 100;

    private final Environment environment;
    private final Supplier<? extends CompletionStage<?>> scan;
    private final AtomicBoolean looking = new AtomicBoolean();
    private final AtomicInteger looks = new AtomicInteger();
    private final CompletableFuture<Void> ready = new CompletableFuture<>();
    /** Why nothing is read any more, empty as long as it is. */
    private volatile String ended = "";

    /** The last reason that was logged; empty before. */
    private volatile String logged = "";

    private volatile boolean awaited;
    private volatile Environment.Timer pause = () -> {};
    /** Whether these are the first moments. */
    private volatile boolean isPatient;

    private volatile long patienceEnds;

    /**
     * Creates what does not look yet.
     *
     * @param environment time and timers
     * @param scan begins a scan of {@link #NOTHING}, within a timeout
     */
    public Readiness(Environment environment, Supplier<? extends CompletionStage<?>> scan) {
        this.environment = environment;
        this.scan = scan;
    }

    /**
     * Lets failed reads wait from now on, until this node is ready, for a time at most.
     *
     * @param patience zero for none
     */
    void bePatient(Duration patience) {
        patienceEnds = environment.nanoTime() + patience.toNanos();
        isPatient = !patience.isZero();
    }

    /**
     * Returns when reads of all partitions have succeeded, and looks until then.
     *
     * @return completes on any thread; fails with {@link ErrorCode#NOT_SERVING} when this is closed before
     */
    public CompletionStage<Void> await() {
        if (!ended.isEmpty()) {
            return CompletableFuture.failedFuture(new UnavailableException(ErrorCode.NOT_SERVING, ended));
        }
        awaited = true;
        lookOnce();
        return CallerStage.behind(ready, (done, error) -> {});
    }

    /** Returns whether a read that begins now may fail because the cluster is starting. */
    boolean isStarting() {
        if (isPatient && environment.nanoTime() - patienceEnds >= 0) {
            isPatient = false;
        }
        return isPatient;
    }

    /**
     * Waits until a read is worth trying again that began in the first moments and has failed.
     *
     * @param failure its failure
     * @param nanos the longest wait
     * @return completes with whether it is
     */
    CompletableFuture<Boolean> after(Throwable failure, long nanos) {
        long patience = patienceEnds - environment.nanoTime();
        if (!(DhtException.unwrap(failure) instanceof DhtException known)
                || known.code() != ErrorCode.NOT_ENOUGH_REPLICAS
                || nanos <= 0) {
            return CompletableFuture.completedFuture(false);
        }
        CompletableFuture<Boolean> waiting = new CompletableFuture<>();
        Environment.Timer timer;
        try {
            timer = environment.schedule(
                    () -> waiting.complete(nanos > patience), Math.max(1, Math.min(nanos, patience)));
        } catch (RejectedExecutionException e) {
            LOG.debug("this node is closed", e);
            return CompletableFuture.completedFuture(false);
        }
        lookOnce();
        ready.whenComplete((done, error) -> {
            timer.cancel();
            waiting.complete(error == null);
        });
        return waiting;
    }

    private void lookOnce() {
        if (!ready.isDone() && looking.compareAndSet(false, true)) {
            look();
        }
    }

    private void look() {
        if (ready.isDone()) {
            return;
        }
        CompletionStage<?> asked;
        try {
            asked = scan.get();
        } catch (RuntimeException | Error e) {
            asked = CompletableFuture.failedFuture(e);
        }
        asked.whenComplete((page, error) -> {
            if (error == null || isOfCaller(DhtException.unwrap(error))) {
                ready.complete(null);
                isPatient = false;
            } else {
                logOnce(String.valueOf(DhtException.unwrap(error).getMessage()));
                lookLater();
            }
        });
    }

    private void logOnce(String reason) {
        if (!reason.equals(logged)) {
            logged = reason;
            LOG.debug("not ready yet: {}", reason);
        }
    }

    /** Returns whether the nodes serve, and refuse this caller for want of a right. */
    private static boolean isOfCaller(Throwable error) {
        return error instanceof DhtException known && known.code().action() == ErrorCode.Action.FIX_REQUEST;
    }

    private void lookLater() {
        if (!awaited && !isStarting()) {
            looking.set(false);
            if (awaited) {
                // Since a moment ago.
                lookOnce();
            }
            return;
        }
        try {
            boolean isEarly = looks.incrementAndGet() <= EARLY_LOOKS;
            pause = environment.schedule(this::look, isEarly ? PAUSE_NANOS : LATE_PAUSE_NANOS);
        } catch (RejectedExecutionException e) {
            LOG.debug("this node is closed", e);
            close("this node is closed");
            return;
        }
        if (ready.isDone()) {
            pause.cancel();
        }
    }

    /**
     * Ends the search: each call that waits fails, and so does each later one.
     *
     * @param why the reason, for people; a later reason replaces it
     */
    public void close(String why) {
        ended = why;
        isPatient = false;
        ready.completeExceptionally(new UnavailableException(ErrorCode.NOT_SERVING, why));
        pause.cancel();
    }
}
