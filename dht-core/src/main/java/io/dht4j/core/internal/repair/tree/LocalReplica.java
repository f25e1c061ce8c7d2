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
 * What this node holds, as repair looks at it: sums, and lists of versions. Answers the questions of other nodes, and
 * the same ones of its own. Methods block, as the store does. Safe for use by any number of threads.
 */
public final class LocalReplica {

    /** How many entries are added to the trees, when they are first made, before others may use the thread. */
    private static final int BUILD_STEP = 2048;

    /** How many entries a page may look at, and how many it may show. */
    private static final int MAX_LOOKS = 96 * 1024;

    private static final int MAX_HELD = 2048;
    private static final int MAX_HELD_BYTES = 96 << 10;

    /** How many sums go into a reply. */
    public static final int MAX_SUMS = 8192;

    public static final Version NO_SEAL = new Version(0);
    private static final PurgeWatermarks.Reach NOWHERE = new PurgeWatermarks.Reach(NO_SEAL, NO_SEAL);
    private static final Key FIRST = KeyRange.all().start();

    private final Store store;
    /** Made again each time that what is held is added up. */
    private volatile HashTrees trees;

    private final PurgeWatermarks fence;
    private final RollbackDetector setBack;
    private final int partitions;
    private final ToIntFunction<Key> partitionOf;
    private final LongSupplier clockMillis;
    private final long leastAgeMillis;
    private volatile boolean ready;

    /**
     * The content of a store.
     *
     * @param store holds it
     * @param fence what may still come, and go
     * @param setBack where the fence is older than those of others
     * @param partitions how many partitions there are
     * @param partitionOf finds a key's partition
     * @param clockMillis the wall clock
     * @param purgeAfter how old what is dead must be before it may go, by the clock of who asks; by this one's at least
     *     half as old
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

    /** Begins to follow the store: before anybody applies anything, or again when adding up has failed. Blocks. */
    public EntryCursor follow() {
        HashTrees fresh = new HashTrees(partitions, partitionOf);
        trees = fresh;
        return store.follow(fresh);
    }

    /** Adds some of what was held at first to the trees; false when all of it is in. */
    public boolean build(EntryCursor held) {
        for (int i = 0; i < BUILD_STEP && held.hasNext(); i++) {
            trees.added(held.next());
        }
        ready = !held.hasNext();
        return !ready;
    }

    /** Whether the trees cover all that is held. */
    public boolean isReady() {
        return ready;
    }

    /**
     * Answers a question of another node.
     *
     * @param request what it asks
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
        // First: whoever comes to know more from now on, and must tell it, counts the one that asks as not heard.
        setBack.told(told.from(), told.partitions(), told.purged());
        return new RepairReply.Purged(purged(told.partitions()));
    }

    /**
     * How far all replicas of each of some partitions have agreed to purge, as far as this node knows. What it was told
     * where its own disk was set back counts too: whoever told it may have been set back since. Does not block.
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
     * Seals partitions; false if a newer round has, or if this node's clock has not long passed that moment, since then
     * the other one's may be far ahead.
     */
    public boolean seal(BitSet asked, Version before) {
        boolean isPast = before.millis() <= clockMillis.getAsLong() - leastAgeMillis;
        return isPast && fence.seal(asked, before);
    }

    /** Up to where each partition was sealed last, by its number. */
    public long[] seals() {
        return fence.seals();
    }

    /**
     * Brings into the sums what was applied before. Blocks.
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

    /** A page of what is held in some buckets. */
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
                // What is about to go is not shown: the other one may have let it go already.
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

    /** What is held and not about to go. */
    public List<Optional<Entry>> get(List<Key> keys) {
        Predicate<Entry> dispensable = fence.dispensable();
        return keys.stream()
                .map(key -> store.get(key).filter(dispensable.negate()))
                .toList();
    }

    public Optional<Entry> get(Key key) {
        return store.get(key);
    }

    /** Removes what may go; how many entries that were. What could not be removed is due again. */
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

    /** Whether there is nothing in the store that anybody could be shown. */
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
