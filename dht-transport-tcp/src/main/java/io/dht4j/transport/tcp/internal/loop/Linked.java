package io.dht4j.transport.tcp.internal.loop;

import org.jspecify.annotations.Nullable;

/** Something that can be in one {@link Inbox} at a time, as its own link. */
public interface Linked<T> {

    /** Returns what {@link #link} was given last. */
    @Nullable
    T linked();

    /** Keeps the neighbour in the inbox; for the inbox and its consumer. */
    void link(@Nullable T next);
}
