package io.dht4j.core.internal.refill;

import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.Node;
import io.dht4j.core.internal.admission.Backoff;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.spi.Environment;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fetches all entries of some partitions from one node, page by page in key order. Between two pages it rests for as
 * long as the first one took, or longer if the rate requires it, so that the other node stays available. After a
 * failure it waits, longer each time, and continues at the same position.
 *
 * <p>Does not block; safe for use by any number of threads.
 */
final class PartitionFetch {

    private static final Logger LOG = LoggerFactory.getLogger(PartitionFetch.class);

    private static final Backoff BACKOFF = Backoff.doubling(Duration.ofMillis(200), Duration.ofSeconds(10));
    /** The shortest time between two log messages about a node that keeps failing. */
    private static final long LOG_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** Slow enough to leave the network to the calls of clients. */
    private static final long BYTES_PER_SECOND = 16L << 20;

    private final Refill refill;
    private final Environment environment;
    private final Node node;
    private final RefillSource source;

    // Guarded by this.
    private PartitionSet partitions;

    private Key position = KeyRange.all().start();
    private boolean done;
    /** The number of failures since the last page. */
    private int failures;

    private boolean closed;
    private long loggedNanos;
    private Environment.@Nullable Timer timer;

    PartitionFetch(Refill refill, Environment environment, Node node, PartitionSet partitions, RefillSource source) {
        this.refill = refill;
        this.environment = environment;
        this.node = node;
        this.partitions = partitions;
        this.source = source;
        this.loggedNanos = environment.nanoTime() - LOG_NANOS;
    }

    Node node() {
        return node;
    }

    synchronized PartitionSet partitions() {
        return partitions;
    }

    /** Fetches no other partitions than these any more; ends if none is left. */
    synchronized void retain(PartitionSet wanted) {
        partitions = partitions.intersection(wanted);
        if (partitions.isEmpty()) {
            close();
        }
    }

    synchronized boolean isDone() {
        return done;
    }

    /** Returns whether the last request to the node failed. */
    synchronized boolean isFailing() {
        return failures > 0;
    }

    synchronized void close() {
        closed = true;
        if (timer != null) {
            timer.cancel();
        }
    }

    /** Schedules the request of the next page. A timer prevents recursion when the answer arrives on this thread. */
    synchronized void nextAfter(long nanos) {
        if (!closed && !done) {
            timer = environment.schedule(this::ask, nanos);
        }
    }

    private void ask() {
        Key start;
        PartitionSet asked;
        synchronized (this) {
            if (closed || done) {
                return;
            }
            start = position;
            asked = partitions;
        }
        long begun = environment.nanoTime();
        source.fetch(node, asked, start, new RefillSource.Outcome() {
            @Override
            public void fetched(int entries, long bytes, Optional<Key> resume) {
                refill.fetched(entries);
                pageFetched(bytes, resume, environment.nanoTime() - begun);
            }

            @Override
            public void failed(String why) {
                PartitionFetch.this.failed(why);
            }
        });
    }

    private void pageFetched(long bytes, Optional<Key> resume, long tookNanos) {
        synchronized (this) {
            if (closed) {
                return;
            }
            failures = 0;
            if (resume.isPresent()) {
                position = resume.get();
                long byRate = (long) ((double) bytes / BYTES_PER_SECOND * TimeUnit.SECONDS.toNanos(1)) - tookNanos;
                nextAfter(Math.max(tookNanos, byRate));
                return;
            }
            done = true;
        }
        refill.finished(this);
    }

    private void failed(String why) {
        boolean log;
        synchronized (this) {
            long now = environment.nanoTime();
            log = !closed && now - loggedNanos >= LOG_NANOS;
            if (log) {
                loggedNanos = now;
            }
            nextAfter(BACKOFF.nanos(failures));
            failures++;
        }
        if (log) {
            LOG.warn(
                    "the refill waits for {}, which is asked again and again: {}. Start it, or name it as lost "
                            + "(ClusterBuilder.refill) if it does not come back",
                    node.id(),
                    why);
        }
    }
}
