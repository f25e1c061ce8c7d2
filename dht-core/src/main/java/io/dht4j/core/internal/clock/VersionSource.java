package io.dht4j.core.internal.clock;

import io.dht4j.ErrorCode;
import io.dht4j.UnavailableException;
import io.dht4j.Version;
import io.dht4j.spi.Environment;
import io.dht4j.spi.FileFailure;
import io.dht4j.spi.Store;
import io.dht4j.spi.StoreException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Issues the versions of writes, none twice, also after a restart. The store keeps an upper bound of all versions that
 * may be in use. A version above the bound is used only once the bound is raised, and a restarted node issues versions
 * above the stored bound. The bound is raised ahead of time, so that writes rarely wait for it. Source: the persisted
 * upper bound of the hybrid logical clock in CockroachDB.
 *
 * <p>Does not block unless a method says so; safe for use by any number of threads.
 */
public final class VersionSource {

    private static final Logger LOG = LoggerFactory.getLogger(VersionSource.class);

    private static final String METADATA = "versions";

    /** The maximum lead of the bound over the wall clock. A killed node restarts that far ahead. */
    private static final long MAX_AHEAD_MILLIS = 10_000;

    /** The divisor that limits the lead to a part of the allowed skew. */
    private static final int PART_OF_SKEW = 4;

    /** The minimum lead of the bound over the last version; small, so that repeated kills do not add up. */
    private static final long ROOM = 100L << Version.COUNTER_BITS;

    /** How long a write waits for the store to keep the bound. */
    private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    /** A bound that is further than this ahead of the versions is lowered. */
    private static final long FAR = (3 * MAX_AHEAD_MILLIS) << Version.COUNTER_BITS;

    private final HybridClock clock;
    private final Environment environment;
    /** Empty in a member without a store: then no bound is kept. */
    private final Optional<Store> store;

    private final long aheadMillis;

    private volatile Bounds bounds = new Bounds(0, 0, 0);

    /** The bound of versions within the clock's limit that the store has certainly kept; 0 for none. */
    private volatile long kept;

    // Guarded by this. Bounded by the calls in flight.
    private final List<Waiting> waiting = new ArrayList<>();
    private boolean raising;
    private boolean closed;

    /** Whether the store is slow to keep a bound. */
    private volatile boolean overdue;

    /** Whether the failure of the store to keep bounds has been logged. */
    private volatile boolean reported;

    /**
     * The bounds of the versions within the clock's limit and beyond it, and the version from which the first is
     * raised.
     */
    private record Bounds(long within, long beyond, long raiseFrom) {

        boolean covers(long version, boolean isBeyond) {
            return version <= (isBeyond ? beyond : within);
        }

        /** Returns whether the bound is soon reached, or dates from a time when the clock was far ahead. */
        boolean isStale(long version, boolean isBeyond) {
            return !isBeyond && (version > raiseFrom || within - version > FAR);
        }
    }

    /**
     * A version that waits for the bound.
     *
     * @param isStrict whether it must not be used before the store has kept the bound
     */
    private record Waiting(long version, boolean isBeyond, boolean isStrict, CompletableFuture<Void> done) {}

    /**
     * Creates the source of a node's versions.
     *
     * @param clock issues versions
     * @param environment schedules deadlines and runs store work
     * @param store keeps the bound; empty in a member without a store
     */
    public VersionSource(HybridClock clock, Environment environment, Optional<Store> store) {
        this.clock = clock;
        this.environment = environment;
        this.store = store;
        this.aheadMillis = Math.min(MAX_AHEAD_MILLIS, clock.maxSkewMillis() / PART_OF_SKEW);
    }

    /** Continues above the versions issued before this start. Blocks as the store does. Called once, first of all. */
    public void load() {
        try {
            store.flatMap(held -> held.note(METADATA))
                    .filter(bytes -> bytes.length == 2 * Long.BYTES || bytes.length == 3 * Long.BYTES)
                    .map(ByteBuffer::wrap)
                    .ifPresent(this::resume);
        } catch (StoreException e) {
            LOG.warn("the store cannot read which versions this node has issued: {}", e.getMessage());
        }
    }

