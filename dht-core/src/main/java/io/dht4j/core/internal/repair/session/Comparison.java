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
 * Compares this node's replicas of some partitions with those of one other node, level by level, and brings both to the
 * newest entry of each key. The sums of the partitions come first, which is all that equal replicas need; then those of
 * the buckets of the partitions that differ; then, page by page in the order of the keys, the versions of what is in
 * the buckets that differ. Its methods do not block.
 */
final class Comparison {

    private static final int MAX_PAGE_BYTES = 96 << 10;
    /** Of the reply, for a partition: its sum, and how far it was purged and is fenced. */
    private static final int BYTES_OF_PARTITION = 3 * Long.BYTES;

    private static final int MAX_NAMED = 4096;
    /** So many keys that differ are looked at together for the second time. */
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
    /** How far others have purged where this node's disk was set back. */
    private volatile Map<Integer, Version> overtaken = Map.of();

    /** What was found out about the partitions. On one thread after the other. */
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
         * What the other node lacks and is older than this was deleted, as it or this node knows from those who have
         * purged.
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
         * Whether this node's disk was set back so far that an entry of this version may have been deleted and purged
         * since.
         */
        boolean isDoubtful(Key key, Version version) {
            return version.compareTo(limit(key)) < 0;
        }

        /** Whether the other node has agreed to what this one has forgotten, and so holds what all must hold. */
        boolean isTrusted(Key key) {
            return fencedThere(key).compareTo(limit(key)) >= 0;
        }

        /** Whether this node is catching up with a key's partition. */
        boolean isOvertaken(Key key) {
            return overtaken.containsKey(content.partitionOf(key));
        }

        Version fencedThere(Key key) {
            return fencedThere.getOrDefault(content.partitionOf(key), LocalReplica.NO_SEAL);
        }

        /** A key differs, and the newer of the two has this version. */
        synchronized void differs(Key key, Version newer) {
            if (newer.compareTo(seal) < 0) {
                differingBeforeSeal.set(content.partitionOf(key));
            }
        }

        /** This node has got a newer entry. */
        synchronized void received(Key key) {
            received.set(content.partitionOf(key));
        }

        /** A key differs, and the other side refuses what this one has. */
        synchronized void stays(Key key) {
            stuck.set(content.partitionOf(key));
        }

        /** A key differs, and this side does not take what the other one has. */
        synchronized void lacks(Key key) {
            stays(key);
            lacking.set(content.partitionOf(key));
        }
    }

    /**
     * What came of it.
     *
     * @param received partitions in which this node has got something
     * @param differingBeforeSeal those where one side lacked something older than the seal
     * @param stuck those where one side does not take what the other has
     * @param lacking those of them where this one does not
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

    /** Seals partitions that both nodes are replicas of, and compares their sums. Comes first. */
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

    /** Compares the sums of some of the partitions once more. */
    CompletableFuture<Void> lookAgain(BitSet partitions) {
        return sums(chunks(partitions, LocalReplica.MAX_SUMS), 0, LocalReplica.NO_SEAL, (chunk, own, other) -> {});
    }

    /** Whether both nodes have sealed all of them. */
    boolean isSealed() {
        return sealed;
    }

    /** How far the other node was told that a partition may be purged. */
    Version purgedThere(int partition) {
        return seen.purgedThere.getOrDefault(partition, LocalReplica.NO_SEAL);
    }

    /** What the other node refuses as too old in a partition. */
    Version fencedThere(int partition) {
        return seen.fencedThere.getOrDefault(partition, LocalReplica.NO_SEAL);
    }

    /** The other node has been told that it may purge a partition as far as this. */
    void purges(int partition, Version before) {
        seen.purgedThere.put(partition, before);
    }

    /** This node has. */
    void purgesHere(int partition, Version before) {
        seen.purgedHere.put(partition, before);
    }

    /** How far the other node was told that each of some partitions may be purged. */
    Map<Integer, Version> purgedThere() {
        return Map.copyOf(seen.purgedThere);
    }

    /** Whether the other node knows of less than this one has purged. */
    boolean isSetBackThere(int partition) {
        return fencedThere(partition).compareTo(seen.purgedHere.getOrDefault(partition, LocalReplica.NO_SEAL)) < 0;
    }

    /** The partitions that looked different. */
    BitSet differing() {
        return (BitSet) differing.clone();
    }

    /** Leaves out partitions. */
    void leave(BitSet some) {
        differing.andNot(some);
    }

    /**
     * Brings together the partitions that looked different.
     *
     * @param setBack where this node's disk was set back, and how far others have purged there
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

    /** Takes what both sides say of partitions besides their sums. */
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

    /** Asks both sides at the same time, so that little comes between. */
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

    /** Not more buckets at a time than a request may name. */
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

    /** Adds the keys that differ, as far as both pages reach; where the next page begins. */
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
