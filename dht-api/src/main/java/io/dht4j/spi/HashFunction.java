package io.dht4j.spi;

/**
 * Maps keys to 64 bits, whose uppermost bits determine the partition. A pure function: the same bytes have the same
 * hash on every node and in every release. Safe for use by any number of threads; does not block or throw.
 */
public interface HashFunction {

    /**
     * Hashes an array of bytes.
     *
     * @param bytes any number of bytes, not changed
     * @return 64 evenly distributed bits
     */
    long hash(byte[] bytes);

    /**
     * Returns the function's name for the status.
     *
     * @return for example {@code xxh3}
     */
    String name();
}
