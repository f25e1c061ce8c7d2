package io.dht4j.core.internal.clock;

import io.dht4j.ErrorCode;
import io.dht4j.UnavailableException;
import io.dht4j.Version;
import io.dht4j.spi.Environment;
import io.dht4j.spi.Store;
import io.dht4j.spi.StoreException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives the versions of writes, none twice, also after a restart. The store keeps an upper bound of all versions that
 * may be in use; a version above it is used once the bound is raised, and a node that starts again gives versions above
 * the bound of before. The bound is raised ahead of time, so that writes rarely wait for it. Source: the persisted
 * upper bound of the hybrid logical clock in CockroachDB.
 *
 * <p>Does not block but where a method says so; safe for use by any number of threads.
 */
public final class VersionSource {

    private static final Logger LOG = LoggerFactory.getLogger(VersionSource.class);

    private static final String METADATA = "versions";

    /** How far ahead of the wall clock the bound is at most. A node that was killed starts so far ahead. */
    private static final long MAX_AHEAD_MILLIS = 10_000;

    /** The part of the allowed skew that this may be. */
    private static final int PART_OF_SKEW = 4;

    /** How far ahead of the last version the bound is at least: so little that many kills do not add up. */
    private static final long ROOM = 100L << Version.COUNTER_BITS;

    /** How long a write waits for the store to keep the bound. */
    private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    /** A bound that is further ahead of the versions is lowered. */
    private static final long FAR = (3 * MAX_AHEAD_MILLIS) << Version.COUNTER_BITS;

    private final HybridClock clock;
    private final Environment environment;
    /** Empty if this member has none: then nothing is remembered. */
    private final Optional<Store> store;

    private final long aheadMillis;

    private volatile Bounds bounds = new Bounds(0, 0, 0);

    // Guarded by this. As many as calls may be under way.
    private final List<Waiting> waiting = new ArrayList<>();
    private boolean raising;
    private boolean closed;

    /** Whether the store has been asked to keep a bound and does not answer. */
    private volatile boolean overdue;

    /** Whether the log says that the store cannot keep the bounds. */
    private volatile boolean reported;

    /** Upper bounds of the versions within the clock's limit and beyond it, and from where on the first is raised. */
    private record Bounds(long within, long beyond, long raiseFrom) {

        boolean covers(long version, boolean isBeyond) {
            return version <= (isBeyond ? beyond : within);
        }

        /** Whether the bound is soon reached, or of a time when the clock was far ahead. */
        boolean isStale(long version, boolean isBeyond) {
            return !isBeyond && (version > raiseFrom || within - version > FAR);
        }
    }

    private record Waiting(long version, boolean isBeyond, CompletableFuture<Void> done) {}

    /**
     * The versions of a node.
     *
     * @param clock gives them
     * @param environment schedules deadlines and has threads for the store
     * @param store keeps the bound; empty in a member without one
     */
    public VersionSource(HybridClock clock, Environment environment, Optional<Store> store) {
        this.clock = clock;
        this.environment = environment;
        this.store = store;
        this.aheadMillis = Math.min(MAX_AHEAD_MILLIS, clock.maxSkewMillis() / PART_OF_SKEW);
    }

    /** Goes on above what was given before this start. Blocks as the store does. Called once, first of all. */
    public void load() {
        try {
            store.flatMap(held -> held.note(METADATA))
                    .filter(bytes -> bytes.length == 2 * Long.BYTES)
                    .map(ByteBuffer::wrap)
                    .ifPresent(kept -> resume(new Version(kept.getLong()), new Version(kept.getLong())));
        } catch (StoreException e) {
            LOG.warn("the store cannot read which versions this node has given: {}", e.getMessage());
        }
    }

    private void resume(Version within, Version beyond) {
        if (!clock.observe(within)) {
            LOG.warn(
                    "this node gave versions up to {} ms ahead of its clock before it was started, so that the "
                            + "clock was"
                            + " wrong then or is wrong now: check it. Until that time is reached the node may "
                            + "give some of"
                            + " them again",
                    within.millis() - environment.currentTimeMillis());
        }
        clock.resumeBeyond(beyond);
        bounds = new Bounds(0, beyond.packed(), 0);
    }

    /**
     * Gives a new version.
     *
     * @return see {@link HybridClock#next()}; to be used once it {@link #isReserved is reserved}
     */
    public Version next() {
        return clock.next();
    }

    /**
     * Gives a version that supersedes another one.
     *
     * @param newest what is to be superseded
     * @return see {@link HybridClock#above}; to be used once it {@link #isReserved is reserved}
     */
    public Version above(Version newest) {
        return clock.above(newest);
    }

    /**
     * The greatest version given or observed, or the wall clock if that is ahead.
     *
     * @return a version that was possibly given already
     */
    public Version current() {
        return clock.current();
    }

    /**
     * Whether a version may be used now.
     *
     * @param version one that this source has given
     * @return false if it must be {@linkplain #reserve reserved} first
     */
    public boolean isReserved(Version version) {
        if (store.isEmpty() || overdue) {
            return true;
        }
        Bounds now = bounds;
        boolean isBeyond = clock.isBeyond(version);
        if (!now.covers(version.packed(), isBeyond)) {
            return false;
        }
        if (now.isStale(version.packed(), isBeyond)) {
            raise();
        }
        return true;
    }

