package io.dht4j.core.internal.repair.session;

import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.repair.tree.LocalReplica;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToIntFunction;

/**
 * The watermarks of both sides of a comparison, their consequences for a key, and the differing partitions. Used by one
 * thread after the other.
 */
final class ComparedPartitions {

    private final ToIntFunction<Key> partitionOf;
    private final Version seal;
    private final Map<Integer, Version> purgedThere = new ConcurrentHashMap<>();
    private final Map<Integer, Version> purgedHere = new ConcurrentHashMap<>();
    private final Map<Integer, Version> fencedThere = new ConcurrentHashMap<>();
    /** The rolled-back partitions of this node, with the highest purge watermark of the others. */
    private volatile Map<Integer, Version> rolledBack = Map.of();
    /** Whether this node, which is no replica, accepts no entries of the other one. */
    private volatile boolean sendingOnly;
    /** Whether this node copies the other one, so that it takes registers as they were accepted there. */
    private volatile boolean copying;

    // Guarded by this.
    private final PartitionSet.Builder received = PartitionSet.builder();
    private final PartitionSet.Builder differingBeforeSeal = PartitionSet.builder();
    private final PartitionSet.Builder unreconciled = PartitionSet.builder();
    private final PartitionSet.Builder lacking = PartitionSet.builder();

    ComparedPartitions(ToIntFunction<Key> partitionOf, Version seal) {
        this.partitionOf = partitionOf;
        this.seal = seal;
    }

    /**
     * The result of a comparison.
     *
     * @param received partitions in which this node has received an entry
     * @param differingBeforeSeal partitions in which one side lacked an entry older than the seal
     * @param unreconciled partitions with an entry that could not be sent to the side that lacks it
     * @param lacking the partitions among them in which this node lacks it
     */
    record Result(
            PartitionSet received, PartitionSet differingBeforeSeal, PartitionSet unreconciled, PartitionSet lacking) {}

    private int partition(Key key) {
        return partitionOf.applyAsInt(key);
    }

    private static Version of(Map<Integer, Version> versions, int partition) {
        return versions.getOrDefault(partition, LocalReplica.NO_SEAL);
    }

    /** Returns the other node's purge watermarks. */
    Map<Integer, Version> purgedThere() {
        return Map.copyOf(purgedThere);
    }

    /** Returns the other node's purge watermark of a partition. */
    Version purgedThere(int partition) {
        return of(purgedThere, partition);
    }

    /** Returns the other node's fence watermark of a partition. */
    Version fencedThere(int partition) {
        return of(fencedThere, partition);
    }

    /** Returns this node's purge watermark of a partition. */
    Version purgedHere(int partition) {
        return of(purgedHere, partition);
    }

    /** Returns the other node's fence watermark of a key's partition. */
    Version fencedThere(Key key) {
        return fencedThere(partition(key));
    }

    /** Returns this node's purge watermark of a key's partition. */
    Version purgedHere(Key key) {
        return purgedHere(partition(key));
    }

    void setPurgedThere(int partition, Version version) {
        purgedThere.put(partition, version);
    }

    void setPurgedHere(int partition, Version version) {
        purgedHere.put(partition, version);
    }

    void setFencedThere(int partition, Version version) {
        fencedThere.put(partition, version);
    }

    void setRolledBack(Map<Integer, Version> limits) {
        rolledBack = limits;
    }

    void setCopying() {
        copying = true;
    }

    boolean isCopying() {
        return copying;
    }

    void setSendingOnly() {
        sendingOnly = true;
    }

    /** Returns whether this node accepts no entries of the other one. */
    boolean isSendingOnly() {
        return sendingOnly;
    }

    /** Returns whether the other node is rolled back: its fence watermark is below this node's purge watermark. */
    boolean isRolledBackThere(int partition) {
        return fencedThere(partition).compareTo(purgedHere(partition)) < 0;
    }

    /** Returns whether the other node has the vote that this one has lost, and so is complete in a partition. */
    boolean isComplete(int partition) {
        return fencedThere(partition).compareTo(of(rolledBack, partition)) >= 0;
    }

    /** Returns whether the other node is {@linkplain #isComplete complete} in a key's partition. */
    boolean isComplete(Key key) {
        return isComplete(partition(key));
    }

    /** Returns whether this node is rolled back in a key's partition, and catches up. */
    boolean isRolledBackHere(Key key) {
        return rolledBack.containsKey(partition(key));
    }

    /**
     * Returns whether this node's disk is rolled back and an entry of this version may have been deleted and purged
     * since.
     */
    boolean mayBeDeleted(Key key, Version version) {
        return version.compareTo(of(rolledBack, partition(key))) < 0;
    }

    /**
     * Returns the version below which a key missing on the other node was deleted: its purge watermark, or, if it is
     * complete, that of the others.
     */
    Version deletedBelow(Key key) {
        Version purged = purgedThere(partition(key));
        Version limit = of(rolledBack, partition(key));
        return isComplete(key) && limit.compareTo(purged) > 0 ? limit : purged;
    }

    /** Records that a key differs; the newer of its two entries has this version. */
    synchronized void differs(Key key, Version newer) {
        if (newer.compareTo(seal) < 0) {
            differingBeforeSeal.add(partition(key));
        }
    }

    /** Records that this node has received a newer entry. */
    synchronized void received(Key key) {
        received.add(partition(key));
    }

    /** Records that a key differs and the other side refuses this node's entry. */
    synchronized void refusedThere(Key key) {
        unreconciled.add(partition(key));
    }

    /** Records that a key differs and this node refuses the other side's entry, or cannot fetch it. */
    synchronized void refusedHere(Key key) {
        unreconciled.add(partition(key));
        lacking.add(partition(key));
    }

    synchronized Result result() {
        return new Result(received.build(), differingBeforeSeal.build(), unreconciled.build(), lacking.build());
    }
}
