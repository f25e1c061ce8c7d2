package io.dht4j.core.internal.admission;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * A queue that gives out no work that has waited for too long, once it is <em>standing</em>: it has not been empty for
 * a while, so that more comes than is done. Whatever is served in turn then has waited as long as anything may, and its
 * callers may be gone. So what has waited for longer than the limit is given up, and where there was such work the
 * newest goes first. Otherwise work goes in the order in which it came.
 *
 * <p>The signal, time in the queue and not its length, is that of K. Nichols and V. Jacobson, <em>Controlling Queue
 * Delay</em>, 2012 (CoDel). That it counts since the queue was empty, and the turned order, are from B. Maurer,
 * <em>Fail at Scale</em>, 2015. Unlike there, time in which nothing at all was taken is forgiven once: what stood still
 * then was the one who takes, a disk for example, and that much has gathered says nothing of the load.
 *
 * <p>It has no bound of its own in number or bytes; {@link Admission} has. Does not block beyond some steps of
 * bookkeeping; safe for use by any number of threads.
 *
 * @param <T> the work
 */
public final class AgedQueue<T> {

    private record Waiting<T>(T item, long since) {}

    /**
     * What was taken out.
     *
     * @param work to be done
     * @param tooOld not to be begun any more
     * @param <T> the work
     */
    public record Taken<T>(List<T> work, List<T> tooOld) {}

    private final QueueLimits limits;

    /** Guarded by this, as what follows; the oldest first. */
    private final Deque<Waiting<T>> waiting = new ArrayDeque<>();

    private long emptyNanos;
    private long takenNanos;
    private boolean forgiven;

    /**
     * An empty queue.
     *
     * @param limits how long work may wait
     */
    public AgedQueue(QueueLimits limits) {
        this.limits = limits;
    }

    /**
     * Adds work.
     *
     * @param items in the order in which they came
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
     * Takes work, and whatever has waited for too long.
     *
     * @param now the monotonic clock
     * @param weight of work, 0 or more
     * @param room work is taken until it weighs so much together; one piece of work at least
     * @return what was taken; nothing if nothing waits
     */
    public synchronized Taken<T> take(long now, ToLongFunction<T> weight, long room) {
        if (now - takenNanos > limits.standingAfterNanos() && !forgiven) {
            emptyNanos = now;
            forgiven = true;
        }
        takenNanos = now;
        // Counted first: nothing is allocated once something has left the queue, so that an error loses nothing.
        int old = now - emptyNanos > limits.standingAfterNanos() ? countTooOld(now) : 0;
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
            if (now - each.since() <= limits.standingAgeNanos()) {
                break;
            }
            count++;
        }
        return count;
    }

    /** How many of those that are left fit, the newest first or else the oldest. */
    private int count(int left, boolean newestFirst, ToLongFunction<T> weight, long room) {
        Iterator<Waiting<T>> order = newestFirst ? waiting.descendingIterator() : waiting.iterator();
        int count = 0;
        for (long taken = 0; taken < room && count < left; count++) {
            taken += weight.applyAsLong(order.next().item());
        }
        return count;
    }

    /**
     * Whether nothing waits.
     *
     * @return an answer that may be outdated at once
     */
    public synchronized boolean isEmpty() {
        return waiting.isEmpty();
    }
}
