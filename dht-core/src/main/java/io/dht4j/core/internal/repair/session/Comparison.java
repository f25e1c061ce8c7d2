package io.dht4j.core.internal.repair.session;

import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.Version;
import io.dht4j.core.internal.admission.Throttle;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.repair.RepairException;
import io.dht4j.core.internal.repair.RepairPeers;
import io.dht4j.core.internal.repair.tree.LocalReplica;
import io.dht4j.core.internal.wire.RepairReply;
import io.dht4j.core.internal.wire.RepairReply.Held;
import io.dht4j.core.internal.wire.RepairRequest;
import io.dht4j.core.internal.wire.RepairRequest.Buckets;
import io.dht4j.core.internal.wire.RepairRequest.Detail;
import io.dht4j.core.internal.wire.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Compares this node's replicas of some partitions with those of one other node, level by level, and reconciles both to
 * the newest entry of each key. The sums of the partitions come first, and suffice for equal replicas. Then come the
 * sums of the buckets of differing partitions. Last come the versions in the differing buckets, page by page in key
 * order. Methods do not block.
 */
final class Comparison {

    private static final int MAX_PAGE_BYTES = 96 << 10;
    /** The bytes of a reply per partition: its sum and its purge and fence watermarks. */
    private static final int BYTES_OF_PARTITION = 3 * Long.BYTES;

    private static final int MAX_BUCKETS = 4096;
    /** The number of differing keys that are confirmed together. */
    private static final int CONFIRM_BATCH = 512;

    private static final int MAX_KEY_BYTES = 64 << 10;

    private final SessionContext context;
    private final LocalReplica local;
    private final RepairPeers peers;
    private final Throttle throttle;
    private final Node node;
    private final Version seal;
    private final ComparedPartitions compared;
    /** The partitions whose sums differ. Replaced as a whole; used by one thread after the other. */
    private volatile PartitionSet differing = PartitionSet.empty();

    private volatile boolean sealed = true;

    Comparison(SessionContext context, Node node, Version seal) {
        this.context = context;
        this.local = context.local();
        this.peers = context.peers();
        this.throttle = context.throttle();
        this.node = node;
        this.seal = seal;
        this.compared = new ComparedPartitions(local::partitionOf, seal);
    }

    /**
     * Seals partitions on both nodes, and compares their sums. Called first.
     *
     * @param partitions the partitions
     * @param sealable the partitions to seal; the others are compared only
     */
    CompletableFuture<Void> compareSums(PartitionSet partitions, PartitionSet sealable) {
        PartitionSet both = partitions.intersection(sealable);
        return sums(both.chunks(LocalReplica.MAX_SUMS), 0, seal, (chunk, own, other) -> {
                    sealed &= own.sealed() && other.sealed();
                    recordWatermarks(chunk, own, other);
                })
                .thenCompose(done -> sums(
                        partitions.minus(both).chunks(LocalReplica.MAX_SUMS),
                        0,
                        LocalReplica.NO_SEAL,
                        this::recordWatermarks))
                .thenCompose(done -> {
                    String name = node.id().value();
                    return local.rollbacks().needsCheck(name, compared.purgedThere())
                            ? throttle.runOnStore(
                                    () -> local.rollbacks().requirePlausible(name, compared.purgedThere()))
                            : CompletableFuture.completedFuture(null);
                });
    }

    /** Sets that this node copies the other one, and shows its entries to no other node yet. */
    Comparison copying() {
        compared.setCopying();
        return this;
    }

    /** Compares the sums of partitions, and seals none. Called first, in place of {@link #compareSums}. */
    CompletableFuture<Void> compareSumsUnsealed(PartitionSet partitions) {
        return sums(partitions.chunks(LocalReplica.MAX_SUMS), 0, LocalReplica.NO_SEAL, this::recordWatermarks);
    }

    private void recordWatermarks(PartitionSet chunk, RepairReply.Sums own, RepairReply.Sums other) {
        int[] partitions = chunk.toArray();
        for (int i = 0; i < partitions.length; i++) {
            compared.setPurgedHere(partitions[i], new Version(own.purged().get(i)));
            compared.setPurgedThere(partitions[i], new Version(other.purged().get(i)));
            compared.setFencedThere(partitions[i], new Version(other.fenced().get(i)));
        }
    }

