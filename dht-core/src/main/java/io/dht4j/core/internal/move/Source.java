package io.dht4j.core.internal.move;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Node;
import io.dht4j.Version;
import io.dht4j.core.internal.copy.PageCopy;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.repair.RepairException;
import io.dht4j.core.internal.repair.purge.PurgeWatermarks;
import io.dht4j.core.internal.repair.tree.LocalReplica;
import io.dht4j.core.internal.wire.RepairReply;
import io.dht4j.core.internal.wire.RepairRequest;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A node from which partitions are copied. The copy is complete when this node has all entries older than a moment at
 * which the node had installed the phase of the batch: newer ones are written to both. Does not block; used by one
 * attempt at a time.
 */
final class Source {

    /** The number of comparisons in a row that may find old differences before the attempt fails. */
    private static final int MAX_COMPARISONS = 8;

    /** The timeout of requests for watermarks, which need no computation. */
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    final PartitionSet partitions;
    /** The node in the view of the copy's beginning. */
    private final Node first;

    private final MoveContext context;
    private final LongConsumer received;

    private volatile PartitionSet done = PartitionSet.empty();
    /** The last pass over the node's store; null before it. */
    private volatile @Nullable PageCopy pages;
    /** The partitions whose pages the passes fetch, and those without a need for it. */
    private volatile PartitionSet covered = PartitionSet.empty();

    private final Map<Integer, PurgeWatermarks.Pair> watermarks = new HashMap<>();

    /**
     * Creates a source.
     *
     * @param node the node
     * @param partitions the partitions to copy from it
     * @param received receives the bytes of each page
     */
    Source(MoveContext context, Node node, PartitionSet partitions, LongConsumer received) {
        this.context = context;
        this.first = node;
        this.partitions = partitions;
        this.received = received;
    }

    /** Returns the node, at its current address. */
    Node node() {
        return context.views().current().topology().node(first.id()).orElse(first);
    }

    /** Returns whether the node was declared dead, so that it is no longer a source. */
    boolean isDead() {
        return context.views().current().moves().dead().contains(first.id());
    }

    /** Returns the partitions that are copied completely. */
    PartitionSet done() {
        return done;
    }

    /** Returns the node's watermarks of a partition that is {@linkplain #done copied}. */
    PurgeWatermarks.Pair watermarks(int partition) {
        synchronized (watermarks) {
            return watermarks.getOrDefault(partition, PurgeWatermarks.Pair.ZERO);
        }
    }

    /**
     * Asks the node for its watermarks. They do not change while a slot moves. The node answers only after it has
     * installed the row versions of this node's view, and its reply carries its clock. If it
     * {@linkplain io.dht4j.core.internal.repair.rollback.RollbackDetector#incomplete lacks} entries, this fails.
     */
    CompletableFuture<Map<Integer, PurgeWatermarks.Pair>> askForWatermarks(PartitionSet some) {
        return askForWatermarks(some.chunks(LocalReplica.MAX_SUMS), 0, new HashMap<>());
    }

    private CompletableFuture<Map<Integer, PurgeWatermarks.Pair>> askForWatermarks(
            List<PartitionSet> chunks, int index, Map<Integer, PurgeWatermarks.Pair> found) {
        if (index == chunks.size()) {
            return CompletableFuture.completedFuture(found);
        }
        PartitionSet chunk = chunks.get(index);
        return context.peers()
                .ask(
                        node(),
                        new RepairRequest.Sums(chunk, RepairRequest.Detail.WATERMARKS, LocalReplica.NO_SEAL),
                        PATIENCE)
                .thenCompose(reply -> {
                    RepairReply.Sums sums = (RepairReply.Sums) reply;
                    if (sums.sealed()) {
                        throw new RepairException(
                                ErrorCode.REPLICA_REFILLING,
                                "node " + first.id() + ": its disk was lost or rolled back, or a recovery has set aside"
                                        + " changes in which it took part, and it is compared with the other replicas"
                                        + " first");
                    }
                    int[] numbers = chunk.toArray();
                    for (int i = 0; i < numbers.length; i++) {
                        found.put(
                                numbers[i],
                                new PurgeWatermarks.Pair(
                                        new Version(sums.purged().get(i)),
                                        new Version(sums.fenced().get(i))));
                    }
                    return askForWatermarks(chunks, index + 1, found);
                });
    }

