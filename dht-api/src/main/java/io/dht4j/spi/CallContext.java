package io.dht4j.spi;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;

/**
 * The deadline of a call, whether its caller has lost interest, and who that caller has proved to be. Deadlines travel
 * between machines as remaining time, since clocks differ. Safe for use by any number of threads.
 */
public final class CallContext {

    private final LongSupplier nanoTime;
    private final long deadline;
    private final Set<String> callerNames;
    private final LongPredicate replyRoom;
    private final CompletableFuture<Void> cancelled = new CompletableFuture<>();

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
        cancelled.complete(null);
    }

    /**
     * Whether the reply is no longer wanted.
     *
     * @return true after {@link #cancel()}
     */
    public boolean isCancelled() {
        return cancelled.isDone();
    }

    /**
     * Registers an action for the moment of cancellation; it runs at once if that has passed. An action that throws
     * stops neither the others nor the canceller.
     *
     * @param action short and non-blocking
     */
    public void onCancel(Runnable action) {
        cancelled.thenRun(action);
    }
}
