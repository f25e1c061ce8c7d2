package io.dht4j.core.internal.repair.session;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.NodeId;
import io.dht4j.Version;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.repair.RepairException;
import io.dht4j.core.internal.repair.rollback.RollbackDetector;
import io.dht4j.core.internal.view.ClusterView;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A repair session over some partitions. It seals them on all replicas and compares their hash sums. It resolves
 * earlier transactions that are in doubt, and reconciles this node with one replica after the other. As the coordinator
 * of the {@linkplain PurgeTransaction two-phase commit} it then purges the partitions in which no entry was lacking.
 * Its steps run one after the other, never concurrently; none blocks.
 */
final class RepairSession {

    /** How often earlier nodes are compared again because a later one had entries that this node received. */
    private static final int MAX_PASSES = 3;

    private final SessionContext context;
    private final ClusterView view;
    private final Version seal;
    private final List<Participant> participants = new ArrayList<>();
    private final PurgeTransaction transaction;
    /** The partitions that are sealed, and perhaps purged: all but those that move. */
    private final PartitionSet sealed;
    /** Partitions in which all replicas answered, and none lacked an entry older than the seal. */
    private PartitionSet clean;
    /** Partitions compared with all other replicas, with any result. */
    private PartitionSet compared;
    /** Those of them that have been counted as done. */
    private PartitionSet counted = PartitionSet.empty();
    /** Partitions compared with all other replicas, except lost nodes, in which this node lacks no entry. */
    private PartitionSet complete;
    /** Partitions compared with a replica whose fence watermark covers all purges that this node should know. */
    private PartitionSet confirmed = PartitionSet.empty();
    /** Replicas of rolled-back partitions that could not be compared with. */
    private final Set<NodeId> missed = new HashSet<>();
    /**
     * The rolled-back partitions of this node when the comparison began, with the highest purge watermark of the
     * others.
     */
    private Map<Integer, Version> rolledBack = Map.of();

    private @Nullable RuntimeException failure;
    private boolean stale;

    /**
     * Creates a session that has not begun.
     *
     * @param context the services that all sessions of the node share
     * @param seal the version at which the partitions are sealed
     * @param chosen the partitions
     * @param roles their replicas, from the beginning of the session to its end
     */
    RepairSession(SessionContext context, Version seal, PartitionSet chosen, PartitionRoles roles) {
        this.context = context.at(roles.view());
        this.view = roles.view();
        this.seal = seal;
        this.sealed = chosen.minus(roles.moving());
        this.clean = sealed;
        this.compared = chosen;
        this.complete = chosen;
        roles.others(chosen).forEach((node, partitions) -> participants.add(new Participant(node, partitions)));
        this.transaction = new PurgeTransaction(this.context, seal, participants);
    }

    CompletableFuture<Void> run() {
        return context.throttle()
                .onStore(() -> context.local().seal(sealed, seal))
                .thenCompose(done -> Participant.each(participants, this::compare))
                .thenCompose(done -> context.throttle().runOnStore(this::detectRollback))
                .thenCompose(done -> transaction.resolve(withoutRolledBackPeers(clean), this::failed))
                .thenCompose(done -> {
                    countCompleted(0);
                    return reconcile(participants, 0, 1);
                })
                .thenCompose(done -> context.throttle().runOnStore(this::catchUp))
                .thenCompose(done -> transaction.run(clean, this::failed))
                .thenAccept(purged -> {
                    context.counters().purged(purged);
                    if (failure != null) {
                        throw failure;
                    }
                });
    }

    /** Returns whether the nodes did not agree on the replicas, which have changed since the beginning. */
    boolean isStale() {
        return stale;
    }

    /** Returns the nodes that rolled-back partitions need and that could not be compared with. */
    Set<NodeId> missed() {
        return missed;
    }

