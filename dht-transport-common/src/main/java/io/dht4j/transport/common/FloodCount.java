package io.dht4j.transport.common;

import java.util.concurrent.TimeUnit;

/**
 * Counts the events of a kind that clients need rarely, on one connection, in windows of {@value #WINDOW_SECONDS}
 * seconds that begin with an event. For one thread.
 */
public final class FloodCount {

    /** The length of a window. */
    public static final int WINDOW_SECONDS = 30;

    /** The number of consecutive requests, refused because of their sender, that ends a connection. */
    public static final int MAX_REFUSED = 1_000;

    private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(WINDOW_SECONDS);

    private final int most;
    private long since;
    private int count;

    /**
     * Creates a count of zero.
     *
     * @param most the events that are allowed in a window
     */
    public FloodCount(int most) {
        this.most = most;
    }

    /**
     * Creates a count of refused requests.
     *
     * @return a count that the {@value #MAX_REFUSED}th request of a window exceeds
     */
    public static FloodCount ofRefused() {
        return new FloodCount(MAX_REFUSED - 1);
    }

    /**
     * Counts an event.
     *
     * @return whether it is one too many in its window
     */
    public boolean isOneTooMany() {
        long now = System.nanoTime();
        if (count == 0 || now - since > WINDOW_NANOS) {
            since = now;
            count = 0;
        }
        return ++count > most;
    }

    /** Begins again. */
    public void reset() {
        count = 0;
    }

    /**
     * Returns the number of events that are allowed in a window.
     *
     * @return the bound
     */
    public int most() {
        return most;
    }
}
