package io.dht4j.core.internal.repair.tree;

import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.Version;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.repair.RepairException;
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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;

/**
 * Answers the requests of repair from this node's replicas: hash sums, and pages of versions. Answers the requests of
 * other nodes, and the same requests of this node. Methods block, as the store does, unless stated otherwise. Safe for
 * use by any number of threads.
 */
public final class LocalReplica {

    /** The number of entries that are added to the trees in one step, before other work may use the thread. */
    private static final int BUILD_STEP = 2048;

    /** The maximum number of entries that a page examines; below, of those that it contains. */
    private static final int MAX_EXAMINED = 96 * 1024;

    private static final int MAX_HELD = 2048;
    private static final int MAX_HELD_BYTES = 96 << 10;

    /** The maximum number of sums in a reply. */
    public static final int MAX_SUMS = 8192;

    public static final Version NO_SEAL = new Version(0);
    private static final Key FIRST = KeyRange.all().start();

    private final Store store;
    /** Replaced each time the trees are built. */
    private volatile HashTrees trees;

    private final PurgeWatermarks watermarks;
    private final RollbackDetector rollbacks;
    private final int partitions;
    private final ToIntFunction<Key> partitionOf;
    private final ToLongFunction<Predicate<Entry>> purging;
    private final ToLongFunction<Predicate<Key>> dropping;
    private final LongSupplier clockMillis;
    private final long leastAgeMillis;
    private volatile boolean ready;

    /**
     * Creates the view of a store.
     *
     * @param store is read
     * @param watermarks decide which entries are refused, and which are purged
     * @param rollbacks detects partitions of a rolled-back disk
     * @param partitions the number of partitions
     * @param partitionOf returns a key's partition
     * @param purging purges entries of the store; returns how many
     * @param dropping drops all entries of keys from the store, which is durable on return; returns how many
     * @param clockMillis the wall clock, in milliseconds
     * @param purgeAfter the age at which the coordinator purges dead entries, by its clock; by this node's clock they
     *     must be at least half as old
     */
    public LocalReplica(
            Store store,
            PurgeWatermarks watermarks,
            RollbackDetector rollbacks,
            int partitions,
            ToIntFunction<Key> partitionOf,
            ToLongFunction<Predicate<Entry>> purging,
            ToLongFunction<Predicate<Key>> dropping,
            LongSupplier clockMillis,
            Duration purgeAfter) {
        this.purging = purging;
        this.dropping = dropping;
        this.clockMillis = clockMillis;
        this.leastAgeMillis = purgeAfter.toMillis() / 2;
        this.store = store;
        this.watermarks = watermarks;
        this.rollbacks = rollbacks;
        this.partitions = partitions;
        this.partitionOf = partitionOf;
        this.trees = new HashTrees(partitions, partitionOf);
    }

    /** Returns the number of partitions. */
    public int partitions() {
        return partitions;
    }

