package io.dht4j.store.mvstore.internal.merge;

import io.dht4j.StoreStatistics.Work;
import io.dht4j.spi.Entry;
import io.dht4j.spi.FileFailure;
import io.dht4j.spi.StoreException;
import io.dht4j.store.mvstore.internal.disk.Health;
import io.dht4j.store.mvstore.internal.disk.StoreDirectory;
import io.dht4j.store.mvstore.internal.log.WriteAheadLog;
import io.dht4j.store.mvstore.internal.map.Compactor;
import io.dht4j.store.mvstore.internal.map.EntryMap;
import io.dht4j.store.mvstore.internal.memtable.Memtable;
import io.dht4j.store.mvstore.internal.memtable.Memtables;
import io.dht4j.store.mvstore.internal.statistics.StoreWork;
import io.dht4j.store.mvstore.internal.statistics.StoreWork.Kind;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The thread that merges frozen tables into the map, the oldest first, and deletes their segments of the log. It also
 * purges the map, with merges between the steps, and compacts the file when it has no other task. It is never
 * interrupted. Safe for use by any number of threads.
 */
public final class MemtableFlusher {

    private static final long TICK_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** A table without writes for so many ticks is merged, so that the log of a quiet store is empty. */
    private static final int QUIET_TICKS = 5;

    /** How long the file is compacted after the last merge: beyond MVStore's retention time of 45 seconds. */
    private static final int SETTLING_TICKS = 180;

    /** How many entries a merge without waiting writers merges between two rests; a power of two. */
    private static final int STRIDE = 256;

    /** The pause after a lack of memory; each further one in a row doubles it. */
    private static final long NO_MEMORY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final long LONGEST_REST_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** The longest pause between two attempts to recover. */
    private static final long LONGEST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** A failure so soon after the last recovery counts as the same one. */
    private static final long CALM_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final StoreDirectory directory;
    private final boolean isForced;
    private final Memtables memtables;
    private final EntryMap map;
    private final WriteAheadLog log;
    private final Health health;
    private final StoreWork merges;
    private final StoreWork compactions;
    private final MergeTasks tasks = new MergeTasks();
    private final MergeFailures failures;
    private final Thread thread;

    // Below: only for the merging thread.
    private int ticksSinceMerge;
    private int quietTicks;
    private long waitNanos = TICK_NANOS;
    /** Whether there was an attempt to recover since the failure. */
    private boolean recovering;

    private long recoveredNanos = System.nanoTime() - CALM_NANOS;
    private long lastWeight;
    private long checkedNanos = System.nanoTime();

    /**
     * Creates the flusher of a store; {@link #start} starts its thread.
     *
     * @param directory the store's
     * @param isForced whether acknowledged writes survive a power failure
     * @param memtables whose frozen tables are merged
     * @param map takes their entries
     * @param log the store's
     * @param health learns of failures
     */
    public MemtableFlusher(
            StoreDirectory directory,
            boolean isForced,
            Memtables memtables,
            EntryMap map,
            WriteAheadLog log,
            Health health) {
        this.directory = directory;
        this.isForced = isForced;
        this.memtables = memtables;
        this.map = map;
        this.log = log;
        this.health = health;
        this.merges = new StoreWork(Kind.MERGE, directory.path());
        this.compactions = new StoreWork(Kind.COMPACTION, directory.path());
        this.failures = new MergeFailures(directory, memtables, tasks, health);
        this.thread = new Thread(this::run, "dht4j-store-merge " + directory.path());
        // A process that ends without closing its store loses no data.
        thread.setDaemon(true);
    }

    /** Starts the thread. */
    public void start() {
        thread.start();
    }

    /** Waits until all tables that are frozen now are in the map. Blocks; ignores interrupts. */
    public void awaitMerged() {
        await(tasks.addMerge(lastFrozen()), "settled");
    }

