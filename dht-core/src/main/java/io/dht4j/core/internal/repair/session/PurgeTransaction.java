package io.dht4j.core.internal.repair.session;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.core.internal.atomic.RegisterCodec;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.repair.RepairException;
import io.dht4j.core.internal.repair.tree.LocalReplica;
import io.dht4j.core.internal.wire.RepairReply;
import io.dht4j.core.internal.wire.RepairRequest;
import io.dht4j.spi.StoreException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The coordinator's side of the two-phase commit of a purge. {@code PurgeWatermarks} is the participant's side, and
 * describes the protocol. Steps run one after the other, never concurrently; none blocks.
 */
final class PurgeTransaction {

    /** The most expired registers of a purge that are made absent. */
    private static final int MAX_DECIDED = 1_000;

    private final SessionContext context;
    private final Version seal;
    private final List<Participant> participants;

    /** The partitions in which no participant has voted no so far. */
    private PartitionSet agreed = PartitionSet.empty();

    /** The expired registers that the purge has met. */
    private final List<Key> expired = new ArrayList<>();

    PurgeTransaction(SessionContext context, Version seal, List<Participant> participants) {
        this.context = context;
        this.seal = seal;
        this.participants = participants;
    }

    /**
     * Resolves earlier transactions that are in doubt at some replica: committed up to the highest purge watermark of
     * any replica, and otherwise aborted.
     *
     * @param partitions the partitions in which all replicas are sealed and none is rolled back
     * @param failed receives participants that cannot be reached
     */
    CompletableFuture<Void> resolve(PartitionSet partitions, BiConsumer<Participant, Throwable> failed) {
        // Reading the watermarks may wait for a write in flight.
        return context.throttle()
                .onStore(() -> inDoubt(partitions))
                .thenCompose(inDoubt -> resolve(List.copyOf(inDoubt.entrySet()), 0, failed));
    }

    /** Returns the partitions in doubt, by the highest purge watermark of a replica. */
    private Map<Version, PartitionSet> inDoubt(PartitionSet partitions) {
        Map<Version, PartitionSet.Builder> inDoubt = new TreeMap<>();
        partitions.forEach(partition -> {
            Version purged = purgedHere(partition);
            boolean differs = !purged.equals(context.local().fenced(partition));
            for (Participant participant : participants) {
                Comparison comparison = participant.comparison;
                if (comparison != null && participant.partitions.contains(partition)) {
                    Version there = comparison.purgedThere(partition);
                    differs |= !there.equals(purged) || !there.equals(comparison.fencedThere(partition));
                    purged = there.compareTo(purged) > 0 ? there : purged;
                }
            }
            if (differs) {
                inDoubt.computeIfAbsent(purged, version -> PartitionSet.builder())
                        .add(partition);
            }
        });
        Map<Version, PartitionSet> byOutcome = new TreeMap<>();
        inDoubt.forEach((outcome, builder) -> byOutcome.put(outcome, builder.build()));
        return byOutcome;
    }

    /**
     * Returns this node's purge watermark as it was when the partition was compared. A newer session of another node
     * may have raised it since; the watermarks of the others, read earlier, do not contain its votes.
     */
    private Version purgedHere(int partition) {
        return participants.stream()
                .filter(participant -> participant.partitions.contains(partition))
                .map(participant -> participant.comparison)
                .filter(Objects::nonNull)
                .map(comparison -> comparison.purgedHere(partition))
                .max(Comparator.naturalOrder())
                .orElseGet(() -> context.local().purged(partition));
    }

    private CompletableFuture<Void> resolve(
            List<Map.Entry<Version, PartitionSet>> inDoubt, int index, BiConsumer<Participant, Throwable> failed) {
        if (index == inDoubt.size()) {
            return CompletableFuture.completedFuture(null);
        }
        Version outcome = inDoubt.get(index).getKey();
        PartitionSet partitions = inDoubt.get(index).getValue();
        return context.throttle()
                .runOnStore(() -> {
                    context.local().resolve(partitions, outcome, seal);
                    participants.forEach(participant -> recordPurged(participant, partitions, outcome));
                })
                .thenCompose(done -> Participant.each(
                        participants, participant -> resolve(participant, outcome, partitions, failed)))
                .thenCompose(done -> resolve(inDoubt, index + 1, failed));
    }

    private void recordPurged(Participant participant, PartitionSet partitions, Version outcome) {
        Comparison comparison = participant.comparison;
        if (comparison != null) {
            participant.of(partitions).forEach(partition -> {
                Version purged = context.local().purged(partition);
                comparison.setPurgedHere(partition, purged.compareTo(outcome) < 0 ? purged : outcome);
            });
        }
    }

