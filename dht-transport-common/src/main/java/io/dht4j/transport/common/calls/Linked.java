package io.dht4j.transport.common.calls;

import org.jspecify.annotations.Nullable;

/**
 * An item that can be in one {@link Inbox} at a time, as its own link.
 *
 * @param <T> the type of the items
 */
public interface Linked<T> {

    /**
     * Returns what {@link #link} was given last.
     *
     * @return the neighbour; null if there is none
     */
    @Nullable
    T linked();

    /**
     * Keeps the neighbour in the inbox. For the inbox and its consumer.
     *
     * @param next the neighbour; null for none
     */
    void link(@Nullable T next);
}
