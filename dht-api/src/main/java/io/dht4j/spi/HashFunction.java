package io.dht4j.spi;

/**
 * Maps keys to 64 bits, of which the uppermost choose the partition. Pure: the same bytes give the same hash on every
 * node, for ever. Safe for use by any number of threads; does not block or throw.
 */
public interface HashFunction {

    /**
     * Hashes bytes.
     *
     * @param bytes any number of bytes, not changed
     * @return 64 bits, spread evenly over all of them
     */
    long hash(byte[] bytes);

    /**
     * The function's name, as status shows it.
     *
     * @return for example {@code xxh3}
     */
    String name();
}