    private void resume(ByteBuffer kept) {
        Version within = new Version(kept.getLong());
        Version beyond = new Version(kept.getLong());
        if (kept.hasRemaining()) {
            clock.avoidUpTo(new Version(kept.getLong()));
        }
        if (!clock.observe(within)) {
            LOG.warn(
                    "this node issued versions up to {} ms ahead of its clock before it was started, so the clock was "
                            + "wrong then or is wrong now: check it",
                    within.millis() - environment.currentTimeMillis());
            clock.avoidUpTo(within);
        }
        clock.resumeBeyond(beyond);
        bounds = new Bounds(0, beyond.packed(), 0);
    }

    /**
     * Issues a new version.
     *
     * @return see {@link HybridClock#next()}; to be used once it {@link #isReserved is reserved}
     */
    public Version next() {
        return clock.next();
    }

    /**
     * Issues a version that supersedes another one.
     *
     * @param newest the version to supersede
     * @return see {@link HybridClock#above}; to be used once it {@link #isReserved is reserved}
     */
    public Version above(Version newest) {
        return clock.above(newest);
    }

    /**
     * Issues a new version that exceeds another one.
     *
     * @param least the version that it must exceed
     * @return {@link #next()} if that does, else {@link #above}
     */
    public Version nextAbove(Version least) {
        Version next = clock.next();
        return next.compareTo(least) > 0 ? next : clock.above(least);
    }

    /**
     * Returns the greatest version issued or observed, or the wall clock if that is ahead.
     *
     * @return a version that may have been issued already
     */
    public Version current() {
        return clock.current();
    }

    /**
     * Returns whether a version may be used now.
     *
     * @param version a version issued by this source
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
     * Raises the bound in the background, so that the next write does not wait for it. Called once this node's clock is
     * known to be right.
     */
    public void prepare() {
        if (store.isPresent()) {
            raise();
        }
    }

    /**
     * Reserves a version.
     *
     * @param version a version issued by this source
     * @param nanos how long the caller can wait
     * @return completes when the version may be used: when the store has kept a bound above it, or has failed to for a
     *     while. A slow store does not stop writes that the other replicas accept. Fails with
     *     {@link UnavailableException}, as a write that no replica has received, if the caller cannot wait so long or
     *     the node is closed
     */
    public CompletableFuture<Void> reserve(Version version, long nanos) {
        Waiting wait = new Waiting(version.packed(), clock.isBeyond(version), false, new CompletableFuture<>());
        return nanos > PATIENCE_NANOS
                ? waitFor(wait, () -> proceed(wait), PATIENCE_NANOS)
                : waitFor(wait, () -> giveUp(wait), nanos);
    }

    private CompletableFuture<Void> waitFor(Waiting wait, Runnable late, long nanos) {
        synchronized (this) {
            if (closed) {
                return CompletableFuture.failedFuture(closing());
            }
            waiting.add(wait);
        }
        Environment.Timer timer = environment.schedule(late, nanos);
        raise();
        return wait.done.whenComplete((reserved, error) -> timer.cancel());
    }

    /**
     * Issues a version as a ballot, which is never issued again, not even after a restart that follows a failure of the
     * store: two proposals of one ballot would both seem to be accepted.
     *
     * @param highest the version that it must exceed
     * @param nanos how long the caller can wait
     * @return completes once the store has kept a bound above it. Fails with {@link UnavailableException} if the caller
     *     cannot wait so long, the store has failed, the node is closed, or only a wrong clock can have issued
     *     {@code highest}
     */
    public CompletableFuture<Version> ballot(Version highest, long nanos) {
        Version ballot = nextAbove(highest);
        if (store.isEmpty() || clock.isBeyond(ballot)) {
            return CompletableFuture.failedFuture(new UnavailableException(
                    ErrorCode.CLOCK_CONTRADICTED,
                    "nothing done: the next ballot, " + ballot + ", is too far ahead of this node's clock"));
        }
        if (isKept(ballot)) {
            return CompletableFuture.completedFuture(ballot);
        }
        Waiting wait = new Waiting(ballot.packed(), false, true, new CompletableFuture<>());
        return waitFor(wait, () -> giveUp(wait), nanos).thenApply(reserved -> ballot);
    }

    /**
     * Issues a version as a ballot, if the store has kept a bound above it by now.
     *
     * @param highest the version that it must exceed
     * @return see {@link #ballot}; empty where that fails or does not complete at once
     */
    public Optional<Version> ballotAtOnce(Version highest) {
        Version ballot = nextAbove(highest);
        return store.isPresent() && !clock.isBeyond(ballot) && isKept(ballot) ? Optional.of(ballot) : Optional.empty();
    }

