package io.dht4j.store.mvstore;

import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.spi.Entry;
import io.dht4j.spi.StoreException;
import java.io.IOException;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that brings frozen tables into the map, oldest first, and deletes their segments of the log; that purges,
 * in steps between which it merges what waits; and that tidies the file up when there is nothing else to do. Nothing
 * interrupts it.
 */
final class Merger {

    private static final Logger LOG = LoggerFactory.getLogger(Merger.class);

    private static final long TICK_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** A table that has not been written for so many ticks is merged, so that a quiet store's log is empty. */
    private static final int QUIET_TICKS = 5;

    /** How long the file is tidied up after the last merge: beyond MVStore's retention time of 45 seconds. */
    private static final int SETTLING_TICKS = 180;

    /** A merge that nobody waits for looks so often whether it should let others work; a power of two. */
    private static final int STRIDE = 256;

    /**
     * So often in a row a lack of memory ends a merge before writes are refused for it: mostly it passes with the
     * request that had the memory.
     */
    private static final int ATTEMPTS_WITHOUT_MEMORY = 4;

    /** How long it waits where there is no memory for what must be done. */
    private static final long NO_MEMORY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final long LONGEST_REST_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** How long a store that failed waits at most before it tries again. */
    private static final long LONGEST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** A failure so soon after the last one is taken for the same one. */
    private static final long CALM_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final StoreDirectory directory;
    private final Durability durability;
    private final Memtables memtables;
    private final EntryMap map;
    private final WriteAheadLog log;
    private final Health health;
    private final Queue<Wish> wishes = new ConcurrentLinkedQueue<>();
    /** Those that may begin; the first one has perhaps begun. */
    private final Queue<Purge> purges = new ConcurrentLinkedQueue<>();

    private volatile boolean purgesEnded;
    private final Thread thread;

    // Below: only for the merging thread.
    private int ticksSinceMerge;
    private int quietTicks;
    private long waitNanos = TICK_NANOS;
    /** Whether it has tried already since the failure. */
    private boolean recovering;

    /** How often merges have ended for lack of memory since one went well, or since writes were refused for that. */
    private int withoutMemory;

    private long mendedNanos = System.nanoTime() - CALM_NANOS;
    private long lastWeight;
    private long checkedNanos = System.nanoTime();

    /** Something that waits until the segments up to one are in the map: a purge, or just that. */
    private record Wish(long upToSegment, Optional<Purge> purge, CompletableFuture<Long> result) {}

    /** A walk over the map. */
    private static final class Purge {
        final Predicate<Entry> dispensable;
        final CompletableFuture<Long> result = new CompletableFuture<>();
        // For the merging thread.
        Key next = KeyRange.all().start();
        long removed;

        Purge(Predicate<Entry> dispensable) {
            this.dispensable = dispensable;
        }
    }

    Merger(
            StoreDirectory directory,
            MvStoreOptions options,
            Memtables memtables,
            EntryMap map,
            WriteAheadLog log,
            Health health) {
        this.directory = directory;
        this.durability = options.durability();
        this.memtables = memtables;
        this.map = map;
        this.log = log;
        this.health = health;
        this.thread = new Thread(this::run, "dht4j-store-merge " + directory.path());
        // A process that forgets to close its store loses nothing by ending.
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** Waits until what is frozen now is in the map. Blocks; interrupts wait. */
    void awaitMerged() {
        await(Optional.empty(), new CompletableFuture<>(), "settled");
    }

    /**
     * Removes what may go, once what is frozen now is in the map. Blocks; interrupts wait.
     *
     * @return how many entries were removed
     */
    long purge(Predicate<Entry> dispensable) {
        Purge purge = new Purge(dispensable);
        return await(Optional.of(purge), purge.result, "purged");
    }

    private long await(Optional<Purge> purge, CompletableFuture<Long> result, String what) {
        long upTo = memtables.view().active().segment() - 1;
        wishes.add(new Wish(upTo, purge, result));
        memtables.wake();
        if (health.isFailed()) {
            // The thread may have ended without having seen the wish.
            failWishes();
        } else if (purgesEnded) {
            endPurges();
        }
        try {
            return result.join();
        } catch (CompletionException e) {
            health.checkWritable();
            throw new StoreException(directory.path() + " cannot be " + what + " (" + reason(e.getCause()) + ")", e);
        }
    }

    private static String reason(@Nullable Throwable cause) {
        return cause instanceof StoreException ? String.valueOf(cause.getMessage()) : String.valueOf(cause);
    }

    /** Ends purges where they are: the store is closing. */
    void endPurges() {
        purgesEnded = true;
        StoreException closing = new StoreException("the store is closing; the next purge goes on");
        wishes.removeIf(wish -> wish.purge().isPresent() && wish.result().completeExceptionally(closing));
        purges.removeIf(purge -> purge.result.completeExceptionally(closing));
    }

    /** Ends the thread after the entry it is merging. The log keeps what did not reach the map. */
    void close() {
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
            while (!memtables.isEnding() && (!health.isFailed() || health.mayPass())) {
                try {
                    if (health.isFailed()) {
                        failWishes();
                        recover();
                    } else if (withoutMemory > 0) {
                        mergeAgain();
                    } else {
                        work();
                    }
                } catch (IOException | RuntimeException | Error e) {
                    failedForSure(e);
                }
            }
        } finally {
            failWishesForSure();
        }
    }