    /**
     * Seals the partitions on a node, and compares sums. A node that cannot be reached does not prevent the repair of
     * the others.
     */
    private CompletableFuture<Void> compare(Participant participant) {
        Comparison comparison = new Comparison(context, participant.node, seal);
        return comparison.compareSums(participant.partitions, sealed).handle((done, error) -> {
            if (error != null) {
                failed(participant, error);
            } else {
                participant.comparison = comparison;
                if (!comparison.isSealed()) {
                    clean = clean.minus(participant.partitions);
                }
            }
            return null;
        });
    }

    /** Detects the rolled-back partitions of this node. Their comparison is stricter, and they are not purged. */
    private void detectRollback() {
        RollbackDetector rollbacks = context.local().rollbacks();
        for (Participant participant : participants) {
            Comparison comparison = participant.comparison;
            if (comparison != null) {
                rollbacks.compare(participant.node.id().value(), comparison.purgedThere());
            }
        }
        rolledBack = rollbacks.rolledBack();
        clean = clean.minus(PartitionSet.of(rolledBack.keySet()));
        participants.stream()
                .filter(participant -> participant.comparison == null)
                .forEach(this::addMissed);
    }

    /** Returns whether an operator has declared that a node never returns with its content. */
    private boolean isGivenUp(Participant participant) {
        NodeId id = participant.node.id();
        return context.lostNodes().contains(id) || view.moves().dead().contains(id);
    }

    private void addMissed(Participant participant) {
        if (!isGivenUp(participant) && rolledBack.keySet().stream().anyMatch(participant.partitions::contains)) {
            missed.add(participant.node.id());
        }
    }

    /** A rolled-back node does not report its lost watermarks, and may be the only one that had them. */
    private PartitionSet withoutRolledBackPeers(PartitionSet partitions) {
        PartitionSet rest = partitions;
        for (Participant participant : participants) {
            Comparison comparison = participant.comparison;
            if (comparison != null) {
                rest = rest.minus(rolledBackThere(participant, comparison));
            }
        }
        return rest;
    }

    /** Returns the partitions in which the other node is rolled back and this one is not. */
    private PartitionSet rolledBackThere(Participant participant, Comparison comparison) {
        return participant.partitions.filter(
                partition -> !rolledBack.containsKey(partition) && comparison.isRolledBackThere(partition));
    }

    /**
     * Ends the rollback of partitions in which this node has caught up with the others. If no compared replica knows
     * the lost watermark, no replica that purged remains: those that knew it are declared lost, or rolled back too.
     */
    private void catchUp() {
        Map<Integer, Version> done = new HashMap<>(rolledBack);
        done.keySet().removeIf(partition -> !complete.contains(partition));
        context.local().rollbacks().caughtUp(view, done, confirmed);
    }

    private void failed(Participant participant, Throwable error) {
        clean = clean.minus(participant.partitions);
        compared = compared.minus(participant.partitions);
        if (!isGivenUp(participant)) {
            complete = complete.minus(participant.partitions);
            addMissed(participant);
        }
        failed(error);
    }

    private void failed(Throwable error) {
        Throwable cause = DhtException.unwrap(error);
        stale |= cause instanceof RepairException refused && refused.isStale();
        failure = cause instanceof RuntimeException known ? known : new IllegalStateException(error);
    }

    /** Counts partitions as done that need no work with any participant from an index on. */
    private void countCompleted(int from) {
        PartitionSet done = compared.minus(counted);
        for (Participant participant : participants.subList(from, participants.size())) {
            done = done.minus(remaining(participant));
        }
        counted = counted.union(done);
        context.counters().completed(done, context.environment().currentTimeMillis());
    }

    /** Returns the partitions in which this node is not yet reconciled with another one. */
    private PartitionSet remaining(Participant participant) {
        Comparison comparison = participant.comparison;
        if (comparison == null) {
            // The comparison failed, which has been recorded.
            return PartitionSet.empty();
        }
        return comparison
                .differing()
                .union(rolledBackThere(participant, comparison))
                .union(participant.of(PartitionSet.of(rolledBack.keySet())));
    }