    /**
     * Removes dispensable entries from the map, after all tables that are frozen now are in it. Blocks; ignores
     * interrupts.
     *
     * @param dispensable which entries to remove
     * @return how many entries were removed
     */
    public long purge(Predicate<Entry> dispensable) {
        return await(tasks.addPurge(lastFrozen(), new PurgeTask(dispensable)), "purged");
    }

    private long lastFrozen() {
        return memtables.view().active().segment() - 1;
    }

    private long await(CompletableFuture<Long> result, String what) {
        memtables.wake();
        if (health.isFailed()) {
            // The thread may have ended without the task.
            tasks.failAll();
        } else if (tasks.arePurgesEnded()) {
            tasks.endPurges();
        }
        try {
            return result.join();
        } catch (CompletionException e) {
            health.checkWritable();
            throw new StoreException(directory.path() + " cannot be " + what + " (" + reason(e.getCause()) + ")", e);
        }
    }

    private static String reason(@Nullable Throwable cause) {
        if (cause == null) {
            return "for an unknown reason";
        }
        return cause instanceof StoreException ? String.valueOf(cause.getMessage()) : FileFailure.inWords(cause);
    }

    /** Ends purges where they are: the store is closing. */
    public void endPurges() {
        tasks.endPurges();
    }

    /** Ends the thread after the entry that it is merging. The log keeps all entries that are not in the map. */
    public void close() {
        memtables.end();
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        try {
            while (!memtables.isEnding() && (!health.isFailed() || health.isTransient())) {
                try {
                    if (health.isFailed()) {
                        tasks.failAll();
                        recover();
                    } else if (failures.withoutMemory() > 0) {
                        mergeAgain();
                    } else {
                        work();
                    }
                } catch (IOException | RuntimeException | Error e) {
                    failures.report(e);
                }
            }
        } finally {
            tasks.failAllWithRetry();
        }
    }

    /** Repeats a merge that lacked memory. Writers only notice that they wait. */
    private void mergeAgain() throws IOException {
        memtables.pause(NO_MEMORY_NANOS << failures.withoutMemory());
        if (memtables.isEnding()) {
            return;
        }
        map.reopenAfterFailure();
        if (!memtables.view().frozen().isEmpty()) {
            merge(memtables.view().frozen().get(0));
        }
        failures.reset();
    }

    private void work() throws IOException {
        if (System.nanoTime() - checkedNanos >= TICK_NANOS) {
            checkedNanos = System.nanoTime();
            directory.files().check();
        }
        tasks.mergedBefore(oldestSegment());
        Memtable oldest = memtables.awaitFrozen(tasks.isEmpty() ? TICK_NANOS : 0);
        if (oldest != null) {
            merge(oldest);
        }
        PurgeTask purge = tasks.purge();
        if (purge != null) {
            step(purge);
        } else if (oldest == null && tasks.isMerged()) {
            idle();
        }
    }

    private long oldestSegment() {
        Memtables.View view = memtables.view();
        return view.frozen().isEmpty()
                ? view.active().segment()
                : view.frozen().get(0).segment();
    }

    /**
     * Carries out a step of a purge. A failed write ends only the purge: the entries of the step stay until the next
     * purge.
     */
    private void step(PurgeTask purge) {
        if (tasks.arePurgesEnded()) {
            tasks.endPurges();
            return;
        }
        long began = System.nanoTime();
        try {
            EntryMap.Purged step = map.purge(purge.dispensable, purge.next);
            purge.removed += step.removed();
            if (step.next().isPresent()) {
                purge.next = step.next().get();
            } else {
                map.sync();
                purge.result.complete(purge.removed);
                tasks.remove(purge);
            }
        } catch (RuntimeException | Error e) {
            @Nullable IOException cause = Health.ioFailure(e);
            try {
                if (cause == null || directory.fsync().hasFailed()) {
                    throw e;
                }
                map.reopenAfterFailure();
            } finally {
                purge.result.completeExceptionally(
                        cause == null
                                ? e
                                : new StoreException(
                                        directory.dataFile() + " cannot be written (" + cause
                                                + "); what is dead stays until the next purge; "
                                                + directory.disk().remedy(directory.path()),
                                        e));
                // Last: without memory for the exception, the purge ends when the failure of the store is reported.
                tasks.remove(purge);
            }
        }
        ticksSinceMerge = 0;
        rest(began);
    }