    private CompletableFuture<Void> resolve(
            Participant participant,
            Version outcome,
            PartitionSet partitions,
            BiConsumer<Participant, Throwable> failed) {
        Comparison comparison = participant.comparison;
        if (comparison == null) {
            return CompletableFuture.completedFuture(null);
        }
        // Without nodes whose fence watermark is lower: they must first receive the entries that they lack.
        PartitionSet asked = participant
                .of(partitions)
                .filter(partition -> comparison.fencedThere(partition).compareTo(outcome) >= 0);
        if (asked.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        return context.peers()
                .ask(participant.node, new RepairRequest.Decision(asked, outcome, seal))
                .handle((reply, error) -> {
                    if (error != null) {
                        failed.accept(participant, error);
                        participant.comparison = null;
                    } else {
                        asked.forEach(partition -> comparison.setPurgedThere(partition, outcome));
                    }
                    return null;
                });
    }

    /**
     * Runs both phases, then purges old dead entries of this node. The coordinator commits at itself first. So a node
     * that loses its disk later learns of the decision when it asks, whether or not it had received it.
     *
     * @param partitions the partitions in which all replicas were equal up to the seal
     * @param failed receives the errors of participants
     * @return completes with the number of purged entries
     */
    CompletableFuture<Long> run(PartitionSet partitions, Consumer<Throwable> failed) {
        agreed = partitions;
        return Participant.each(participants, participant -> prepare(participant, failed))
                .thenCompose(done -> onStoreInAgreed(() -> context.local().prepare(agreed, seal)))
                .thenCompose(done -> onStoreInAgreed(() -> context.local().commit(agreed, seal)))
                .thenCompose(done -> Participant.each(participants, participant -> commit(participant, failed)))
                .thenCompose(done -> context.throttle().onStore(this::purge))
                .thenCompose(purged -> decide(0).thenApply(done -> purged));
    }

    private CompletableFuture<Void> onStoreInAgreed(Supplier<PartitionSet> vote) {
        return context.throttle().onStore(vote).thenAccept(yes -> agreed = agreed.intersection(yes));
    }

    /** The first phase: requests a participant's vote. A participant that does not answer has not voted. */
    private CompletableFuture<Void> prepare(Participant participant, Consumer<Throwable> failed) {
        PartitionSet asked = participant.of(agreed);
        if (asked.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        return context.peers()
                .ask(participant.node, new RepairRequest.Prepare(asked, seal))
                .handle((reply, error) -> {
                    PartitionSet votes = PartitionSet.empty();
                    if (error == null) {
                        votes = ((RepairReply.Vote) reply).partitions();
                    } else {
                        failed.accept(error);
                    }
                    agreed = agreed.minus(asked.minus(votes));
                    return null;
                });
    }

    /** The second phase: sends the decision to commit. Aborted partitions cause no message. */
    private CompletableFuture<Void> commit(Participant participant, Consumer<Throwable> failed) {
        PartitionSet committed = participant.of(agreed);
        if (committed.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        return context.peers()
                .ask(participant.node, new RepairRequest.Decision(committed, seal, LocalReplica.NO_SEAL))
                .handle((reply, error) -> {
                    if (error != null) {
                        // It keeps its tombstones until a later session; they are not exchanged with other nodes. If it
                        // has lost its disk since, it must learn of the purge.
                        failed.accept(error);
                        context.undelivered().accept(participant.node, committed);
                    }
                    return null;
                });
    }

    /** Makes expired registers absent, so that a later purge removes them. Those that stay are found again. */
    private CompletableFuture<Void> decide(int index) {
        if (index == expired.size()) {
            return CompletableFuture.completedFuture(null);
        }
        Key key = expired.get(index);
        return context.throttle()
                .throttled(key.length(), () -> context.peers().unify(key))
                .exceptionally(error -> {
                    context.counters()
                            .refused(
                                    1,
                                    "register " + key + ": "
                                            + DhtException.unwrap(error).getMessage());
                    return null;
                })
                .thenCompose(done -> decide(index + 1));
    }

    private long purge() {
        try {
            long now = context.environment().currentTimeMillis();
            return context.local().purge(entry -> {
                if (expired.size() < MAX_DECIDED
                        && RegisterCodec.isExpired(entry, now)
                        && agreed.contains(context.local().partitionOf(entry.key()))) {
                    expired.add(entry.key());
                }
            });
        } catch (StoreException e) {
            throw new RepairException(ErrorCode.STORE_FAILED, "node " + context.self() + ": " + e.getMessage());
        }
    }
}
