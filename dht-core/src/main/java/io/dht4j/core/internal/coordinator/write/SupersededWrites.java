package io.dht4j.core.internal.coordinator.write;

import io.dht4j.spi.Environment;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds the written entries that are superseded by a newer entry of some replica, and that only outstanding answers can
 * decide. If those replicas are silent, such an entry gets a second version. With all replicas up nearly all entries
 * are decided before the first check, and need none.
 *
 * <p>One timer serves all of them. It runs only while there are any, and after random pauses: the second versions of
 * two nodes that write one key seldom meet. If they do, the greater one is acknowledged.
 *
 * <p>Does not block; safe for use by any number of threads.
 */
public final class SupersededWrites {

    private static final Logger LOG = LoggerFactory.getLogger(SupersededWrites.class);

    private static final long SHORTEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    /** A check that is later than this means that this node was paused: then others only seem to be silent. */
    private static final long LATE_NANOS = LONGEST_PAUSE_NANOS + TimeUnit.MILLISECONDS.toNanos(200);

    private final Environment environment;
    // Guarded by this, as the following fields. In the order of arrival.
    private final Map<VersionedWrite, Waiting> waiting = new LinkedHashMap<>();
    private boolean scheduled;
    private boolean closed;
    private Environment.Timer timer = () -> {};
    /** The monotonic clock when the timer was set. */
    private long scheduledNanos;

    /**
     * An entry that waits.
     *
     * @param write the write of the entry
     * @param sinceNanos the monotonic clock when enough replicas had answered, or when this node's last pause ended
     */
    private record Waiting(WriteOperation write, long sinceNanos) {}

    /**
     * Creates an object without entries.
     *
     * @param environment time, timers and random numbers
     */
    public SupersededWrites(Environment environment) {
        this.environment = environment;
    }

    /** Adds an entry, unless it waits already. If there is no timer for it, it waits for its deadline. */
    synchronized void add(WriteOperation write, VersionedWrite versioned) {
        if (closed) {
            return;
        }
        Waiting before = waiting.putIfAbsent(versioned, new Waiting(write, environment.nanoTime()));
        if (before == null && !scheduled) {
            schedule();
        }
    }

    /** Called with the lock held. */
    private void schedule() {
        long pause = environment.random().nextLong(SHORTEST_PAUSE_NANOS, LONGEST_PAUSE_NANOS);
        scheduledNanos = environment.nanoTime();
        try {
            timer = environment.schedule(this::look, pause);
            scheduled = true;
        } catch (RuntimeException | Error e) {
            LOG.debug("superseded writes wait for their deadlines", e);
            scheduled = false;
            waiting.clear();
        }
    }

    /** Issues no further second version: writes that wait end with the transport, or at their deadlines. */
    public synchronized void close() {
        closed = true;
        timer.cancel();
        waiting.clear();
    }

    private void look() {
        long now = environment.nanoTime();
        Map<VersionedWrite, Waiting> due;
        synchronized (this) {
            if (closed) {
                return;
            }
            waiting.entrySet().removeIf(each -> !each.getValue().write().isWaiting(each.getKey()));
            if (waiting.isEmpty()) {
                scheduled = false;
                return;
            }
            boolean late = now - scheduledNanos > LATE_NANOS;
            if (late) {
                waiting.replaceAll((versioned, each) -> new Waiting(each.write(), now));
            }
            due = late ? Map.of() : new LinkedHashMap<>(waiting);
            schedule();
        }
        due.forEach((versioned, each) -> each.write().supersedeIfSilent(versioned, now - each.sinceNanos()));
    }
}
