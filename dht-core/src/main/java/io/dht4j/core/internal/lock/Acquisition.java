package io.dht4j.core.internal.lock;

import io.dht4j.AtomicMap;
import io.dht4j.AtomicMap.Put;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.HeldLock;
import io.dht4j.InvalidRequestException;
import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.Versioned;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * One attempt to take a lock, which looks at it until it is free or the caller's wait is over. It has one request or
 * pause under way at a time, so its steps follow one another.
 */
final class Acquisition implements Locks.Ending {

    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private final LeasedLock lock;
    private final LeaseValue mine;
    private final AtomicMap<Key, String> map;
    private final long deadlineNanos;
    private final CompletableFuture<Optional<HeldLock>> result = new CompletableFuture<>();
    private long pauseNanos = FIRST_PAUSE_NANOS;

    Acquisition(LeasedLock lock, Duration wait, LeaseValue mine) {
        this.lock = lock;
        this.mine = mine;
        this.map = lock.mapWithin(mine.lease());
        this.deadlineNanos = lock.environment.nanoTime() + wait.toNanos();
    }

    CompletionStage<Optional<HeldLock>> start() {
        CompletableFuture<Optional<HeldLock>> given = new CompletableFuture<>();
        result.whenComplete((held, error) -> {
            lock.locks.remove(this);
            if (error != null) {
                given.completeExceptionally(error);
            } else if (!given.complete(held)) {
                // The caller has completed or cancelled its stage.
                held.ifPresent(HeldLock::release);
            }
        });
        lock.locks.add(this);
        if (!result.isDone()) {
            putIfAbsent();
        }
        return given;
    }

    @Override
    public void end(String why) {
        result.completeExceptionally(new CancellationException(why));
    }

    private void putIfAbsent() {
        write(() -> map.putIfAbsent(lock.key, mine.format()));
    }

    private void replace(Version version) {
        write(() -> map.replace(lock.key, version, mine.format()));
    }

    private void write(Supplier<CompletionStage<Put<String>>> request) {
        if (!lock.mayWrite()) {
            pause(LONGEST_PAUSE_NANOS);
            return;
        }
        long beganNanos = lock.environment.nanoTime();
        follow(
                () -> {
                    try {
                        return request.get().whenComplete((put, error) -> lock.writeEnded());
                    } catch (Throwable e) {
                        lock.writeEnded();
                        throw e;
                    }
                },
                put -> written(put, beganNanos));
    }

    private void read() {
        follow(lock::read, this::look);
    }

    private <T> void follow(Supplier<CompletionStage<T>> request, Consumer<T> next) {
        try {
            request.get().whenComplete((answer, error) -> {
                try {
                    if (error == null) {
                        next.accept(answer);
                    } else {
                        failed(DhtException.unwrap(error));
                    }
                } catch (Throwable e) {
                    result.completeExceptionally(e);
                }
            });
        } catch (Throwable e) {
            result.completeExceptionally(e);
        }
    }

    private void written(Put<String> put, long beganNanos) {
        if (!put.isDone()) {
            look(put.current());
            return;
        }
        Lease lease = new Lease(lock, mine, put.version(), beganNanos);
        if (lease.remaining().isZero() && !result.isDone() && isTimeLeft()) {
            // The answer came too late: the next look finds the key, and rewrites it.
            pause(LONGEST_PAUSE_NANOS);
            return;
        }
        boolean isHeld = !lease.remaining().isZero();
        if (isHeld) {
            lease.keep();
        }
        if (!result.complete(isHeld ? Optional.of(lease) : Optional.empty()) || !isHeld) {
            // No caller receives it. If it cannot be released, it is free a lease later.
            lease.release();
        }
    }

    /** Goes on with the lock as it is. */
    private void look(Optional<Versioned<String>> current) {
        if (current.isEmpty()) {
            putIfAbsent();
            return;
        }
        Version version = current.get().version();
        LeaseValue lease = LeaseValue.parse(current.get().value())
                .orElseThrow(() -> new InvalidRequestException(
                        ErrorCode.ATOMIC_KIND,
                        lock + " is no lock: its key holds something else; remove the key, or take another one"));
        // What a write of unknown outcome has left is rewritten, so that the start of the lease is known.
        long untilFree = lease.equals(mine) ? 0 : lock.untilFree(version, lease);
        if (untilFree > 0) {
            pause(untilFree);
        } else {
            replace(version);
        }
    }

    private boolean isTimeLeft() {
        return deadlineNanos - lock.environment.nanoTime() > 0;
    }

    /** Looks again, unless the caller's wait is over. */
    private void pause(long atMostNanos) {
        if (isTimeLeft()) {
            lookLater(atMostNanos);
        } else {
            result.complete(Optional.empty());
        }
    }

    private void failed(Throwable error) {
        if (isTimeLeft() && error instanceof DhtException known && known.code().isTemporary()) {
            lookLater(LONGEST_PAUSE_NANOS);
        } else {
            result.completeExceptionally(error);
        }
    }

    private void lookLater(long atMostNanos) {
        long nanos = pauseNanos / 2 + lock.environment.random().nextLong(pauseNanos / 2);
        long restNanos = Math.max(0, deadlineNanos - lock.environment.nanoTime());
        pauseNanos = Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS);
        if (!result.isDone()) {
            lock.environment.schedule(this::read, Math.min(nanos, Math.min(restNanos, atMostNanos)));
        }
    }
}
