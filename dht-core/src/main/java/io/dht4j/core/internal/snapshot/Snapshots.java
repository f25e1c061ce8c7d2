package io.dht4j.core.internal.snapshot;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.InvalidRequestException;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.OverloadedException;
import io.dht4j.Ranges;
import io.dht4j.Version;
import io.dht4j.core.internal.clock.HybridClock;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.view.Views;
import io.dht4j.spi.Entry;
import io.dht4j.spi.EntryCursor;
import io.dht4j.spi.Environment;
import io.dht4j.spi.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds the open snapshots of this node. {@code docs/design/snapshot.md} describes the whole protocol; this is the part
 * of a node:
 *
 * <ol>
 *   <li>{@link #open}: keep from now on every entry that a write supersedes. When all earlier writes are in the store,
 *       report the clock: no entry in the store is newer.
 *   <li>{@link #fix}: the coordinator has chosen the snapshot's version, not older than any node's clock. Issue no
 *       further version up to it, and report when the writes of this node that may have one have ended.
 *   <li>{@link #cursor}: read as of that version.
 *   <li>{@link #end}, an expired lease, or too many kept bytes: remove everything.
 * </ol>
 *
 * <p>A snapshot shows only partitions that this node has had completely ever since it was opened.
 *
 * <p>Only {@link #merging} and {@link #cursor} block, as the store does. Safe for use by any number of threads.
 */
public final class Snapshots {

    private static final Logger LOG = LoggerFactory.getLogger(Snapshots.class);
    private static final int MAX_OPEN = 4;
    private static final int MAX_REMEMBERED = 16;

    private final Store store;
    private final Environment environment;
    private final HybridClock clock;
    private final Views views;
    private final long maxBytes;
    private final WritesInFlight applies = new WritesInFlight();
    private final WritesInFlight writes = new WritesInFlight();
    /**
     * Serializes merges while a snapshot is open: the superseded entry that is read must be the one that is replaced.
     */
    private final Object merging = new Object();
    // Written under this; read anywhere.
    private volatile List<Snapshot> open = List.of();
    /** Snapshots up to this version wait for no write that begins now. */
    private final AtomicLong shown = new AtomicLong();
    /** The reasons why the last snapshots have ended. Guarded by this. */
    private final Map<Version, String> ended = new LinkedHashMap<>();

    /**
     * Creates an object without open snapshots.
     *
     * @param store is read
     * @param environment time and timers
     * @param clock this node's clock
     * @param views the views of this node, which determine the partitions that its store has completely
     * @param maxBytes the maximum number of bytes that all snapshots together keep
     */
    public Snapshots(Store store, Environment environment, HybridClock clock, Views views, long maxBytes) {
        this.store = store;
        this.environment = environment;
        this.clock = clock;
        this.views = views;
        this.maxBytes = maxBytes;
        views.listen((before, now) -> follow(now));
    }

    /**
     * Checks a lease as its caller has given it.
     *
     * @param lease a time
     * @throws InvalidRequestException if it is out of the range of leases
     */
    public static void requireLease(Duration lease) {
        try {
            Ranges.require("the lease of a snapshot", lease, io.dht4j.Snapshot.MIN_LEASE, io.dht4j.Snapshot.MAX_LEASE);
        } catch (IllegalArgumentException e) {
            throw new InvalidRequestException(ErrorCode.BAD_REQUEST, String.valueOf(e.getMessage()));
        }
    }

    private synchronized void follow(ClusterView view) {
        open.forEach(snapshot -> snapshot.follow(view));
    }

    /** A write of this node's coordinator, from before it gets its version until its outcome is known. */
    @FunctionalInterface
    public interface Write {

        /** Records that the outcome is known. Called once. */
        void ended();
    }

    /**
     * Begins a write, which gets its version afterwards.
     *
     * @return the write, to be ended
     */
    public Write writeBegins() {
        return writes.enter();
    }

    /**
     * Returns a future that completes when all writes of this node's coordinator have ended that may have a version up
     * to the clock's.
     *
     * @return never fails
     */
    public CompletableFuture<Void> writesSoFar() {
        shown.accumulateAndGet(clock.current().packed(), Math::max);
        return writes.flip();
    }

    /**
     * Returns whether a snapshot may show a version without waiting for a write that has just {@linkplain #writeBegins
     * begun}. None shows a version that is issued now.
     *
     * @param version a version that was issued earlier
     */
    public boolean mayShow(Version version) {
        return version.packed() <= shown.get()
                || open.stream().anyMatch(snapshot -> snapshot.at().isEmpty());
    }

    /**
     * Returns the newest open snapshot that shows a version, if its content does not change any more.
     *
     * @param version any version
     * @return the version of the snapshot; empty if there is none
     */
    public Optional<Version> fixedAtOrAbove(Version version) {
        Optional<Version> newest = Optional.empty();
        for (Snapshot snapshot : open) {
            Optional<Version> at = snapshot.at().filter(fixed -> fixed.compareTo(version) >= 0);
            if (at.isPresent()
                    && newest.filter(other -> other.compareTo(at.get()) > 0).isEmpty()) {
                newest = at;
            }
        }
        return newest;
    }

    /**
     * Begins to keep superseded entries.
     *
     * @param id identifies the snapshot
     * @param leaseNanos the lease: how long the snapshot may be unused
     * @return completes with this node's clock, when no newer entry is in the store. Fails with a {@link DhtException}
     *     if there are too many snapshots, or if it ends before
     */
    public CompletableFuture<Version> open(Version id, long leaseNanos) {
        Snapshot snapshot;
        synchronized (this) {
            // The request may be a duplicate.
            Optional<Snapshot> already = find(id);
            if (already.isEmpty() && open.size() == MAX_OPEN) {
                return CompletableFuture.failedFuture(new OverloadedException(
                        "at most " + MAX_OPEN + " snapshots at a time; an abandoned one ends with its lease"));
            }
            snapshot =
                    already.orElseGet(() -> add(new Snapshot(id, leaseNanos, environment.nanoTime(), views.current())));
        }
        return unlessEnded(snapshot, applies.flip()).thenApply(drained -> newestHere());
    }

    /**
     * Returns the newer of the clock and the newest version at the opening of the store. The clock ignores that version
     * if it lies too far ahead, since some clock was wrong then.
     */
    private Version newestHere() {
        Version now = clock.current();
        Version found = store.newestAtOpen();
        return now.compareTo(found) > 0 ? now : found;
    }

    private Snapshot add(Snapshot snapshot) {
        List<Snapshot> more = new ArrayList<>(open);
        more.add(snapshot);
        open = List.copyOf(more);
        environment.schedule(() -> expire(snapshot), snapshot.leaseNanos);
        return snapshot;
    }

    /**
     * Fixes a snapshot's version.
     *
     * @param id identifies the snapshot
     * @param at its version
     * @return completes when every write of this node's coordinator that may have such a version has ended, and every
     *     merge that began before its version was known here. Fails with a {@link DhtException} if there is no such
     *     snapshot, if it ends before, or if the version is too far ahead
     */
    public CompletableFuture<Void> fix(Version id, Version at) {
        Optional<Snapshot> found = find(id);
        if (found.isEmpty()) {
            return CompletableFuture.failedFuture(gone(id));
        }
        if (!clock.observe(at)) {
            return failed(
                    ErrorCode.VERSION_TOO_FAR_AHEAD,
                    "the snapshot's version " + at + " is more than " + clock.maxSkewMillis()
                            + " ms ahead of this node's clock");
        }
        if (!found.get().fix(at)) {
            return failed(ErrorCode.BAD_REQUEST, "snapshot " + id + " has another version already");
        }
        found.get().use(environment.nanoTime());
        // A merge that has begun may not know the version of the snapshot.
        return unlessEnded(found.get(), CompletableFuture.allOf(writesSoFar(), applies.flip()));
    }

    /**
     * Begins a merge, before it is decided which entries are merged.
     *
     * @return the merge, to be ended after {@link #merging}
     */
    public Write mergeBegins() {
        return applies.enter();
    }

    /**
     * Returns the partitions that a snapshot does not show completely: this node has received them since the opening.
     * While the rows do not change, the other partitions stay complete.
     *
     * @param at the version of an open snapshot
     * @param partitions some partitions
     * @return some of them; none in a static cluster
     * @throws DhtException if there is no such snapshot
     */
    public PartitionSet lacking(Version at, PartitionSet partitions) {
        return use(at).lacking(partitions);
    }

    /**
     * Reads the store as of a version. Blocks, as the store does. The reader must {@link #renew} the snapshot
     * afterwards, which proves that it was open until then.
     *
     * @param at the version of an open snapshot
     * @param range the keys to show, of all partitions: also of those that {@link #lacking} excludes
     * @return a cursor, which the caller closes
     * @throws DhtException if there is no such snapshot
     */
    public EntryCursor cursor(Version at, KeyRange range) {
        Snapshot snapshot = use(at);
        return new SnapshotCursor(store.scan(range), snapshot, snapshot.at().orElseThrow(() -> gone(at)), range);
    }

    /**
     * Renews the lease of a snapshot.
     *
     * @param at its version
     * @throws DhtException if there is no such snapshot
     */
    public void renew(Version at) {
        use(at);
    }

    private Snapshot use(Version at) {
        Snapshot snapshot = find(at).orElseThrow(() -> gone(at));
        snapshot.use(environment.nanoTime());
        return snapshot;
    }

    /**
     * Ends a snapshot, if it is open.
     *
     * @param version its version or identifier
     */
    public void end(Version version) {
        find(version).ifPresent(snapshot -> end(snapshot, "it was closed"));
    }

    /**
     * Ends all open snapshots.
     *
     * @param why one line for their readers
     */
    public void endAll(String why) {
        open.forEach(snapshot -> end(snapshot, why));
    }

    /** Returns the number of open snapshots. */
    public int openCount() {
        return open.size();
    }

    /**
     * Returns the size of the kept entries.
     *
     * @return bytes, approximately
     */
    public long bytes() {
        return open.stream().mapToLong(Snapshot::bytes).sum();
    }

    /**
     * Runs a merge into the store, which has {@linkplain #mergeBegins begun}. While a snapshot is open, the entries
     * that it supersedes are kept first, and merges run one after the other. Every merge must use this method. Blocks
     * as the store does.
     *
     * @param entries the entries
     * @param merge merges them into the store
     * @return the result of the merge
     */
    public List<Version> merging(List<Entry> entries, Function<List<Entry>, List<Version>> merge) {
        if (open.isEmpty()) {
            return merge.apply(entries);
        }
        synchronized (merging) {
            recordSuperseded(entries);
            return merge.apply(entries);
        }
    }

    private void recordSuperseded(List<Entry> entries) {
        List<Snapshot> snapshots = open;
        Map<Key, Entry> now = new HashMap<>();
        for (Entry entry : entries) {
            Entry before = now.get(entry.key());
            if (before == null) {
                before = store.get(entry.key()).orElse(null);
            }
            if (before == null || entry.equals(before)) {
                now.put(entry.key(), entry);
                continue;
            }
            boolean wins = entry.supersedes(before);
            Entry winner = wins ? entry : before;
            Entry loser = wins ? before : entry;
            now.put(entry.key(), winner);
            for (Snapshot snapshot : snapshots) {
                snapshot.merging(winner, loser);
            }
        }
        if (bytes() > maxBytes) {
            for (Snapshot snapshot : snapshots) {
                end(
                        snapshot,
                        "more than " + maxBytes
                                + " bytes of entries would have to be kept that were written again meanwhile");
            }
        }
    }

    private void expire(Snapshot snapshot) {
        if (snapshot.over.isDone()) {
            return;
        }
        long remaining = snapshot.remainingNanos(environment.nanoTime());
        if (remaining > 0) {
            environment.schedule(() -> expire(snapshot), remaining);
        } else {
            end(snapshot, "it was not read for the " + snapshot.leaseNanos / 1_000_000 + " ms of its lease");
        }
    }

    private void end(Snapshot snapshot, String why) {
        synchronized (this) {
            List<Snapshot> fewer = new ArrayList<>(open);
            if (!fewer.remove(snapshot)) {
                return;
            }
            open = List.copyOf(fewer);
            ended.put(snapshot.at().orElse(snapshot.id), why);
            if (ended.size() > MAX_REMEMBERED) {
                ended.remove(ended.keySet().iterator().next());
            }
        }
        LOG.debug("snapshot {} has ended: {}", snapshot.at().orElse(snapshot.id), why);
        snapshot.over.complete(why);
        snapshot.forget();
    }

    private Optional<Snapshot> find(Version version) {
        for (Snapshot snapshot : open) {
            if (snapshot.isOf(version)) {
                return Optional.of(snapshot);
            }
        }
        return Optional.empty();
    }

    private DhtException gone(Version version) {
        String why;
        synchronized (this) {
            why = ended.getOrDefault(
                    version, "this node does not have it; it had not taken part, was restarted, or the lease ran out");
        }
        return gone(version, why);
    }

    private static DhtException gone(Version version, String why) {
        return DhtException.of(ErrorCode.SNAPSHOT_GONE, "no snapshot " + version + ": " + why);
    }

    private static <T> CompletableFuture<T> failed(ErrorCode code, String message) {
        return CompletableFuture.failedFuture(DhtException.of(code, message));
    }

    private static CompletableFuture<Void> unlessEnded(Snapshot snapshot, CompletableFuture<Void> stage) {
        CompletableFuture<Void> result = new CompletableFuture<>();
        stage.whenComplete((done, error) -> result.complete(null));
        snapshot.over.thenAccept(
                why -> result.completeExceptionally(gone(snapshot.at().orElse(snapshot.id), why)));
        return result;
    }
}
