package io.dht4j.benchmarks.load.client;

import java.nio.charset.StandardCharsets;

/**
 * Names of keys: 16 hexadecimal digits, all different, in another order than their numbers. Ascending keys are a
 * store's easiest case, and rare in real applications.
 */
public final class KeyNames {

    /** The length of a name in characters. */
    public static final int LENGTH = 16;

    /** After a prefix, greater than every name and less than all keys with a later prefix. Needs no escaping. */
    static final String END = "g";

    /** Odd, so that multiplication is a bijection. Derived from the golden ratio, which spreads neighbours well. */
    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    private static final byte[] DIGITS = "0123456789abcdef".getBytes(StandardCharsets.ISO_8859_1);

    private KeyNames() {}

    /**
     * Returns the name of a key.
     *
     * @param key its number
     * @return a name that is unique to the number and needs no escaping
     */
    public static String of(long key) {
        byte[] name = new byte[LENGTH];
        long rest = key * SPREAD;
        for (int i = 0; i < LENGTH; i++) {
            name[i] = DIGITS[(int) (rest >>> 60)];
            rest <<= 4;
        }
        return new String(name, StandardCharsets.ISO_8859_1);
    }
}
