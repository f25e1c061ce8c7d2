package io.dht4j.store.mvstore.internal.statistics;

import io.dht4j.StoreStatistics.Work;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Adds up work of one kind. Does not allocate, since a write that has reached the disk must not fail for lack of memory
 * afterwards. Safe for use by any number of threads.
 */
public final class WorkMeter {

    private final AtomicLong count = new AtomicLong();
    private final AtomicLong nanos = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();

    /**
     * Adds a piece of work that ends now.
     *
     * @param began its begin, of {@link System#nanoTime()}
     * @param writtenBytes the bytes that it wrote
     */
    public void ended(long began, long writtenBytes) {
        nanos.addAndGet(System.nanoTime() - began);
        bytes.addAndGet(writtenBytes);
        count.incrementAndGet();
    }

    /** Returns the sum; a piece of work that ends at the same time may be in it in part. */
    public Work sum() {
        return new Work(count.get(), nanos.get(), bytes.get());
    }
}
