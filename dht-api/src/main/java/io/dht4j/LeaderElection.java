package io.dht4j;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Takes part in the election of one leader among all processes that elect by the same {@link DhtLock}: who holds the
 * lock leads. It stands for election again after each term, until it is closed. Safe for use by any number of threads.
 */
public final class LeaderElection implements AutoCloseable {

    /** How long one attempt waits for the lock. */
    private static final Duration CAMPAIGN = Duration.ofMinutes(1);

    private final DhtLock lock;
    private final Duration lease;
    private final Executor executor;
    private final Consumer<HeldLock> term;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile Optional<HeldLock> leadership = Optional.empty();

    private LeaderElection(DhtLock lock, Duration lease, Executor executor, Consumer<HeldLock> term) {
        this.lock = requireNonNull(lock, "lock");
        this.lease = requireNonNull(lease, "lease");
        this.executor = requireNonNull(executor, "executor");
        this.term = requireNonNull(term, "term");
    }

    /**
     * Begins to stand for election. Does not block.
     *
     * @param lock the lock that the leader holds
     * @param lease how long nobody leads if the leader's process fails, in the range of {@link DhtLock#tryLock}
     * @param executor runs the terms, one at a time; they may block it
     * @param term what a leader does. It must return soon after {@link HeldLock#ended()}, and may check
     *     {@link HeldLock#remaining()}; the lock is released when it returns. If it throws, the election ends
     * @return the election, which the caller closes
     * @throws IllegalArgumentException if the lease is out of its range
     */
    public static LeaderElection start(DhtLock lock, Duration lease, Executor executor, Consumer<HeldLock> term) {
        Ranges.require("lease", lease, DhtLock.MIN_LEASE, DhtLock.MAX_LEASE);
        LeaderElection election = new LeaderElection(lock, lease, executor, term);
        election.campaign();
        return election;
    }

    /**
     * Returns whether this process leads, by its own clock.
     *
     * @return true from before a term begins until its lock is no longer held
     */
    public boolean isLeader() {
        return leadership.map(held -> !held.remaining().isZero()).orElse(false);
    }

    /**
     * Returns the end of this election.
     *
     * @return a stage that completes after {@link #close()}, when no term runs any more. It fails with what a term or
     *     the executor has thrown, and as {@link DhtLock#tryLock} does if waiting does not help
     */
    public CompletionStage<Void> ended() {
        return ended.minimalCompletionStage();
    }

    /** Stands no longer for election, and ends the term if one runs. Does not block: {@link #ended()} follows. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            leadership.ifPresent(HeldLock::release);
        }
    }

    private void campaign() {
        if (closed.get()) {
            ended.complete(null);
            return;
        }
        lock.tryLock(CAMPAIGN, lease).whenComplete((held, error) -> {
            if (error == null) {
                held.ifPresentOrElse(this::lead, this::campaign);
            } else if (isTemporary(DhtException.unwrap(error))) {
                campaign();
            } else {
                ended.completeExceptionally(DhtException.unwrap(error));
            }
        });
    }

    /** Returns whether the lock has been asked for during a whole campaign, so that the next one may begin at once. */
    private static boolean isTemporary(Throwable error) {
        return error instanceof DhtException known
                && (known.code().action() != ErrorCode.Action.FIX_REQUEST
                        || known.code() == ErrorCode.VERSION_TOO_FAR_AHEAD);
    }

    private void lead(HeldLock held) {
        leadership = Optional.of(held);
        if (closed.get()) {
            end(held, Optional.empty());
            return;
        }
        try {
            executor.execute(() -> {
                Optional<Throwable> failure = Optional.empty();
                try {
                    term.accept(held);
                } catch (Throwable e) {
                    failure = Optional.of(e);
                }
                end(held, failure);
            });
        } catch (RuntimeException e) {
            end(held, Optional.of(e));
        }
    }

    private void end(HeldLock held, Optional<Throwable> failure) {
        // If the release fails, the lock is free when its lease is over.
        held.release().whenComplete((released, error) -> {
            leadership = Optional.empty();
            failure.ifPresentOrElse(ended::completeExceptionally, this::campaign);
        });
    }

    @Override
    public String toString() {
        return "election by " + lock;
    }
}
