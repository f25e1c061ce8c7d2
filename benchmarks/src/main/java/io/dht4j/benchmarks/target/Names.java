package io.dht4j.benchmarks.target;

import java.nio.charset.StandardCharsets;

/**
 * Names of keys: 16 hexadecimal digits, all different, and in another order than the numbers that they are made of,
 * since the keys of real applications seldom come in ascending order, which is a store's easiest case.
 */
public final class Names {

    /** How many characters a name has. */
    public static final int LENGTH = 16;

    /**
     * Odd, so that multiplying by it gives each number another one. The golden ratio's, which spreads neighbours well.
     */
    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    private static final byte[] DIGITS = "0123456789abcdef".getBytes(StandardCharsets.ISO_8859_1);

    private Names() {}

    /**
     * The name of a key.
     *
     * @param key its number
     * @return the same for the same number, another one for any other; characters that need no escaping anywhere
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
