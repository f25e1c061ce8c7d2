package io.dht4j;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A map of small values whose operations are linearizable: each takes effect at one moment between its start and its
 * end, for all callers. So conditions such as "if absent" hold. It needs a cluster whose nodes agree on one another,
 * and a majority of the replicas of a key. Maps with equal names are one map; their keys never meet plain keys.
 *
 * <p>Safe for use by any number of threads. No method blocks, except those of {@link #sync()}. Each stage completes by
 * the deadline of the options. It fails as the stages of {@link Cluster} do. An {@link IndeterminateException} names a
 * {@linkplain IndeterminateException#requestId() request id}: the same call with the same id gets the result of the
 * first one, or is executed now, never twice; {@link ErrorCode#REQUEST_FORGOTTEN} says that it came too late to know.
 * After any other {@link DhtException} nothing has changed.
 *
 * <p>A key that holds an {@linkplain AtomicCounter atomic counter} shows its decimal digits as the value.
 *
 * @param <K> the keys
 * @param <V> the values, at most {@value AtomicChange#MAX_VALUE_BYTES} bytes each
 */
public final class AtomicMap<K, V> {

    /**
     * The range of the keys of all atomic maps. A scan that begins in it shows them: as key {@code \0atomic/}, the
     * length of the map's name in one byte, the name, the key in the map; as value {@code =} and the value, or
     * {@code +} and the decimal digits of a counter. Other scans leave them out.
     */
    public static final KeyRange KEYS = KeyRange.prefix(Key.of("\0atomic/"));

    private static final int MAX_NAME_BYTES = 255;

    /** How often {@link #compute} begins, at most. */
    private static final int MOST_COMPUTATIONS = 100;

    private final Cluster cluster;
    private final String name;
    private final Codec<K> keys;
    private final Codec<V> values;
    private final CallOptions options;

    /**
     * Creates a view of a map. {@link Cluster#atomicMap} is shorter.
     *
     * @param cluster executes the operations
     * @param name the name of the map, 1 to 255 bytes in UTF-8
     * @param keys the codec of keys; a key and the name together have at most 4087 bytes
     * @param values the codec of values
     * @throws IllegalArgumentException if the name has another length, or an unpaired surrogate
     */
    public AtomicMap(Cluster cluster, String name, Codec<K> keys, Codec<V> values) {
        this(cluster, name, keys, values, CallOptions.defaults());
    }

    private AtomicMap(Cluster cluster, String name, Codec<K> keys, Codec<V> values, CallOptions options) {
        this.cluster = Objects.requireNonNull(cluster, "cluster");
        this.name = requireName(name);
        this.keys = Objects.requireNonNull(keys, "keys");
        this.values = Objects.requireNonNull(values, "values");
        this.options = Objects.requireNonNull(options, "options");
    }

    /** Returns the name of a map if it is one. */
    static String requireName(String name) {
        int bytes = Objects.requireNonNull(name, "name").getBytes(StandardCharsets.UTF_8).length;
        if (bytes < 1 || bytes > MAX_NAME_BYTES) {
            throw new IllegalArgumentException(
                    "the name of a map has 1 to " + MAX_NAME_BYTES + " bytes in UTF-8, not " + bytes);
        }
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(name)) {
            throw new IllegalArgumentException(
                    "the name of a map must be encodable as UTF-8; this one has an unpaired surrogate");
        }
        return name;
    }

    /**
     * Returns a view of the same map with other options.
     *
     * @param options timeout, time to live of values that are put, request id of the next operation and trace context;
     *     a policy or an ordering fails the operations, since they always need a majority
     * @return a new view
     */
    public AtomicMap<K, V> with(CallOptions options) {
        return new AtomicMap<>(cluster, name, keys, values, options);
    }

    /**
     * Returns the same map with methods that wait.
     *
     * @return a view with the same options
     */
    public Sync<K, V> sync() {
        return new Sync<>(this);
    }

    /**
     * Reads a key.
     *
     * @param key the key
     * @return a stage that completes with the value, a counter as decimal digits; empty if there is none
     */
    public CompletionStage<Optional<Versioned<V>>> get(K key) {
        return execute(key, AtomicChange::read, result -> result.current().map(this::decoded));
    }

    /**
     * Sets the value of a key.
     *
     * @param key the key
     * @param value the value
     * @return a stage that completes with the version of the value
     */
    public CompletionStage<Version> put(K key, V value) {
        Objects.requireNonNull(value, "value");
        return execute(key, () -> AtomicChange.put(encoded(values, value), ttlMillis(options)), AtomicResult::version);
    }

    /**
     * Sets the value of a key that has none.
     *
     * @param key the key
     * @param value the value
     * @return a stage that completes with whether it was set, and the value that is there otherwise
     */
    public CompletionStage<Put<V>> putIfAbsent(K key, V value) {
        Objects.requireNonNull(value, "value");
        return execute(key, () -> AtomicChange.putIfAbsent(encoded(values, value), ttlMillis(options)), this::put);
    }

    private static long ttlMillis(CallOptions options) {
        return options.timeToLive().map(Duration::toMillis).orElse(0L);
    }

    private Put<V> put(AtomicResult result) {
        return new Put<>(result.isDone(), result.version(), result.current().map(this::decoded));
    }

    /**
     * Sets the value of a key that has a version.
     *
     * @param key the key
     * @param expected the version that the key must have
     * @param value the value
     * @return a stage that completes with whether it was set, and the value that is there otherwise
     */
    public CompletionStage<Put<V>> replace(K key, Version expected, V value) {
        Objects.requireNonNull(expected, "expected");
        Objects.requireNonNull(value, "value");
        return execute(
                key, () -> AtomicChange.replace(expected, encoded(values, value), ttlMillis(options)), this::put);
    }

    /**
     * Removes a key, whether it has a value, a counter or nothing.
     *
     * @param key the key
     * @return a stage that completes when the key has nothing
     */
    public CompletionStage<Void> remove(K key) {
        return execute(key, AtomicChange::remove, result -> null);
    }

    /**
     * Removes a key that has a version.
     *
     * @param key the key
     * @param expected the version that the key must have
     * @return a stage that completes with whether it was removed; with false if the key has another version, or nothing
     */
    public CompletionStage<Boolean> remove(K key, Version expected) {
        Objects.requireNonNull(expected, "expected");
        return execute(key, () -> AtomicChange.remove(expected), AtomicResult::isDone);
    }

    /**
     * Sets when the value of a key expires, and leaves the value as it is. Its version changes.
     *
     * @param key the key
     * @param timeToLive how long the value lives from now on, 1 ms to {@link CallOptions#MAX_TIME_TO_LIVE}
     * @return a stage that completes with whether there was a value
     */
    public CompletionStage<Boolean> touch(K key, Duration timeToLive) {
        CallOptions checked = CallOptions.defaults().withTimeToLive(timeToLive);
        return execute(key, () -> AtomicChange.touch(ttlMillis(checked)), AtomicResult::isDone);
    }

    /**
     * Sets the value of a key to what a function makes of it. The function runs here; if the key changes meanwhile, it
     * runs again, up to 100 times. Where many callers change one key, an {@link AtomicCounter} or a {@link DhtLock} is
     * cheaper.
     *
     * @param key the key
     * @param function receives the value, or empty, and returns the new one, or empty to remove the key. It may run
     *     several times, on any thread, and must not block. The new value has the time to live of the options, whatever
     *     the old one had
     * @return a stage that completes with what the function has returned at last; fails with what the function throws,
     *     and with an {@link OverloadedException} if the key has changed each time. Each read and each write has the
     *     timeout of the options, which must not have a request id. If its outcome is unknown, no id resolves it
     */
    public CompletionStage<Optional<V>> compute(K key, Function<Optional<V>, Optional<V>> function) {
        Objects.requireNonNull(function, "function");
        if (options.requestId().isPresent()) {
            return CompletableFuture.failedFuture(new InvalidRequestException(
                    ErrorCode.BAD_REQUEST, "compute consists of several operations: it takes no request id"));
        }
        return DhtException.unwrap(compute(key, function, 1)
                .exceptionallyCompose(error -> CompletableFuture.failedFuture(
                        DhtException.unwrap(error) instanceof IndeterminateException unknown
                                ? new IndeterminateException(unknown.code(), String.valueOf(unknown.getMessage()))
                                : DhtException.unwrap(error))));
    }

    private CompletionStage<Optional<V>> compute(K key, Function<Optional<V>, Optional<V>> function, int computation) {
        return get(key).thenCompose(before -> {
            Optional<V> after = Objects.requireNonNull(
                    function.apply(before.map(Versioned::value)), "the function has returned null, not an Optional");
            return write(key, before, after).thenCompose(isDone -> {
                if (isDone) {
                    return CompletableFuture.completedFuture(after);
                }
                return computation < MOST_COMPUTATIONS
                        ? compute(key, function, computation + 1)
                        : CompletableFuture.failedFuture(new OverloadedException("nothing done: key " + key
                                + " has changed during each of " + MOST_COMPUTATIONS
                                + " computations: use an AtomicCounter, or compute while holding a DhtLock"));
            });
        });
    }

    /** Writes what was computed; completes with false if the key has changed. */
    private CompletionStage<Boolean> write(K key, Optional<Versioned<V>> before, Optional<V> after) {
        if (after.isPresent()) {
            CompletionStage<Put<V>> put = before.isPresent()
                    ? replace(key, before.get().version(), after.get())
                    : putIfAbsent(key, after.get());
            return put.thenApply(Put::isDone);
        }
        return before.isPresent() ? remove(key, before.get().version()) : CompletableFuture.completedFuture(true);
    }

    private static <T> byte[] encoded(Codec<T> codec, T value) {
        return returned(codec.encode(value), codec);
    }

    /** Returns what a codec of the application has returned, unless it is null. */
    private static <T> T returned(@Nullable T result, Codec<?> codec) {
        if (result == null) {
            throw new IllegalArgumentException("codec " + codec.name() + " has returned null");
        }
        return result;
    }

    private Versioned<V> decoded(Value value) {
        try {
            return new Versioned<>(returned(values.decode(value.bytes()), values), value.version(), value.expiresAt());
        } catch (IllegalArgumentException e) {
            throw new InvalidRequestException(
                    ErrorCode.BAD_REQUEST,
                    "a value of map " + name + " cannot be read by codec " + values.name() + ": " + e.getMessage());
        }
    }

    private <R> CompletionStage<R> execute(K key, Supplier<AtomicChange> change, Function<AtomicResult, R> read) {
        Objects.requireNonNull(key, "key");
        CompletionStage<AtomicResult> executed;
        try {
            executed = cluster.execute(name, Key.of(encoded(keys, key)), change.get(), options.withoutTimeToLive());
        } catch (DhtException e) {
            return CompletableFuture.failedFuture(e);
        } catch (IllegalArgumentException e) {
            return CompletableFuture.failedFuture(new InvalidRequestException(
                    ErrorCode.BAD_REQUEST, "key or value do not fit their codecs: " + e.getMessage()));
        }
        return DhtException.unwrap(RepeatedOperation.of(executed, options).thenApply(read));
    }

    @Override
    public String toString() {
        return "atomic map " + name;
    }

    /**
     * The result of a conditional write.
     *
     * @param isDone whether the value was set
     * @param version the version of the value that was set; otherwise the version that the key has, 0 if it has none
     * @param current the value that is there, if the condition did not hold; empty otherwise, and if there is none
     * @param <V> the values
     */
    public record Put<V>(boolean isDone, Version version, Optional<Versioned<V>> current) {

        /** Requires all. */
        public Put {
            Objects.requireNonNull(version, "version");
            Objects.requireNonNull(current, "current");
        }
    }

    /**
     * A map whose methods wait for their results, on platform and virtual threads. They do what those of
     * {@link AtomicMap} do, and throw what their stages fail with, with the stack trace of the caller. If the thread is
     * interrupted, the wait ends with an {@link IndeterminateException} without a request id, and the thread stays
     * interrupted. In an action of a stage, an observer or a listener of this library they throw an
     * {@link IllegalStateException}, and do nothing. Not for event loops of the application.
     *
     * @param <K> the keys
     * @param <V> the values
     */
    public static final class Sync<K, V> {

        private final AtomicMap<K, V> map;

        private Sync(AtomicMap<K, V> map) {
            this.map = map;
        }

        /** Reads a key, as {@link AtomicMap#get} does. */
        public Optional<Versioned<V>> get(K key) {
            return Waiting.await(() -> map.get(key));
        }

        /** Sets the value of a key, as {@link AtomicMap#put} does. */
        public Version put(K key, V value) {
            return Waiting.await(() -> map.put(key, value));
        }

        /** Sets the value of a key that has none, as {@link AtomicMap#putIfAbsent} does. */
        public Put<V> putIfAbsent(K key, V value) {
            return Waiting.await(() -> map.putIfAbsent(key, value));
        }

        /** Sets the value of a key that has a version, as {@link AtomicMap#replace} does. */
        public Put<V> replace(K key, Version expected, V value) {
            return Waiting.await(() -> map.replace(key, expected, value));
        }

        /** Removes a key, as {@link AtomicMap#remove(Object)} does. */
        public void remove(K key) {
            Waiting.await(() -> map.remove(key).thenApply(nothing -> true));
        }

        /** Removes a key that has a version, as {@link AtomicMap#remove(Object, Version)} does. */
        public boolean remove(K key, Version expected) {
            return Waiting.await(() -> map.remove(key, expected));
        }

        /** Sets when the value of a key expires, as {@link AtomicMap#touch} does. */
        public boolean touch(K key, Duration timeToLive) {
            return Waiting.await(() -> map.touch(key, timeToLive));
        }

        /** Sets the value of a key to what a function makes of it, as {@link AtomicMap#compute} does. */
        public Optional<V> compute(K key, Function<Optional<V>, Optional<V>> function) {
            return Waiting.await(() -> map.compute(key, function));
        }

        @Override
        public String toString() {
            return map.toString();
        }
    }
}
