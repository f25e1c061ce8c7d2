package io.dht4j.spi;

import java.util.Set;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The deadline of a call, its cancellation state and the proven identity of its caller. Deadlines travel between
 * machines as remaining time, since clocks differ. Safe for use by any number of threads.
 */
public final class CallContext {

    private static final AtomicReferenceFieldUpdater<CallContext, @Nullable Action> ACTIONS =
            AtomicReferenceFieldUpdater.newUpdater(CallContext.class, Action.class, "actions");

    /** Replaces the list of actions after the cancellation. */
    private static final Action CANCELLED = new Action(() -> {}, null);

    private final LongSupplier nanoTime;
    private final long deadline;
    private final Set<String> callerNames;
    private final LongPredicate replyRoom;
    /**
     * The actions to run at the cancellation. A linked list instead of a future, which would cost an allocation for
     * each call and frame.
     */
    private volatile @Nullable Action actions;

    private static final class Action {

        private final Runnable task;
        private final @Nullable Action next;

        Action(Runnable task, @Nullable Action next) {
            this.task = task;
            this.next = next;
        }

        void run() {
            try {
                task.run();
            } catch (RuntimeException | Error e) {
                Thread self = Thread.currentThread();
                self.getUncaughtExceptionHandler().uncaughtException(self, e);
            }
        }
    }

    /**
     * Creates the context of a call with a time limit.
     *
     * @param nanoTime the monotonic clock, as {@link System#nanoTime()} or {@link Environment#nanoTime()}
     * @param remainingNanos nanoseconds left; zero or less means that the deadline has passed
     */
    public CallContext(LongSupplier nanoTime, long remainingNanos) {
        this(nanoTime, remainingNanos, Set.of());
    }

    /**
     * Creates the context of a call with a time limit and an authenticated caller.
     *
     * @param nanoTime the monotonic clock, as {@link System#nanoTime()} or {@link Environment#nanoTime()}
     * @param remainingNanos nanoseconds left; zero or less means that the deadline has passed
     * @param callerNames the names that the caller's certificate proves; empty if it proves none, as without TLS
     */
    public CallContext(LongSupplier nanoTime, long remainingNanos, Set<String> callerNames) {
        this(nanoTime, remainingNanos, callerNames, bytes -> true);
    }

    /**
     * Creates the context of a call whose reply needs memory, as {@link #CallContext(LongSupplier, long, Set)}.
     *
     * @param nanoTime the monotonic clock, as {@link System#nanoTime()} or {@link Environment#nanoTime()}
     * @param remainingNanos nanoseconds left; zero or less means that the deadline has passed
     * @param callerNames the names that the caller's certificate proves; empty if it proves none, as without TLS
     * @param replyRoom returns whether a reply of a number of bytes may be created now; called on any thread, must not
     *     block
     */
    public CallContext(LongSupplier nanoTime, long remainingNanos, Set<String> callerNames, LongPredicate replyRoom) {
        this.nanoTime = nanoTime;
        this.deadline = nanoTime.getAsLong() + remainingNanos;
        this.callerNames = callerNames;
        this.replyRoom = replyRoom;
    }

    /**
     * Returns the proven names of the caller.
     *
     * @return the names in the caller's certificate; empty if the transport does not authenticate callers
     */
    public Set<String> callerNames() {
        return callerNames;
    }

    /**
     * Returns whether there is memory for a reply. Replies stay in memory until the network accepts them. A reply
     * without room is refused as overloaded.
     *
     * @param bytes the bytes of values in the reply
     * @return whether the reply may be created; always true unless the transport of the call limits replies
     */
    public boolean hasRoomForReply(long bytes) {
        return replyRoom.test(bytes);
    }

    /**
     * Returns the remaining time.
     *
     * @return nanoseconds; zero or less when the deadline has passed
     */
    public long remainingNanos() {
        return deadline - nanoTime.getAsLong();
    }

    /**
     * Returns whether the deadline has passed.
     *
     * @return true if no time is left
     */
    public boolean isExpired() {
        return remainingNanos() <= 0;
    }

    /** Cancels the call: runs the registered actions on this thread. The reply is no longer wanted. */
    public void cancel() {
        for (Action action = ACTIONS.getAndSet(this, CANCELLED); action != null; action = action.next) {
            action.run();
        }
    }

    /**
     * Returns whether the call has been cancelled.
     *
     * @return true after {@link #cancel()}
     */
    public boolean isCancelled() {
        return actions == CANCELLED;
    }

    /**
     * Registers an action to run at the cancellation, or immediately if the call is already cancelled. The exception of
     * an action goes to the thread's handler of uncaught exceptions. It affects neither other actions nor the
     * cancelling thread.
     *
     * @param action short and non-blocking
     */
    public void onCancel(Runnable action) {
        Action before;
        do {
            before = actions;
            if (before == CANCELLED) {
                new Action(action, null).run();
                return;
            }
        } while (!ACTIONS.compareAndSet(this, before, new Action(action, before)));
    }
}
