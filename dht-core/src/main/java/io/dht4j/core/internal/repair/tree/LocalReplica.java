package io.dht4j.core.internal.repair.tree;

import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.Version;
import io.dht4j.core.internal.repair.purge.PurgeWatermarks;
import io.dht4j.core.internal.repair.rollback.RollbackDetector;
import io.dht4j.core.internal.wire.RepairReply;
import io.dht4j.core.internal.wire.RepairReply.Held;
import io.dht4j.core.internal.wire.RepairRequest;
import io.dht4j.core.internal.wire.RepairRequest.Buckets;
import io.dht4j.core.internal.wire.RepairRequest.Detail;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.spi.Entry;
import io.dht4j.spi.EntryCursor;
import io.dht4j.spi.Store;
import io.dht4j.spi.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;

/**
 * This node's replicas, as repair sees them: hash sums, and pages of versions. Answers the requests of other nodes, and
 * the same requests of this node. Methods block, as the store does, unless stated otherwise. Safe for use by any number
 * of threads.
 */
public final class LocalReplica {

    /** The number of entries that are added to the trees in one step, before other work may use the thread. */
    private static final int BUILD_STEP = 2048;

    /** The maximum number of entries that a page examines; below, of those that it shows. */
    private static final int MAX_LOOKS = 96 * 1024;

    private static final int MAX_HELD = 2048;
    private static final int MAX_HELD_BYTES = 96 << 10;

    /** The maximum number of sums in a reply. */
    public static final int MAX_SUMS = 8192;

    public static final Version NO_SEAL = new Version(0);
    private static final PurgeWatermarks.Reach NOWHERE = new PurgeWatermarks.Reach(NO_SEAL, NO_SEAL);
    private static final Key FIRST = KeyRange.all().start();

    private final Store store;
    /** Replaced each time the trees are built. */
    private volatile HashTrees trees;

    private final PurgeWatermarks fence;
    private final RollbackDetector setBack;
    private final int partitions;
    private final ToIntFunction<Key> partitionOf;
    private final LongSupplier clockMillis;
    private final long leastAgeMillis;
    private volatile boolean ready;

    /**
     * Creates the view of a store.
     *
     * @param store the store
     * @param fence which entries are refused, and which are purged
     * @param setBack detects partitions of a rolled-back disk
     * @param partitions the number of partitions
     * @param partitionOf returns a key's partition
     * @param clockMillis the wall clock, in milliseconds
     * @param purgeAfter the age at which the coordinator purges dead entries, by its clock; by this node's clock they
     *     must be at least half as old
     */
    public LocalReplica(
            Store store,
            PurgeWatermarks fence,
            RollbackDetector setBack,
            int partitions,
            ToIntFunction<Key> partitionOf,
            LongSupplier clockMillis,
            Duration purgeAfter) {
        this.clockMillis = clockMillis;
        this.leastAgeMillis = purgeAfter.toMillis() / 2;
        this.store = store;
        this.fence = fence;
        this.setBack = setBack;
        this.partitions = partitions;
        this.partitionOf = partitionOf;
        this.trees = new HashTrees(partitions, partitionOf);
    }

    /** Begins to follow the store, before anything is applied to it, or again after a failed build. Blocks. */
    public EntryCursor follow() {
        HashTrees fresh = new HashTrees(partitions, partitionOf);
        trees = fresh;
        return store.follow(fresh);
    }

    /** Adds some of the initial entries to the trees; returns false when all of them are in. */
    public boolean build(EntryCursor held) {
        for (int i = 0; i < BUILD_STEP && held.hasNext(); i++) {
            trees.added(held.next());
        }
        ready = !held.hasNext();
        return !ready;
    }

    /** Returns whether the trees cover the whole store. */
    public boolean isReady() {
        return ready;
    }

