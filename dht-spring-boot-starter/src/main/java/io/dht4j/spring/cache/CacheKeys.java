package io.dht4j.spring.cache;

import io.dht4j.Key;
import io.dht4j.KeyRange;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** The keys of one cache in the cluster: a prefix, the cache's name, and the key's text. */
final class CacheKeys {

    private final String prefix;
    private final CacheKeyFormat format;
    private final int longest;
    private final KeyRange all;

    CacheKeys(String keyPrefix, String cache, CacheKeyFormat format, int longest) {
        // The end of a name is certain, so no cache's keys are among those of another.
        String name = keyPrefix + cache.replace("%", "%25").replace(":", "%3A");
        this.prefix = name + ":";
        this.format = format;
        this.longest = longest;
        this.all = KeyRange.between(Key.of(prefix), Key.of(name + ";"));
    }

    /** Returns the key in the cluster. A text that is too long for one is replaced by its SHA-256. */
    Key of(Object key) {
        String text = format.format(key);
        byte[] bytes = (prefix + text).getBytes(StandardCharsets.UTF_8);
        return bytes.length <= longest ? Key.of(prefix + text) : Key.of(prefix + "#" + sha256(bytes));
    }

    /** Returns the range of all keys of this cache, and of none other. */
    KeyRange all() {
        return all;
    }

    private static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }
}
