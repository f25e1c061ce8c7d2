package io.dht4j.core.internal.hash;

import io.dht4j.spi.HashFunction;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * SipHash-2-4 (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012). Without the secret key, an attacker
 * cannot find keys of the same partition. The hashing library has no keyed function with that property, so it is
 * implemented here from the paper and verified by the paper's test vectors.
 */
public final class SipHash implements HashFunction {

    /** The length of a secret key in bytes. */
    public static final int KEY_BYTES = 16;

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final long key0;
    private final long key1;

    /**
     * Creates a function with a secret key.
     *
     * @param key {@value #KEY_BYTES} bytes, copied
     * @throws IllegalArgumentException if it has another length
     */
    public SipHash(byte[] key) {
        if (key.length != KEY_BYTES) {
            throw new IllegalArgumentException("a SipHash key has " + KEY_BYTES + " bytes, not " + key.length);
        }
        this.key0 = (long) LONGS.get(key, 0);
        this.key1 = (long) LONGS.get(key, Long.BYTES);
    }

    @Override
    public long hash(byte[] bytes) {
        long v0 = key0 ^ 0x736f6d6570736575L;
        long v1 = key1 ^ 0x646f72616e646f6dL;
        long v2 = key0 ^ 0x6c7967656e657261L;
        long v3 = key1 ^ 0x7465646279746573L;
        int whole = bytes.length & -Long.BYTES;
        // Each word takes two rounds; the last holds the remaining bytes and, uppermost, the length. After it follow an
        // empty word, marked in v2, and two more rounds: four rounds to finish.
        for (int at = 0; at <= whole + Long.BYTES; at += Long.BYTES) {
            boolean finish = at > whole;
            long word = finish ? 0 : at < whole ? (long) LONGS.get(bytes, at) : lastWord(bytes, whole);
            if (finish) {
                v2 ^= 0xff;
            }
            v3 ^= word;
            for (int round = finish ? 4 : 2; round > 0; round--) {
                v0 += v1;
                v2 += v3;
                v1 = Long.rotateLeft(v1, 13) ^ v0;
                v3 = Long.rotateLeft(v3, 16) ^ v2;
                v0 = Long.rotateLeft(v0, 32);
                v2 += v1;
                v0 += v3;
                v1 = Long.rotateLeft(v1, 17) ^ v2;
                v3 = Long.rotateLeft(v3, 21) ^ v0;
                v2 = Long.rotateLeft(v2, 32);
            }
            v0 ^= word;
        }
        return v0 ^ v1 ^ v2 ^ v3;
    }

    private static long lastWord(byte[] bytes, int from) {
        long word = (long) bytes.length << 56;
        for (int i = from; i < bytes.length; i++) {
            word |= (bytes[i] & 0xffL) << ((i - from) * Byte.SIZE);
        }
        return word;
    }

    @Override
    public String name() {
        return "siphash";
    }

    @Override
    public String toString() {
        return name();
    }
}
