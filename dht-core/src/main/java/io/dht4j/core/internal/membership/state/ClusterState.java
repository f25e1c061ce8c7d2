package io.dht4j.core.internal.membership.state;

import io.dht4j.core.internal.view.Batch;
import io.dht4j.core.internal.view.Epoch;
import io.dht4j.core.internal.view.Phase;
import io.dht4j.core.internal.view.RebalanceSettings;
import io.dht4j.core.internal.view.Slot;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The agreed state of a cluster at one epoch: settings, members, voters, the slots of every partition, running batches,
 * and the rate of moves. Immutable; safe for use by any number of threads. No method blocks.
 *
 * <p>A partition has a row of as many slots as the replication factor, in the order of the replicas. After the
 * replication factor was raised, the last slots are vacant until a growth of the partition adds them. The row's version
 * is the epoch at which it last changed. At most one slot of a row moves, and the slot's batch determines its phase, so
 * rows and batches cannot contradict each other about phases. The memory of the rows depends on the replication factor
 * and the number of partitions, not on the number of members. Successive states share their unchanged parts.
 */
public final class ClusterState {

    private static final Batch[] NONE_MOVES = {};

    private final UUID cluster;
    private final long epoch;
    private final AgreedSettings settings;
    private final MemberList members;
    private final SlotTable slots;
    private final long[] versions;
    private final List<Batch> batches;
    private final RebalanceSettings rebalance;
    private final List<Long> recoveredFrom;
    /** The batch that moves a slot of each partition; empty if no batch runs. */
    private final @Nullable Batch[] moving;

    /**
     * Creates a state, and makes the cheap checks. See {@link #check} for the rest.
     *
     * @param cluster see {@link #cluster}
     * @param epoch see {@link #epoch}
     * @param settings see {@link #settings}
     * @param members see {@link #members}
     * @param slots see {@link #slots}
     * @param versions the version of each row; not to be changed afterwards
     * @param batches see {@link #batches}
     * @param rebalance see {@link #rebalance}
     * @param recoveredFrom see {@link #recoveredFrom()}
     * @throws IllegalArgumentException if sizes do not agree, or two batches move slots of one partition
     */
    public ClusterState(
            UUID cluster,
            long epoch,
            AgreedSettings settings,
            MemberList members,
            SlotTable slots,
            long[] versions,
            List<Batch> batches,
            RebalanceSettings rebalance,
            List<Long> recoveredFrom) {
        this.cluster = cluster;
        this.epoch = epoch;
        this.settings = settings;
        this.members = members;
        this.slots = slots;
        this.versions = versions;
        this.batches = List.copyOf(batches);
        this.rebalance = rebalance;
        this.recoveredFrom = List.copyOf(recoveredFrom);
        if (!Epoch.isValid(epoch)) {
            throw new IllegalArgumentException("a state has no epoch " + Epoch.text(epoch));
        }
        if (slots.partitions() != settings.partitions()
                || slots.width() != settings.replicationFactor()
                || versions.length != settings.partitions()) {
            throw new IllegalArgumentException(settings.partitions() + " partitions of "
                    + settings.replicationFactor() + " slots do not agree with " + slots + " and " + versions.length
                    + " versions");
        }
        this.moving = batches.isEmpty() ? NONE_MOVES : movesByPartition();
    }

    private @Nullable Batch[] movesByPartition() {
        @Nullable Batch[] moves = new Batch[versions.length];
        for (Batch batch : batches) {
            if (batch.partitions().bound() > moves.length) {
                throw new IllegalArgumentException(
                        batch + " moves partition " + (batch.partitions().bound() - 1) + " of " + moves.length);
            }
            batch.partitions().forEach(partition -> {
                if (moves[partition] != null) {
                    throw new IllegalArgumentException(
                            batch + " and " + moves[partition] + " move slots of partition " + partition);
                }
                moves[partition] = batch;
            });
        }
        return moves;
    }

    /** Returns the identity of the cluster, which never changes. */
    public UUID cluster() {
        return cluster;
    }

    /** Returns the number of this state. */
    public long epoch() {
        return epoch;
    }

    /** Returns the settings. */
    public AgreedSettings settings() {
        return settings;
    }

    /** Returns all members and the voters. */
    public MemberList members() {
        return members;
    }

    /**
     * Returns the owners of the slots: the old owner while a slot moves in phase {@link Phase#COPY} or
     * {@link Phase#BOTH}, otherwise the member that holds it, or none.
     */
    public SlotTable slots() {
        return slots;
    }

    /** Returns the running batches, oldest first; unmodifiable. */
    public List<Batch> batches() {
        return batches;
    }

    /** Returns how fast slots move. */
    public RebalanceSettings rebalance() {
        return rebalance;
    }

    /**
     * Returns the epochs from which generations were recovered, one for each generation with a known one, in ascending
     * order; unmodifiable. A node that has installed a later state of the same generation than one of these has agreed
     * on changes that are missing in this state.
     */
    public List<Long> recoveredFrom() {
        return recoveredFrom;
    }

