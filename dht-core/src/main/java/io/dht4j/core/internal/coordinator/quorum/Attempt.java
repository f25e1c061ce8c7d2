package io.dht4j.core.internal.coordinator.quorum;

import org.jspecify.annotations.Nullable;

/**
 * An attempt of an operation at one key, by one table and with one version, and the count of its answers. When a newer
 * table or another version is needed, a later attempt replaces it, and its answers no longer decide. Safe for use by
 * any number of threads.
 *
 * @param <T> the attempts of the operation
 */
public abstract class Attempt<T extends Attempt<T>> {

    /** Counts the answers to this attempt. */
    public final AckTracker tracker;

    private volatile @Nullable T later;

    /**
     * Creates an attempt.
     *
     * @param tracker has no answers
     */
    protected Attempt(AckTracker tracker) {
        this.tracker = tracker;
    }

    /**
     * Returns this attempt.
     *
     * @return this
     */
    protected abstract T self();

    /**
     * Replaces it by a later attempt.
     *
     * @param next the attempt whose answers decide from now on
     */
    public final void replaceBy(T next) {
        later = next;
    }

    /**
     * Returns the next attempt.
     *
     * @return null if this is the latest one
     */
    public final @Nullable T later() {
        return later;
    }

    /**
     * Returns the attempt whose answers decide.
     *
     * @return the last one of those that have replaced this one; this one if none has
     */
    public final T latest() {
        T latest = self();
        for (T each = later; each != null; each = each.later()) {
            latest = each;
        }
        return latest;
    }
}