    /** Compares the sums of some of the partitions again. */
    CompletableFuture<Void> compareSumsAgain(PartitionSet partitions) {
        return sums(partitions.chunks(LocalReplica.MAX_SUMS), 0, LocalReplica.NO_SEAL, (chunk, own, other) -> {});
    }

    /** Returns whether both nodes have sealed all sealable partitions. */
    boolean isSealed() {
        return sealed;
    }

    /** Returns this node's purge watermark of a partition, as this session has found or set it. */
    Version purgedHere(int partition) {
        return compared.purgedHere(partition);
    }

    /** Returns the other node's purge watermark of a partition. */
    Version purgedThere(int partition) {
        return compared.purgedThere(partition);
    }

    /** Returns the other node's fence watermark of a partition. */
    Version fencedThere(int partition) {
        return compared.fencedThere(partition);
    }

    /** Records that the other node's purge watermark of a partition has changed. */
    void setPurgedThere(int partition, Version version) {
        compared.setPurgedThere(partition, version);
    }

    /** Records that this node's purge watermark of a partition has changed. */
    void setPurgedHere(int partition, Version version) {
        compared.setPurgedHere(partition, version);
    }

    /** Returns the other node's purge watermarks. */
    Map<Integer, Version> purgedThere() {
        return compared.purgedThere();
    }

    /** Returns whether the other node is rolled back: its fence watermark is below this node's purge watermark. */
    boolean isRolledBackThere(int partition) {
        return compared.isRolledBackThere(partition);
    }

    /** Returns whether the other node has the vote that this one has lost, and so is complete in a partition. */
    boolean isComplete(int partition) {
        return compared.isComplete(partition);
    }

    /** Returns the partitions whose sums differ. */
    PartitionSet differing() {
        return differing;
    }

    /** Excludes partitions. */
    void exclude(PartitionSet some) {
        differing = differing.minus(some);
    }

    /**
     * Reconciles the partitions whose sums differ.
     *
     * @param rolledBack the rolled-back partitions of this node, with the highest purge watermark of the others
     */
    CompletableFuture<ComparedPartitions.Result> reconcile(Map<Integer, Version> rolledBack) {
        compared.setRolledBack(rolledBack);
        return reconcile();
    }

    /** Sends the entries that the other node lacks in the partitions whose sums differ, and fetches none. */
    CompletableFuture<ComparedPartitions.Result> send() {
        compared.setSendingOnly();
        return reconcile();
    }

    private CompletableFuture<ComparedPartitions.Result> reconcile() {
        int chunkSize = Math.max(1, LocalReplica.MAX_SUMS / local.bucketsEach());
        return buckets(differing.chunks(chunkSize), 0, new ArrayList<>())
                .thenCompose(buckets -> versions(buckets, 0))
                .thenApply(done -> compared.result());
    }

    /** Receives the sums and watermarks of both sides. */
    @FunctionalInterface
    private interface SumsReceiver {
        void accept(PartitionSet partitions, RepairReply.Sums own, RepairReply.Sums other);
    }

    private CompletableFuture<Void> sums(List<PartitionSet> chunks, int index, Version before, SumsReceiver receiver) {
        if (index == chunks.size()) {
            return CompletableFuture.completedFuture(null);
        }
        PartitionSet chunk = chunks.get(index);
        return both(new RepairRequest.Sums(chunk, Detail.PARTITIONS, before), (own, other) -> {
                    PartitionSet.Builder unequal = PartitionSet.builder();
                    int[] partitions = chunk.toArray();
                    for (int i = 0; i < partitions.length; i++) {
                        if (!own.sums().get(i).equals(other.sums().get(i))) {
                            unequal.add(partitions[i]);
                        }
                    }
                    differing = differing.minus(chunk).union(unequal.build());
                    receiver.accept(chunk, own, other);
                })
                .thenCompose(done -> sums(chunks, index + 1, before, receiver));
    }

