package io.dht4j.core.internal.replica.promise;

import io.dht4j.Version;
import io.dht4j.spi.Environment;
import io.dht4j.spi.Store;
import io.dht4j.spi.StoreException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The bound above which this node has made no promise, kept by the store. It makes promises cheap: they are in memory
 * only, and a node that has started again refuses all ballots up to the bound instead of remembering them. The bound is
 * raised ahead of need, so that it is written every two seconds at most while clocks agree. Does not block unless a
 * method says so; safe for use by any number of threads.
 */
final class PromiseBound {

    private static final String NOTE = "atomic-bound";

    /** How far the bound is raised ahead of the ballot that needs it. */
    private static final long AHEAD = 2_000L << Version.COUNTER_BITS;

    private final Store store;
    private final Environment environment;

    /** The bound that the store has certainly kept. */
    private volatile long kept;

    // Guarded by this.
    private long wanted;
    private List<CompletableFuture<Void>> waiting = new ArrayList<>();
    private volatile boolean raising;

    /**
     * Creates a bound of zero.
     *
     * @param store keeps it
     * @param environment runs store work
     */
    PromiseBound(Store store, Environment environment) {
        this.store = store;
        this.environment = environment;
    }

    /**
     * Reads the bound of the time before this start. Blocks as the store does.
     *
     * @return no promise above it was made before
     * @throws StoreException if it cannot be read: then this node must not serve registers
     */
    Version load() {
        store.note(NOTE).ifPresent(bytes -> {
            if (bytes.length != Long.BYTES) {
                throw new StoreException("the bound of promises has " + bytes.length + " bytes in the store, not "
                        + Long.BYTES + ": it is damaged");
            }
            kept = ByteBuffer.wrap(bytes).getLong();
        });
        return new Version(kept);
    }

    /**
     * Returns whether a ballot may be promised now.
     *
     * @param ballot any ballot
     * @return false if the bound must be {@linkplain #raise raised} first
     */
    boolean covers(Version ballot) {
        long most = kept;
        if (ballot.packed() > most) {
            return false;
        }
        if (ballot.packed() > most - AHEAD / 2 && !raising) {
            // Before it is needed, so that no promise waits for the store. A failure shows when one does.
            raise(ballot).exceptionally(error -> null);
        }
        return true;
    }

    /** Returns whether any promise may have been made, at any time. */
    boolean isRaised() {
        return kept > 0;
    }

    /**
     * Raises the bound.
     *
     * @param ballot is covered afterwards
     * @return completes on a store thread once the store has kept it; fails with {@link StoreException} if it cannot
     */
    CompletableFuture<Void> raise(Version ballot) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        synchronized (this) {
            wanted = Math.max(wanted, ballot.packed());
            waiting.add(done);
            if (raising) {
                return done;
            }
            raising = true;
        }
        begin();
        return done;
    }

    private void begin() {
        try {
            environment.storeExecutor().execute(this::keepAll);
        } catch (RuntimeException | Error e) {
            List<CompletableFuture<Void>> some;
            synchronized (this) {
                some = waiting;
                waiting = new ArrayList<>();
                raising = false;
            }
            fail(some, new StoreException("no store thread for the bound of promises: " + e, e));
        }
    }

    private void keepAll() {
        for (List<CompletableFuture<Void>> some = take(); !some.isEmpty(); some = take()) {
            try {
                keep(next());
            } catch (RuntimeException | Error e) {
                fail(some, e);
            }
            some.forEach(done -> done.complete(null));
        }
    }

    /** Takes all that wait; if none does, this thread ends. */
    private synchronized List<CompletableFuture<Void>> take() {
        List<CompletableFuture<Void>> taken = waiting;
        waiting = new ArrayList<>();
        raising = !taken.isEmpty();
        return taken;
    }

    private synchronized long next() {
        return Math.max(kept, Math.min(wanted, Long.MAX_VALUE - AHEAD) + AHEAD);
    }

    private void keep(long next) {
        store.keepNote(NOTE, ByteBuffer.allocate(Long.BYTES).putLong(next).array());
        kept = next;
    }

    private static void fail(List<CompletableFuture<Void>> some, Throwable failure) {
        some.forEach(done -> done.completeExceptionally(failure));
    }
}