    /**
     * Answers a request of another node.
     *
     * @param request the request
     * @return the answer, or why there is none
     */
    public Reply answer(RepairRequest request) {
        if (request instanceof RepairRequest.Purged told) {
            return purged(told);
        }
        if (!ready) {
            return new Reply.Failed(ErrorCode.NOT_SERVING, "this node still adds up what it holds: try again later");
        }
        if (request instanceof RepairRequest.Versions versions) {
            Optional<Reply> wrong = versions.buckets().stream()
                    .filter(each -> each.partition() >= partitions)
                    .findFirst()
                    .map(each -> outOfRange(each.partition()));
            return wrong.orElseGet(() -> versions(versions.start(), versions.buckets()));
        }
        if (request instanceof RepairRequest.Sums sums) {
            if (sums.partitions().length() > partitions) {
                return outOfRange(sums.partitions().length() - 1);
            }
            int count = sums.partitions().cardinality() * (sums.detail() == Detail.BUCKETS ? trees.bucketsEach() : 1);
            return count > MAX_SUMS
                    ? new Reply.Failed(ErrorCode.BAD_REQUEST, "at most " + MAX_SUMS + " sums at a time, not " + count)
                    : sums(sums);
        }
        BitSet asked = request instanceof RepairRequest.Fence fencing
                ? fencing.partitions()
                : ((RepairRequest.Purge) request).partitions();
        if (asked.length() > partitions) {
            return outOfRange(asked.length() - 1);
        }
        if (request instanceof RepairRequest.Fence fencing) {
            return new RepairReply.Fenced(fence.fence(asked, fencing.before()));
        }
        RepairRequest.Purge purge = (RepairRequest.Purge) request;
        if (purge.seal().equals(NO_SEAL)) {
            setBack.ordered(asked, purge.before());
            fence.allowPurge(asked, purge.before());
        } else {
            fence.resolve(asked, purge.before(), purge.seal());
        }
        return new RepairReply.Purging();
    }

    private Reply purged(RepairRequest.Purged told) {
        if (told.partitions().length() > partitions) {
            return outOfRange(told.partitions().length() - 1);
        }
        // The sender counts as heard before the watermarks are read. So a session of this node that raises one in
        // between, and fails to report it, counts the sender as unheard again.
        setBack.told(told.from(), told.partitions(), told.purged());
        return new RepairReply.Purged(purged(told.partitions()));
    }

    /**
     * Returns this node's purge watermarks of some partitions, in ascending order. Where this node's disk is rolled
     * back, those learned from others count too: their source may have been rolled back since. Does not block.
     */
    public List<Long> purged(BitSet asked) {
        Map<Integer, Version> overtaken = setBack.overtaken();
        return asked.stream()
                .mapToObj(partition -> {
                    Version own = fence.purged(partition);
                    Version told = overtaken.getOrDefault(partition, NO_SEAL);
                    return (told.compareTo(own) > 0 ? told : own).packed();
                })
                .toList();
    }

    private Reply outOfRange(int partition) {
        return new Reply.Failed(
                ErrorCode.BAD_REQUEST, "there are " + partitions + " partitions, and none of number " + partition);
    }

    /**
     * Seals partitions. Returns false if a newer session has sealed one, or if the version is not long past by this
     * node's clock: the coordinator's clock may be far ahead.
     */
    public boolean seal(BitSet asked, Version before) {
        boolean isPast = before.millis() <= clockMillis.getAsLong() - leastAgeMillis;
        return isPast && fence.seal(asked, before);
    }

    /** Returns the seal of each partition, by its number. */
    public long[] seals() {
        return fence.seals();
    }

    /**
     * Applies pending changes to the sums. Blocks.
     *
     * @throws StoreException if the store cannot be written
     */
    public void settle() {
        store.settle();
        trees.settle();
    }

