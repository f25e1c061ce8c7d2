package io.dht4j;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A lock that has at most one holder at a time, of all processes of a cluster. A holder keeps it for a <em>lease</em>,
 * which is renewed until the holder releases the lock or its process fails. It needs what an {@link AtomicMap} needs:
 * nodes that agree on one another, and a majority of the replicas of the key.
 *
 * <p><strong>What it relies on.</strong> Clocks are never compared. A holder counts its lease from before it asked for
 * it, and stops 2 % early; another one takes the lock over when it has seen the same lease for 2 % longer than it
 * lasts. So two holders never overlap by their own clocks, if these run at rates that differ by less than 4 %. But a
 * process that stands still, in a pause of its collector or on a suspended machine, may go on after its lease until it
 * looks at the clock. What is guarded by the lock should therefore receive the {@linkplain HeldLock#token() token} of
 * each holder, and refuse smaller ones than it has seen.
 *
 * <p>The lock is free at once when it is released or its holder closes the cluster. If its holder fails, those who wait
 * get it a lease later, and a call that does not wait gets it if the same lock object has seen the lease that long ago:
 * keep the object. Waiters ask again after some 10 ms, and less and less often, up to every 250 ms; those of one
 * {@link Cluster} object share their requests. Waiters have no order. A lock is not reentrant, and belongs to its
 * {@link HeldLock}, not to a thread.
 *
 * <p>The key is one of an atomic map, whose value is the lease in milliseconds, a space, and a name of the holder.
 * Removing the key breaks the lock: then the present holder and the next one overlap until the present one renews its
 * lease, which it does at each third of the lease and every 5 s at least. Safe for use by any number of threads. The
 * algorithm is that of Amazon's DynamoDB lock client.
 */
public interface DhtLock {

    /** The shortest lease. */
    Duration MIN_LEASE = Duration.ofMillis(100);

    /** The longest lease, and the longest wait. */
    Duration MAX_LEASE = Duration.ofHours(24);

    /**
     * Takes the lock. Does not block.
     *
     * @param wait how long to wait for the lock, zero to {@link #MAX_LEASE}; zero means to ask once. Requests that are
     *     under way then are awaited: each lasts as long as the lease or 5 s at most, and one that finds the lock free
     *     is followed by another
     * @param lease how long the lock stays taken if this process fails, {@link #MIN_LEASE} to {@link #MAX_LEASE}, in
     *     whole milliseconds. The holder must hear from the cluster about three times in it: below some seconds, the
     *     failure of a node may end it
     * @return a stage that completes with the lock that is held, or empty if it is not free before the wait is over.
     *     Someone must take what it completes with, and release it: leaving the stage does not, but cancelling its
     *     {@code toCompletableFuture()} does. While the cluster cannot tell, it goes on to ask until the wait is over,
     *     and fails then as the stages of an {@link AtomicMap} do; the lock may stay taken for a lease after such a
     *     failure. It fails with {@link ErrorCode#ATOMIC_KIND} if the key holds something else, and with a
     *     {@link java.util.concurrent.CancellationException} if the cluster is closed, or the node can no longer serve
     * @throws IllegalArgumentException if a time is out of its range
     */
    CompletionStage<Optional<HeldLock>> tryLock(Duration wait, Duration lease);

    /**
     * Returns the same lock with methods that wait.
     *
     * @return a view
     */
    default Sync sync() {
        return new Sync(this);
    }

    /** A lock whose methods wait for their results, as those of {@link AtomicMap.Sync} do. */
    final class Sync {

        private final DhtLock lock;

        private Sync(DhtLock lock) {
            this.lock = Objects.requireNonNull(lock, "lock");
        }

        /** Takes the lock, as {@link DhtLock#tryLock} does. If this fails, the lock is not held. */
        public Optional<HeldLock> tryLock(Duration wait, Duration lease) {
            return Waiting.await(
                    () -> lock.tryLock(wait, lease),
                    "interrupted while waiting for " + lock + ", which this call does not hold");
        }

        @Override
        public String toString() {
            return lock.toString();
        }
    }
}
