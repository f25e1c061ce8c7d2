package io.dht4j.core.internal.repair.tree;

import io.dht4j.DhtException;
import io.dht4j.core.internal.admission.Backoff;
import io.dht4j.core.internal.admission.Throttle;
import io.dht4j.core.internal.repair.RepairCounters;
import io.dht4j.spi.EntryCursor;
import io.dht4j.spi.Environment;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Builds the hash trees of a store when it is opened: step by step in the background, and again from the beginning
 * after a failure. Does not block, except {@link #start}; safe for use by any number of threads.
 */
public final class HashTreeBuild {

    private static final Logger LOG = LoggerFactory.getLogger(HashTreeBuild.class);

    private static final Backoff BACKOFF = Backoff.doubling(Duration.ofSeconds(1), Duration.ofSeconds(30));

    private final Environment environment;
    private final LocalReplica local;
    private final Throttle throttle;
    private final RepairCounters counters;
    private final Runnable done;

    // Guarded by this.
    private boolean closed;
    /** The initial content of the store, while the trees are being built. */
    private @Nullable EntryCursor building;

    /** The timer of the next attempt. */
    private Environment.@Nullable Timer retryTimer;

    private int failures;

    /**
     * Creates a build that has not begun.
     *
     * @param environment the timers
     * @param local adds entries to the trees
     * @param throttle leaves time for other work
     * @param counters receive the reason of a failure
     * @param done runs when the trees are complete
     */
    public HashTreeBuild(
            Environment environment, LocalReplica local, Throttle throttle, RepairCounters counters, Runnable done) {
        this.environment = environment;
        this.local = local;
        this.throttle = throttle;
        this.counters = counters;
        this.done = done;
    }

    /**
     * Begins, before the first change of the store. The trees of a store in memory are complete when this returns.
     *
     * @throws io.dht4j.spi.StoreException if the store cannot be read
     */
    public void start() {
        EntryCursor held = local.follow();
        if (local.isMemoryFast()) {
            while (local.build(held)) {
                LOG.debug("building the hash trees of a store in memory");
            }
            held.close();
            done.run();
        } else if (mayBuild(held)) {
            build(held);
        } else {
            held.close();
        }
    }

    private void build(EntryCursor held) {
        throttle.throttled(0, () -> throttle.onStore(() -> local.build(held))).whenComplete((more, error) -> {
            if (error != null) {
                retryLater(DhtException.unwrap(error));
                held.close();
            } else if (more && !isClosed()) {
                build(held);
            } else {
                held.close();
                built();
                done.run();
            }
        });
    }

    /**
     * Schedules another attempt. Reads may fail temporarily, while the store opens its files again after a failed
     * write.
     */
    private synchronized void retryLater(Throwable error) {
        building = null;
        if (closed) {
            return;
        }
        String why = String.valueOf(error.getMessage());
        long retryNanos = BACKOFF.nanos(failures);
        failures++;
        counters.buildFailed(Optional.of(why));
        LOG.warn(
                "this node cannot build its hash trees, so nothing is repaired; it tries again in {} s: {}",
                TimeUnit.NANOSECONDS.toSeconds(retryNanos),
                why);
        LOG.debug("the build of the hash trees failed", error);
        retryTimer = environment.schedule(this::retry, retryNanos);
    }

    private void retry() {
        throttle.onStore(local::follow).whenComplete((held, error) -> {
            if (error != null) {
                retryLater(DhtException.unwrap(error));
            } else if (mayBuild(held)) {
                build(held);
            } else {
                held.close();
            }
        });
    }

    private synchronized boolean mayBuild(EntryCursor held) {
        building = closed ? null : held;
        return !closed;
    }

    private synchronized void built() {
        building = null;
        counters.buildFailed(Optional.empty());
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    /** Stops the build. */
    public synchronized void close() {
        closed = true;
        if (retryTimer != null) {
            retryTimer.cancel();
        }
        if (building != null) {
            building.close();
        }
    }
}
