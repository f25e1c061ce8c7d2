package io.dht4j.store.mvstore.internal.memtable;

import io.dht4j.StoreStatistics.Work;
import io.dht4j.store.mvstore.internal.disk.Health;
import io.dht4j.store.mvstore.internal.statistics.StoreWork;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The tables that are not in the map yet: the active one, which takes writes, and the frozen ones, which wait for the
 * merge. A writer that would freeze more than the limit waits; only a recovery may exceed it. Safe for use by any
 * number of threads.
 */
public final class Memtables {

    /**
     * The tables at a moment.
     *
     * @param active the one that takes writes
     * @param frozen those that wait for the merge, the oldest first
     */
    public record View(Memtable active, List<Memtable> frozen) {}

    private final Health health;
    private final StoreWork stalls;
    private final long maxTableBytes;
    private final int maxFrozen;
    /** The memory of all tables, unless a single group needs more. */
    private final long maxBytes;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private volatile View view;

    /** Changed under the lock; read without it by the merging thread between two entries. */
    private volatile boolean ending;

    /** Changed under the lock. */
    private boolean woken;

    /**
     * Creates the tables of a store.
     *
     * @param health ends the waiting of writers when it fails
     * @param stalls counts the waiting of writers
     * @param maxTableBytes the memory of a table, unless a single group needs more
     * @param maxFrozen how many tables may be frozen
     * @param recovered frozen tables, the oldest first
     * @param active the table that takes writes
     */
    public Memtables(
            Health health,
            StoreWork stalls,
            long maxTableBytes,
            int maxFrozen,
            List<Memtable> recovered,
            Memtable active) {
        this.health = health;
        this.stalls = stalls;
        this.maxTableBytes = maxTableBytes;
        this.maxFrozen = maxFrozen;
        this.maxBytes = maxBytes(maxTableBytes, maxFrozen);
        this.view = new View(active, List.copyOf(recovered));
    }

    /** Returns the memory of the entries that are not in the map yet, to a tenth. */
    public long weight() {
        View now = view;
        return now.active().weight()
                + now.frozen().stream().mapToLong(Memtable::weight).sum();
    }

    /** Returns the memory of all tables: the frozen ones and the active one. */
    public static long maxBytes(long maxTableBytes, int maxFrozen) {
        return (maxFrozen + 1) * maxTableBytes;
    }

    /** Returns the memory of a table at which it is frozen. */
    public long maxTableBytes() {
        return maxTableBytes;
    }

    /** Returns the tables of this moment. */
    public View view() {
        return view;
    }

    /** Waits until a table may be frozen; ignores interrupts. Throws if the store fails during the wait. */
    public void awaitRoom() {
        lock.lock();
        try {
            awaitUnless(this::hasRoom);
            health.checkWritable();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until the frozen tables leave memory for an active table of this size, or are all merged. An entry above
     * the size of a table creates a large table. Throws if the store fails during the wait.
     */
    public void awaitBytes(long activeBytes) {
        if (view.frozen().isEmpty()) {
            return;
        }
        lock.lock();
        try {
            awaitUnless(() -> view.frozen().isEmpty() || frozenBytes() + activeBytes <= maxBytes);
        } finally {
            lock.unlock();
        }
    }

    /** Waits until the tables have room. Under the lock. */
    private void awaitUnless(BooleanSupplier hasRoom) {
        if (hasRoom.getAsBoolean()) {
            return;
        }
        StoreWork.Piece stall = stalls.begin();
        try {
            while (!hasRoom.getAsBoolean()) {
                health.checkWritable();
                changed.awaitUninterruptibly();
            }
        } finally {
            stall.end(0);
        }
    }

    /** Returns how often and how long writers have waited for the merge. */
    public Work stalls() {
        return stalls.sum();
    }

    /** Returns the maximum memory of all tables, unless a single group needs more. */
    public long maxBytes() {
        return maxBytes;
    }

    private long frozenBytes() {
        long bytes = 0;
        for (Memtable table : view.frozen()) {
            bytes += table.weight();
        }
        return bytes;
    }

    /** Returns whether a table may be frozen. */
    public boolean hasRoom() {
        return view.frozen().size() < maxFrozen;
    }

    /** Freezes the active table and replaces it by an empty one. For the writing thread. */
    public void freeze(Memtable next) {
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

    /** Drops the oldest frozen table, whose entries are in the map. */
    public void dropOldest() {
        lock.lock();
        try {
            List<Memtable> frozen = view.frozen();
            view = new View(view.active(), List.copyOf(frozen.subList(1, frozen.size())));
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits for the oldest frozen table; null after a timeout, a {@link #wake}, or at the end. */
    @Nullable
    public Memtable awaitFrozen(long nanos) {
        lock.lock();
        try {
            long left = nanos;
            while (view.frozen().isEmpty() && !ending && !woken && left > 0) {
                left = changed.awaitNanos(left);
            }
            woken = false;
            return ending || view.frozen().isEmpty() ? null : view.frozen().get(0);
        } catch (InterruptedException e) {
            // No caller has the merging thread; if it is still interrupted, it checks its tasks and waits again.
            return null;
        } finally {
            lock.unlock();
        }
    }

    /** Waits for some time, or until the end. For the merging thread. */
    public void pause(long nanos) {
        lock.lock();
        try {
            long left = nanos;
            while (!ending && left > 0) {
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            // No caller has the merging thread; if it is still interrupted, the pause is shorter.
            return;
        } finally {
            lock.unlock();
        }
    }

    /** Wakes up all threads that wait here. */
    public void wake() {
        lock.lock();
        try {
            woken = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Makes the merging thread end after its current step. */
    public void end() {
        lock.lock();
        try {
            ending = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether the merging thread is to end. */
    public boolean isEnding() {
        return ending;
    }
}