    public RepairReply.Sums sums(RepairRequest.Sums request) {
        Detail detail = request.detail();
        boolean sealed = false;
        if (detail == Detail.PARTITIONS) {
            sealed = seal(request.partitions(), request.seal());
            settle();
        } else if (detail == Detail.BUCKETS) {
            trees.settle();
        }
        List<Long> sums = new ArrayList<>();
        List<Long> purged = new ArrayList<>();
        List<Long> fenced = new ArrayList<>();
        BitSet lost = setBack.lost();
        request.partitions().stream().forEach(partition -> {
            if (detail == Detail.BUCKETS) {
                Arrays.stream(trees.buckets(partition)).forEach(sums::add);
                return;
            }
            if (detail == Detail.PARTITIONS) {
                sums.add(trees.partition(partition));
            }
            PurgeWatermarks.Reach reach = lost.get(partition) ? NOWHERE : fence.reach(partition);
            purged.add(reach.purged().packed());
            fenced.add(reach.fenced().packed());
        });
        return new RepairReply.Sums(sealed, sums, purged, fenced);
    }

    /** Returns a page of the versions in some buckets. */
    public RepairReply.Versions versions(Key start, List<Buckets> buckets) {
        long[] masks = new long[partitions];
        buckets.forEach(each -> masks[each.partition()] = each.mask());
        List<Held> held = new ArrayList<>();
        Predicate<Entry> dispensable = fence.dispensable();
        int looks = 0;
        int bytes = 0;
        try (EntryCursor cursor = store.scan(KeyRange.from(start))) {
            while (cursor.hasNext()) {
                Entry entry = cursor.next();
                Key key = entry.key();
                if (looks++ == MAX_LOOKS || held.size() == MAX_HELD || bytes > MAX_HELD_BYTES) {
                    return new RepairReply.Versions(held, Optional.of(key));
                }
                long mask = masks[partitionOf.applyAsInt(key)];
                // Entries that are about to be purged are not shown: the other node may have purged them already.
                if (mask != 0 && (mask >>> trees.bucketOf(key) & 1) != 0 && !dispensable.test(entry)) {
                    held.add(held(entry));
                    bytes += key.length() + Long.BYTES + Integer.BYTES;
                }
            }
        }
        return new RepairReply.Versions(held, Optional.empty());
    }

    private static Held held(Entry entry) {
        return new Held(entry.key(), entry.version(), entry.digest());
    }

    public int bucketsEach() {
        return trees.bucketsEach();
    }

    public int partitionOf(Key key) {
        return partitionOf.applyAsInt(key);
    }

    /** Returns the entries of some keys, without those that are about to be purged. */
    public List<Optional<Entry>> get(List<Key> keys) {
        Predicate<Entry> dispensable = fence.dispensable();
        return keys.stream()
                .map(key -> store.get(key).filter(dispensable.negate()))
                .toList();
    }

    public Optional<Entry> get(Key key) {
        return store.get(key);
    }

    /** Purges entries; returns how many. If that fails, the purge is due again. */
    public long purge() {
        if (!fence.takePurgeDue()) {
            return 0;
        }
        boolean done = false;
        try {
            long count = store.purge(fence.dispensable());
            done = true;
            return count;
        } finally {
            if (!done) {
                fence.purgeAgain();
            }
        }
    }

    public BitSet fence(BitSet asked, Version before) {
        return fence.fence(asked, before);
    }

    public BitSet allowPurge(BitSet asked, Version before) {
        return fence.allowPurge(asked, before);
    }

    public void resolve(BitSet asked, Version before, Version seal) {
        fence.resolve(asked, before, seal);
    }

    public Version purged(int partition) {
        return fence.purged(partition);
    }

    public Version fenced(int partition) {
        return fence.fenced(partition);
    }

    public RollbackDetector setBack() {
        return setBack;
    }

    /** Returns whether the store holds nothing that could be shown. */
    public boolean isEmpty() {
        return store.entries() == 0;
    }

    public boolean isMemoryFast() {
        return store.isMemoryFast();
    }

    public static Key first() {
        return FIRST;
    }
}
