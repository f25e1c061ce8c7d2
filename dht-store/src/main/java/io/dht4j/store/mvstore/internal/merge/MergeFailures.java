package io.dht4j.store.mvstore.internal.merge;

import io.dht4j.spi.FileFailure;
import io.dht4j.spi.StoreException;
import io.dht4j.store.mvstore.internal.disk.Health;
import io.dht4j.store.mvstore.internal.disk.LostFileException;
import io.dht4j.store.mvstore.internal.disk.OutOfMemoryRetry;
import io.dht4j.store.mvstore.internal.disk.StoreDirectory;
import io.dht4j.store.mvstore.internal.memtable.Memtables;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reports the failures of merges to the health of the store. For the merging thread. */
final class MergeFailures {

    private static final Logger LOG = LoggerFactory.getLogger(MergeFailures.class);

    /**
     * How many merges in a row may lack memory before writes are refused: mostly the lack passes with the request that
     * had the memory.
     */
    private static final int ATTEMPTS_WITHOUT_MEMORY = 4;

    private final StoreDirectory directory;
    private final Memtables memtables;
    private final MergeTasks tasks;
    private final Health health;

    /** How many merges have lacked memory since the last success, or since writes were refused for that. */
    private int withoutMemory;

    MergeFailures(StoreDirectory directory, Memtables memtables, MergeTasks tasks, Health health) {
        this.directory = directory;
        this.memtables = memtables;
        this.tasks = tasks;
        this.health = health;
    }

    /** Returns how many merges in a row have lacked memory; 0 if the last one has not. */
    int withoutMemory() {
        return withoutMemory;
    }

    /** A merge has succeeded. */
    void reset() {
        withoutMemory = 0;
    }

    /**
     * Reports a failure, and repeats that while there is no memory for it, so that the store does not continue as after
     * a success. A close of the store waits for some seconds only.
     */
    void report(Throwable error) {
        boolean isReported = false;
        while (!isReported && !memtables.isEnding()) {
            isReported = OutOfMemoryRetry.run(() -> reportAndWake(error), memtables::isEnding);
        }
        if (!isReported && directory.fsync().hasFailedForMap()) {
            OutOfMemoryRetry.run(() -> reportAndWake(error));
        }
    }

    /**
     * Reports a failure, and wakes the threads that wait for a merge, even without memory for the report: they find out
     * by themselves that an fsync has failed.
     */
    private void reportAndWake(Throwable error) {
        try {
            reportToHealth(error);
        } finally {
            memtables.wake();
            if (directory.fsync().hasFailed()) {
                tasks.failAll();
            }
        }
    }

    /**
     * A failed write is no damage, because the log still has the entries. After a failed fsync the state of the disk is
     * unknown. An {@link Error} is a failure of the process, a lack of memory mostly, and as transient as a full disk.
     */
    private void reportToHealth(Throwable error) {
        @Nullable IOException shown = Health.ioFailure(error);
        @Nullable IOException cause = shown == null ? null : directory.files().reason(shown);
        @Nullable Error fault = Health.errorIn(error);
        if (directory.fsync().hasFailed()) {
            health.fail(new StoreException(
                    directory.fsync().hasFailedForMap()
                            ? directory.untrusted().set(error)
                            : (cause == null
                                            ? Health.UNFORCED + " (" + FileFailure.inWords(error) + ")"
                                            : cause.getMessage())
                                    + "; see that the disk is in order, then start again",
                    error));
        } else if (cause instanceof LostFileException) {
            health.fail(new StoreException(String.valueOf(cause.getMessage()), error));
        } else if (cause != null) {
            health.failTransiently(new StoreException(
                    directory.dataFile() + " cannot be written (" + FileFailure.inWords(cause) + "); "
                            + directory.disk().remedy(directory.path()),
                    error));
        } else if (fault instanceof OutOfMemoryError && withoutMemory < ATTEMPTS_WITHOUT_MEMORY && !health.isFailed()) {
            withoutMemory++;
            LOG.debug("{}: a merge ended with {}; it is repeated", directory.path(), fault.toString());
        } else if (fault != null) {
            withoutMemory = 0;
            health.failTransiently(new StoreException(
                    directory.dataFile() + " cannot be written (" + FileFailure.inWords(fault)
                            + "); no entry is lost or damaged by that"
                            + (fault instanceof OutOfMemoryError
                                    ? "; give the process more memory (-Xmx) if it stays so"
                                    : ""),
                    error));
        } else {
            StoreException damage = error instanceof StoreException known
                    ? known
                    : Health.damaged(directory.dataFile(), "cannot be written (" + Health.reason(error) + ")", error);
            health.damageFound(damage);
            health.fail(damage);
        }
    }
}
