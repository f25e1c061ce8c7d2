package io.dht4j.spring.cache;

import io.dht4j.spring.cache.TypeNames.OtherTypeException;
import java.util.Arrays;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.cache.support.NullValue;

/** Converts the values of a cache, nulls included, to the values in the cluster. */
final class CachedValues {

    private static final byte NULL = 0;
    private static final byte VALUE = 1;

    private final String cache;
    private final CacheSerializer serializer;
    private final boolean nullValues;

    /** That of the application, which serializers may find classes by; threads of pools may have another one. */
    private final @Nullable ClassLoader loader = Thread.currentThread().getContextClassLoader();

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
            bytes = inApplication(() -> serializer.toBytes(stored));
        } catch (OtherTypeException e) {
            throw new IllegalArgumentException(
                    "cache " + cache + ": " + e.getMessage() + ": set dht4j.cache.caches." + cache
                            + ".value-type to the type of the values",
                    e);
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
     * @throws IllegalStateException if it cannot be read for any reason
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
            value = inApplication(() -> serializer.fromBytes(Arrays.copyOfRange(bytes, 1, bytes.length)));
        } catch (RuntimeException | LinkageError | StackOverflowError e) {
            throw new IllegalStateException(e.toString(), e);
        }
        if (value == null) {
            throw new IllegalStateException("its serializer returned null");
        }
        return value;
    }

    private <T> T inApplication(Supplier<T> conversion) {
        Thread thread = Thread.currentThread();
        ClassLoader usual = thread.getContextClassLoader();
        thread.setContextClassLoader(loader);
        try {
            return conversion.get();
        } finally {
            thread.setContextClassLoader(usual);
        }
    }
}
