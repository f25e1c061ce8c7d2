package io.dht4j.spring.boot;

import io.dht4j.CallOptions;
import io.dht4j.Ranges;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties {@code dht4j.cache.*}. Immutable. White space around texts is stripped, but for the prefix of keys.
 *
 * @param names Names of caches that have the defaults.
 * @param caches Caches by name, with what differs from the defaults.
 * @param keyPrefix What the keys of all caches begin with in the cluster, 1 to 256 characters, spaces included.
 * @param timeToLive How long a value stays, 1 millisecond to 365000 days. Default: for ever.
 * @param nullValues Whether caches keep nulls.
 * @param valueType Canonical or binary name of the type of the values. Values of java.lang.String and byte[] are kept
 *     as they are, others as JSON, by Jackson.
 * @param loadTimeout How long a caller waits for another one that loads the same key, 1 millisecond to 1 hour. Then it
 *     loads the value too, or fails if two loads of the key are running.
 * @param clearTimeout How long clearing a cache may take, 1 millisecond to 24 hours.
 */
@ConfigurationProperties("dht4j.cache")
public record DhtCacheProperties(
        @DefaultValue List<String> names,
        @DefaultValue Map<String, Settings> caches,
        @DefaultValue("cache:") String keyPrefix,
        @Nullable Duration timeToLive,
        @DefaultValue("true") boolean nullValues,
        @DefaultValue("java.lang.String") String valueType,
        @DefaultValue("30s") Duration loadTimeout,
        @DefaultValue("1m") Duration clearTimeout) {

    /** Checks the ranges and keeps copies of the collections. */
    public DhtCacheProperties {
        names = DhtProperties.stripped(names);
        caches = Map.copyOf(caches);
        valueType = valueType.strip();
        int length = keyPrefix.length();
        StartException.check(
                "dht4j.cache.key-prefix", () -> Ranges.require("length of dht4j.cache.key-prefix", length, 1, 256));
        requireTimeToLive("dht4j.cache.time-to-live", timeToLive);
        caches.forEach(
                (name, cache) -> requireTimeToLive("dht4j.cache.caches." + name + ".time-to-live", cache.timeToLive()));
        require("dht4j.cache.load-timeout", loadTimeout, Duration.ofHours(1));
        require("dht4j.cache.clear-timeout", clearTimeout, Duration.ofHours(24));
    }

    /**
     * What differs from the defaults for one cache.
     *
     * @param timeToLive How long a value stays, 1 millisecond to 365000 days.
     * @param nullValues Whether the cache keeps nulls.
     * @param valueType Canonical or binary name of the type of the values, such as com.example.Book,
     *     com.example.Outer.Inner or java.util.List&lt;com.example.Book&gt;.
     * @param serializer Name of a bean of type CacheSerializer, in place of a value type.
     * @param atomic Whether putIfAbsent is atomic across all applications. The values have at most 65536 bytes then,
     *     and the nodes must agree on one another.
     */
    public record Settings(
            @Nullable Duration timeToLive,
            @Nullable Boolean nullValues,
            @Nullable String valueType,
            @Nullable String serializer,
            @DefaultValue("false") boolean atomic) {

        /** Strips the texts. */
        public Settings {
            valueType = DhtProperties.stripped(valueType);
            serializer = DhtProperties.stripped(serializer);
        }

        static final Settings NONE = new Settings(null, null, null, null, false);
    }

    /** Returns all caches, by name. */
    Map<String, Settings> all() {
        Map<String, Settings> all = new LinkedHashMap<>();
        names.forEach(name -> all.put(name, Settings.NONE));
        all.putAll(caches);
        return all;
    }

    private static void requireTimeToLive(String property, @Nullable Duration value) {
        if (value != null) {
            require(property, value, CallOptions.MAX_TIME_TO_LIVE);
        }
    }

    private static void require(String property, Duration value, Duration most) {
        StartException.check(property, () -> Ranges.require(property, value, Duration.ofMillis(1), most));
    }
}