    /** After a lack of memory, of which the writers notice that they wait. */
    private void mergeAgain() throws IOException {
        memtables.pause(NO_MEMORY_NANOS << withoutMemory);
        if (memtables.isEnding()) {
            return;
        }
        map.openAfterFailedPurge();
        if (!memtables.view().frozen().isEmpty()) {
            merge(memtables.view().frozen().get(0));
        }
        withoutMemory = 0;
    }

    private void work() throws IOException {
        if (System.nanoTime() - checkedNanos >= TICK_NANOS) {
            checkedNanos = System.nanoTime();
            directory.files().check();
        }
        runWishes();
        Memtable oldest = memtables.awaitFrozen(wishes.isEmpty() && purges.isEmpty() ? TICK_NANOS : 0);
        if (oldest != null) {
            merge(oldest);
        }
        Purge purge = purges.peek();
        if (purge != null) {
            step(purge);
        } else if (oldest == null && wishes.isEmpty()) {
            idle();
        }
    }

    /**
     * Takes a step of a purge. That it cannot be written ends it, and nothing else: what it was about to remove stays
     * until the next one.
     */
    private void step(Purge purge) {
        if (purgesEnded) {
            endPurges();
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
                purges.remove(purge);
            }
        } catch (RuntimeException | Error e) {
            @Nullable IOException cause = Health.ioFailure(e);
            try {
                if (cause == null || directory.forcing().hasFailed()) {
                    throw e;
                }
                map.openAfterFailedPurge();
            } finally {
                purge.result.completeExceptionally(
                        cause == null
                                ? e
                                : new StoreException(
                                        directory.dataFile() + " cannot be written (" + cause
                                                + "); what is dead stays until the next purge; "
                                                + directory.disk().remedy(directory.path()),
                                        e));
                // Only now: if there was no memory for that, it ends when the failure of the store is known.
                purges.remove(purge);
            }
        }
        ticksSinceMerge = 0;
        rest(began);
    }

    /**
     * Where there is no memory even for saying what went wrong, it is said later: nothing may be done as if it had gone
     * well. Whoever closes the store waits for some seconds only.
     */
    private void failedForSure(Throwable error) {
        boolean isSaid = false;
        while (!isSaid && !memtables.isEnding()) {
            isSaid = MemoryWait.run(() -> failed(error), memtables::isEnding);
        }
        if (!isSaid && directory.forcing().hasFailedForMap()) {
            MemoryWait.run(() -> failed(error));
        }
    }

    /**
     * Reports an error, and wakes whoever waits for a merge, also where there is no memory to report it: they see by
     * themselves that a file could not be forced.
     */
    private void failed(Throwable error) {
        try {
            report(error);
        } finally {
            memtables.wake();
            if (directory.forcing().hasFailed()) {
                failWishes();
            }
        }
    }

    /**
     * What could not be written is no damage: the log still has it. What could not be forced to the disk is in doubt.
     * An {@link Error} is one of the process, a lack of memory mostly, which may pass as a full disk does.
     */
    private void report(Throwable error) {
        @Nullable IOException shown = Health.ioFailure(error);
        @Nullable IOException cause = shown == null ? null : directory.files().reason(shown);
        @Nullable Error fault = Health.errorIn(error);
        if (directory.forcing().hasFailed()) {
            health.fail(new StoreException(
                    directory.forcing().hasFailedForMap()
                            ? directory.notes().distrust(error)
                            : (cause == null ? Health.UNFORCED + " (" + error + ")" : cause.getMessage())
                                    + "; see that the disk is in order, then start again",
                    error));
        } else if (cause instanceof LostFileException) {
            health.fail(new StoreException(String.valueOf(cause.getMessage()), error));
        } else if (cause != null) {
            health.failForNow(new StoreException(
                    directory.dataFile() + " cannot be written (" + cause + "); "
                            + directory.disk().remedy(directory.path()),
                    error));
        } else if (fault instanceof OutOfMemoryError && withoutMemory < ATTEMPTS_WITHOUT_MEMORY && !health.isFailed()) {
            withoutMemory++;
            LOG.debug("{}: a merge ended with {}; it is tried again", directory.path(), fault.toString());
        } else if (fault != null) {
            withoutMemory = 0;
            health.failForNow(new StoreException(
                    directory.dataFile() + " cannot be written (" + fault + "); no entry is lost or damaged by that"
                            + (fault instanceof OutOfMemoryError
                                    ? "; give the process more memory (-Xmx) if it stays so"
                                    : ""),
                    error));
        } else {
            StoreException damage = error instanceof StoreException known
                    ? known
                    : Health.damaged(directory.dataFile(), "cannot be written (" + error.getMessage() + ")", error);
            health.damageFound(damage);
            health.fail(damage);
        }
    }

    /**
     * Tries after a while whether the store can write again, and waits longer each time when it cannot. Only what is
     * done proves it: a file of some size that is written and forced to the disk, a table that is merged, the end of
     * the log made whole.
     */
    private void recover() throws IOException {
        if (!recovering && System.nanoTime() - mendedNanos > CALM_NANOS) {
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
        map.openAfterFailedPurge();
        if (!memtables.view().frozen().isEmpty()) {
            merge(memtables.view().frozen().get(0));
        }
        if (!memtables.isEnding()) {
            log.mend();
            mendedNanos = System.nanoTime();
            recovering = false;
        }
    }

    private void merge(Memtable table) throws IOException {
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
        // The log is all there is of these entries if the file that they were merged into is not found any more.
        directory.files().check();
        memtables.dropOldest();
        directory.files().forget(table.file());
        directory.disk().delete(table.file());
        if (durability == Durability.FSYNC) {
            directory.sync();
        }
        ticksSinceMerge = 0;
        map.tidying().forWhatWasWritten();
    }

    /**
     * Rests for as long as it worked, so that a merge takes half of a processor and not a whole one from the requests;
     * unless the next table waits, since then writers will soon wait too, or somebody waits for the merge.
     */
    private void rest(long began) {
        if (memtables.view().frozen().size() <= 1 && memtables.hasRoom() && wishes.isEmpty()) {
            LockSupport.parkNanos(Math.min(System.nanoTime() - began, LONGEST_REST_NANOS));
        }
    }

    /** Rests as well, and says whether nothing waits that is more urgent. */
    private boolean restFromTidying(long began) {
        rest(began);
        return !memtables.isEnding() && memtables.view().frozen().isEmpty() && wishes.isEmpty() && purges.isEmpty();
    }

    /** None is forgotten before it is answered or has become a purge: an Error may come between. */
    private void runWishes() {
        @Nullable Wish wish;
        while ((wish = wishes.peek()) != null && oldestSegment() > wish.upToSegment()) {
            @Nullable Purge purge = wish.purge().orElse(null);
            if (purge == null) {
                wish.result().complete(0L);
                wishes.remove(wish);
                continue;
            }
            purges.add(purge);
            if (!wishes.remove(wish)) {
                // The one who wished has given up.
                purges.remove(purge);
            }
        }
    }

    private long oldestSegment() {
        Memtables.View view = memtables.view();
        return view.frozen().isEmpty()
                ? view.active().segment()
                : view.frozen().get(0).segment();
    }

    private void failWishesForSure() {
        boolean isSaid = false;
        while (!isSaid) {
            isSaid = MemoryWait.run(this::failWishes);
        }
    }

    /** None is forgotten before it is answered, as in {@link #runWishes}. */
    private void failWishes() {
        @Nullable Wish wish;
        while ((wish = wishes.peek()) != null) {
            wish.result().completeExceptionally(new StoreException("the merging thread has ended"));
            wishes.remove(wish);
        }
        @Nullable Purge purge;
        while ((purge = purges.peek()) != null) {
            purge.result.completeExceptionally(new StoreException("the merging thread has ended"));
            purges.remove(purge);
        }
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
            map.tidying().settle(this::restFromTidying);
        }
    }
}
