package io.dht4j.spring.cache;

/**
 * Converts the values of a cache to bytes and back. Called on the threads of callers and of the cache manager, by
 * several at a time, with the context class loader of the thread that made the cache. There is none for Java
 * serialization: reading it may run any code on the class path, chosen by any client that can write to the cluster.
 */
public interface CacheSerializer {

    /**
     * Converts a value.
     *
     * @param value never null; nulls are kept without a serializer
     * @return its bytes, 0 up to the cluster's largest value less one
     * @throws RuntimeException if the value cannot be converted; the cache reports it and keeps no value
     */
    byte[] toBytes(Object value);

    /**
     * Converts a value back.
     *
     * @param bytes what {@link #toBytes} returned, perhaps in another process and an older version of the application
     * @return a value, never null
     * @throws RuntimeException if the bytes cannot be converted; the value counts as absent
     */
    Object fromBytes(byte[] bytes);

    /**
     * Returns the serializer of strings, as UTF-8. Refuses other values.
     *
     * @return a serializer
     */
    static CacheSerializer text() {
        return PlainSerializer.TEXT;
    }

    /**
     * Returns the serializer of byte arrays. Refuses other values.
     *
     * @return a serializer
     */
    static CacheSerializer bytes() {
        return PlainSerializer.BYTES;
    }
}