    /** Reconciles this node with one node after the other, and again with those that lack entries of a later one. */
    private CompletableFuture<Void> reconcile(List<Participant> some, int index, int pass) {
        if (index == some.size()) {
            return CompletableFuture.completedFuture(null);
        }
        return reconcile(some.get(index))
                .thenCompose(received -> {
                    List<Participant> behind = new ArrayList<>();
                    for (Participant before : some.subList(0, index)) {
                        PartitionSet lacking = before.of(received);
                        if (!lacking.isEmpty()) {
                            behind.add(new Participant(before.node, lacking));
                        }
                    }
                    CompletableFuture<Void> caughtUp = behind.isEmpty() || pass == MAX_PASSES
                            ? CompletableFuture.completedFuture(null)
                            : Participant.each(behind, this::compare)
                                    .thenCompose(done -> reconcile(behind, 0, pass + 1));
                    List<Participant> later = some.subList(index + 1, some.size());
                    return caughtUp.thenCompose(
                            done -> Participant.each(later, participant -> compareAgain(participant, received)));
                })
                .thenCompose(done -> {
                    if (pass == 1) {
                        countCompleted(index + 1);
                    }
                    return reconcile(some, index + 1, pass);
                });
    }

    /**
     * Compares partitions again in which this node has received entries: it may now equal a node from which it
     * differed, or differ from one that it equaled.
     */
    private CompletableFuture<Void> compareAgain(Participant participant, PartitionSet received) {
        Comparison comparison = participant.comparison;
        PartitionSet again = participant.of(received);
        if (comparison == null || again.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        return comparison.compareSumsAgain(again).handle((done, error) -> {
            if (error != null) {
                failed(participant, error);
                participant.comparison = null;
            }
            return null;
        });
    }

    /** Reconciles this node with another one; completes with the partitions in which this node has received entries. */
    private CompletableFuture<PartitionSet> reconcile(Participant participant) {
        Comparison comparison = participant.comparison;
        if (comparison == null) {
            return CompletableFuture.completedFuture(PartitionSet.empty());
        }
        return excludeRolledBackPeer(participant, comparison)
                .thenCompose(done -> comparison.reconcile(rolledBack))
                .handle((result, error) -> {
                    if (error != null) {
                        failed(participant, error);
                        return PartitionSet.empty();
                    }
                    clean = clean.minus(result.differingBeforeSeal()).minus(result.unreconciled());
                    compared = compared.minus(result.unreconciled());
                    complete = complete.minus(result.lacking());
                    confirmed = confirmed.union(
                            participant.of(PartitionSet.of(rolledBack.keySet())).filter(comparison::isComplete));
                    return result.received();
                });
    }

    /**
     * Excludes the rolled-back partitions of the other node, and reports to it that its disk is rolled back. It repairs
     * itself; until then its content is not used.
     */
    private CompletableFuture<Void> excludeRolledBackPeer(Participant participant, Comparison comparison) {
        PartitionSet excluded = rolledBackThere(participant, comparison);
        if (excluded.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        clean = clean.minus(excluded);
        compared = compared.minus(excluded);
        comparison.exclude(excluded);
        return PurgeWatermarkExchange.exchange(
                        context.local(), context.self(), context.peers(), participant.node, excluded)
                .thenCompose(purged -> context.throttle()
                        .runOnStore(() -> context.local()
                                .rollbacks()
                                .replied(participant.node.id().value(), excluded, purged)))
                .handle((done, error) -> {
                    failed(
                            error != null
                                    ? error
                                    : new RepairException(
                                            ErrorCode.REPLICA_REFILLING,
                                            "node " + participant.node.id()
                                                    + ": its disk was rolled back or lost, so it repairs "
                                                    + excluded.cardinality() + " partitions by itself first"));
                    return null;
                });
    }
}
