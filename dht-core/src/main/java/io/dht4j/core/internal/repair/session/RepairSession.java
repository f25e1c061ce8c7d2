package io.dht4j.core.internal.repair.session;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Version;
import io.dht4j.core.internal.repair.Pace;
import io.dht4j.core.internal.repair.Progress;
import io.dht4j.core.internal.repair.RepairException;
import io.dht4j.core.internal.repair.RepairLimits;
import io.dht4j.core.internal.repair.RepairPeers;
import io.dht4j.core.internal.repair.rollback.RollbackDetector;
import io.dht4j.core.internal.repair.tree.LocalReplica;
import io.dht4j.core.internal.wire.RepairReply;
import io.dht4j.core.internal.wire.RepairRequest;
import io.dht4j.spi.Environment;
import io.dht4j.spi.StoreException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A repair session over some partitions. It seals them on all replicas and compares their sums. It resolves doubts
 * about earlier fences, and reconciles this node with one replica after the other. It fences the partitions in which
 * nothing was lacking, and purges dead entries. Its steps run one after the other, never concurrently; none blocks.
 */
final class RepairSession {

    /** How often earlier nodes are compared again because a later one had entries that this node received. */
    private static final int MAX_PASSES = 3;

    private final Tools tools;
    private final Version seal;
    private final List<Share> shares = new ArrayList<>();
    /** Partitions in which no replica lacked anything older than the seal, and all answered. */
    private final BitSet clean;
    /** Partitions compared with all other replicas, whatever was found. */
    private final BitSet compared;
    /** Those of them that have been counted as done. */
    private final BitSet counted = new BitSet();
    /** Partitions compared with all other replicas, except given-up ones, in which this node lacks nothing. */
    private final BitSet reached;
    /** Partitions compared with a replica whose fence watermark covers everything that this node should know. */
    private final BitSet vouchedFor = new BitSet();
    /** Replicas of rolled-back partitions that could not be compared with. */
    private final Set<NodeId> missed = new HashSet<>();
    /**
     * The rolled-back partitions of this node when the comparison began, with the highest purge watermark of the
     * others.
     */
    private Map<Integer, Version> overtaken = Map.of();

    private @Nullable RuntimeException failure;

    /**
     * The context that all sessions of a node share.
     *
     * @param untold receives a node that may have missed an order to purge, and the partitions concerned
     */
    record Tools(
            Environment environment,
            LocalReplica content,
            RepairPeers peers,
            Pace pace,
            RepairLimits limits,
            Progress progress,
            NodeId self,
            Set<NodeId> givenUp,
            BiConsumer<Node, BitSet> untold) {}

    /** The session's partitions of which another node is a replica too. */
    private static final class Share {
        final Node node;
        final BitSet partitions;
        /** Set once both sides have been compared. */
        @Nullable
        Comparison comparison;

        Share(Node node, BitSet partitions) {
            this.node = node;
            this.partitions = partitions;
        }

        /** Returns those of some partitions that are in this share. */
        BitSet of(BitSet some) {
            BitSet both = (BitSet) partitions.clone();
            both.and(some);
            return both;
        }
    }

    /** One step with one node. */
    @FunctionalInterface
    private interface Step {
        CompletableFuture<Void> at(Share share);
    }

    RepairSession(Tools tools, Version seal, BitSet chosen, Map<Node, BitSet> others) {
        this.tools = tools;
        this.seal = seal;
        this.clean = (BitSet) chosen.clone();
        this.compared = (BitSet) chosen.clone();
        this.reached = (BitSet) chosen.clone();
        others.forEach((node, partitions) -> shares.add(new Share(node, partitions)));
    }

    CompletableFuture<Void> run() {
        return tools.pace()
                .onStore(() -> tools.content().seal(compared, seal))
                .thenCompose(done -> each(shares, 0, this::look))
                .thenCompose(done -> tools.pace().runOnStore(this::learn))
                // Reading the watermarks may wait for a write in flight.
                .thenCompose(done -> tools.pace().onStore(this::doubts))
                .thenCompose(doubts -> resolve(doubts, 0))
                .thenCompose(done -> {
                    count(0);
                    return join(shares, 0, 1);
                })
                .thenCompose(done -> tools.pace().runOnStore(this::catchUp))
                .thenCompose(done -> purge());
    }

