package io.dht4j.core.internal.repair.session;

import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.Version;
import io.dht4j.core.internal.repair.Pace;
import io.dht4j.core.internal.repair.Progress;
import io.dht4j.core.internal.repair.RepairException;
import io.dht4j.core.internal.repair.RepairLimits;
import io.dht4j.core.internal.repair.RepairPeers;
import io.dht4j.core.internal.repair.tree.LocalReplica;
import io.dht4j.core.internal.wire.RepairReply;
import io.dht4j.core.internal.wire.RepairReply.Held;
import io.dht4j.core.internal.wire.RepairRequest;
import io.dht4j.core.internal.wire.RepairRequest.Buckets;
import io.dht4j.core.internal.wire.RepairRequest.Detail;
import io.dht4j.core.internal.wire.Reply;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Compares this node's replicas of some partitions with those of one other node, level by level, and reconciles both to
 * the newest entry of each key. The sums of the partitions come first; equal replicas need no more. Then come the sums
 * of the buckets of differing partitions. Last come the versions in the differing buckets, page by page in key order.
 * Methods do not block.
 */
final class Comparison {

    private static final int MAX_PAGE_BYTES = 96 << 10;
    /** The bytes of a reply per partition: its sum and its purge and fence watermarks. */
    private static final int BYTES_OF_PARTITION = 3 * Long.BYTES;

    private static final int MAX_NAMED = 4096;
    /** The number of differing keys that are confirmed together. */
    private static final int CONFIRMED_TOGETHER = 512;

    private static final int MAX_KEY_BYTES = 64 << 10;

    private final LocalReplica content;
    private final RepairPeers peers;
    private final Pace pace;
    private final RepairLimits limits;
    private final Node node;
    private final Version seal;
    private final Progress progress;
    private final Seen seen = new Seen();
    private final BitSet differing = new BitSet();
    private volatile boolean sealed = true;
    /** The rolled-back partitions of this node, with the highest purge watermark of the others. */
    private volatile Map<Integer, Version> overtaken = Map.of();

    /** What is known of the partitions. Used by one thread after the other. */
    final class Seen {
        private final Map<Integer, Version> purgedThere = new ConcurrentHashMap<>();
        private final Map<Integer, Version> purgedHere = new ConcurrentHashMap<>();
        private final Map<Integer, Version> fencedThere = new ConcurrentHashMap<>();
        private final BitSet received = new BitSet();
        private final BitSet differingBeforeSeal = new BitSet();
        private final BitSet stuck = new BitSet();
        private final BitSet lacking = new BitSet();

        Version purgedThere(Key key) {
            return purgedThere.getOrDefault(content.partitionOf(key), LocalReplica.NO_SEAL);
        }

        Version purgedHere(Key key) {
            return purgedHere.getOrDefault(content.partitionOf(key), LocalReplica.NO_SEAL);
        }

        /**
         * Returns the version below which a key missing on the other node was deleted: its purge watermark, or, if it
         * is trusted, that of the others.
         */
        Version goneThere(Key key) {
            Version purged = purgedThere(key);
            Version limit = limit(key);
            return isTrusted(key) && limit.compareTo(purged) > 0 ? limit : purged;
        }

        private Version limit(Key key) {
            return overtaken.getOrDefault(content.partitionOf(key), LocalReplica.NO_SEAL);
        }

        /**
         * Returns whether this node's disk is rolled back so far that an entry of this version may have been deleted
         * and purged since.
         */
        boolean isDoubtful(Key key, Version version) {
            return version.compareTo(limit(key)) < 0;
        }

        /** Returns whether the other node has agreed to the fence that this one has lost, and so is complete there. */
        boolean isTrusted(Key key) {
            return fencedThere(key).compareTo(limit(key)) >= 0;
        }

        /** Returns whether this node is rolled back in a key's partition, and catches up. */
        boolean isOvertaken(Key key) {
            return overtaken.containsKey(content.partitionOf(key));
        }

