package io.dht4j.spring.cache;

import io.dht4j.Cluster;
import io.dht4j.DhtException;
import io.dht4j.Key;
import io.dht4j.PrintableText;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.cache.interceptor.CacheErrorHandler;
import org.springframework.cache.interceptor.CacheOperationInvoker;
import org.springframework.cache.support.AbstractValueAdaptingCache;
import org.springframework.cache.support.NullValue;

/**
 * A cache whose values are in a cluster. A value is a byte that is 0 for null and 1 otherwise, then the bytes of the
 * serializer. A value that cannot be read counts as absent. It is not evicted: another instance, with another version
 * of its class, may be able to read it. Safe for use by any number of threads.
 */
final class DhtCache extends AbstractValueAdaptingCache {

    private final String name;
    private final Cluster cluster;
    private final CacheOptions options;
    private final Executor executor;
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
     * @param executor runs blocking work, since event loops complete the calls
     * @param errorHandler the application's handler, or null; decides about calls that fail while a value is loaded
     * @param warnings receives one warning, about the first value that cannot be read
     */
    DhtCache(
            String name,
            Cluster cluster,
            CacheOptions options,
            Executor executor,
            Supplier<? extends @Nullable CacheErrorHandler> errorHandler,
            Consumer<String> warnings) {
        super(options.nullValues());
        this.name = name;
        this.cluster = cluster;
        this.options = options;
        this.executor = executor;
        this.errorHandler = errorHandler;
        this.warnings = warnings;
        this.keys = new CacheKeys(
                options.keyPrefix(),
                name,
                options.keyFormat(),
                options.atomic() ? AtomicCacheCalls.LONGEST_KEY : Key.MAX_LENGTH);
        this.calls = options.atomic()
                ? new AtomicCacheCalls(cluster, keys.all(), options)
                : new CacheCalls(cluster, keys.all(), options);
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
        return find(keys.of(key));
    }

    private @Nullable Object find(Key place) {
        return read(place, calls.await(calls.get(place)));
    }

    /** Returns on a thread of the executor. */
    private CompletableFuture<@Nullable Object> finding(Key place) {
        return calls.get(place).toCompletableFuture().thenApplyAsync(found -> read(place, found), executor);
    }

    private @Nullable Object read(Key place, Optional<byte[]> found) {
        if (found.isEmpty()) {
            return null;
        }
        try {
            return values.decode(found.get());
        } catch (IllegalStateException e) {
            if (warned.compareAndSet(false, true)) {
                warnings.accept("cache " + name + ": the value of key " + PrintableText.of(place)
                        + " cannot be read, and counts as absent until it is overwritten: "
                        + PrintableText.of(e.getMessage()));
            }
            return null;
        }
    }

    private Object write(Key place, Object stored) {
        calls.await(calls.put(place, values.encode(stored)));
        return stored;
    }

    @Override
    public void put(Object key, @Nullable Object value) {
        write(keys.of(key), stored(value));
    }

    private Object stored(@Nullable Object value) {
        return toStoreValue(value);
    }

