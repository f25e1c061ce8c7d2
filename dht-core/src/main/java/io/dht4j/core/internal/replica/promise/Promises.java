package io.dht4j.core.internal.replica.promise;

import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.spi.Entry;
import io.dht4j.spi.Environment;
import io.dht4j.spi.Store;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What this node has promised to the proposers of registers: to accept no ballot below. Promises are in memory only.
 * Each partition has a floor in place of those that are gone: it begins at a durable bound of all promises, and rises
 * when a promise is evicted, and when this node takes over the partition from others.
 *
 * <p>A promise counts for one version of its partition's row: an accept needs exactly the promised ballot, in the row
 * version in which it was promised. So a change of the row voids the promises of its partition, which go on to refuse
 * lower ballots. That is the whole reconfiguration, which the paper leaves to the reader: D. Rystsov, <em>CASPaxos:
 * Replicated State Machines without logs</em>, 2018.
 *
 * <p>Does not block; safe for use by any number of threads.
 */
public final class Promises {

    private static final int STRIPES = 64;
    private static final int STRIPE_SHIFT = Integer.numberOfLeadingZeros(STRIPES - 1);

    /** The golden ratio of the integers: all bits of a hash count in the high ones of the product. */
    private static final int SPREAD = 0x9E3779B9;

    /** Roughly the heap that a promise takes besides its key. */
    private static final int BYTES_EACH = 160;

    /** The most requests that wait for one accept to be stored. */
    private static final int MOST_WAITING = 256;

    private final Stripe[] stripes = new Stripe[STRIPES];
    private final AtomicLongArray floors;
    private final long bytesPerStripe;
    private final Store store;
    private final PromiseBound bound;
    private final AtomicLong doubtfulBytes = new AtomicLong();
    private final long maxDoubtfulBytes;

    /** The promise of one key. Guarded by its stripe. */
    private static final class Promise {

        final int partition;
        long ballot;
        long rowVersion;
        /** The ballot that is promised once this one is accepted; 0 for none. */
        long next;
        /** The ballot that is promised once the next one is accepted; 0 for none. */
        long afterNext;
        /** The accepted ballot after which this one was promised; 0 if it was promised by itself. */
        long after;
        /** Whether its ballot is being written to the store. */
        private boolean isPending;
        /** The highest ballot that the store has failed to write: it may appear at any time, at a restart too. */
        @Nullable
        Entry doubtful;

        @Nullable
        List<Runnable> waiting;

        /** Whether it was used since it was added, or was last spared from eviction. */
        boolean isUsed;

        Promise(int partition) {
            this.partition = partition;
        }

        boolean isBusy() {
            return isPending;
        }
    }

    /**
     * A share of the keys, in the order in which they were added or spared: a use only marks the promise, since it
     * would cost much to move it.
     */
    private static final class Stripe {
        private final Map<Key, Promise> promises = new LinkedHashMap<>();
        private long bytes;

        @Nullable
        Promise get(Key key) {
            Promise promise = promises.get(key);
            if (promise != null) {
                promise.isUsed = true;
            }
            return promise;
        }
    }

    /** The answer to a proposer. */
    public enum Verdict {
        /** As requested. */
        GIVEN,
        /** Another ballot was promised. */
        REFUSED,
        /** An accept of the key is being stored; the request is repeated afterwards. */
        WAITS,
        /** Too many requests wait for the accept that is being stored. */
        BUSY,
        /** The store has failed to write the key, so that a state of it may appear or not. */
        BROKEN
    }

    /**
     * Creates an object without promises.
     *
     * @param partitions the number of partitions
     * @param maxBytes roughly the heap for promises; those that were not used for long are evicted
     * @param store keeps the bound of all promises
     * @param environment runs store work
     */
    public Promises(int partitions, long maxBytes, Store store, Environment environment) {
        this.store = store;
        this.bound = new PromiseBound(store, environment);
        this.floors = new AtomicLongArray(partitions);
        for (int i = 0; i < STRIPES; i++) {
            stripes[i] = new Stripe();
        }
        this.bytesPerStripe = maxBytes / STRIPES;
        this.maxDoubtfulBytes = maxBytes;
    }

