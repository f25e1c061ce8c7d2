package io.dht4j.lab.workload;

/**
 * Maps the numbers below a size one-to-one onto themselves, without order: neighbours come far apart. YCSB takes a hash
 * modulo the size instead, which gives some keys several ranks and others none. A Feistel network with cycle walking;
 * the mapping depends on the size alone. Immutable.
 */
final class Scatter {

    private static final int ROUNDS = 4;

    private final long size;
    private final int halfBits;
    private final long mask;

    Scatter(long size) {
        this.size = size;
        int bits = Long.SIZE - Long.numberOfLeadingZeros(Math.max(1, size - 1));
        this.halfBits = (bits + 1) / 2;
        this.mask = (1L << halfBits) - 1;
    }

    long of(long number) {
        long mapped = number;
        // The network permutes up to four times as many numbers. A walk from a number below the size ends below it.
        do {
            mapped = permute(mapped);
        } while (mapped >= size);
        return mapped;
    }

    private long permute(long number) {
        long left = number >>> halfBits;
        long right = number & mask;
        for (int round = 0; round < ROUNDS; round++) {
            long next = left ^ (mix(right + round * 0x9E37_79B9_7F4A_7C15L) & mask);
            left = right;
            right = next;
        }
        return left << halfBits | right;
    }

    /** The finalizer of SplittableRandom: David Stafford's variant 13 of MurmurHash3's. */
    private static long mix(long z) {
        long a = (z ^ (z >>> 30)) * 0xBF58_476D_1CE4_E5B9L;
        long b = (a ^ (a >>> 27)) * 0x94D0_49BB_1331_11EBL;
        return b ^ (b >>> 31);
    }
}