    /**
     * Tries after a pause, which grows with each attempt, whether the store can write again. Only success proves it: a
     * file of some size that is written and forced to the disk, a table that is merged, and the end of the log that is
     * repaired.
     */
    private void recover() throws IOException {
        if (!recovering && System.nanoTime() - recoveredNanos > CALM_NANOS) {
            waitNanos = TICK_NANOS;
        }
        recovering = true;
        memtables.pause(waitNanos);
        if (memtables.isEnding()) {
            return;
        }
        waitNanos = Math.min(LONGEST_WAIT_NANOS, 2 * waitNanos);
        directory.probe();
        log.prepare();
        map.reopenAfterFailure();
        if (!memtables.view().frozen().isEmpty()) {
            merge(memtables.view().frozen().get(0));
        }
        if (!memtables.isEnding()) {
            log.recover();
            recoveredNanos = System.nanoTime();
            recovering = false;
        }
    }

    private void merge(Memtable table) throws IOException {
        StoreWork.Piece merge = merges.begin();
        long writtenBefore = map.writtenBytes();
        int count = 0;
        long began = System.nanoTime();
        for (Entry entry : table) {
            map.merge(entry);
            if ((++count & (STRIDE - 1)) == 0) {
                if (memtables.isEnding()) {
                    return;
                }
                rest(began);
                began = System.nanoTime();
            }
        }
        map.finishSegment(table.segment(), table.newest());
        // If the file of the map is lost, only the log has these entries.
        directory.files().check();
        memtables.dropOldest();
        directory.files().remove(table.file());
        directory.disk().delete(table.file());
        if (isForced) {
            directory.sync();
        }
        ticksSinceMerge = 0;
        merge.end(map.writtenBytes() - writtenBefore);
        compact(Compactor::rewriteForWrites);
    }

    /** Runs the compactor, and counts its work if it has written. */
    private void compact(Consumer<Compactor> step) {
        StoreWork.Piece compaction = compactions.begin();
        long writtenBefore = map.writtenBytes();
        step.accept(map.compactor());
        long written = map.writtenBytes() - writtenBefore;
        if (written > 0) {
            compaction.end(written);
        }
    }

    /** Returns the merges that have ended. */
    public Work merges() {
        return merges.sum();
    }

    /** Returns the compactions that have ended. */
    public Work compactions() {
        return compactions.sum();
    }

    /**
     * Rests for as long as it worked, so that a merge takes half of a processor, and requests the rest. It does not
     * rest if the next table waits, because writers will soon wait too, or if a caller waits for the merge.
     */
    private void rest(long began) {
        if (memtables.view().frozen().size() <= 1 && memtables.hasRoom() && tasks.isMerged()) {
            LockSupport.parkNanos(Math.min(System.nanoTime() - began, LONGEST_REST_NANOS));
        }
    }

    /** Rests as well, and returns whether there is no urgent task. */
    private boolean restFromCompaction(long began) {
        rest(began);
        return !memtables.isEnding() && memtables.view().frozen().isEmpty() && tasks.isEmpty();
    }

    private void idle() {
        ticksSinceMerge++;
        Memtable active = memtables.view().active();
        long weight = active.weight();
        quietTicks = weight == lastWeight ? quietTicks + 1 : 0;
        lastWeight = weight;
        if (weight > 0 && quietTicks >= QUIET_TICKS) {
            quietTicks = 0;
            log.tryRotate();
        } else if (ticksSinceMerge <= SETTLING_TICKS) {
            if (quietTicks == 0) {
                compact(Compactor::settleUnderWrites);
            } else {
                compact(compactor -> compactor.settle(this::restFromCompaction));
            }
        }
    }
}