        Version fencedThere(Key key) {
            return fencedThere.getOrDefault(content.partitionOf(key), LocalReplica.NO_SEAL);
        }

        /** Records that a key differs; the newer of its two entries has this version. */
        synchronized void differs(Key key, Version newer) {
            if (newer.compareTo(seal) < 0) {
                differingBeforeSeal.set(content.partitionOf(key));
            }
        }

        /** Records that this node has received a newer entry. */
        synchronized void received(Key key) {
            received.set(content.partitionOf(key));
        }

        /** Records that a key differs and the other side refuses this node's entry. */
        synchronized void stays(Key key) {
            stuck.set(content.partitionOf(key));
        }

        /** Records that a key differs and this node refuses the other side's entry, or cannot get it. */
        synchronized void lacks(Key key) {
            stays(key);
            lacking.set(content.partitionOf(key));
        }
    }

    /**
     * The result of a comparison.
     *
     * @param received partitions in which this node has received an entry
     * @param differingBeforeSeal partitions in which one side lacked an entry older than the seal
     * @param stuck partitions in which an entry could not be moved to the side that lacks it
     * @param lacking those of them in which this node lacks it
     */
    record Result(BitSet received, BitSet differingBeforeSeal, BitSet stuck, BitSet lacking) {}

    Comparison(
            LocalReplica content,
            RepairPeers peers,
            Pace pace,
            RepairLimits limits,
            Node node,
            Version seal,
            Progress progress) {
        this.content = content;
        this.peers = peers;
        this.pace = pace;
        this.limits = limits;
        this.node = node;
        this.seal = seal;
        this.progress = progress;
    }

    /** Seals partitions on both nodes, and compares their sums. Called first. */
    CompletableFuture<Void> look(BitSet partitions) {
        return sums(chunks(partitions, LocalReplica.MAX_SUMS), 0, seal, (chunk, own, other) -> {
                    sealed &= own.sealed() && other.sealed();
                    int position = 0;
                    for (int i = chunk.nextSetBit(0); i >= 0; i = chunk.nextSetBit(i + 1)) {
                        seen.purgedHere.put(i, new Version(own.purged().get(position)));
                        seen.purgedThere.put(i, new Version(other.purged().get(position)));
                        seen.fencedThere.put(i, new Version(other.fenced().get(position)));
                        position++;
                    }
                })
                .thenCompose(done -> content.setBack().isInDoubt(node.id().value(), seen.purgedThere)
                        ? pace.runOnStore(() ->
                                content.setBack().requirePossible(node.id().value(), seen.purgedThere))
                        : CompletableFuture.completedFuture(null));
    }

    /** Compares the sums of some of the partitions again. */
    CompletableFuture<Void> lookAgain(BitSet partitions) {
        return sums(chunks(partitions, LocalReplica.MAX_SUMS), 0, LocalReplica.NO_SEAL, (chunk, own, other) -> {});
    }

    /** Returns whether both nodes have sealed all partitions. */
    boolean isSealed() {
        return sealed;
    }

    /** Returns the other node's purge watermark of a partition. */
    Version purgedThere(int partition) {
        return seen.purgedThere.getOrDefault(partition, LocalReplica.NO_SEAL);
    }

    /** Returns the other node's fence watermark of a partition. */
    Version fencedThere(int partition) {
        return seen.fencedThere.getOrDefault(partition, LocalReplica.NO_SEAL);
    }

    /** Records that the other node's purge watermark of a partition has changed. */
    void purges(int partition, Version before) {
        seen.purgedThere.put(partition, before);
    }

    /** Records that this node's purge watermark of a partition has changed. */
    void purgesHere(int partition, Version before) {
        seen.purgedHere.put(partition, before);
    }

    /** Returns the other node's purge watermarks. */
    Map<Integer, Version> purgedThere() {
        return Map.copyOf(seen.purgedThere);
    }

