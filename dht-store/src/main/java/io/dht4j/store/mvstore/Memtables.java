package io.dht4j.store.mvstore;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The tables that have not reached the map: the active one, which is written, and frozen ones, which wait for the
 * merge. There are never more frozen ones than the limit, except after a recovery: a writer that would freeze one more
 * waits.
 */
final class Memtables {

    /** What a reader looks at. The oldest frozen table comes first. */
    record View(Memtable active, List<Memtable> frozen) {}

    private final Health health;
    private final int maxFrozen;
    /** What all tables may take together, unless a single group takes more. */
    private final long maxBytes;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private volatile View view;

    /** Changed under the lock; read without it by the merging thread between two entries. */
    private volatile boolean ending;

    /** Changed under the lock. */
    private boolean woken;

    Memtables(Health health, MvStoreOptions options, List<Memtable> recovered, Memtable active) {
        this.health = health;
        this.maxFrozen = options.maxFrozen();
        this.maxBytes = options.tableBytes();
        this.view = new View(active, List.copyOf(recovered));
    }

    View view() {
        return view;
    }

    /** Waits until a table may be frozen, whatever interrupts come. Throws if the store fails meanwhile. */
    void awaitRoom() {
        lock.lock();
        try {
            while (view.frozen().size() >= maxFrozen) {
                health.checkWritable();
                changed.awaitUninterruptibly();
            }
            health.checkWritable();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until the frozen tables, of which entries over the size of a table make large ones, leave room for what the
     * active one is about to hold, or are merged. Throws if the store fails meanwhile.
     */
    void awaitBytes(long activeBytes) {
        if (view.frozen().isEmpty()) {
            return;
        }
        lock.lock();
        try {
            while (!view.frozen().isEmpty() && frozenBytes() + activeBytes > maxBytes) {
                health.checkWritable();
                changed.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    private long frozenBytes() {
        long bytes = 0;
        for (Memtable table : view.frozen()) {
            bytes += table.weight();
        }
        return bytes;
    }

    boolean hasRoom() {
        return view.frozen().size() < maxFrozen;
    }

    /** Freezes the active table and puts another one in its place. For the writing thread. */
    void freeze(Memtable next) {
        lock.lock();
        try {
            List<Memtable> frozen = new ArrayList<>(view.frozen());
            frozen.add(view.active());
            view = new View(next, List.copyOf(frozen));
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Drops the oldest frozen table, whose entries are in the map by now. */
    void dropOldest() {
        lock.lock();
        try {
            List<Memtable> frozen = view.frozen();
            view = new View(view.active(), List.copyOf(frozen.subList(1, frozen.size())));
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits for the oldest frozen table; null when none came in time, when woken up, or at the end. */
    @Nullable
    Memtable awaitFrozen(long nanos) {
        lock.lock();
        try {
            long left = nanos;
            while (view.frozen().isEmpty() && !ending && !woken && left > 0) {
                left = changed.awaitNanos(left);
            }
            woken = false;
            return ending || view.frozen().isEmpty() ? null : view.frozen().get(0);
        } catch (InterruptedException e) {
            // Nobody has the merging thread to interrupt it; if somebody does, it looks around and waits again.
            return null;
        } finally {
            lock.unlock();
        }
    }

    /** Waits for some time, or for the end. For the merging thread. */
    void pause(long nanos) {
        lock.lock();
        try {
            long left = nanos;
            while (!ending && left > 0) {
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            // Nobody has the merging thread to interrupt it; if somebody does, the pause is shorter.
            return;
        } finally {
            lock.unlock();
        }
    }

    /** Wakes everybody up who waits here. */
    void wake() {
        lock.lock();
        try {
            woken = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Makes the merging thread end after what it is doing. */
    void end() {
        lock.lock();
        try {
            ending = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    boolean isEnding() {
        return ending;
    }
}
