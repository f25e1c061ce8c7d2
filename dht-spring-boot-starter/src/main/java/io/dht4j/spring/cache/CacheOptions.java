package io.dht4j.spring.cache;

import static java.util.Objects.requireNonNull;

import io.dht4j.CallOptions;
import io.dht4j.Ranges;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * Options of one cache. Immutable. Every {@code with} method returns a copy.
 *
 * @param serializer converts the values
 * @param keyFormat converts the keys
 * @param keyPrefix the prefix of every key in the cluster, 1 to 256 characters
 * @param calls policy and timeout of each call of the cluster, without a time to live
 * @param timeToLive how long a value stays, 1 millisecond to 365000 days; empty for no limit
 * @param nullValues whether the cache keeps nulls; otherwise it refuses them
 * @param loadTimeout how long a caller waits for another one that loads the same key, before it loads the value itself,
 *     or fails if two loads of the key are running, 1 millisecond to 1 hour
 * @param clearTimeout how long clearing may take, 1 millisecond to 24 hours
 * @param atomic whether the values are in an {@link io.dht4j.AtomicMap}, so that {@code putIfAbsent} is atomic across
 *     all applications. Such values have at most 65536 bytes, and the calls have no policy
 */
public record CacheOptions(
        CacheSerializer serializer,
        CacheKeyFormat keyFormat,
        String keyPrefix,
        CallOptions calls,
        Optional<Duration> timeToLive,
        boolean nullValues,
        Duration loadTimeout,
        Duration clearTimeout,
        boolean atomic) {

    private static final Duration MILLISECOND = Duration.ofMillis(1);
    private static final int MAX_PREFIX = 256;

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException if one is out of its range
     */
    public CacheOptions {
        Objects.requireNonNull(serializer, "serializer");
        Objects.requireNonNull(keyFormat, "keyFormat");
        Objects.requireNonNull(calls, "calls");
        Ranges.require("length of keyPrefix", keyPrefix.length(), 1, MAX_PREFIX);
        timeToLive.ifPresent(time -> Ranges.require("timeToLive", time, MILLISECOND, CallOptions.MAX_TIME_TO_LIVE));
        Ranges.require("loadTimeout", loadTimeout, MILLISECOND, Duration.ofHours(1));
        Ranges.require("clearTimeout", clearTimeout, MILLISECOND, Duration.ofHours(24));
    }

    /**
     * Returns the defaults: keys that begin with {@code cache:}, values without a time limit, nulls allowed, 30 seconds
     * for loads and a minute for clearing, and calls with a timeout of 5 seconds.
     *
     * @param serializer converts the values
     * @return options
     */
    public static CacheOptions of(CacheSerializer serializer) {
        return new CacheOptions(
                serializer,
                CacheKeyFormat.standard(),
                "cache:",
                CallOptions.defaults().withTimeout(Duration.ofSeconds(5)),
                Optional.empty(),
                true,
                Duration.ofSeconds(30),
                Duration.ofMinutes(1),
                false);
    }

    /**
     * Returns a copy with another time to live.
     *
     * @param time 1 millisecond to 365000 days
     * @return new options
     */
    public CacheOptions withTimeToLive(Duration time) {
        return new CacheOptions(
                serializer,
                keyFormat,
                keyPrefix,
                calls,
                Optional.of(requireNonNull(time, "time")),
                nullValues,
                loadTimeout,
                clearTimeout,
                atomic);
    }

    /**
     * Returns a copy that keeps nulls or refuses them.
     *
     * @param allowed whether nulls are kept
     * @return new options
     */
    public CacheOptions withNullValues(boolean allowed) {
        return new CacheOptions(
                serializer, keyFormat, keyPrefix, calls, timeToLive, allowed, loadTimeout, clearTimeout, atomic);
    }

    /**
     * Returns a copy with another time to wait for a load.
     *
     * @param time 1 millisecond to 1 hour
     * @return new options
     */
    public CacheOptions withLoadTimeout(Duration time) {
        return new CacheOptions(
                serializer, keyFormat, keyPrefix, calls, timeToLive, nullValues, time, clearTimeout, atomic);
    }

    /**
     * Returns a copy with other options of calls.
     *
     * @param options policy and timeout
     * @return new options
     */
    public CacheOptions withCalls(CallOptions options) {
        return new CacheOptions(
                serializer, keyFormat, keyPrefix, options, timeToLive, nullValues, loadTimeout, clearTimeout, atomic);
    }

    /**
     * Returns a copy whose values are in an atomic map, or not.
     *
     * @param isAtomic whether {@code putIfAbsent} is atomic across all applications
     * @return new options
     */
    public CacheOptions withAtomic(boolean isAtomic) {
        return new CacheOptions(
                serializer, keyFormat, keyPrefix, calls, timeToLive, nullValues, loadTimeout, clearTimeout, isAtomic);
    }

    /** Returns the options of calls that write a value. */
    CallOptions writes() {
        return timeToLive.map(calls::withTimeToLive).orElse(calls);
    }
}
