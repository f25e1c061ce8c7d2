package io.dht4j.spring.cache;

import io.dht4j.Cluster;
import io.dht4j.DhtException;
import io.dht4j.Key;
import io.dht4j.PrintableText;
import io.dht4j.Value;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.cache.interceptor.CacheErrorHandler;
import org.springframework.cache.support.AbstractValueAdaptingCache;

/**
 * A cache whose values are in a cluster. A value is a byte that is 0 for null and 1 otherwise, then the bytes of the
 * serializer. A value that cannot be read is evicted and counts as absent, since no later read would succeed either.
 * Safe for use by any number of threads.
 */
final class DhtCache extends AbstractValueAdaptingCache {

    private final String name;
    private final Cluster cluster;
    private final CacheOptions options;
    private final Supplier<? extends @Nullable CacheErrorHandler> errorHandler;
    private final Consumer<String> warnings;
    private final AtomicBoolean warned = new AtomicBoolean();
    private final CacheKeys keys;
    private final CacheCalls calls;
    private final CachedValues values;
    private final LoadsInFlight loads = new LoadsInFlight();

    /**
     * Creates a cache.
     *
     * @param errorHandler the application's handler, or null; decides about calls that fail while a value is loaded
     * @param warnings takes one warning, about the first value that cannot be read
     */
    DhtCache(
            String name,
            Cluster cluster,
            CacheOptions options,
            Supplier<? extends @Nullable CacheErrorHandler> errorHandler,
            Consumer<String> warnings) {
        super(options.nullValues());
        this.name = name;
        this.cluster = cluster;
        this.options = options;
        this.errorHandler = errorHandler;
        this.warnings = warnings;
        this.keys = new CacheKeys(options.keyPrefix(), name, options.keyFormat());
        this.calls = new CacheCalls(cluster, options);
        this.values = new CachedValues(name, options.serializer(), options.nullValues());
    }

    @Override
    public String getName() {
        return name;
    }

    @Override
    public Object getNativeCache() {
        return cluster;
    }

    @Override
    protected @Nullable Object lookup(Object key) {
        return find(key, keys.of(key));
    }

    private @Nullable Object find(Object key, Key place) {
        Optional<Value> found = calls.await(calls.get(place));
        if (found.isEmpty()) {
            return null;
        }
        try {
            return values.decode(found.get().bytes());
        } catch (IllegalStateException e) {
            calls.await(calls.delete(place));
            warn(key, e);
            return null;
        }
    }

    /** Returns on a thread of a shared pool, since what depends on it may block, and event loops must not. */
    private CompletableFuture<@Nullable Object> finding(Object key, Key place) {
        return calls.get(place).toCompletableFuture().thenComposeAsync(found -> {
            try {
                return CompletableFuture.completedFuture(
                        found.isEmpty() ? null : values.decode(found.get().bytes()));
            } catch (IllegalStateException e) {
                return calls.delete(place).toCompletableFuture().thenApplyAsync(deleted -> {
                    warn(key, e);
                    return null;
                });
            }
        });
    }

    private void warn(Object key, IllegalStateException unreadable) {
        if (warned.compareAndSet(false, true)) {
            warnings.accept("cache " + name
                    + ": a value could not be read, and was evicted to be loaded again; its key " + "is a "
                    + key.getClass().getTypeName() + ": " + PrintableText.of(unreadable.getMessage()));
        }
    }

    private Object write(Key key, Object stored) {
        calls.await(calls.put(key, values.encode(stored)));
        return stored;
    }

    @Override
    public void put(Object key, @Nullable Object value) {
        write(keys.of(key), stored(value));
    }