    /** Returns whether the other node is rolled back: its fence watermark is below this node's purge watermark. */
    boolean isSetBackThere(int partition) {
        return fencedThere(partition).compareTo(seen.purgedHere.getOrDefault(partition, LocalReplica.NO_SEAL)) < 0;
    }

    /** Returns the partitions whose sums differ. */
    BitSet differing() {
        return (BitSet) differing.clone();
    }

    /** Excludes partitions. */
    void leave(BitSet some) {
        differing.andNot(some);
    }

    /**
     * Reconciles the partitions whose sums differ.
     *
     * @param setBack the rolled-back partitions of this node, with the highest purge watermark of the others
     */
    CompletableFuture<Result> run(Map<Integer, Version> setBack) {
        overtaken = setBack;
        int together = Math.max(1, LocalReplica.MAX_SUMS / content.bucketsEach());
        return buckets(chunks(differing, together), 0, new ArrayList<>())
                .thenCompose(buckets -> versions(buckets, 0))
                .thenApply(done -> new Result(seen.received, seen.differingBeforeSeal, seen.stuck, seen.lacking));
    }

    static List<BitSet> chunks(BitSet partitions, int size) {
        List<BitSet> chunks = new ArrayList<>();
        int count = 0;
        for (int i = partitions.nextSetBit(0); i >= 0; i = partitions.nextSetBit(i + 1)) {
            if (count++ % size == 0) {
                chunks.add(new BitSet());
            }
            chunks.get(chunks.size() - 1).set(i);
        }
        return chunks;
    }

    /** Takes the watermarks in the replies of both sides. */
    @FunctionalInterface
    private interface Reach {
        void of(BitSet partitions, RepairReply.Sums own, RepairReply.Sums other);
    }

    private CompletableFuture<Void> sums(List<BitSet> chunks, int index, Version before, Reach reach) {
        if (index == chunks.size()) {
            return CompletableFuture.completedFuture(null);
        }
        BitSet chunk = chunks.get(index);
        return both(new RepairRequest.Sums(chunk, Detail.PARTITIONS, before), (own, other) -> {
                    int position = 0;
                    for (int i = chunk.nextSetBit(0); i >= 0; i = chunk.nextSetBit(i + 1)) {
                        differing.set(
                                i, !own.sums().get(position).equals(other.sums().get(position)));
                        position++;
                    }
                    reach.of(chunk, own, other);
                })
                .thenCompose(done -> sums(chunks, index + 1, before, reach));
    }

    private CompletableFuture<List<Buckets>> buckets(List<BitSet> chunks, int index, List<Buckets> found) {
        if (index == chunks.size()) {
            return CompletableFuture.completedFuture(found);
        }
        BitSet chunk = chunks.get(index);
        int each = content.bucketsEach();
        return both(new RepairRequest.Sums(chunk, Detail.BUCKETS, LocalReplica.NO_SEAL), (own, other) -> {
                    int position = 0;
                    for (int i = chunk.nextSetBit(0); i >= 0; i = chunk.nextSetBit(i + 1)) {
                        long mask = 0;
                        for (int bucket = 0; bucket < each; bucket++, position++) {
                            if (!own.sums().get(position).equals(other.sums().get(position))) {
                                mask |= 1L << bucket;
                            }
                        }
                        if (mask != 0) {
                            found.add(new Buckets(i, mask));
                        }
                    }
                })
                .thenCompose(done -> buckets(chunks, index + 1, found));
    }

    /** Takes the sums of both sides. */
    @FunctionalInterface
    private interface Look {
        void at(RepairReply.Sums own, RepairReply.Sums other);
    }

