package io.dht4j.core.internal.membership.state;

import io.dht4j.Node;
import io.dht4j.core.internal.view.Slot;
import io.dht4j.spi.PartitionTable;
import java.util.Arrays;
import java.util.function.ToIntFunction;

/**
 * The owner of each slot: a rectangle of numbers of members, a row for each partition. The last slots of a row can be
 * vacant: they have no owner yet, since the replication factor was raised. The first slot never is. Immutable.
 */
public final class SlotTable {

    private final int width;
    private final int[] owners;
    private final boolean hasVacant;

    private SlotTable(int width, int[] owners, boolean hasVacant) {
        this.width = width;
        this.owners = owners;
        this.hasVacant = hasVacant;
    }

    /**
     * Creates a table.
     *
     * @param width the number of slots of a row, 1 to {@link AgreedSettings#MAX_REPLICATION_FACTOR}
     * @param owners the rows, one after the other, with {@link Slot#NOBODY} for vacant slots; copied
     * @throws IllegalArgumentException if the width or an owner is out of range, the number of rows is no valid number
     *     of partitions, or a slot before another one, or the first one, is vacant
     */
    public static SlotTable of(int width, int[] owners) {
        return owning(width, owners.clone());
    }

    /** Takes the array over. */
    static SlotTable owning(int width, int[] owners) {
        if (width < 1 || width > AgreedSettings.MAX_REPLICATION_FACTOR || owners.length % width != 0) {
            throw new IllegalArgumentException("a row has 1 to " + AgreedSettings.MAX_REPLICATION_FACTOR
                    + " slots, and the number of slots is a multiple of it; " + owners.length
                    + " slots do not make rows of " + width);
        }
        PartitionTable.requirePartitions(owners.length / width);
        boolean hasVacant = false;
        for (int i = 0; i < owners.length; i++) {
            int owner = owners[i];
            boolean isFirst = i % width == 0;
            if (owner < (isFirst ? 1 : Slot.NOBODY) || owner > MemberList.MAX_MEMBERS) {
                throw new IllegalArgumentException(
                        "the owner of a slot is a member of number 1 to " + MemberList.MAX_MEMBERS + ", not " + owner);
            }
            if (owner != Slot.NOBODY && !isFirst && owners[i - 1] == Slot.NOBODY) {
                throw new IllegalArgumentException("partition " + i / width + " has a vacant slot before another one");
            }
            hasVacant |= owner == Slot.NOBODY;
        }
        return new SlotTable(width, owners, hasVacant);
    }

    /**
     * Returns the rows with another number of slots; added ones are vacant.
     *
     * @param wanted the number of slots of a row, 1 to {@link AgreedSettings#MAX_REPLICATION_FACTOR}, no less than the
     *     slots in use of any row
     */
    int[] resized(int wanted) {
        int[] resized = new int[partitions() * wanted];
        for (int partition = 0; partition < partitions(); partition++) {
            System.arraycopy(owners, partition * width, resized, partition * wanted, width(partition));
        }
        return resized;
    }

    /**
     * Returns the first replicas of each partition of a placement's table.
     *
     * @param table the table
     * @param width the number of replicas, 1 to the number of nodes
     * @param numbers gives the number of a node as a member
     */
    public static SlotTable of(PartitionTable table, int width, ToIntFunction<Node> numbers) {
        int[] owners = new int[table.partitions() * width];
        for (int partition = 0; partition < table.partitions(); partition++) {
            int slot = partition * width;
            for (Node node : table.replicas(partition, width)) {
                owners[slot++] = numbers.applyAsInt(node);
            }
        }
        return owning(width, owners);
    }

    /** Returns the number of slots of a row, vacant ones included. */
    public int width() {
        return width;
    }

    /**
     * Returns the number of slots of a row that have an owner, at least one.
     *
     * @param partition 0 to {@code partitions() - 1}
     */
    public int width(int partition) {
        int owned = width;
        if (hasVacant) {
            while (owners[partition * width + owned - 1] == Slot.NOBODY) {
                owned--;
            }
        }
        return owned;
    }

    /** Returns whether any slot is vacant. */
    public boolean hasVacant() {
        return hasVacant;
    }

    /** Returns the number of partitions. */
    public int partitions() {
        return owners.length / width;
    }

    /**
     * Returns the owner of a slot, or {@link Slot#NOBODY} if it is vacant.
     *
     * @param partition 0 to {@code partitions() - 1}
     * @param slot 0 to {@code width() - 1}
     */
    public int owner(int partition, int slot) {
        return owners[partition * width + slot];
    }

    /** Returns the slot that a member owns in a partition, or -1. */
    public int slotOf(int partition, int member) {
        for (int slot = 0; slot < width; slot++) {
            if (owners[partition * width + slot] == member) {
                return slot;
            }
        }
        return -1;
    }

    /** Returns a copy of all owners, row by row. */
    public int[] toArray() {
        return owners.clone();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SlotTable table && width == table.width && Arrays.equals(owners, table.owners);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(owners);
    }

    @Override
    public String toString() {
        return "SlotTable[" + partitions() + " partitions of " + width + " slots"
                + (hasVacant ? ", some of them vacant]" : "]");
    }
}