    private Object stored(@Nullable Object value) {
        return toStoreValue(value);
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> @Nullable T get(Object key, Callable<T> valueLoader) {
        Key place = keys.of(key);
        Object found = find(key, place);
        if (found == null) {
            found = once(place, () -> {
                Object meanwhile = find(key, place);
                return meanwhile == null ? load(key, place, valueLoader) : meanwhile;
            });
        }
        return (T) fromStoreValue(found);
    }

    private Object load(Object key, Key place, Callable<?> valueLoader) {
        Object value;
        try {
            value = valueLoader.call();
        } catch (Throwable e) {
            throw new ValueRetrievalException(key, valueLoader, e);
        }
        return write(place, stored(value));
    }

    /** Makes the value of a key, or waits for the caller that makes it; after the timeout makes it all the same. */
    private Object once(Key place, Supplier<Object> make) {
        CompletableFuture<Object> mine = new CompletableFuture<>();
        CompletableFuture<Object> other = loads.join(place, mine);
        if (other == null) {
            return LoadsInFlight.run(mine, make);
        }
        try {
            return other.get(options.loadTimeout().toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            return make.get();
        } catch (ExecutionException e) {
            if (DhtException.unwrap(e) instanceof RuntimeException failure) {
                throw failure;
            }
            throw new IllegalStateException("cache " + name + ": a load failed", DhtException.unwrap(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("cache " + name + ": interrupted while waiting for a load", e);
        }
    }

    @Override
    public @Nullable ValueWrapper putIfAbsent(Object key, @Nullable Object value) {
        Key place = keys.of(key);
        Object stored = stored(value);
        boolean[] written = new boolean[1];
        Object now = once(place, () -> {
            Object found = find(key, place);
            if (found != null) {
                return found;
            }
            written[0] = true;
            return write(place, stored);
        });
        return written[0] ? null : toValueWrapper(now);
    }

    @Override
    public CompletableFuture<?> retrieve(Object key) {
        return finding(key, keys.of(key)).thenApply(this::toValueWrapper);
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> CompletableFuture<T> retrieve(Object key, Supplier<CompletableFuture<T>> valueLoader) {
        Key place = keys.of(key);
        return finding(key, place)
                .thenCompose(found ->
                        found == null ? loadingOnce(key, place, valueLoader) : CompletableFuture.completedFuture(found))
                .thenApply(stored -> (T) fromStoreValue(stored));
    }

    private CompletableFuture<Object> loadingOnce(
            Object key, Key place, Supplier<? extends CompletableFuture<?>> valueLoader) {
        CompletableFuture<Object> mine = new CompletableFuture<>();
        CompletableFuture<Object> other = loads.join(place, mine);
        if (other != null) {
            return other.copy()
                    .orTimeout(options.loadTimeout().toNanos(), TimeUnit.NANOSECONDS)
                    .exceptionallyCompose(error -> DhtException.unwrap(error) instanceof TimeoutException
                            ? loading(place, valueLoader)
                            : CompletableFuture.failedFuture(error));
        }
        CompletableFuture<Object> load = CompletableFuture.completedFuture(place)
                .thenCompose(at -> finding(key, at))
                .thenCompose(meanwhile ->
                        meanwhile == null ? loading(place, valueLoader) : CompletableFuture.completedFuture(meanwhile));
        load.whenComplete((stored, error) -> {
            if (error == null) {
                mine.complete(stored);
            } else {
                mine.completeExceptionally(DhtException.unwrap(error));
            }
        });
        return load;
    }

    private CompletableFuture<Object> loading(Key place, Supplier<? extends CompletableFuture<?>> valueLoader) {
        return valueLoader
                .get()
                .thenApply(this::stored)
                .thenCompose(stored -> calls.put(place, values.encode(stored)).thenApplyAsync(version -> stored));
    }

    @Override
    public void evict(Object key) {
        calls.await(calls.delete(keys.of(key)));
    }

    @Override
    public boolean evictIfPresent(Object key) {
        Key place = keys.of(key);
        boolean present = calls.await(calls.get(place)).isPresent();
        calls.await(calls.delete(place));
        return present;
    }

    @Override
    public void clear() {
        calls.clear(keys.all(), options.clearTimeout());
    }

    @Override
    public boolean invalidate() {
        return calls.clear(keys.all(), options.clearTimeout()) > 0;
    }
}
