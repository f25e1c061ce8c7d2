package io.dht4j.transport.common.calls;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A queue of many producers and a single consumer, which takes all items. The thread that puts the first item must wake
 * the consumer. The items are their own links, so a put allocates no object and is one compare-and-set.
 *
 * @param <T> the type of the items
 */
public final class Inbox<T extends Linked<T>> {

    private final AtomicReference<@Nullable T> last = new AtomicReference<>();

    /** Creates an empty inbox. */
    public Inbox() {}

    /**
     * Adds an item. On any thread.
     *
     * @param item in no inbox
     * @return whether the inbox was empty
     */
    public boolean put(T item) {
        while (true) {
            T before = last.get();
            item.link(before);
            if (last.compareAndSet(before, item)) {
                return before == null;
            }
        }
    }

    /**
     * Returns whether no item waits. On any thread.
     *
     * @return true if the inbox is empty
     */
    public boolean isEmpty() {
        return last.get() == null;
    }

    /**
     * Removes all items. The consumer {@linkplain #unlinked unlinks} each item before it uses it.
     *
     * @return the first of the items in the order in which they were put, each linked to the next; null if there is
     *     none
     */
    public @Nullable T takeAll() {
        T item = last.get() == null ? null : last.getAndSet(null);
        T first = null;
        while (item != null) {
            T before = item.linked();
            item.link(first);
            first = item;
            item = before;
        }
        return first;
    }

    /**
     * Unlinks an item that was taken, so that it may be put again.
     *
     * @param item the item
     * @param <T> its type
     * @return the next of the taken items; null if it was the last
     */
    public static <T extends Linked<T>> @Nullable T unlinked(T item) {
        T next = item.linked();
        item.link(null);
        return next;
    }
}