    private boolean isKept(Version ballot) {
        boolean isKept = ballot.packed() <= kept;
        if (isKept && bounds.isStale(ballot.packed(), false)) {
            raise();
        }
        return isKept;
    }

    private void proceed(Waiting wait) {
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
            // Waiting writes proceed after their time limit.
            raised();
            report("no thread for it: " + e);
        }
    }

    private void raiseAndAnswer() {
        if (isClosed()) {
            // The last bound is kept, and the store may be closed.
            return;
        }
        boolean isKept = false;
        try {
            raiseNow();
            isKept = true;
        } catch (RuntimeException | Error e) {
            reportUnlessClosed(FileFailure.inWords(e));
        } finally {
            raised();
        }
        for (Waiting wait = takeCovered(); wait != null; wait = takeCovered()) {
            wait.done.complete(null);
        }
        if (kept == 0) {
            takeStrict()
                    .forEach(wait -> wait.done.completeExceptionally(new UnavailableException(
                            ErrorCode.STORE_FAILED,
                            "nothing done: the store cannot record which ballots this node issues")));
        }
        if (isKept && isAnyWaiting()) {
            raise();
        }
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    private synchronized void raised() {
        raising = false;
        overdue = false;
    }

    private synchronized @Nullable Waiting takeCovered() {
        Bounds now = bounds;
        for (int i = 0; i < waiting.size(); i++) {
            Waiting wait = waiting.get(i);
            if (wait.isStrict ? wait.version <= kept : now.covers(wait.version, wait.isBeyond)) {
                return waiting.remove(i);
            }
        }
        return null;
    }

    private synchronized List<Waiting> takeStrict() {
        List<Waiting> strict = waiting.stream().filter(Waiting::isStrict).toList();
        waiting.removeAll(strict);
        return strict;
    }

    private synchronized boolean isAnyWaiting() {
        return !waiting.isEmpty();
    }

    /** Raises the bound. Blocks as the store does; runs on one thread at a time. */
    private void raiseNow() {
        long wall = (environment.currentTimeMillis() + aheadMillis) << Version.COUNTER_BITS;
        Bounds before = bounds;
        if (Math.max(wall, clock.last().packed() + ROOM) < before.within) {
            // The clock was set back: the versions issued until the lower bound is kept rely on no higher bound.
            bounds = new Bounds(0, before.beyond, 0);
            kept = 0;
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
        kept = keep(within, beyond, this::reportUnlessClosed) ? within : 0;
        bounds = new Bounds(within, beyond, last + (within - last) / 2);
    }

    /**
     * Keeps the bounds. A store that fails to keep them accepts no writes either. The writes that this node coordinates
     * proceed, since the other replicas may accept them; ballots do not. Returns whether the store has kept them.
     */
    private boolean keep(long within, long beyond, Consumer<String> report) {
        long avoided = clock.avoided().packed();
        boolean isAnyAvoided = avoided > within;
        ByteBuffer bytes = ByteBuffer.allocate((isAnyAvoided ? 3 : 2) * Long.BYTES)
                .putLong(within)
                .putLong(beyond);
        if (isAnyAvoided) {
            bytes.putLong(avoided);
        }
        try {
            store.orElseThrow().keepNote(METADATA, bytes.array());
            reported = false;
            return true;
        } catch (RuntimeException e) {
            report.accept(String.valueOf(e.getMessage()));
            return false;
        }
    }

    /** Reports a failed raise, but not that the store was closed under the last one: {@link #close} keeps a bound. */
    private void reportUnlessClosed(String why) {
        if (!isClosed()) {
            report(why);
        }
    }

    private void report(String why) {
        if (!reported) {
            LOG.warn(
                    "the store cannot record which versions this node has issued, so that it may issue some again "
                            + "after a restart: {}",
                    why);
        }
        reported = true;
    }

    /**
     * Stops reserving; waiting writes fail. The next start continues from the last version issued. Blocks as the store
     * does.
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
            keep(clock.last().packed(), bounds.beyond, this::report);
        }
    }

    private static UnavailableException closing() {
        return new UnavailableException(ErrorCode.NOT_SERVING, "nothing done: this node is shutting down");
    }
}