    /**
     * Refuses the ballots that this node may have promised before its start. Blocks as the store does, for longer if it
     * has never promised any.
     *
     * @throws io.dht4j.spi.StoreException if the store cannot be read, or has plain entries where registers belong
     */
    public void resume() {
        Version before = bound.load();
        if (!wereMade()) {
            PlainKeys.refuse(store);
        }
        for (int i = 0; i < floors.length(); i++) {
            raise(i, before);
        }
    }

    /** Returns whether this node has made a promise, now or before its start. */
    public boolean wereMade() {
        return bound.isRaised();
    }

    /**
     * Returns whether a ballot may be promised now.
     *
     * @param ballot any ballot
     * @return false if it must be {@linkplain #permit permitted} first
     */
    public boolean permits(Version ballot) {
        return bound.covers(ballot);
    }

    /**
     * Permits the promise of a ballot.
     *
     * @param ballot any ballot
     * @return completes once the store has kept a bound above it; fails if it cannot
     */
    public CompletableFuture<Void> permit(Version ballot) {
        return bound.raise(ballot);
    }

    /**
     * Promises a ballot. The caller has compared the row version with this node's, and reads the accepted state and the
     * {@linkplain #doubtful doubtful} one afterwards: then no accept of a lower ballot follows.
     *
     * @param key the key
     * @param partition its partition
     * @param ballot the ballot, which is {@linkplain #permits permitted}
     * @param rowVersion the version of the partition's row
     * @param again is called, on any thread, once an accept that is being stored has ended; only after {@code WAITS}.
     *     It throws nothing
     */
    public Verdict promise(Key key, int partition, Version ballot, long rowVersion, Runnable again) {
        Stripe stripe = stripe(key);
        synchronized (stripe) {
            Promise promise = stripe.get(key);
            if (promise != null && promise.isBusy()) {
                return await(promise, again);
            }
            if (ballot.packed() <= highest(promise, partition)) {
                return Verdict.REFUSED;
            }
            if (promise == null) {
                promise = new Promise(partition);
                add(stripe, key, promise);
            }
            promise.ballot = ballot.packed();
            promise.rowVersion = rowVersion;
            promise.next = 0;
            promise.afterNext = 0;
            promise.after = 0;
            return Verdict.GIVEN;
        }
    }

    /**
     * Prepares to promise a ballot once another one is accepted, unless a third one is promised before.
     *
     * @param key the key
     * @param ballot the ballot that is to be accepted: the promised one, or that which is promised once it is accepted
     * @param next the next one; ignored unless it is higher and {@linkplain #permits permitted}
     */
    public void expect(Key key, Version ballot, Version next) {
        if (next.compareTo(ballot) <= 0 || !permits(next)) {
            return;
        }
        Stripe stripe = stripe(key);
        synchronized (stripe) {
            Promise promise = stripe.get(key);
            if (promise != null && promise.ballot == ballot.packed()) {
                promise.next = next.packed();
            } else if (promise != null && promise.next == ballot.packed()) {
                promise.afterNext = next.packed();
            }
        }
    }

    /**
     * Returns whether the next ballot of an accepted one is promised, and no other since.
     *
     * @param key the key
     * @param accepted the accepted ballot
     */
    public boolean promisedNext(Key key, Version accepted) {
        Stripe stripe = stripe(key);
        synchronized (stripe) {
            Promise promise = stripe.get(key);
            return promise != null && promise.after == accepted.packed();
        }
    }

    /**
     * Waits for an accept of a key that is being stored.
     *
     * @param key the key
     * @param again is called, on any thread, once it has ended; only after {@code WAITS}
     * @return {@code GIVEN} if none is being stored; {@code BROKEN} if the store has failed to write the last one
     */
    public Verdict await(Key key, Runnable again) {
        Stripe stripe = stripe(key);
        synchronized (stripe) {
            Promise promise = stripe.get(key);
            if (isBroken(promise)) {
                return Verdict.BROKEN;
            }
            return promise != null && promise.isBusy() ? await(promise, again) : Verdict.GIVEN;
        }
    }

