package io.dht4j;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * Takes part in the election of one leader among all processes that elect by the same {@link DhtLock}: its holder
 * leads. If the lock ends during a term, this process stands for election again. Safe for use by any number of threads.
 */
public final class LeaderElection implements AutoCloseable {

    /** How long one attempt waits for the lock. */
    private static final Duration CAMPAIGN = Duration.ofMinutes(1);

    private final DhtLock lock;
    private final Duration lease;
    private final Executor executor;
    private final Consumer<HeldLock> term;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    // Guarded by this.
    private Optional<HeldLock> leadership = Optional.empty();
    private boolean isTermRunning;
    private boolean isClosed;

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
     * @param lease how long the cluster is without a leader if the leader's process fails, in the range of
     *     {@link DhtLock#tryLock}
     * @param executor runs the terms, one at a time; they may block it, so that it must have threads of its own
     * @param term what a leader does, until {@link HeldLock#ended()} or {@link HeldLock#remaining()} says that it does
     *     not lead any more. If it returns before that, this process resigns: it releases the lock, and the election
     *     ends here: the process never stands again. Likewise if it throws; the executor gets the exception, and most
     *     executors print it
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
     * @return true from before a term begins until its lock ends
     */
    public synchronized boolean isLeader() {
        return leadership.map(held -> !held.remaining().isZero()).orElse(false);
    }

    /**
     * Returns the end of this election.
     *
     * @return a stage that completes once no term is running or can begin: after {@link #close()}, and after a
     *     resignation. It fails with what a term or the executor has thrown, with an {@link IllegalStateException} if
     *     the executor runs a term on a thread of this library, and as {@link DhtLock#tryLock} does if waiting does not
     *     help
     */
    public CompletionStage<Void> ended() {
        return DhtException.unwrap(ended);
    }

    /** Withdraws from the election, and ends the term if one is running. Does not block: {@link #ended()} follows. */
    @Override
    public void close() {
        Optional<HeldLock> left;
        boolean isOver;
        synchronized (this) {
            isClosed = true;
            left = leadership;
            isOver = !isTermRunning;
        }
        left.ifPresent(HeldLock::release);
        if (isOver) {
            ended.complete(null);
        }
    }

    private void campaign() {
        try {
            lock.tryLock(CAMPAIGN, lease).whenComplete((held, error) -> {
                if (error == null) {
                    held.ifPresentOrElse(this::lead, this::campaignAgain);
                } else if (isTemporary(DhtException.unwrap(error))) {
                    campaignAgain();
                } else {
                    ended.completeExceptionally(DhtException.unwrap(error));
                }
            });
        } catch (Throwable e) {
            ended.completeExceptionally(e);
        }
    }

    private void campaignAgain() {
        if (!ended.isDone()) {
            campaign();
        }
    }

    /** Returns whether the lock has been asked for during a whole campaign, so that the next one may begin at once. */
    private static boolean isTemporary(Throwable error) {
        return error instanceof DhtException known && known.code().isTemporary();
    }

    private void lead(HeldLock held) {
        synchronized (this) {
            leadership = Optional.of(held);
        }
        try {
            executor.execute(() -> serve(held));
        } catch (Throwable e) {
            held.release();
            ended.completeExceptionally(e);
        }
    }

    private void serve(HeldLock held) {
        if (LibraryThread.isCallingBack()) {
            held.release();
            ended.completeExceptionally(new IllegalStateException("no term begins: the executor of the " + this
                    + " runs it on a thread of this library, which a term must not block; give it an executor with"
                    + " threads of its own, not Runnable::run, nor one that runs what it rejects in its caller"));
            return;
        }
        boolean begins;
        synchronized (this) {
            begins = !isClosed && !held.remaining().isZero();
            isTermRunning = begins;
        }
        Optional<Throwable> failure = begins ? failureOfTerm(held) : Optional.empty();
        boolean resigns = begins && !held.remaining().isZero();
        // If the release fails, the lock is free when its lease is over.
        held.release().whenComplete((released, error) -> afterTerm(resigns, failure));
        // Otherwise the failure may stay unseen.
        failure.ifPresent(LeaderElection::rethrow);
    }

    private static void rethrow(Throwable failure) {
        if (failure instanceof Error error) {
            throw error;
        }
        throw failure instanceof RuntimeException unchecked ? unchecked : new IllegalStateException(failure);
    }

    private void afterTerm(boolean resigns, Optional<Throwable> failure) {
        boolean goesOn;
        synchronized (this) {
            isTermRunning = false;
            leadership = Optional.empty();
            goesOn = !isClosed && !resigns && failure.isEmpty();
        }
        if (goesOn) {
            campaign();
        } else {
            failure.ifPresentOrElse(ended::completeExceptionally, () -> ended.complete(null));
        }
    }

    private Optional<Throwable> failureOfTerm(HeldLock held) {
        try {
            term.accept(held);
            return Optional.empty();
        } catch (Throwable e) {
            return Optional.of(e);
        }
    }

    @Override
    public String toString() {
        return "election by " + lock;
    }
}