    /** A loaded null that this cache does not keep is still returned as null. */
    @Override
    protected @Nullable Object fromStoreValue(@Nullable Object storeValue) {
        return storeValue instanceof NullValue ? null : storeValue;
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> @Nullable T get(Object key, Callable<T> valueLoader) {
        Load load = new Load(key, valueLoader);
        try {
            return (T) fromStoreValue(loaded(load));
        } catch (ValueRetrievalException e) {
            throw e;
        } catch (RuntimeException e) {
            throw CacheCalls.isInterrupt(e) ? load.settled(e) : e;
        }
    }

    private Object loaded(Load load) {
        Key place = load.place;
        if (place == null) {
            return load.run();
        }
        Object found = load.find();
        if (found != null) {
            return found;
        }
        if (loads.isOfThisThread(place)) {
            throw load.settled(recursion(load.key));
        }
        Supplier<Object> make = () -> {
            Object meanwhile = load.find();
            return meanwhile == null ? load.run() : meanwhile;
        };
        return once(place, make, () -> {
            throw load.settled(overdue(load.key));
        });
    }

    private IllegalStateException recursion(Object key) {
        return new IllegalStateException("cache " + name + ": the loader of key " + PrintableText.of(key)
                + " loads the same key, so it would wait for itself");
    }

    private IllegalStateException overdue(Object key) {
        return new IllegalStateException("cache " + name + ": two loads of key " + PrintableText.of(key)
                + " have each taken longer than " + options.loadTimeout().toMillis()
                + "ms; perhaps its loader loads the same key in another thread and so waits for itself, or needs a "
                + "longer load timeout");
    }

    /**
     * Loads the value of a key, or waits for the caller that loads it. After the timeout one of those who wait loads it
     * anyway, and the others wait for that.
     *
     * @param late called after a second timeout
     */
    private Object once(Key place, Supplier<Object> make, Supplier<Object> late) {
        CompletableFuture<Object> mine = new CompletableFuture<>();
        CompletableFuture<Object> other = loads.join(place, mine);
        if (other == null) {
            return LoadsInFlight.run(mine, make);
        }
        try {
            Object made = other.get(options.loadTimeout().toNanos(), TimeUnit.NANOSECONDS);
            return made == LoadsInFlight.NONE ? make.get() : made;
        } catch (TimeoutException e) {
            return loads.passOver(place, other) ? once(place, make, late) : late.get();
        } catch (ExecutionException e) {
            throw CacheCalls.thrown("cache " + name + ": a load failed", e);
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
        Supplier<Object> turn = () -> {
            Optional<byte[]> found = calls.await(calls.putIfAbsent(place, values.encode(stored)));
            Object there = read(place, found);
            if (there != null) {
                return there;
            }
            written[0] = true;
            // A value that cannot be read counts as absent.
            return found.isEmpty() ? stored : write(place, stored);
        };
        Object now = loads.isOfThisThread(place) ? turn.get() : once(place, turn, turn);
        return written[0] ? null : toValueWrapper(now);
    }

    @Override
    public CompletableFuture<?> retrieve(Object key) {
        return finding(keys.of(key)).thenApply(this::toValueWrapper);
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> CompletableFuture<T> retrieve(Object key, Supplier<CompletableFuture<T>> valueLoader) {
        CompletableFuture<T> result = new CompletableFuture<>();
        retrieving(key, valueLoader::get).whenComplete((stored, error) -> {
            if (error == null) {
                result.complete((T) fromStoreValue(stored));
            } else {
                result.completeExceptionally(forSpring(DhtException.unwrap(error)));
            }
        });
        return result;
    }

    /** Spring would pass an unchecked exception to the handler, and load again if that forgives it. */
    private Throwable forSpring(Throwable failure) {
        if (!(failure instanceof ValueRetrievalException settled)) {
            return failure;
        }
        Throwable cause = settled.getCause() instanceof CacheOperationInvoker.ThrowableWrapper wrapper
                ? wrapper.getOriginal()
                : Objects.requireNonNullElse(settled.getCause(), settled);
        try {
            return cause instanceof RuntimeException && errorHandler.get() != null
                    ? new ExecutionException(cause)
                    : cause;
        } catch (RuntimeException e) {
            cause.addSuppressed(e);
            return cause;
        }
    }

    private CompletableFuture<Object> retrieving(Object key, Callable<?> loader) {
        try {
            Load load = new Load(key, loader);
            Key place = load.place;
            if (place == null) {
                return load.running();
            }
            boolean isOwn = loads.isOfThisThread(place);
            return load.finding().thenCompose(found -> {
                if (found != null) {
                    return CompletableFuture.completedFuture(found);
                }
                return isOwn ? CompletableFuture.failedFuture(load.settled(recursion(key))) : loadingOnce(place, load);
            });
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private CompletableFuture<Object> loadingOnce(Key place, Load load) {
        CompletableFuture<Object> mine = new CompletableFuture<>();
        CompletableFuture<Object> other = loads.join(place, mine);
        if (other != null) {
            return other.copy()
                    .completeOnTimeout(LoadsInFlight.NONE, options.loadTimeout().toNanos(), TimeUnit.NANOSECONDS)
                    .thenComposeAsync(
                            made -> {
                                if (made != LoadsInFlight.NONE) {
                                    return CompletableFuture.completedFuture(made);
                                }
                                if (other.isDone()) {
                                    return load.running();
                                }
                                return loads.passOver(place, other)
                                        ? loadingOnce(place, load)
                                        : CompletableFuture.failedFuture(load.settled(overdue(load.key)));
                            },
                            executor);
        }
        CompletableFuture<Object> loading = CompletableFuture.completedFuture(load)
                .thenCompose(Load::finding)
                .thenCompose(
                        meanwhile -> meanwhile == null ? load.running() : CompletableFuture.completedFuture(meanwhile));
        // The caller gets the stage behind this one, so that its next retrieval does not join this load.
        return loading.whenComplete((stored, error) -> {
            if (error == null) {
                mine.complete(stored);
            } else {
                LoadsInFlight.fail(mine, DhtException.unwrap(error));
            }
        });
    }

    /**
     * A read of a key that loads an absent value. The application's handler decides about calls that fail. Spring calls
     * the handler only for exceptions that leave the cache, and runs the loader again if the handler ignores a failed
     * write. After a failed read that the handler ignores, the value counts as absent for the whole load.
     */
    private final class Load {
        private final Object key;
        /** Null for a key without a text. */
        final @Nullable Key place;

        private final Callable<?> loader;
        private volatile boolean unreachable;

        Load(Object key, Callable<?> loader) {
            this.key = key;
            this.loader = loader;
            this.place = place();
        }

        private @Nullable Key place() {
            try {
                return keys.of(key);
            } catch (RuntimeException e) {
                forgiveRead(e);
                return null;
            }
        }

        @Nullable
        Object find() {
            if (place == null || unreachable) {
                return null;
            }
            try {
                return DhtCache.this.find(place);
            } catch (RuntimeException e) {
                forgiveRead(e);
                return null;
            }
        }

        CompletableFuture<@Nullable Object> finding() {
            if (place == null || unreachable) {
                return CompletableFuture.completedFuture(null);
            }
            return DhtCache.this
                    .finding(place)
                    .exceptionallyAsync(
                            error -> {
                                forgiveRead(failure(error));
                                return null;
                            },
                            executor);
        }

        /** Runs the loader, and writes its result. */
        Object run() {
            Object value;
            try {
                value = call();
            } catch (Throwable e) {
                throw settled(e);
            }
            if (place == null) {
                return forReturn(value);
            }
            try {
                return write(place, stored(value));
            } catch (RuntimeException e) {
                forgiveWrite(e, value);
                return forReturn(value);
            }
        }

        CompletableFuture<Object> running() {
            CompletableFuture<?> made;
            try {
                made = (CompletableFuture<?>) Objects.requireNonNull(call(), "the loader returned no future");
            } catch (Throwable e) {
                made = CompletableFuture.failedFuture(e);
            }
            CompletableFuture<@Nullable Object> loaded = made.handle((value, error) -> {
                if (error != null) {
                    throw settled(DhtException.unwrap(error));
                }
                return value;
            });
            if (place == null) {
                return loaded.thenApply(this::forReturn);
            }
            return loaded.thenCompose(value -> writing(place, value)
                    .exceptionallyAsync(
                            error -> {
                                forgiveWrite(failure(error), value);
                                return forReturn(value);
                            },
                            executor));
        }

        private CompletableFuture<Object> writing(Key at, @Nullable Object value) {
            try {
                Object stored = stored(value);
                return calls.put(at, values.encode(stored))
                        .toCompletableFuture()
                        .thenApplyAsync(version -> stored, executor);
            } catch (RuntimeException e) {
                return CompletableFuture.failedFuture(e);
            }
        }

        private @Nullable Object call() throws Exception {
            return place == null ? loader.call() : loads.inThisThread(place, loader);
        }

        private Object forReturn(@Nullable Object value) {
            return value == null ? NullValue.INSTANCE : value;
        }

        private void forgiveRead(RuntimeException failure) {
            ask(failure, handler -> handler.handleCacheGetError(failure, DhtCache.this, key));
            unreachable = true;
        }

        private void forgiveWrite(RuntimeException failure, @Nullable Object value) {
            ask(failure, handler -> handler.handleCachePutError(failure, DhtCache.this, key, value));
        }

        private void ask(RuntimeException failure, Consumer<CacheErrorHandler> question) {
            CacheErrorHandler handler = errorHandler.get();
            if (handler == null || CacheCalls.isInterrupt(failure)) {
                throw failure;
            }
            try {
                question.accept(handler);
            } catch (RuntimeException e) {
                throw settled(e);
            }
        }

        private RuntimeException failure(Throwable error) {
            return DhtException.unwrap(error) instanceof RuntimeException failure
                    ? failure
                    : new IllegalStateException("a call of the cache failed", DhtException.unwrap(error));
        }

        /** Returns an exception that Spring throws as its cause, without asking the handler or running the loader. */
        ValueRetrievalException settled(Throwable outcome) {
            return new ValueRetrievalException(key, loader, outcome);
        }
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
        calls.clear(options.clearTimeout());
    }

    @Override
    public boolean invalidate() {
        return calls.clear(options.clearTimeout()) > 0;
    }
}
