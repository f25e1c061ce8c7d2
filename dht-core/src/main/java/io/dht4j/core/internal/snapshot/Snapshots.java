package io.dht4j.core.internal.snapshot;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.OverloadedException;
import io.dht4j.Version;
import io.dht4j.core.internal.clock.HybridClock;
import io.dht4j.spi.Entry;
import io.dht4j.spi.EntryCursor;
import io.dht4j.spi.Environment;
import io.dht4j.spi.Store;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The snapshots that are being read, as far as this node is concerned. {@code docs/design/snapshot.md} has the whole
 * protocol; this is what a node does in it:
 *
 * <ol>
 *   <li>{@link #open}: from now on keep what each write supersedes. When the writes that had begun without are in the
 *       store, tell the clock: nothing that is in the store is newer.
 *   <li>{@link #fix}: the version of the cut is chosen, not older than any node's clock. Give no version up to it any
 *       more, and tell when the writes of this node that may have one have ended.
 *   <li>{@link #cursor}: read as of that version.
 *   <li>{@link #end}, or a lease that runs out, or too much to keep: forget everything.
 * </ol>
 *
 * <p>Nothing blocks but {@link #applyAndGetVersions} and {@link #cursor}, as the store does. Safe for use by any number
 * of threads.
 */
public final class Snapshots {

    private static final Logger LOG = LoggerFactory.getLogger(Snapshots.class);
    private static final int MAX_OPEN = 4;
    private static final int MAX_REMEMBERED = 16;

    private final Store store;
    private final Environment environment;
    private final HybridClock clock;
    private final long maxBytes;
    private final WritesInFlight applies = new WritesInFlight();
    private final WritesInFlight writes = new WritesInFlight();
    /** While a cut is open, merges go one at a time: what is superseded must not change before it is. */
    private final Object merging = new Object();
    // Written under this; read anywhere.
    private volatile List<Snapshot> open = List.of();
    /** Why the last ones have ended. Guarded by this. */
    private final Map<Version, String> ended = new LinkedHashMap<>();

    /**
     * None is open yet.
     *
     * @param store where entries are
     * @param environment time and timers
     * @param clock this node's
     * @param maxBytes how much all cuts together may keep
     */
    public Snapshots(Store store, Environment environment, HybridClock clock, long maxBytes) {
        this.store = store;
        this.environment = environment;
        this.clock = clock;
        this.maxBytes = maxBytes;
    }

    /**
     * The store through which everything must be written from now on.
     *
     * @return the same store, with cuts taking note
     */
    public Store store() {
        return new SnapshottingStore(store, this);
    }

    /** A write of this node's coordinator, from before it gets its version until its outcome is known. */
    @FunctionalInterface
    public interface Write {

        /** Its outcome is known. To be called once. */
        void ended();
    }

    /**
     * A write begins, which gets its version afterwards.
     *
     * @return to be told when it has ended
     */
    public Write writeBegins() {
        return writes.enter()::leave;
    }

    /**
     * Completes when all writes of this node's coordinator have ended that may have a version not newer than the
     * clock's.
     *
     * @return never fails
     */
    public CompletableFuture<Void> writesSoFar() {
        return writes.flip();
    }

    /**
     * Begins to keep what writes supersede.
     *
     * @param id names the cut
     * @param leaseNanos how long the cut may be left alone
     * @return completes with this node's clock, when nothing newer is in the store; fails with a {@link DhtException}
     *     if there are too many, or if it ends before
     */
    public CompletableFuture<Version> open(Version id, long leaseNanos) {
        Snapshot cut;
        synchronized (this) {
            // A request may come twice.
            Optional<Snapshot> already = find(id);
            if (already.isEmpty() && open.size() == MAX_OPEN) {
                return CompletableFuture.failedFuture(new OverloadedException(
                        "at most " + MAX_OPEN + " snapshots at a time; an abandoned one ends with its lease"));
            }
            cut = already.orElseGet(() -> add(new Snapshot(id, leaseNanos, environment.nanoTime())));
        }
        return unlessOver(cut, applies.flip()).thenApply(drained -> notOlderThanTheStore());
    }

    /**
     * What the store held when it was opened may be ahead of the clock, which does not follow that if some clock was
     * wrong then.
     */
    private Version notOlderThanTheStore() {
        Version now = clock.current();
        Version found = store.newestAtOpen();
        return now.compareTo(found) > 0 ? now : found;
    }

    private Snapshot add(Snapshot cut) {
        List<Snapshot> more = new ArrayList<>(open);
        more.add(cut);
        open = List.copyOf(more);
        environment.schedule(() -> expire(cut), cut.leaseNanos);
        return cut;
    }

    /**
     * Fixes a cut's version.
     *
     * @param id names the cut
     * @param at its version
     * @return completes when every write of this node's coordinator that may have such a version has ended; fails with
     *     a {@link DhtException} if there is no such cut, if it ends before, or if the version is too far ahead
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
        return unlessOver(found.get(), writesSoFar());
    }

    /**
     * Reads the store as it was at a version. Blocks, as the store does. Whoever reads must {@link #use} the cut
     * afterwards, to know that it was there until then.
     *
     * @param at the version of an open cut
     * @param range the keys to show
     * @return a cursor, which the caller closes
     * @throws DhtException if there is no such cut
     */
    public EntryCursor cursor(Version at, KeyRange range) {
        Snapshot cut = use(at);
        return new CutCursor(store.scan(range), cut, cut.at().orElseThrow(() -> gone(at)), range);
    }

    /**
     * Renews the lease of a cut.
     *
     * @param at its version
     * @throws DhtException if there is no such cut
     */
    public void keep(Version at) {
        use(at);
    }

    private Snapshot use(Version at) {
        Snapshot cut = find(at).orElseThrow(() -> gone(at));
        cut.use(environment.nanoTime());
        return cut;
    }

    /**
     * Ends a cut, if it is open.
     *
     * @param version its version, or what names it
     */
    public void end(Version version) {
        find(version).ifPresent(cut -> end(cut, "it was closed"));
    }

    /**
     * Ends all cuts that are open.
     *
     * @param why one line for those who read them
     */
    public void endAll(String why) {
        open.forEach(cut -> end(cut, why));
    }

    /**
     * How much is kept.
     *
     * @return bytes, about
     */
    public long bytes() {
        return open.stream().mapToLong(Snapshot::bytes).sum();
    }

    /** Merges entries into the store, which tells the newest version of each key. */
    List<Version> applyAndGetVersions(List<Entry> entries) {
        WritesInFlight.Generation here = applies.enter();
        try {
            if (open.isEmpty()) {
                return store.applyAndGetVersions(entries);
            }
            synchronized (merging) {
                takeNote(entries);
                return store.applyAndGetVersions(entries);
            }
        } finally {
            here.leave();
        }
    }

    private void takeNote(List<Entry> entries) {
        List<Snapshot> cuts = open;
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
            for (Snapshot cut : cuts) {
                cut.merging(winner, loser);
            }
        }
        if (bytes() > maxBytes) {
            for (Snapshot cut : cuts) {
                end(
                        cut,
                        "more than " + maxBytes
                                + " bytes of entries would have to be kept that were written again meanwhile");
            }
        }
    }

    private void expire(Snapshot cut) {
        if (cut.over.isDone()) {
            return;
        }
        long remaining = cut.remainingNanos(environment.nanoTime());
        if (remaining > 0) {
            environment.schedule(() -> expire(cut), remaining);
        } else {
            end(cut, "nobody read it for the " + cut.leaseNanos / 1_000_000 + " ms of its lease");
        }
    }

    private void end(Snapshot cut, String why) {
        synchronized (this) {
            List<Snapshot> fewer = new ArrayList<>(open);
            if (!fewer.remove(cut)) {
                return;
            }
            open = List.copyOf(fewer);
            ended.put(cut.at().orElse(cut.id), why);
            if (ended.size() > MAX_REMEMBERED) {
                ended.remove(ended.keySet().iterator().next());
            }
        }
        LOG.debug("snapshot {} has ended: {}", cut.at().orElse(cut.id), why);
        cut.over.complete(why);
        cut.forget();
    }

    private Optional<Snapshot> find(Version version) {
        for (Snapshot cut : open) {
            if (cut.isOf(version)) {
                return Optional.of(cut);
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

    private static CompletableFuture<Void> unlessOver(Snapshot cut, CompletableFuture<Void> stage) {
        CompletableFuture<Void> result = new CompletableFuture<>();
        stage.whenComplete((done, error) -> result.complete(null));
        cut.over.thenAccept(why -> result.completeExceptionally(gone(cut.at().orElse(cut.id), why)));
        return result;
    }
}
