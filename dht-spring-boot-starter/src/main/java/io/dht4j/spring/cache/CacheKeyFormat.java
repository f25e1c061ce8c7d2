package io.dht4j.spring.cache;

/** Converts the keys of caches to text. Called on the threads of callers, by several at a time. */
@FunctionalInterface
public interface CacheKeyFormat {

    /**
     * Converts a key.
     *
     * @param key a key, as Spring's key generator or an expression makes it
     * @return any text without unpaired surrogates; the same for equal keys and another one for others
     * @throws IllegalArgumentException if keys of that type have no such text
     */
    String format(Object key);

    /**
     * Returns the format of the keys that Spring makes by default: strings, numbers, booleans, characters, enums,
     * {@code UUID} and dates of {@code java.time}, and lists, arrays and {@code SimpleKey}s of those.
     *
     * @return a format
     */
    static CacheKeyFormat standard() {
        return StandardKeyFormat.INSTANCE;
    }
}
