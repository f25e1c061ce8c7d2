package io.dht4j.spring.cache;

import java.util.Arrays;
import org.springframework.cache.support.NullValue;

/** Converts the values of a cache, nulls among them, to what the cluster keeps. */
final class CachedValues {

    private static final byte NULL = 0;
    private static final byte VALUE = 1;

    private final String cache;
    private final CacheSerializer serializer;
    private final boolean nullValues;

    CachedValues(String cache, CacheSerializer serializer, boolean nullValues) {
        this.cache = cache;
        this.serializer = serializer;
        this.nullValues = nullValues;
    }

    /**
     * Converts a value.
     *
     * @throws IllegalArgumentException if the serializer refuses it; the message names the cache
     */
    byte[] encode(Object stored) {
        if (stored instanceof NullValue) {
            return new byte[] {NULL};
        }
        byte[] bytes;
        try {
            bytes = serializer.toBytes(stored);
        } catch (RuntimeException e) {
            throw new IllegalArgumentException("cache " + cache + ": " + e.getMessage(), e);
        }
        byte[] marked = new byte[bytes.length + 1];
        marked[0] = VALUE;
        System.arraycopy(bytes, 0, marked, 1, bytes.length);
        return marked;
    }

    /**
     * Converts a value back.
     *
     * @throws IllegalStateException if it cannot be read, for whatever reason
     */
    Object decode(byte[] bytes) {
        if (bytes.length == 1 && bytes[0] == NULL) {
            if (!nullValues) {
                throw new IllegalStateException("it is null, and the cache keeps no nulls");
            }
            return NullValue.INSTANCE;
        }
        if (bytes.length == 0 || bytes[0] != VALUE) {
            throw new IllegalStateException("it was not written by a cache");
        }
        Object value;
        try {
            value = serializer.fromBytes(Arrays.copyOfRange(bytes, 1, bytes.length));
        } catch (RuntimeException | LinkageError | StackOverflowError e) {
            throw new IllegalStateException(e.toString(), e);
        }
        if (value == null) {
            throw new IllegalStateException("its serializer returned null");
        }
        return value;
    }
}