    /** Returns the nodes that rolled-back partitions need and that could not be compared with. */
    Set<NodeId> missed() {
        return missed;
    }

    /** Detects the rolled-back partitions of this node. They are compared with more care, and are not fenced. */
    private void learn() {
        RollbackDetector setBack = tools.content().setBack();
        for (Share share : shares) {
            Comparison comparison = share.comparison;
            if (comparison != null) {
                setBack.learn(share.node.id().value(), comparison.purgedThere());
            }
        }
        overtaken = setBack.overtaken();
        overtaken.keySet().forEach(clean::clear);
        shares.stream().filter(share -> share.comparison == null).forEach(this::missed);
    }

    private void missed(Share share) {
        if (!tools.givenUp().contains(share.node.id())
                && overtaken.keySet().stream().anyMatch(share.partitions::get)) {
            missed.add(share.node.id());
        }
    }

    /**
     * Ends the rollback of partitions in which this node now holds all that the others do. If no compared replica knows
     * the lost watermark, no replica that purged is left: those that knew it are given up, or rolled back too.
     */
    private void catchUp() {
        Map<Integer, Version> done = new HashMap<>(overtaken);
        done.keySet().removeIf(partition -> !reached.get(partition));
        tools.content().setBack().caughtUp(tools.self(), done, vouchedFor);
    }

    private CompletableFuture<Void> each(List<Share> some, int index, Step step) {
        return index == some.size()
                ? CompletableFuture.completedFuture(null)
                : step.at(some.get(index)).thenCompose(done -> each(some, index + 1, step));
    }

    /**
     * Seals the partitions on a node, and compares sums. A node that cannot be asked does not keep the others from
     * being repaired.
     */
    private CompletableFuture<Void> look(Share share) {
        Comparison comparison = new Comparison(
                tools.content(), tools.peers(), tools.pace(), tools.limits(), share.node, seal, tools.progress());
        return comparison.look(share.partitions).handle((done, error) -> {
            if (error != null) {
                failed(share, error);
            } else {
                share.comparison = comparison;
                if (!comparison.isSealed()) {
                    clean.andNot(share.partitions);
                }
            }
            return null;
        });
    }

    private void failed(Share share, Throwable error) {
        clean.andNot(share.partitions);
        compared.andNot(share.partitions);
        if (!tools.givenUp().contains(share.node.id())) {
            reached.andNot(share.partitions);
            missed(share);
        }
        failure = unexpected(error);
    }

    private static RuntimeException unexpected(Throwable error) {
        return DhtException.unwrap(error) instanceof RuntimeException known ? known : new IllegalStateException(error);
    }

    /**
     * Returns the partitions whose replicas differ in their purge watermarks, or wait for the outcome of an earlier
     * fence, by the highest purge watermark of a replica.
     */
    private List<Map.Entry<Version, BitSet>> doubts() {
        Map<Version, BitSet> doubts = new TreeMap<>();
        BitSet known = (BitSet) clean.clone();
        // A rolled-back node does not report the watermarks it had, and may be the only one that had them.
        shares.stream()
                .filter(share -> share.comparison != null)
                .forEach(share -> known.andNot(setBack(share, share.comparison)));
        known.stream().forEach(partition -> {
            Version purged = tools.content().purged(partition);
            boolean doubtful = !purged.equals(tools.content().fenced(partition));
            for (Share share : shares) {
                Comparison comparison = share.comparison;
                if (comparison != null && share.partitions.get(partition)) {
                    Version there = comparison.purgedThere(partition);
                    doubtful |= !there.equals(purged) || !there.equals(comparison.fencedThere(partition));
                    purged = there.compareTo(purged) > 0 ? there : purged;
                }
            }
            if (doubtful) {
                doubts.computeIfAbsent(purged, version -> new BitSet()).set(partition);
            }
        });
        return List.copyOf(doubts.entrySet());
    }