    /**
     * Returns what is known about the stored state of a key.
     *
     * @param key the key
     * @return {@code GIVEN} if it is as durable as the store is configured; {@code WAITS} while an accept is being
     *     stored, {@code BROKEN} if the store has failed to write one
     */
    public Verdict state(Key key) {
        Stripe stripe = stripe(key);
        synchronized (stripe) {
            Promise promise = stripe.get(key);
            if (isBroken(promise)) {
                return Verdict.BROKEN;
            }
            return promise != null && promise.isBusy() ? Verdict.WAITS : Verdict.GIVEN;
        }
    }

    private static boolean isBroken(@Nullable Promise promise) {
        return promise != null && promise.doubtful != null;
    }

    /** Returns whether too many writes have failed: until some succeed, no other key is written. */
    private boolean isFull() {
        return doubtfulBytes.get() > maxDoubtfulBytes;
    }

    /**
     * Returns the state of a key that the store has failed to write, and which may be written nevertheless. A promise
     * reports it, as if it were accepted: a proposer that did not know it could overlook it once it appears. It is not
     * shown to readers, since it may also vanish.
     *
     * @param key the key
     * @return empty if there is none, or a later accept has been stored
     */
    public Optional<Entry> doubtful(Key key) {
        Stripe stripe = stripe(key);
        synchronized (stripe) {
            Promise promise = stripe.get(key);
            return promise == null ? Optional.empty() : Optional.ofNullable(promise.doubtful);
        }
    }

    private static Verdict await(Promise promise, Runnable again) {
        List<Runnable> waiting = promise.waiting;
        if (waiting == null) {
            waiting = new ArrayList<>(1);
            promise.waiting = waiting;
        }
        if (waiting.size() == MOST_WAITING) {
            return Verdict.BUSY;
        }
        waiting.add(again);
        return Verdict.WAITS;
    }

    /**
     * Begins to accept a ballot: until {@link #end} or {@link #fail}, the key has no further promise. The caller holds
     * the lock of writes, so that its partition's row stays until then.
     *
     * @param key the key
     * @param ballot the ballot
     * @param rowVersion the version of the partition's row
     * @return {@code GIVEN}, {@code REFUSED} or {@code BROKEN}
     */
    public Verdict begin(Key key, Version ballot, long rowVersion) {
        Stripe stripe = stripe(key);
        synchronized (stripe) {
            Promise promise = stripe.get(key);
            if (isFull() && (promise == null || promise.doubtful == null)) {
                return Verdict.BROKEN;
            }
            if (promise == null || promise.isPending || !isExact(promise, ballot.packed(), rowVersion)) {
                return Verdict.REFUSED;
            }
            promise.isPending = true;
            return Verdict.GIVEN;
        }
    }

    private static boolean isExact(Promise promise, long ballot, long rowVersion) {
        return promise.ballot == ballot && promise.rowVersion == rowVersion;
    }

    /**
     * Ends accepts that are stored, as durably as the store is configured.
     *
     * @param entries the registers as entries
     */
    public void end(List<Entry> entries) {
        release(entries, (promise, entry) -> {
            replaceDoubtful(promise, null);
            if (promise.next != 0) {
                promise.after = promise.ballot;
                promise.ballot = promise.next;
                promise.next = promise.afterNext;
                promise.afterNext = 0;
            }
        });
    }

    /**
     * Ends accepts that the store has failed to write.
     *
     * @param entries the registers as entries
     */
    public void fail(List<Entry> entries) {
        release(entries, this::replaceDoubtful);
    }

    private void replaceDoubtful(Promise promise, @Nullable Entry entry) {
        doubtfulBytes.addAndGet(bytes(entry) - bytes(promise.doubtful));
        promise.doubtful = entry;
    }

    private static long bytes(@Nullable Entry entry) {
        return entry == null ? 0 : (long) BYTES_EACH + entry.value().length;
    }

    /** Releases all, then lets the requests go on that have waited: one that fails must not keep the others waiting. */
    private void release(List<Entry> entries, BiConsumer<Promise, Entry> change) {
        List<Runnable> waiting = new ArrayList<>(0);
        for (Entry entry : entries) {
            Stripe stripe = stripe(entry.key());
            synchronized (stripe) {
                Promise promise = stripe.get(entry.key());
                if (promise == null || !promise.isPending) {
                    throw new IllegalStateException("no accept of " + entry.key() + " is being stored");
                }
                promise.isPending = false;
                change.accept(promise, entry);
                if (promise.waiting != null) {
                    waiting.addAll(promise.waiting);
                    promise.waiting = null;
                }
            }
        }
        waiting.forEach(Runnable::run);
    }

