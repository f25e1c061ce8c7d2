package io.dht4j.core.internal.placement;

import io.dht4j.spi.PartitionTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * An immutable set of partitions, by their numbers: 0 to {@link PartitionTable#MAX_PARTITIONS} - 1. Safe for use by any
 * number of threads. No method blocks. {@link #contains} and {@link #isEmpty} allocate nothing.
 */
public final class PartitionSet {

    /** The maximum number of bytes of an {@linkplain #toBytes encoded} set. */
    public static final int MAX_BYTES = PartitionTable.MAX_PARTITIONS / Byte.SIZE;

    private static final PartitionSet EMPTY = new PartitionSet(new BitSet());

    /** Never changed. */
    private final BitSet bits;

    private final int cardinality;

    private PartitionSet(BitSet bits) {
        this.bits = bits;
        this.cardinality = bits.cardinality();
    }

    /** Takes the bits over. */
    private static PartitionSet owning(BitSet bits) {
        if (bits.length() > PartitionTable.MAX_PARTITIONS) {
            throw new IndexOutOfBoundsException("a partition has a number of 0 to "
                    + (PartitionTable.MAX_PARTITIONS - 1) + ", not " + (bits.length() - 1));
        }
        return bits.isEmpty() ? EMPTY : new PartitionSet(bits);
    }

    /** Returns the empty set. */
    public static PartitionSet empty() {
        return EMPTY;
    }

    /**
     * Returns a set of some partitions.
     *
     * @param partitions their numbers, in any order
     * @throws IndexOutOfBoundsException if a number is out of range
     */
    public static PartitionSet of(int... partitions) {
        return builder().addAll(IntStream.of(partitions)).build();
    }

    /**
     * Returns a set of some partitions.
     *
     * @param partitions their numbers, in any order
     * @throws IndexOutOfBoundsException if a number is out of range
     */
    public static PartitionSet of(Collection<Integer> partitions) {
        return builder().addAll(partitions.stream().mapToInt(Integer::intValue)).build();
    }

    /**
     * Returns the partitions with a property.
     *
     * @param count the number of partitions
     * @param property is tested once for each number from 0 to {@code count - 1}
     * @throws IndexOutOfBoundsException if there cannot be so many partitions
     */
    public static PartitionSet matching(int count, IntPredicate property) {
        return builder().addAll(IntStream.range(0, count).filter(property)).build();
    }

    /**
     * Returns a copy of a bit set.
     *
     * @param partitions a bit for each number in the set
     * @throws IndexOutOfBoundsException if a number is out of range
     */
    public static PartitionSet copyOf(BitSet partitions) {
        return owning((BitSet) partitions.clone());
    }

    /**
     * Decodes a set.
     *
     * @param bytes the bytes of {@link #toBytes}; neither changed nor retained
     * @throws IllegalArgumentException if there are more than {@link #MAX_BYTES}
     */
    public static PartitionSet parse(byte[] bytes) {
        if (bytes.length > MAX_BYTES) {
            throw new IllegalArgumentException(
                    "a set of partitions has at most " + MAX_BYTES + " bytes, not " + bytes.length);
        }
        return owning(BitSet.valueOf(bytes));
    }

    /** Returns a builder of an empty set. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns whether a partition is in the set. Any number is allowed, negative ones are not in it. */
    public boolean contains(int partition) {
        return partition >= 0 && bits.get(partition);
    }

    /** Returns whether the set has no element. */
    public boolean isEmpty() {
        return cardinality == 0;
    }

    /** Returns the number of elements. */
    public int cardinality() {
        return cardinality;
    }

    /** Returns one more than the greatest element; 0 for the empty set. */
    public int bound() {
        return bits.length();
    }

    /** Returns whether both sets have an element in common. */
    public boolean intersects(PartitionSet other) {
        return bits.intersects(other.bits);
    }

    /** Returns the elements of this set, of the other, or of both. */
    public PartitionSet union(PartitionSet other) {
        if (other.isEmpty() || isEmpty()) {
            return isEmpty() ? other : this;
        }
        BitSet both = (BitSet) bits.clone();
        both.or(other.bits);
        return owning(both);
    }

    /** Returns the elements of this set that are not in the other one. */
    public PartitionSet minus(PartitionSet other) {
        if (!intersects(other)) {
            return this;
        }
        BitSet rest = (BitSet) bits.clone();
        rest.andNot(other.bits);
        return owning(rest);
    }

    /** Returns the elements that are in both sets. */
    public PartitionSet intersection(PartitionSet other) {
        BitSet both = (BitSet) bits.clone();
        both.and(other.bits);
        return owning(both);
    }

    /** Returns the elements with a property, which is tested once for each in ascending order. */
    public PartitionSet filter(IntPredicate property) {
        return builder().addAll(stream().filter(property)).build();
    }

    /** Calls an action with each element, in ascending order. */
    public void forEach(IntConsumer action) {
        for (int i = bits.nextSetBit(0); i >= 0; i = bits.nextSetBit(i + 1)) {
            action.accept(i);
        }
    }

    /** Returns the elements in ascending order. */
    public IntStream stream() {
        return bits.stream();
    }

    /** Returns a new array of the elements in ascending order. */
    public int[] toArray() {
        return stream().toArray();
    }

    /**
     * Divides the set.
     *
     * @param size the maximum number of elements in each part, 1 or more
     * @return the parts in ascending order; all but the last one have the full size
     */
    public List<PartitionSet> chunks(int size) {
        List<PartitionSet> chunks = new ArrayList<>();
        int[] elements = toArray();
        for (int begin = 0; begin < elements.length; begin += size) {
            chunks.add(of(Arrays.copyOfRange(elements, begin, Math.min(elements.length, begin + size))));
        }
        return chunks;
    }

    /** Returns a new bit set with a bit for each element. */
    public BitSet toBitSet() {
        return (BitSet) bits.clone();
    }

    /** Returns the number of bytes of {@link #toBytes}. */
    public int encodedSize() {
        return (bits.length() + Byte.SIZE - 1) / Byte.SIZE;
    }

    /**
     * Encodes the set.
     *
     * @return a new array; bit {@code i % 8} of byte {@code i / 8} stands for partition {@code i}, the lowest bit being
     *     bit 0. The last byte is not zero
     */
    public byte[] toBytes() {
        return bits.toByteArray();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PartitionSet set && bits.equals(set.bits);
    }

    @Override
    public int hashCode() {
        return bits.hashCode();
    }

    @Override
    public String toString() {
        return stream().mapToObj(Integer::toString).collect(Collectors.joining(", ", "{", "}"));
    }

    /** Gathers the elements of a set. Not thread-safe. */
    public static final class Builder {

        private final BitSet bits = new BitSet();

        private Builder() {}

        /**
         * Adds an element.
         *
         * @throws IndexOutOfBoundsException if the number is out of range
         */
        public Builder add(int partition) {
            if (partition < 0 || partition >= PartitionTable.MAX_PARTITIONS) {
                throw new IndexOutOfBoundsException("a partition has a number of 0 to "
                        + (PartitionTable.MAX_PARTITIONS - 1) + ", not " + partition);
            }
            bits.set(partition);
            return this;
        }

        /**
         * Adds some elements.
         *
         * @throws IndexOutOfBoundsException if a number is out of range
         */
        public Builder addAll(IntStream partitions) {
            partitions.forEach(this::add);
            return this;
        }

        /** Adds the elements of a set. */
        public Builder addAll(PartitionSet partitions) {
            bits.or(partitions.bits);
            return this;
        }

        /** Returns a set of the elements added so far. The builder may be used further. */
        public PartitionSet build() {
            return copyOf(bits);
        }
    }
}