    /**
     * Raises the bound in the background, so that the next write need not wait for it. To be called once the clock may
     * be believed.
     */
    public void prepare() {
        if (store.isPresent()) {
            raise();
        }
    }

    /**
     * Reserves a version.
     *
     * @param version one that this source has given
     * @param nanos how long the caller can wait
     * @return completes when the version may be used: when the store has kept a bound above it, or has failed to for a
     *     while, since that is no reason to stop writes which the other replicas take. Fails with
     *     {@link UnavailableException}, as a write of which nothing is done yet, if the caller cannot wait so long or
     *     the node is closed
     */
    public CompletableFuture<Void> reserve(Version version, long nanos) {
        Waiting wait = new Waiting(version.packed(), clock.isBeyond(version), new CompletableFuture<>());
        synchronized (this) {
            if (closed) {
                return CompletableFuture.failedFuture(closing());
            }
            waiting.add(wait);
        }
        Environment.Timer timer = nanos > PATIENCE_NANOS
                ? environment.schedule(() -> goOn(wait), PATIENCE_NANOS)
                : environment.schedule(() -> giveUp(wait), Math.max(1, nanos));
        raise();
        return wait.done.whenComplete((reserved, error) -> timer.cancel());
    }

    private void goOn(Waiting wait) {
        synchronized (this) {
            if (!waiting.remove(wait)) {
                return;
            }
            overdue = raising;
        }
        LOG.info(
                "the store is slow: it has not kept a bound of versions for {} ms, so that writes go on without it",
                TimeUnit.NANOSECONDS.toMillis(PATIENCE_NANOS));
        wait.done.complete(null);
    }

    private void giveUp(Waiting wait) {
        synchronized (this) {
            waiting.remove(wait);
        }
        wait.done.completeExceptionally(new UnavailableException(
                ErrorCode.DEADLINE_PASSED, "nothing done: the deadline passed before there was a version"));
    }

    private void raise() {
        synchronized (this) {
            if (raising || closed) {
                return;
            }
            raising = true;
        }
        try {
            environment.storeExecutor().execute(this::raiseAndAnswer);
        } catch (RuntimeException | Error e) {
            // Those who wait go on when their patience is over.
            raised();
            report("no thread for it: " + e);
        }
    }

    private void raiseAndAnswer() {
        boolean isKept = false;
        try {
            raiseNow();
            isKept = true;
        } catch (RuntimeException | Error e) {
            report(String.valueOf(e));
        } finally {
            raised();
        }
        for (Waiting wait = takeCovered(); wait != null; wait = takeCovered()) {
            wait.done.complete(null);
        }
        if (isKept && isAnyWaiting()) {
            raise();
        }
    }

    private synchronized void raised() {
        raising = false;
        overdue = false;
    }

    private synchronized @Nullable Waiting takeCovered() {
        Bounds now = bounds;
        for (int i = 0; i < waiting.size(); i++) {
            if (now.covers(waiting.get(i).version, waiting.get(i).isBeyond)) {
                return waiting.remove(i);
            }
        }
        return null;
    }

    private synchronized boolean isAnyWaiting() {
        return !waiting.isEmpty();
    }

    /** Blocks as the store does. One thread at a time. */
    private void raiseNow() {
        long wall = (environment.currentTimeMillis() + aheadMillis) << Version.COUNTER_BITS;
        Bounds before = bounds;
        if (Math.max(wall, clock.last().packed() + ROOM) < before.within) {
            // The clock was set back, and what is given meanwhile must not be above the bound that is kept.
            bounds = new Bounds(0, before.beyond, 0);
        }
        long last = clock.last().packed();
        long beyond = before.beyond;
        synchronized (this) {
            for (Waiting wait : waiting) {
                if (wait.isBeyond) {
                    beyond = Math.max(beyond, Math.min(wait.version, Long.MAX_VALUE - ROOM) + ROOM);
                } else {
                    last = Math.max(last, wait.version);
                }
            }
        }
        long within = Math.max(wall, last + ROOM);
        keep(within, beyond);
        bounds = new Bounds(within, beyond, last + (within - last) / 2);
    }

    /**
     * Keeps the bounds. A store that cannot do that takes no writes either; the other replicas may take those that this
     * node coordinates, so they go on.
     */
    private void keep(long within, long beyond) {
        byte[] bytes = ByteBuffer.allocate(2 * Long.BYTES)
                .putLong(within)
                .putLong(beyond)
                .array();
        try {
            store.orElseThrow().keepNote(METADATA, bytes);
            reported = false;
        } catch (RuntimeException e) {
            report(String.valueOf(e.getMessage()));
        }
    }

    private void report(String why) {
        if (!reported) {
            LOG.warn(
                    "the store cannot keep which versions this node has given, so that it may give some again after a"
                            + " restart: {}",
                    why);
        }
        reported = true;
    }

    /**
     * Reserves nothing more; whoever waits for that fails. The next start goes on from the last version that was given.
     * Blocks as the store does.
     */
    public void close() {
        List<Waiting> left;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            left = List.copyOf(waiting);
            waiting.clear();
        }
        left.forEach(wait -> wait.done.completeExceptionally(closing()));
        if (store.isPresent() && bounds.within > 0) {
            keep(clock.last().packed(), bounds.beyond);
        }
    }

    private static UnavailableException closing() {
        return new UnavailableException(ErrorCode.NOT_SERVING, "nothing done: this node is shutting down");
    }
}
