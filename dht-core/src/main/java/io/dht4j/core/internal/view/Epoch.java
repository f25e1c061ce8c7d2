package io.dht4j.core.internal.view;

/**
 * Composes and splits epochs, the numbers of states. An epoch packs a generation and an index into a {@code long}: 16
 * bits of generation, the highest of them 0, and 48 bits of index. Epochs are never negative, and compare as numbers.
 * Each accepted command raises the index by one. A recovery begins the next generation at index 1, since the lost
 * voters may know higher indexes of the generation before.
 */
public final class Epoch {

    /** The epoch before the cluster is formed. */
    public static final long NONE = 0;

    /** The highest generation. */
    public static final int MAX_GENERATION = Short.MAX_VALUE;

    private static final int INDEX_BITS = 48;

    /** The highest index of a generation. */
    public static final long MAX_INDEX = (1L << INDEX_BITS) - 1;

    /** The epoch of the state that forms a cluster. */
    public static final long FIRST = of(1, 1);

    private Epoch() {}

    /**
     * Returns an epoch.
     *
     * @param generation 1 to {@link #MAX_GENERATION}
     * @param index 1 to {@link #MAX_INDEX}
     * @throws IllegalArgumentException if a number is out of range
     */
    public static long of(int generation, long index) {
        if (generation < 1 || generation > MAX_GENERATION || index < 1 || index > MAX_INDEX) {
            throw new IllegalArgumentException("an epoch has a generation of 1 to " + MAX_GENERATION
                    + " and an index of 1 to " + MAX_INDEX + ", not " + generation + "." + index);
        }
        return (long) generation << INDEX_BITS | index;
    }

    /** Returns the generation of an epoch. */
    public static int generation(long epoch) {
        return (int) (epoch >>> INDEX_BITS);
    }

    /** Returns the index of an epoch. */
    public static long index(long epoch) {
        return epoch & MAX_INDEX;
    }

    /**
     * Returns the next epoch of the same generation.
     *
     * @throws IllegalArgumentException if the index is exhausted
     */
    public static long next(long epoch) {
        return of(generation(epoch), index(epoch) + 1);
    }

    /**
     * Returns the first epoch of the next generation.
     *
     * @throws IllegalArgumentException if the generations are exhausted
     */
    public static long nextGeneration(long epoch) {
        return of(generation(epoch) + 1, 1);
    }

    /** Returns whether a number is the epoch of a state. */
    public static boolean isValid(long epoch) {
        return epoch > 0 && generation(epoch) >= 1 && index(epoch) >= 1;
    }

    /** Returns an epoch in the form {@code generation.index}, for people. */
    public static String text(long epoch) {
        return generation(epoch) + "." + index(epoch);
    }
}
