package io.dht4j.core.internal.membership.state;

import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.view.Batch;
import io.dht4j.core.internal.view.Epoch;
import io.dht4j.core.internal.view.RebalanceSettings;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Collects the changes of one accepted command. Copies only what changes. Not thread-safe. */
public final class StateChange {

    private final ClusterState before;
    private final long epoch;
    private final List<Member> members;
    private VoterGroup voters;
    private RebalanceSettings rebalance;
    private List<Long> recoveredFrom;
    private final TreeMap<Long, Batch> batches = new TreeMap<>();
    private final BitSet changedRows = new BitSet();
    private int @Nullable [] owners;
    private int replicationFactor;

    /** Begins the change to the next epoch. */
    public StateChange(ClusterState before) {
        this(before, Epoch.next(before.epoch()));
    }

    /**
     * Begins a change.
     *
     * @param before the state before
     * @param epoch the epoch of the next state, greater than that of the state before
     */
    public StateChange(ClusterState before, long epoch) {
        this.before = before;
        this.epoch = epoch;
        this.members = new ArrayList<>(before.members().all());
        this.voters = before.members().group();
        this.rebalance = before.rebalance();
        this.recoveredFrom = before.recoveredFrom();
        this.replicationFactor = before.replicationFactor();
        before.batches().forEach(batch -> batches.put(batch.id(), batch));
    }

    /** Returns the epoch of the next state. */
    public long epoch() {
        return epoch;
    }

    /** Adds a member with the next number, or replaces the one with the same number. */
    public StateChange put(Member member) {
        if (member.number() == members.size() + 1) {
            members.add(member);
        } else {
            members.set(member.number() - 1, member);
        }
        return this;
    }

    /** Sets the voters. */
    public StateChange voters(List<Integer> numbers) {
        voters = before.members().group().with(epoch, numbers);
        return this;
    }

    /** Sets the wanted number of voters. */
    public StateChange wantVoters(int number) {
        voters = before.members().group().wanting(number);
        return this;
    }

    /** Records that the next generation continues from the state before, and discards later agreements of others. */
    public StateChange recovered() {
        List<Long> all = new ArrayList<>(recoveredFrom);
        all.add(before.epoch());
        recoveredFrom = all;
        return this;
    }

    /** Begins another group of voters. */
    public StateChange beginGroup(List<Integer> numbers) {
        voters = VoterGroup.beginning(epoch, numbers, before.members().group().wanted());
        return this;
    }

    /** Sets how fast slots move. */
    public StateChange rebalance(RebalanceSettings settings) {
        rebalance = settings;
        return this;
    }

    /** Adds or replaces a batch, and marks its rows as changed. */
    public StateChange put(Batch batch) {
        batches.put(batch.id(), batch);
        return changed(batch.partitions());
    }

    /** Ends a batch, and marks its rows as changed. */
    public StateChange end(Batch batch) {
        batches.remove(batch.id());
        return changed(batch.partitions());
    }

    /** Takes some partitions out of a batch, which ends if none is left, and marks their rows as changed. */
    public StateChange shrink(Batch batch, PartitionSet partitions) {
        PartitionSet rest = batch.partitions().minus(partitions);
        if (rest.isEmpty()) {
            batches.remove(batch.id());
        } else {
            batches.put(batch.id(), new Batch(batch.id(), batch.from(), batch.to(), rest, batch.phase()));
        }
        return changed(partitions);
    }

    /** Marks rows as changed. */
    public StateChange changed(PartitionSet partitions) {
        partitions.forEach(changedRows::set);
        return this;
    }

    /** Gives the slot of one member in each of some partitions to another, and marks their rows as changed. */
    public StateChange hand(PartitionSet partitions, int from, int to) {
        if (owners == null) {
            owners = before.slots().toArray();
        }
        int[] changed = owners;
        int width = before.slots().width();
        partitions.forEach(partition -> {
            for (int slot = partition * width; slot < (partition + 1) * width; slot++) {
                if (changed[slot] == from) {
                    changed[slot] = to;
                }
            }
        });
        return changed(partitions);
    }

    /**
     * Sets the number of slots of each row. Added slots are vacant, and only vacant ones are removed, so no row
     * changes.
     */
    public StateChange replicationFactor(int replicas) {
        owners = before.slots().resized(replicas);
        replicationFactor = replicas;
        return this;
    }

    /** Gives the first vacant slot of some partitions to a member, and marks their rows as changed. */
    public StateChange append(PartitionSet partitions, int member) {
        if (owners == null) {
            owners = before.slots().toArray();
        }
        int[] changed = owners;
        int width = before.slots().width();
        partitions.forEach(partition -> changed[partition * width + before.width(partition)] = member);
        return changed(partitions);
    }

    /**
     * Returns the next state, which shares its unchanged parts with the state before.
     *
     * @throws IllegalArgumentException if the parts of the state contradict each other
     */
    public ClusterState build() {
        long[] versions = before.sharedVersions();
        if (!changedRows.isEmpty()) {
            versions = versions.clone();
            for (int row = changedRows.nextSetBit(0); row >= 0; row = changedRows.nextSetBit(row + 1)) {
                versions[row] = epoch;
            }
        }
        return new ClusterState(
                before.cluster(),
                epoch,
                replicationFactor == before.replicationFactor()
                        ? before.settings()
                        : before.settings().withReplicationFactor(replicationFactor),
                new MemberList(members, voters),
                owners == null ? before.slots() : SlotTable.owning(replicationFactor, owners),
                versions,
                List.copyOf(batches.values()),
                rebalance,
                recoveredFrom);
    }
}