    /**
     * Asks the node for the highest ballots that it has promised for registers. It answers only after it has installed
     * the row versions of this node's view: what it promises later for an earlier one does not count.
     *
     * @return completes with a version for each partition; without any if the node is of an earlier version, which has
     *     no registers
     */
    CompletableFuture<Map<Integer, Version>> askForPromises(PartitionSet some) {
        return askForPromises(some.intersection(partitions).chunks(LocalReplica.MAX_SUMS), 0, new HashMap<>());
    }

    private CompletableFuture<Map<Integer, Version>> askForPromises(
            List<PartitionSet> chunks, int index, Map<Integer, Version> found) {
        if (index == chunks.size()) {
            return CompletableFuture.completedFuture(found);
        }
        PartitionSet chunk = chunks.get(index);
        return context.peers()
                .ask(
                        node(),
                        new RepairRequest.Sums(chunk, RepairRequest.Detail.PROMISES, LocalReplica.NO_SEAL),
                        PATIENCE)
                .handle((reply, error) -> {
                    if (error != null) {
                        Throwable cause = DhtException.unwrap(error);
                        return cause instanceof RepairException failure && failure.isUnknownRequest()
                                ? CompletableFuture.completedFuture(found)
                                : CompletableFuture.<Map<Integer, Version>>failedFuture(cause);
                    }
                    int[] numbers = chunk.toArray();
                    for (int i = 0; i < numbers.length; i++) {
                        found.put(
                                numbers[i],
                                new Version(((RepairReply.Sums) reply).sums().get(i)));
                    }
                    return askForPromises(chunks, index + 1, found);
                })
                .thenCompose(next -> next);
    }

    /**
     * Copies the rest.
     *
     * @param wanted the partitions that are still wanted
     * @return completes when they are {@linkplain #done copied}; or with an exception
     */
    CompletableFuture<Void> copy(PartitionSet wanted) {
        PartitionSet left = partitions.intersection(wanted).minus(done);
        if (left.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        return askForWatermarks(left).thenCompose(before -> {
            Version since = context.clock().get();
            return copyPages(left)
                    .thenCompose(copied -> compare(left, since, 1))
                    .thenCompose(equal -> askForWatermarks(left))
                    .thenAccept(after -> copied(left, before, after));
        });
    }

    private void copied(
            PartitionSet left, Map<Integer, PurgeWatermarks.Pair> before, Map<Integer, PurgeWatermarks.Pair> after) {
        if (!after.equals(before)) {
            throw new RepairException(
                    ErrorCode.REPLICA_REFILLING,
                    "node " + first.id() + ": its disk was lost or rolled back, and it is being repaired");
        }
        synchronized (watermarks) {
            watermarks.putAll(after);
        }
        done = done.union(left);
    }

    /** Fetches the pages of partitions whose sums differ: after a restart, most may be here already. */
    private CompletableFuture<Void> copyPages(PartitionSet left) {
        PageCopy begun = pages;
        if (begun != null && !begun.isDone()) {
            return run(begun, left).thenCompose(copied -> copyPages(left));
        }
        PartitionSet rest = left.minus(covered);
        if (rest.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        return context.comparison().differing(node(), rest).thenCompose(differing -> {
            PageCopy pass = new PageCopy(
                    context.throttle(),
                    context.pages(),
                    this::node,
                    differing,
                    (entries, bytes) -> received.accept(bytes));
            pages = pass;
            covered = covered.union(rest);
            return run(pass, left);
        });
    }

    private static CompletableFuture<Void> run(PageCopy pass, PartitionSet left) {
        pass.retain(left);
        return pass.run()
                .thenAccept(failure -> failure.ifPresent(why -> {
                    throw new RepairException(ErrorCode.NOT_SERVING, why);
                }));
    }

    private CompletableFuture<Void> compare(PartitionSet left, Version since, int attempt) {
        return context.comparison().reconcile(node(), left, since).thenCompose(result -> {
            if (!result.lacking().isEmpty()) {
                return CompletableFuture.failedFuture(new RepairException(
                        ErrorCode.INTERNAL,
                        "this node refuses entries of " + first.id() + " in "
                                + result.lacking().cardinality() + " partitions: operations().repairStatus shows why"));
            }
            if (result.differed().isEmpty()) {
                return CompletableFuture.completedFuture(null);
            }
            return attempt == MAX_COMPARISONS
                    ? CompletableFuture.failedFuture(new RepairException(
                            ErrorCode.INTERNAL, "node " + first.id() + ": old entries keep differing from it"))
                    : compare(left, since, attempt + 1);
        });
    }
}