    /**
     * Returns the highest ballot that was promised for a key, or may have been.
     *
     * @param key the key
     * @param partition its partition
     */
    public Version highest(Key key, int partition) {
        Stripe stripe = stripe(key);
        synchronized (stripe) {
            return new Version(highest(stripe.get(key), partition));
        }
    }

    private long highest(@Nullable Promise promise, int partition) {
        long floor = floors.get(partition);
        return promise == null ? floor : Math.max(promise.ballot, floor);
    }

    /**
     * Returns the highest ballots that were promised for any key of some partitions, or may have been, in any row.
     *
     * @param partitions the partitions
     * @return one for each, in their order
     */
    public List<Version> highest(PartitionSet partitions) {
        long[] highest = new long[floors.length()];
        for (Stripe stripe : stripes) {
            synchronized (stripe) {
                for (Promise promise : stripe.promises.values()) {
                    highest[promise.partition] = Math.max(highest[promise.partition], promise.ballot);
                }
            }
        }
        // Last, since a promise that is evicted in the meantime raises the floor first.
        return partitions.stream()
                .mapToObj(partition -> new Version(Math.max(highest[partition], floors.get(partition))))
                .toList();
    }

    /**
     * Refuses the ballots that the nodes have refused from which this node has copied some partitions: what they have
     * promised counts for this node too.
     *
     * @param highest for each partition the highest promise of any of them
     * @return completes once this holds, also after a restart; fails if the store cannot keep it
     */
    public CompletableFuture<Void> adopt(Map<Integer, Version> highest) {
        Version most = highest.values().stream().max(Comparator.naturalOrder()).orElse(new Version(0));
        CompletableFuture<Void> permitted = permits(most) ? CompletableFuture.completedFuture(null) : permit(most);
        return permitted.thenRun(() -> highest.forEach(this::raise));
    }

    private void raise(int partition, Version highest) {
        raise(partition, highest.packed());
    }

    private void raise(int partition, long highest) {
        floors.accumulateAndGet(partition, highest, Math::max);
    }

    private void add(Stripe stripe, Key key, Promise promise) {
        stripe.promises.put(key, promise);
        stripe.bytes += bytes(key);
        // The second time none is spared.
        for (int i = 0; i < 2 && stripe.bytes > bytesPerStripe; i++) {
            evict(stripe, promise);
        }
    }

    /** Evicts the oldest promises that were not used, and spares the others before them for once. */
    private void evict(Stripe stripe, Promise added) {
        Map<Key, Promise> spared = new LinkedHashMap<>();
        try {
            evict(stripe, added, spared);
            stripe.promises.putAll(spared);
        } catch (Error e) {
            // For lack of memory they may be in neither map.
            spared.values().forEach(promise -> raise(promise.partition, promise.ballot));
            throw e;
        }
    }

    private void evict(Stripe stripe, Promise added, Map<Key, Promise> spared) {
        Iterator<Map.Entry<Key, Promise>> oldest = stripe.promises.entrySet().iterator();
        while (stripe.bytes > bytesPerStripe && oldest.hasNext()) {
            Map.Entry<Key, Promise> entry = oldest.next();
            Promise old = entry.getValue();
            if (old == added || old.isPending || old.doubtful != null) {
                continue;
            }
            if (old.isUsed) {
                old.isUsed = false;
                spared.put(entry.getKey(), old);
            } else {
                raise(old.partition, old.ballot);
                stripe.bytes -= bytes(entry.getKey());
            }
            oldest.remove();
        }
    }

    private static long bytes(Key key) {
        return (long) BYTES_EACH + key.length();
    }

    private Stripe stripe(Key key) {
        // The maps use the low bits, which must differ within a stripe.
        return stripes[(key.hashCode() * SPREAD) >>> STRIPE_SHIFT];
    }
}