    /**
     * Returns the epoch at which this state has branched off from another one: the last common epoch.
     *
     * @param other a state of an earlier generation, which may be a recovered one itself
     * @return an epoch of the first generation that the two states have left at different epochs; empty if it is
     *     unknown, or the other state is a predecessor of this one
     */
    public Optional<Long> partedFrom(ClusterState other) {
        for (long base : recoveredFrom) {
            Optional<Long> there = other.lastOf(Epoch.generation(base));
            if (there.isPresent() && there.get() != base) {
                boolean isAfter = Epoch.generation(other.epoch) == Epoch.generation(base) && there.get() < base;
                return isAfter ? Optional.empty() : Optional.of(Math.min(base, there.get()));
            }
        }
        return Optional.empty();
    }

    /** Returns the last epoch of a generation in the history of this state; empty if it is unknown. */
    private Optional<Long> lastOf(int generation) {
        return generation == Epoch.generation(epoch)
                ? Optional.of(epoch)
                : recoveredFrom.stream()
                        .filter(base -> Epoch.generation(base) == generation)
                        .findFirst();
    }

    /** Returns this state without {@link #recoveredFrom}, for nodes of release 0.1.0, which cannot read it. */
    public ClusterState withoutRecoveries() {
        return new ClusterState(cluster, epoch, settings, members, slots, versions, batches, rebalance, List.of());
    }

    /** Returns the number of partitions. */
    public int partitions() {
        return versions.length;
    }

    /** Returns the number of slots of each row, vacant ones included: the wanted number of replicas. */
    public int replicationFactor() {
        return slots.width();
    }

    /**
     * Returns the number of slots of a partition that are not vacant: the number of its replicas.
     *
     * @param partition 0 to {@code partitions() - 1}
     * @return 1 to {@link #replicationFactor}
     */
    public int width(int partition) {
        return slots.width(partition);
    }

    /**
     * Returns the epoch at which a row last changed.
     *
     * @param partition 0 to {@code partitions() - 1}
     */
    public long rowVersion(int partition) {
        return versions[partition];
    }

    /**
     * Returns the slots of a partition in the order of its replicas.
     *
     * @param partition 0 to {@code partitions() - 1}
     * @return a new list of {@link #width(int)} slots
     */
    public List<Slot> row(int partition) {
        int width = width(partition);
        List<Slot> row = new ArrayList<>(width);
        for (int slot = 0; slot < width; slot++) {
            row.add(slot(partition, slot));
        }
        return row;
    }

    /**
     * Returns a slot.
     *
     * @param partition 0 to {@code partitions() - 1}
     * @param slot 0 to {@code width(partition) - 1}
     */
    public Slot slot(int partition, int slot) {
        int owner = slots.owner(partition, slot);
        Batch batch = moveOf(partition);
        return batch != null && batch.owner() == owner ? batch.slot() : new Slot(Phase.STABLE, owner, owner);
    }

    private @Nullable Batch moveOf(int partition) {
        return moving.length == 0 ? null : moving[partition];
    }

    /** Returns the batch that moves a slot of a partition; empty if all its slots are stable. */
    public Optional<Batch> batchOf(int partition) {
        return Optional.ofNullable(moveOf(partition));
    }

    /** Finds a running batch. */
    public Optional<Batch> batch(long id) {
        return batches.stream().filter(batch -> batch.id() == id).findFirst();
    }

    /** Returns whether a member owns or takes over a slot of a partition. */
    public boolean involves(int partition, int member) {
        Batch batch = moveOf(partition);
        return slots.slotOf(partition, member) >= 0 || (batch != null && batch.to() == member);
    }

    /**
     * Returns the number of partitions in which each member owns, takes over or gets a slot.
     *
     * @return the number for each member's number; the first element is unused
     */
    public int[] loads() {
        int[] loads = new int[members.size() + 1];
        for (int partition = 0; partition < versions.length; partition++) {
            int width = width(partition);
            for (int slot = 0; slot < width; slot++) {
                loads[slots.owner(partition, slot)]++;
            }
            Batch batch = moveOf(partition);
            if (batch != null && batch.phase() != Phase.FILL) {
                loads[batch.to()]++;
            }
        }
        return loads;
    }

    /** Returns the versions themselves, which the caller does not change. */
    long[] sharedVersions() {
        return versions;
    }

    /**
     * Checks every invariant. The effort is proportional to the size of the state.
     *
     * @throws IllegalArgumentException if one does not hold; the message names it
     */
    public void check() {
        new StateCheck(this).run();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ClusterState state
                && epoch == state.epoch
                && cluster.equals(state.cluster)
                && settings.equals(state.settings)
                && members.equals(state.members)
                && slots.equals(state.slots)
                && Arrays.equals(versions, state.versions)
                && batches.equals(state.batches)
                && rebalance.equals(state.rebalance)
                && recoveredFrom.equals(state.recoveredFrom);
    }

    @Override
    public int hashCode() {
        return Long.hashCode(epoch) * 31 + cluster.hashCode();
    }

    @Override
    public String toString() {
        return "ClusterState[" + cluster + " at " + Epoch.text(epoch) + ", " + members.size() + " members, " + slots
                + ", " + batches.size() + " batches]";
    }
}
