package io.dht4j.core.internal.refill;

import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.Node;
import io.dht4j.spi.Environment;
import java.util.BitSet;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings everything that one node has of some partitions, page after page in the order of the keys. Between two pages
 * it rests for as long as the first one took, or longer if the rate asks for it, so that the other node is not kept
 * busy by this. After a failure it waits, longer each time, and goes on where it was.
 *
 * <p>Does not block; safe for use by any number of threads.
 */
final class Pull {

    private static final Logger LOG = LoggerFactory.getLogger(Pull.class);

    private static final long FIRST_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long LONGEST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(10);
    /** A node that goes on failing is named in the log no more often than this. */
    private static final long TELL_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Refill refill;
    private final Environment environment;
    private final Node node;
    private final BitSet partitions;
    private final RefillSource source;
    private final long bytesPerSecond;

    // Guarded by this.
    private Key position = KeyRange.all().start();
    private boolean done;
    private boolean failing;
    private boolean closed;
    private long waitNanos = FIRST_WAIT_NANOS;
    private long toldNanos;
    private Environment.@Nullable Timer timer;

    Pull(
            Refill refill,
            Environment environment,
            Node node,
            BitSet partitions,
            RefillSource source,
            long bytesPerSecond) {
        this.refill = refill;
        this.environment = environment;
        this.node = node;
        this.partitions = partitions;
        this.source = source;
        this.bytesPerSecond = bytesPerSecond;
        this.toldNanos = environment.nanoTime() - TELL_NANOS;
    }

    Node node() {
        return node;
    }

    BitSet partitions() {
        return partitions;
    }

    synchronized boolean isDone() {
        return done;
    }

    /** Whether the node did not answer, or not with what was needed, when it was asked last. */
    synchronized boolean isFailing() {
        return failing;
    }

    synchronized void close() {
        closed = true;
        if (timer != null) {
            timer.cancel();
        }
    }

    /** Asks for the next page, by a timer: an answer that comes on this thread must not begin a loop on its stack. */
    synchronized void nextAfter(long nanos) {
        if (!closed && !done) {
            timer = environment.schedule(this::ask, nanos);
        }
    }

    private void ask() {
        Key start;
        synchronized (this) {
            if (closed || done) {
                return;
            }
            start = position;
        }
        long begun = environment.nanoTime();
        source.bring(node, partitions, start, new RefillSource.Outcome() {
            @Override
            public void brought(int entries, long bytes, Optional<Key> resume) {
                refill.brought(entries);
                came(bytes, resume, environment.nanoTime() - begun);
            }

            @Override
            public void failed(String why) {
                Pull.this.failed(why);
            }
        });
    }

    private void came(long bytes, Optional<Key> resume, long tookNanos) {
        synchronized (this) {
            failing = false;
            waitNanos = FIRST_WAIT_NANOS;
            if (resume.isPresent()) {
                position = resume.get();
                long byRate = (long) ((double) bytes / bytesPerSecond * TimeUnit.SECONDS.toNanos(1)) - tookNanos;
                nextAfter(Math.max(tookNanos, byRate));
                return;
            }
            done = true;
        }
        refill.finished(this);
    }

    private void failed(String why) {
        boolean tell;
        synchronized (this) {
            failing = true;
            long now = environment.nanoTime();
            tell = !closed && now - toldNanos >= TELL_NANOS;
            if (tell) {
                toldNanos = now;
            }
            nextAfter(waitNanos);
            waitNanos = Math.min(LONGEST_WAIT_NANOS, 2 * waitNanos);
        }
        if (tell) {
            LOG.warn(
                    "refilling waits for {}, which is asked again and again: {}. Start it, or name it as lost "
                            + "(ClusterBuilder.refill,"
                            + " --refill-without) if it does not come back",
                    node.id(),
                    why);
        }
    }
}
