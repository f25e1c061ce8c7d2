package io.dht4j.core.internal.admission;

import io.dht4j.core.options.OverloadProtection.QueueAges;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * A queue that drops work that has waited too long, once the queue is <em>standing</em>. A standing queue has not been
 * empty for a while, since more work arrives than is done. In order of arrival, all work would then wait for the
 * longest allowed time, and its callers may be gone. So work that has waited longer than the limit is dropped. If there
 * was such work, the newest is served first. Otherwise work is served in order of arrival.
 *
 * <p>The signal, time in the queue and not its length, is that of K. Nichols and V. Jacobson, <em>Controlling Queue
 * Delay</em>, 2012 (CoDel). Measuring it since the queue was empty, and the reversed order, are from B. Maurer,
 * <em>Fail at Scale</em>, 2015. Unlike there, a time without any consumption is ignored once: the consumer, for example
 * a disk, has stalled, and the backlog says nothing about the load.
 *
 * <p>The queue has no limit in number or bytes; {@link Admission} has. Blocks only for some steps of bookkeeping; safe
 * for use by any number of threads.
 *
 * @param <T> the work
 */
public final class AgedQueue<T> {

    private record Waiting<T>(T item, long since) {}

    /**
     * The work that was taken.
     *
     * @param work work to be done
     * @param tooOld work to be dropped
     * @param <T> the work
     */
    public record Taken<T>(List<T> work, List<T> tooOld) {}

    private final long standingAfterNanos;
    private final long standingAgeNanos;

    /** The oldest first. Guarded by this, as the following fields. */
    private final Deque<Waiting<T>> waiting = new ArrayDeque<>();

    private long emptyNanos;
    private long takenNanos;
    private boolean forgiven;

    /**
     * Creates an empty queue.
     *
     * @param ages how long work may wait
     */
    public AgedQueue(QueueAges ages) {
        this.standingAfterNanos = ages.standingAfter().toNanos();
        this.standingAgeNanos = ages.standingAge().toNanos();
    }

    /**
     * Adds work.
     *
     * @param items the work, in order of arrival
     * @param now the monotonic clock
     */
    public synchronized void add(Collection<T> items, long now) {
        if (waiting.isEmpty()) {
            emptyNanos = now;
            takenNanos = now;
            forgiven = false;
        }
        for (T item : items) {
            waiting.addLast(new Waiting<>(item, now));
        }
    }

    /**
     * Takes work to be done, and all work that has waited too long.
     *
     * @param now the monotonic clock
     * @param weight returns the weight of work, 0 or more
     * @param room work is taken until its total weight reaches this; at least one piece of work
     * @return the taken work; none if the queue is empty
     */
    public synchronized Taken<T> take(long now, ToLongFunction<T> weight, long room) {
        if (now - takenNanos > standingAfterNanos && !forgiven) {
            emptyNanos = now;
            forgiven = true;
        }
        takenNanos = now;
        // Counted first: nothing is allocated after work has left the queue, so that an error loses none.
        int old = now - emptyNanos > standingAfterNanos ? countTooOld(now) : 0;
        int next = count(waiting.size() - old, old > 0, weight, room);
        Taken<T> taken = new Taken<>(new ArrayList<>(next), old == 0 ? List.of() : new ArrayList<>(old));
        for (int i = 0; i < old; i++) {
            taken.tooOld().add(waiting.removeFirst().item());
        }
        for (int i = 0; i < next; i++) {
            taken.work().add((old == 0 ? waiting.removeFirst() : waiting.removeLast()).item());
        }
        if (waiting.isEmpty()) {
            emptyNanos = now;
        }
        return taken;
    }

    private int countTooOld(long now) {
        int count = 0;
        for (Waiting<T> each : waiting) {
            if (now - each.since() <= standingAgeNanos) {
                break;
            }
            count++;
        }
        return count;
    }

    /** Returns how many of the remaining pieces fit, the newest first or else the oldest. */
    private int count(int left, boolean newestFirst, ToLongFunction<T> weight, long room) {
        Iterator<Waiting<T>> order = newestFirst ? waiting.descendingIterator() : waiting.iterator();
        int count = 0;
        for (long taken = 0; taken < room && count < left; count++) {
            taken += weight.applyAsLong(order.next().item());
        }
        return count;
    }

    /**
     * Returns whether the queue is empty.
     *
     * @return an answer that may be outdated at once
     */
    public synchronized boolean isEmpty() {
        return waiting.isEmpty();
    }
}
