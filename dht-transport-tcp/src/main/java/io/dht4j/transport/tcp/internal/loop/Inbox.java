package io.dht4j.transport.tcp.internal.loop;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A queue in which any thread leaves items for a single consumer, which takes them all. The thread that puts the first
 * item must wake the consumer. The items are their own links, so nothing is allocated, and each put is one
 * compare-and-set.
 */
public final class Inbox<T extends Linked<T>> {

    private final AtomicReference<@Nullable T> last = new AtomicReference<>();

    /** Adds an item, which must be in no inbox. Returns true if the inbox was empty. */
    public boolean put(T item) {
        while (true) {
            T before = last.get();
            item.link(before);
            if (last.compareAndSet(before, item)) {
                return before == null;
            }
        }
    }

    public boolean isEmpty() {
        return last.get() == null;
    }

    /**
     * Removes all items and returns them in the order in which they were put, each linked to the next; null if there is
     * none. The consumer unlinks each item before it uses it.
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
}
