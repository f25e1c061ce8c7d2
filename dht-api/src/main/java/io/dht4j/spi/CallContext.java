package io.dht4j.spi;

import java.util.Set;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The deadline of a call, whether its caller has lost interest, and who that caller has proved to be. Deadlines travel
 * between machines as remaining time, since clocks differ. Safe for use by any number of threads.
 */
public final class CallContext {

    private static final AtomicReferenceFieldUpdater<CallContext, @Nullable Action> ACTIONS =
            AtomicReferenceFieldUpdater.newUpdater(CallContext.class, Action.class, "actions");

    /** Stands in the place of all actions from the cancellation on. */
    private static final Action CANCELLED = new Action(() -> {}, null);

    private final LongSupplier nanoTime;
    private final long deadline;
    private final Set<String> callerNames;
    private final LongPredicate replyRoom;
    /** What is to be done at the cancellation. No future: it would be garbage of its own for each call and frame. */
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
     * A call that must end within some time from now.
     *
     * @param nanoTime the monotonic clock, as {@link System#nanoTime()} or {@link Environment#nanoTime()}
     * @param remainingNanos nanoseconds left; zero or less means that the deadline has passed
     */
    public CallContext(LongSupplier nanoTime, long remainingNanos) {
        this(nanoTime, remainingNanos, Set.of());
    }

    /**
     * A call that must end within some time from now, whose caller has proved who it is.
     *
     * @param nanoTime the monotonic clock, as {@link System#nanoTime()} or {@link Environment#nanoTime()}
     * @param remainingNanos nanoseconds left; zero or less means that the deadline has passed
     * @param callerNames the names that the caller's certificate proves; empty if it proves none, as without TLS
     */
    public CallContext(LongSupplier nanoTime, long remainingNanos, Set<String> callerNames) {
        this(nanoTime, remainingNanos, callerNames, bytes -> true);
    }

    /**
     * As {@link #CallContext(LongSupplier, long, Set)}, of a call whose reply needs room.
     *
     * @param nanoTime the monotonic clock, as {@link System#nanoTime()} or {@link Environment#nanoTime()}
     * @param remainingNanos nanoseconds left; zero or less means that the deadline has passed
     * @param callerNames the names that the caller's certificate proves; empty if it proves none, as without TLS
     * @param replyRoom tells whether a reply with so many bytes may be made now; for any thread, does not block
     */
    public CallContext(LongSupplier nanoTime, long remainingNanos, Set<String> callerNames, LongPredicate replyRoom) {
        this.nanoTime = nanoTime;
        this.deadline = nanoTime.getAsLong() + remainingNanos;
        this.callerNames = callerNames;
        this.replyRoom = replyRoom;
    }

    /**
     * Who calls, as far as that is proved.
     *
     * @return the names that the caller's certificate proves; empty where the transport authenticates nobody
     */
    public Set<String> callerNames() {
        return callerNames;
    }

    /**
     * Whether there is room for a reply: replies that the network does not take are held in memory until it does. One
     * that has no room is refused as overloaded.
     *
     * @param bytes of values that the reply brings
     * @return true unless a transport that serves the call says otherwise
     */
    public boolean hasRoomForReply(long bytes) {
        return replyRoom.test(bytes);
    }

    /**
     * The time left.
     *
     * @return nanoseconds; zero or less when the deadline has passed
     */
    public long remainingNanos() {
        return deadline - nanoTime.getAsLong();
    }

    /**
     * Whether the deadline has passed.
     *
     * @return true if no time is left
     */
    public boolean isExpired() {
        return remainingNanos() <= 0;
    }

    /** Tells everyone concerned that the reply is no longer wanted. Runs their actions on this thread. */
    public void cancel() {
        for (Action action = ACTIONS.getAndSet(this, CANCELLED); action != null; action = action.next) {
            action.run();
        }
    }

    /**
     * Whether the reply is no longer wanted.
     *
     * @return true after {@link #cancel()}
     */
    public boolean isCancelled() {
        return actions == CANCELLED;
    }

    /**
     * Registers an action for the moment of cancellation; it runs at once if that has passed. An action that throws
     * stops neither the others nor the canceller; the thread's handler of uncaught exceptions learns of it.
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