    /** Asks both sides at the same time, so that few writes come between the answers. */
    private CompletableFuture<Void> both(RepairRequest.Sums request, Look look) {
        int bytesEach = request.detail() == Detail.BUCKETS ? content.bucketsEach() * Long.BYTES : BYTES_OF_PARTITION;
        return pace.paced((long) request.partitions().cardinality() * bytesEach, () -> {
            CompletableFuture<Reply> other = peers.ask(node, request);
            CompletableFuture<RepairReply.Sums> own = pace.onStore(() -> content.sums(request));
            return own.thenCombine(other, (here, there) -> {
                RepairReply.Sums sums = (RepairReply.Sums) there;
                if (here.sums().size() != sums.sums().size()) {
                    throw new RepairException(
                            ErrorCode.PLACEMENT_MISMATCH,
                            node.id() + " has " + sums.sums().size() + " buckets where this node has "
                                    + here.sums().size());
                }
                look.at(here, sums);
                return null;
            });
        });
    }

    /** Compares versions, with no more buckets in a request than its limit. */
    private CompletableFuture<Void> versions(List<Buckets> buckets, int begin) {
        if (begin >= buckets.size()) {
            return CompletableFuture.completedFuture(null);
        }
        int end = Math.min(buckets.size(), begin + MAX_NAMED);
        return versions(LocalReplica.first(), buckets.subList(begin, end), new ArrayList<>())
                .thenCompose(done -> versions(buckets, end));
    }

    private CompletableFuture<Void> versions(Key start, List<Buckets> buckets, List<Key> found) {
        RepairRequest.Versions request = new RepairRequest.Versions(start, buckets);
        return pace.paced(MAX_PAGE_BYTES, () -> {
                    CompletableFuture<Reply> other = peers.ask(node, request);
                    CompletableFuture<RepairReply.Versions> own = pace.onStore(() -> content.versions(start, buckets));
                    return own.thenCombine(other, (here, there) -> compare(here, (RepairReply.Versions) there, found));
                })
                .thenCompose(resume -> found.size() >= CONFIRMED_TOGETHER || resume.isEmpty()
                        ? confirm(found).thenApply(done -> resume)
                        : CompletableFuture.completedFuture(resume))
                .thenCompose(resume -> resume.map(next -> versions(next, buckets, found))
                        .orElseGet(() -> CompletableFuture.completedFuture(null)));
    }

    /** Adds the keys that differ, as far as both pages reach; returns where the next page begins. */
    private static Optional<Key> compare(RepairReply.Versions own, RepairReply.Versions other, List<Key> found) {
        Optional<Key> end = earlier(own.resume(), other.resume());
        Function<RepairReply.Versions, Map<Key, Held>> within = page -> {
            Map<Key, Held> held = new TreeMap<>();
            page.held().stream()
                    .filter(each -> end.isEmpty() || each.key().compareTo(end.get()) < 0)
                    .forEach(each -> held.put(each.key(), each));
            return held;
        };
        Map<Key, Held> here = within.apply(own);
        Map<Key, Held> there = within.apply(other);
        here.forEach((key, held) -> {
            if (!held.equals(there.remove(key))) {
                found.add(key);
            }
        });
        found.addAll(there.keySet());
        return end;
    }

    private static Optional<Key> earlier(Optional<Key> one, Optional<Key> other) {
        if (one.isEmpty() || other.isEmpty()) {
            return one.isEmpty() ? other : one;
        }
        return one.get().compareTo(other.get()) <= 0 ? one : other;
    }

    private CompletableFuture<Void> confirm(List<Key> found) {
        if (found.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        List<Key> keys = List.copyOf(found);
        found.clear();
        return pace.rest(limits.confirmDelay().toNanos()).thenCompose(rested -> settle(keys, 0));
    }

    private CompletableFuture<Void> settle(List<Key> keys, int begin) {
        if (begin >= keys.size()) {
            return CompletableFuture.completedFuture(null);
        }
        int end = begin;
        int bytes = 0;
        while (end < keys.size() && end < begin + CONFIRMED_TOGETHER && bytes < MAX_KEY_BYTES) {
            bytes += keys.get(end++).length();
        }
        List<Key> some = keys.subList(begin, end);
        int next = end;
        return new EntryReconciler(content, peers, pace, node, progress, seen)
                .settle(some)
                .thenCompose(done -> settle(keys, next));
    }
}