    private CompletableFuture<List<Buckets>> buckets(List<PartitionSet> chunks, int index, List<Buckets> found) {
        if (index == chunks.size()) {
            return CompletableFuture.completedFuture(found);
        }
        PartitionSet chunk = chunks.get(index);
        int each = local.bucketsEach();
        return both(new RepairRequest.Sums(chunk, Detail.BUCKETS, LocalReplica.NO_SEAL), (own, other) -> {
                    int position = 0;
                    for (int partition : chunk.toArray()) {
                        long mask = 0;
                        for (int bucket = 0; bucket < each; bucket++, position++) {
                            if (!own.sums().get(position).equals(other.sums().get(position))) {
                                mask |= 1L << bucket;
                            }
                        }
                        if (mask != 0) {
                            found.add(new Buckets(partition, mask));
                        }
                    }
                })
                .thenCompose(done -> buckets(chunks, index + 1, found));
    }

    /** Receives the sums of both sides. */
    @FunctionalInterface
    private interface BothSums {
        void accept(RepairReply.Sums own, RepairReply.Sums other);
    }

    /** Asks both sides at the same time, so that few writes come between the answers. */
    private CompletableFuture<Void> both(RepairRequest.Sums request, BothSums receiver) {
        int bytesEach = request.detail() == Detail.BUCKETS ? local.bucketsEach() * Long.BYTES : BYTES_OF_PARTITION;
        return throttle.throttled((long) request.partitions().cardinality() * bytesEach, () -> {
            CompletableFuture<Reply> other = peers.ask(node, request);
            CompletableFuture<RepairReply.Sums> own = throttle.onStore(() -> local.sums(request));
            return own.thenCombine(other, (here, there) -> {
                RepairReply.Sums sums = (RepairReply.Sums) there;
                if (here.sums().size() != sums.sums().size()) {
                    throw new RepairException(
                            ErrorCode.PLACEMENT_MISMATCH,
                            node.id() + " has " + sums.sums().size() + " buckets where this node has "
                                    + here.sums().size());
                }
                receiver.accept(here, sums);
                return null;
            });
        });
    }

    /** Compares versions, with a limited number of buckets in each request. */
    private CompletableFuture<Void> versions(List<Buckets> buckets, int begin) {
        if (begin >= buckets.size()) {
            return CompletableFuture.completedFuture(null);
        }
        int end = Math.min(buckets.size(), begin + MAX_BUCKETS);
        return versions(LocalReplica.first(), buckets.subList(begin, end), new ArrayList<>())
                .thenCompose(done -> versions(buckets, end));
    }

    private CompletableFuture<Void> versions(Key start, List<Buckets> buckets, List<Key> found) {
        RepairRequest.Versions request = new RepairRequest.Versions(start, buckets);
        return throttle.throttled(MAX_PAGE_BYTES, () -> {
                    CompletableFuture<Reply> other = peers.ask(node, request);
                    CompletableFuture<RepairReply.Versions> own =
                            throttle.onStore(() -> local.versions(start, buckets));
                    return own.thenCombine(other, (here, there) -> compare(here, (RepairReply.Versions) there, found));
                })
                .thenCompose(resume -> found.size() >= CONFIRM_BATCH || resume.isEmpty()
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
        return throttle.rest(context.options().confirmDelay().toNanos()).thenCompose(rested -> reconcileKeys(keys, 0));
    }

    private CompletableFuture<Void> reconcileKeys(List<Key> keys, int begin) {
        if (begin >= keys.size()) {
            return CompletableFuture.completedFuture(null);
        }
        int end = begin;
        int bytes = 0;
        while (end < keys.size() && end < begin + CONFIRM_BATCH && bytes < MAX_KEY_BYTES) {
            bytes += keys.get(end++).length();
        }
        List<Key> some = keys.subList(begin, end);
        int next = end;
        return new EntryReconciler(context, node, compared)
                .reconcile(some)
                .thenCompose(done -> reconcileKeys(keys, next));
    }
}
