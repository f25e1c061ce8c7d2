package io.dht4j.core.internal.lock;

import io.dht4j.AtomicMap;
import io.dht4j.AtomicMap.Put;
import io.dht4j.DhtException;
import io.dht4j.HeldLock;
import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.spi.Environment;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A lock that is held: renews its lease by rewriting its value, at each third of the lease, or every few seconds. */
final class Lease implements HeldLock, Locks.Ending {

    /** So that a holder of a long lease learns soon that its lock was broken. */
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final LeasedLock lock;
    private final Environment environment;
    private final AtomicMap<Key, String> map;
    private final LeaseValue mine;
    private final Version token;
    private final long beganNanos;
    private final CompletableFuture<String> ended = new CompletableFuture<>();
    private final CompletionStage<String> shownEnd = ended.minimalCompletionStage();

    // Guarded by this.
    private Version current;
    private long endNanos;
    private boolean isOver;
    /** Whether it has ended otherwise than by a call of {@link #release()}. */
    private boolean hasLapsed;

    private String trouble = "";
    private CompletableFuture<Void> renewed = CompletableFuture.completedFuture(null);
    private Optional<CompletableFuture<Boolean>> released = Optional.empty();
    private Environment.Timer renewal = () -> {};
    private Environment.Timer end = () -> {};

    /**
     * Creates a lock that is held, and not renewed yet.
     *
     * @param beganNanos when its holder has asked for it
     */
    Lease(LeasedLock lock, LeaseValue mine, Version token, long beganNanos) {
        this.lock = lock;
        this.environment = lock.environment;
        this.map = lock.map;
        this.mine = mine;
        this.token = token;
        this.current = token;
        this.beganNanos = beganNanos;
        this.endNanos = beganNanos + mine.nanosOfHolder();
    }

    /** Begins to renew it. */
    void keep() {
        lock.locks.add(this);
        try {
            endAfter(remaining().toNanos());
            renewAfter(untilRenewal(beganNanos));
        } catch (Throwable e) {
            release();
            throw e;
        }
    }

    private long untilRenewal(long sinceNanos) {
        return sinceNanos + Math.min(mine.lease().toNanos() / 3, LONGEST_PAUSE_NANOS) - environment.nanoTime();
    }

    @Override
    public long token() {
        return token.packed();
    }

    @Override
    public synchronized Duration remaining() {
        return isOver ? Duration.ZERO : Duration.ofNanos(Math.max(0, endNanos - environment.nanoTime()));
    }

    @Override
    public CompletionStage<String> ended() {
        return shownEnd;
    }

    /** Releases it, if the cluster still executes operations. */
    @Override
    public void end(String why) {
        if (over(why, true)) {
            release();
        }
    }

    /**
     * Ends the holding, and returns whether it had not ended before.
     *
     * @param lapses whether it ends otherwise than by a release
     */
    private boolean over(String why, boolean lapses) {
        synchronized (this) {
            if (isOver) {
                return false;
            }
            isOver = true;
            hasLapsed = lapses;
            renewal.cancel();
            end.cancel();
        }
        lock.locks.remove(this);
        ended.complete(why);
        return true;
    }

    private synchronized void renewAfter(long nanos) {
        if (!isOver) {
            renewal = environment.schedule(this::renew, nanos);
        }
    }

    private synchronized void endAfter(long nanos) {
        if (!isOver) {
            end = environment.schedule(this::endIfDue, nanos);
        }
    }

    private void endIfDue() {
        long restNanos = remaining().toNanos();
        if (restNanos > 0) {
            try {
                endAfter(restNanos);
            } catch (Throwable e) {
                over("its end cannot be awaited: " + e, true);
                throw e;
            }
        } else {
            String why;
            synchronized (this) {
                why = "its lease has ended before it was renewed" + trouble;
            }
            over(why, true);
        }
    }

    private void renew() {
        long restNanos = remaining().toNanos();
        if (restNanos == 0) {
            endIfDue();
            return;
        }
        CompletableFuture<Void> renewing = new CompletableFuture<>();
        Version expected;
        synchronized (this) {
            if (isOver) {
                return;
            }
            renewed = renewing;
            expected = current;
        }
        long sentNanos = environment.nanoTime();
        Duration timeout = Duration.ofNanos(Math.min(restNanos, mine.lease().toNanos() / 3));
        CompletionStage<Put<String>> replacing;
        try {
            replacing = lock.mapWithin(timeout).replace(lock.key, expected, mine.format());
        } catch (Throwable e) {
            replacing = CompletableFuture.failedFuture(e);
        }
        replacing.whenComplete((put, error) -> {
            try {
                renewed(put, error, sentNanos);
            } finally {
                renewing.complete(null);
            }
        });
    }

    private void renewed(@Nullable Put<String> put, @Nullable Throwable error, long sentNanos) {
        if (error != null || put == null) {
            synchronized (this) {
                trouble =
                        ": " + (error == null ? "" : DhtException.unwrap(error).getMessage());
            }
            renewAfter(Math.min(mine.lease().toNanos() / 10, LONGEST_PAUSE_NANOS));
        } else if (put.isDone()) {
            synchronized (this) {
                current = put.version();
                if (!remaining().isZero()) {
                    // Otherwise its holder has seen that it must stop.
                    endNanos = sentNanos + mine.nanosOfHolder();
                    trouble = "";
                }
            }
            renewAfter(untilRenewal(sentNanos));
        } else if (put.current().isPresent() && isMine(put.current().get().value())) {
            // A renewal of unknown outcome was executed.
            synchronized (this) {
                current = put.current().get().version();
            }
            renewAfter(0);
        } else {
            over(put.current().isPresent() ? "another holder has taken it" : "its key was removed", true);
        }
    }

    private boolean isMine(String value) {
        return value.equals(mine.format());
    }

    @Override
    public CompletionStage<Boolean> release() {
        CompletableFuture<Boolean> releasing = new CompletableFuture<>();
        boolean wasHeld;
        CompletableFuture<Void> before;
        synchronized (this) {
            if (released.isPresent()) {
                return DhtException.unwrap(released.get());
            }
            released = Optional.of(releasing);
            before = renewed;
            wasHeld = !remaining().isZero();
        }
        over("it was released", false);
        before.thenCompose(nothing -> remove()).whenComplete((removed, error) -> {
            if (error == null) {
                releasing.complete(wasHeld && removed);
            } else {
                synchronized (this) {
                    released = Optional.empty();
                }
                releasing.completeExceptionally(DhtException.unwrap(error));
            }
        });
        return DhtException.unwrap(releasing);
    }

    @Override
    public void close() {
        boolean isWaitedFor;
        synchronized (this) {
            isWaitedFor = !hasLapsed;
        }
        if (isWaitedFor) {
            HeldLock.super.close();
        } else {
            release();
        }
    }

    /** Completes with whether the value was this lock's until it was removed. */
    private CompletionStage<Boolean> remove() {
        Version expected;
        synchronized (this) {
            expected = current;
        }
        return map.remove(lock.key, expected)
                .thenCompose(removed -> removed ? CompletableFuture.completedFuture(true) : removeOther());
    }

    /** Removes what a renewal of unknown outcome has left. */
    private CompletionStage<Boolean> removeOther() {
        return map.get(lock.key)
                .thenCompose(left -> left.isPresent() && isMine(left.get().value())
                        ? map.remove(lock.key, left.get().version())
                        : CompletableFuture.completedFuture(false));
    }

    @Override
    public String toString() {
        return lock + (remaining().isZero() ? ", no longer held, with token " : ", held with token ") + token();
    }
}