    private CompletableFuture<Void> resolve(List<Map.Entry<Version, BitSet>> doubts, int index) {
        if (index == doubts.size()) {
            return CompletableFuture.completedFuture(null);
        }
        Version purged = doubts.get(index).getKey();
        BitSet partitions = doubts.get(index).getValue();
        return tools.pace()
                .onStore(() -> {
                    tools.content().resolve(partitions, purged, seal);
                    shares.forEach(share -> tellPurged(share, partitions));
                    return partitions;
                })
                .thenCompose(done -> each(shares, 0, share -> resolve(share, purged, partitions)))
                .thenCompose(done -> resolve(doubts, index + 1));
    }

    private void tellPurged(Share share, BitSet partitions) {
        Comparison comparison = share.comparison;
        if (comparison != null) {
            share.of(partitions).stream()
                    .forEach(partition ->
                            comparison.purgesHere(partition, tools.content().purged(partition)));
        }
    }

    private CompletableFuture<Void> resolve(Share share, Version purged, BitSet partitions) {
        Comparison comparison = share.comparison;
        BitSet asked = share.of(partitions);
        if (comparison != null) {
            // Without nodes whose fence watermark is lower: they must first receive what they lack.
            for (int i = asked.nextSetBit(0); i >= 0; i = asked.nextSetBit(i + 1)) {
                asked.set(i, comparison.fencedThere(i).compareTo(purged) >= 0);
            }
        }
        if (comparison == null || asked.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        return tools.peers()
                .ask(share.node, new RepairRequest.Purge(asked, purged, seal))
                .handle((reply, error) -> {
                    if (error != null) {
                        failed(share, error);
                        share.comparison = null;
                    } else {
                        asked.stream().forEach(partition -> comparison.purges(partition, purged));
                    }
                    return null;
                });
    }

    /** Counts partitions as done in which nothing is left to do with any node from an index on. */
    private void count(int from) {
        BitSet done = (BitSet) compared.clone();
        done.andNot(counted);
        shares.subList(from, shares.size()).forEach(share -> done.andNot(left(share)));
        counted.or(done);
        tools.progress().completed(done, tools.environment().currentTimeMillis());
    }

    /** Returns the partitions in which this node is not yet reconciled with another one. */
    private BitSet left(Share share) {
        Comparison comparison = share.comparison;
        if (comparison == null) {
            // The comparison failed, which has been recorded.
            return new BitSet();
        }
        BitSet left = comparison.differing();
        left.or(setBack(share, comparison));
        overtaken.keySet().stream().filter(share.partitions::get).forEach(left::set);
        return left;
    }

    /** Reconciles this node with one node after the other, and again with those that lack what a later one had. */
    private CompletableFuture<Void> join(List<Share> some, int index, int pass) {
        if (index == some.size()) {
            return CompletableFuture.completedFuture(null);
        }
        return join(some.get(index))
                .thenCompose(received -> {
                    List<Share> behind = new ArrayList<>();
                    for (Share before : some.subList(0, index)) {
                        BitSet lacking = before.of(received);
                        if (!lacking.isEmpty()) {
                            behind.add(new Share(before.node, lacking));
                        }
                    }
                    CompletableFuture<Void> caughtUp = behind.isEmpty() || pass == MAX_PASSES
                            ? CompletableFuture.completedFuture(null)
                            : each(behind, 0, this::look).thenCompose(done -> join(behind, 0, pass + 1));
                    List<Share> later = some.subList(index + 1, some.size());
                    return caughtUp.thenCompose(done -> each(later, 0, share -> lookAgain(share, received)));
                })
                .thenCompose(done -> {
                    if (pass == 1) {
                        count(index + 1);
                    }
                    return join(some, index + 1, pass);
                });
    }

    /**
     * Compares partitions again in which this node has received entries: it may now equal a node from which it
     * differed, or differ from one that it equaled.
     */
    private CompletableFuture<Void> lookAgain(Share share, BitSet received) {
        Comparison comparison = share.comparison;
        BitSet again = share.of(received);
        if (comparison == null || again.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        return comparison.lookAgain(again).handle((done, error) -> {
            if (error != null) {
                failed(share, error);
                share.comparison = null;
            }
            return null;
        });
    }

    /** Reconciles this node with another one; completes with the partitions in which this node has received entries. */
    private CompletableFuture<BitSet> join(Share share) {
        Comparison comparison = share.comparison;
        if (comparison == null) {
            return CompletableFuture.completedFuture(new BitSet());
        }
        return leave(share, comparison)
                .thenCompose(left -> comparison.run(overtaken))
                .handle((result, error) -> {
                    if (error != null) {
                        failed(share, error);
                        return new BitSet();
                    }
                    clean.andNot(result.differingBeforeSeal());
                    clean.andNot(result.stuck());
                    compared.andNot(result.stuck());
                    reached.andNot(result.lacking());
                    overtaken.forEach((partition, limit) -> {
                        if (share.partitions.get(partition)
                                && comparison.fencedThere(partition).compareTo(limit) >= 0) {
                            vouchedFor.set(partition);
                        }
                    });
                    return result.received();
                });
    }

    /**
     * Excludes the rolled-back partitions of the other node, and reports to it that its disk is rolled back. It repairs
     * itself; until then its content is not relied upon.
     */
    private CompletableFuture<Void> leave(Share share, Comparison comparison) {
        BitSet left = setBack(share, comparison);
        if (left.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        clean.andNot(left);
        compared.andNot(left);
        comparison.leave(left);
        return PurgeWatermarkExchange.tell(tools.content(), tools.self(), tools.peers(), share.node, left)
                .thenCompose(purged -> tools.pace().onStore(() -> {
                    tools.content().setBack().heard(share.node.id().value(), left, purged);
                    return left;
                }))
                .handle((told, error) -> {
                    failure = error != null
                            ? unexpected(error)
                            : new RepairException(
                                    ErrorCode.REPLICA_REFILLING,
                                    "node " + share.node.id() + ": its disk was set back or lost, so it repairs "
                                            + left.cardinality() + " partitions by itself first");
                    return null;
                });
    }

    /** Returns the partitions in which the other node is rolled back and this one is not. */
    private BitSet setBack(Share share, Comparison comparison) {
        BitSet some = new BitSet();
        share.partitions.stream()
                .filter(partition -> !overtaken.containsKey(partition) && comparison.isSetBackThere(partition))
                .forEach(some::set);
        return some;
    }

    /**
     * Fences the partitions in which all replicas were equal, then purges what is dead and old there. This node is the
     * first to store that all have agreed. So a node that loses its disk later learns of it when it asks, whether or
     * not it had received the order to purge.
     */
    private CompletableFuture<Void> purge() {
        return each(shares, 0, this::fence)
                .thenCompose(done -> tools.pace().onStore(() -> tools.content().fence(clean, seal)))
                .thenCompose(fenced -> {
                    clean.and(fenced);
                    return tools.pace().onStore(() -> tools.content().allowPurge(clean, seal));
                })
                .thenCompose(noted -> {
                    clean.and(noted);
                    return each(shares, 0, this::allow);
                })
                .thenCompose(done -> tools.pace().onStore(this::purgeNow))
                .thenAccept(count -> {
                    tools.progress().purged(count);
                    if (failure != null) {
                        throw failure;
                    }
                });
    }

    private long purgeNow() {
        try {
            return tools.content().purge();
        } catch (StoreException e) {
            throw new RepairException(ErrorCode.STORE_FAILED, "node " + tools.self() + ": " + e.getMessage());
        }
    }

    private CompletableFuture<Void> fence(Share share) {
        BitSet refused = share.of(clean);
        if (refused.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        return tools.peers()
                .ask(share.node, new RepairRequest.Fence((BitSet) refused.clone(), seal))
                .handle((reply, error) -> {
                    if (error == null) {
                        refused.andNot(((RepairReply.Fenced) reply).partitions());
                    } else {
                        failure = unexpected(error);
                    }
                    clean.andNot(refused);
                    return null;
                });
    }

    private CompletableFuture<Void> allow(Share share) {
        BitSet asked = share.of(clean);
        if (asked.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        return tools.peers()
                .ask(share.node, new RepairRequest.Purge(asked, seal, LocalReplica.NO_SEAL))
                .handle((reply, error) -> {
                    if (error != null) {
                        // It keeps its tombstones until a later session; they are not exchanged with other nodes. If it
                        // has lost its disk meanwhile, it must learn of the purge.
                        failure = unexpected(error);
                        tools.untold().accept(share.node, asked);
                    }
                    return null;
                });
    }
}