    /** Begins to follow the store, before its first change, or again after a failed build. Blocks. */
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
        if (request instanceof RepairRequest.Watermarks exchanged) {
            return exchange(exchanged);
        }
        if (!ready) {
            return new Reply.Failed(
                    ErrorCode.NOT_SERVING, "this node is still building its hash trees: try again later");
        }
        if (request instanceof RepairRequest.Versions versions) {
            Optional<Reply> wrong = versions.buckets().stream()
                    .filter(each -> each.partition() >= partitions)
                    .findFirst()
                    .map(each -> outOfRange(each.partition()));
            return wrong.orElseGet(() -> versions(versions.start(), versions.buckets()));
        }
        if (request instanceof RepairRequest.Sums sums) {
            if (sums.partitions().bound() > partitions) {
                return outOfRange(sums.partitions().bound() - 1);
            }
            int count = sums.partitions().cardinality() * (sums.detail() == Detail.BUCKETS ? trees.bucketsEach() : 1);
            return count > MAX_SUMS
                    ? new Reply.Failed(ErrorCode.BAD_REQUEST, "at most " + MAX_SUMS + " sums at a time, not " + count)
                    : sums(sums);
        }
        PartitionSet asked = request instanceof RepairRequest.Prepare prepare
                ? prepare.partitions()
                : ((RepairRequest.Decision) request).partitions();
        if (asked.bound() > partitions) {
            return outOfRange(asked.bound() - 1);
        }
        if (request instanceof RepairRequest.Prepare prepare) {
            return new RepairReply.Vote(watermarks.prepare(asked, prepare.seal()));
        }
        RepairRequest.Decision decision = (RepairRequest.Decision) request;
        if (decision.seal().equals(NO_SEAL)) {
            rollbacks.checkDecision(asked, decision.outcome());
            watermarks.commit(asked, decision.outcome());
        } else {
            watermarks.resolve(asked, decision.outcome(), decision.seal());
        }
        return new RepairReply.Acknowledged();
    }

    private Reply exchange(RepairRequest.Watermarks request) {
        if (request.partitions().bound() > partitions) {
            return outOfRange(request.partitions().bound() - 1);
        }
        // The sender counts as reported before the watermarks are read. So a session of this node that raises one in
        // between, and fails to report it, marks the sender as missing again.
        rollbacks.reportedUnasked(request.from(), request.partitions(), request.purged());
        return new RepairReply.Watermarks(purged(request.partitions()));
    }

    /**
     * Returns this node's purge watermarks of some partitions, in ascending order. On a rolled-back disk, includes
     * those reported by others: their source may have been rolled back since. Does not block.
     */
    public List<Long> purged(PartitionSet asked) {
        Map<Integer, Version> rolledBack = rollbacks.rolledBack();
        return asked.stream()
                .mapToObj(partition -> {
                    Version own = watermarks.purged(partition);
                    Version learned = rolledBack.getOrDefault(partition, NO_SEAL);
                    return (learned.compareTo(own) > 0 ? learned : own).packed();
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
    public boolean seal(PartitionSet asked, Version before) {
        boolean isPast = before.millis() <= clockMillis.getAsLong() - leastAgeMillis;
        return isPast && watermarks.seal(asked, before);
    }

    /** Returns the seal of each partition, by its number. */
    public long[] seals() {
        return watermarks.seals();
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
        } else {
            sealed = rollbacks.refusesReads(request.partitions());
        }
        List<Long> sums = new ArrayList<>();
        List<Long> purged = new ArrayList<>();
        List<Long> fenced = new ArrayList<>();
        PartitionSet lost = rollbacks.lost();
        request.partitions().forEach(partition -> {
            if (detail == Detail.BUCKETS) {
                Arrays.stream(trees.buckets(partition)).forEach(sums::add);
                return;
            }
            if (detail == Detail.PARTITIONS) {
                sums.add(trees.partition(partition));
            }
            PurgeWatermarks.Pair reported =
                    lost.contains(partition) ? PurgeWatermarks.Pair.ZERO : watermarks.reported(partition);
            purged.add(reported.purged().packed());
            fenced.add(reported.fenced().packed());
        });
        return new RepairReply.Sums(sealed, sums, purged, fenced);
    }

    /** Returns a page of the versions in some buckets. */
    public RepairReply.Versions versions(Key start, List<Buckets> buckets) {
        long[] masks = new long[partitions];
        buckets.forEach(each -> masks[each.partition()] = each.mask());
        List<Held> held = new ArrayList<>();
        Predicate<Entry> purgeable = watermarks.purgeable();
        int examined = 0;
        int bytes = 0;
        try (EntryCursor cursor = store.scan(KeyRange.from(start))) {
            while (cursor.hasNext()) {
                Entry entry = cursor.next();
                Key key = entry.key();
                if (examined++ == MAX_EXAMINED || held.size() == MAX_HELD || bytes > MAX_HELD_BYTES) {
                    return new RepairReply.Versions(held, Optional.of(key));
                }
                long mask = masks[partitionOf.applyAsInt(key)];
                // Entries that are about to be purged are left out: the other node may have purged them already.
                if (mask != 0 && (mask >>> trees.bucketOf(key) & 1) != 0 && !purgeable.test(entry)) {
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
        Predicate<Entry> purgeable = watermarks.purgeable();
        return keys.stream()
                .map(key -> store.get(key).filter(purgeable.negate()))
                .toList();
    }

    public Optional<Entry> get(Key key) {
        return store.get(key);
    }

    /**
     * Purges entries. After a failure, the purge is due again.
     *
     * @param kept receives the entries that stay
     * @return how many entries were purged
     */
    public long purge(Consumer<Entry> kept) {
        if (!watermarks.takePurgeDue()) {
            return 0;
        }
        boolean done = false;
        try {
            Predicate<Entry> purgeable = watermarks.purgeable();
            long count = purging.applyAsLong(entry -> {
                boolean isPurged = purgeable.test(entry);
                if (!isPurged) {
                    kept.accept(entry);
                }
                return isPurged;
            });
            done = true;
            return count;
        } finally {
            if (!done) {
                watermarks.purgeAgain();
            }
        }
    }

    /** Returns this node's watermarks. */
    public PurgeWatermarks watermarks() {
        return watermarks;
    }

    public PartitionSet prepare(PartitionSet asked, Version before) {
        return watermarks.prepare(asked, before);
    }

    public PartitionSet commit(PartitionSet asked, Version before) {
        return watermarks.commit(asked, before);
    }

    public void resolve(PartitionSet asked, Version outcome, Version before) {
        watermarks.resolve(asked, outcome, before);
    }

    public Version purged(int partition) {
        return watermarks.purged(partition);
    }

    public Version fenced(int partition) {
        return watermarks.fenced(partition);
    }

    /** Writes the rolled-back partitions to the store. */
    public void writeRollbacks() {
        watermarks.rolledBack().write();
    }

    public RollbackDetector rollbacks() {
        return rollbacks;
    }

    /**
     * Returns the partitions with entries, according to their hash sums.
     *
     * @throws RepairException if the hash trees are not complete yet
     * @throws StoreException if the store cannot be written
     */
    public PartitionSet withContent(PartitionSet asked) {
        if (!ready) {
            throw new RepairException(ErrorCode.NOT_SERVING, "this node is still building its hash trees");
        }
        settle();
        return asked.filter(partition -> Arrays.stream(trees.buckets(partition)).anyMatch(sum -> sum != 0));
    }

    /**
     * Drops all entries of partitions, which is durable on return.
     *
     * @param dropped returns whether the entries of a partition are dropped; called for each entry
     * @return how many were dropped
     * @throws StoreException if the store cannot be written
     */
    public long drop(IntPredicate dropped) {
        return dropping.applyAsLong(key -> dropped.test(partitionOf.applyAsInt(key)));
    }

    /** Returns whether the store has no visible entry. */
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
