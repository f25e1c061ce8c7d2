package io.dht4j.spring.cache;

import io.dht4j.Cluster;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;
import org.springframework.cache.interceptor.CacheErrorHandler;

/**
 * Caches that keep their values in a cluster, so that all applications of the cluster share them. Safe for use by any
 * number of threads. Every call ends by its deadline.
 *
 * <ul>
 *   <li>A failed call of the cluster is thrown as a {@link io.dht4j.DhtException}. Spring passes it to the
 *       application's {@code CacheErrorHandler}, which by default throws it. Within a load the cache asks the handler
 *       itself.
 *   <li>{@code get(key, loader)} and {@code putIfAbsent} take turns within an application. Between applications the
 *       last write wins: two may load the same key, or both put a value that was absent.
 *   <li>A loader that loads its own key in its own thread is refused with an {@code IllegalStateException}, which is
 *       the cause of the exception of {@code get(key, loader)}. One that does so in another thread, and waits for it,
 *       ends with such an exception after twice the load timeout: a key has two running loads at most, and a caller
 *       that has waited for the second one for the load timeout fails.
 *   <li>A value that cannot be read, such as one of a class that has changed, counts as absent until it is overwritten.
 *       The first one of a cache is logged.
 *   <li>Futures complete on threads of the manager, which run the loaders of {@code retrieve(key, loader)} too. They
 *       have the context class loader of the thread that created the manager.
 *   <li>{@code clear} removes the values of the cache with a scan. A value that is put during it may stay.
 * </ul>
 */
public final class DhtCacheManager implements CacheManager {

    private static final Logger LOG = LoggerFactory.getLogger(DhtCacheManager.class);

    /** Loaders may block. */
    private static final int MIN_THREADS = 8;

    private final Map<String, Cache> caches;

    private DhtCacheManager(Map<String, Cache> caches) {
        this.caches = caches;
    }

    /**
     * Creates the caches. Does not block.
     *
     * @param cluster keeps the values; owned by the caller, which closes it after the last use of the caches
     * @param caches the caches' names, and their options
     * @return a manager of these caches and no others
     */
    public static DhtCacheManager of(Cluster cluster, Map<String, CacheOptions> caches) {
        return of(cluster, caches, () -> null);
    }

    /**
     * Creates caches that ask a handler when a call of the cluster fails within {@code get(key, loader)} or
     * {@code retrieve(key, loader)}, as with {@code sync = true}. If the handler returns, the value is loaded, and
     * returned although the cache does not keep it; the loader runs once. An exception of the handler is the cause of a
     * {@code ValueRetrievalException}, or of the {@code ExecutionException} of the future: Spring throws it without
     * asking the handler again. So are unchecked exceptions of the loader; with its errors and checked exceptions the
     * future fails as they are, as it does with all if there is no handler. Other methods throw, and Spring asks the
     * handler. An interrupt ends {@code get(key, loader)} without a question, by a {@code ValueRetrievalException}; a
     * caller that waits for the load of the interrupted thread loads the value itself.
     *
     * @param cluster keeps the values; owned by the caller, which closes it after the last use of the caches
     * @param caches the caches' names, and their options
     * @param errorHandler the handler of the application, asked for at each failure; null if there is none, so that
     *     failures are thrown
     * @return a manager of these caches and no others
     */
    public static DhtCacheManager of(
            Cluster cluster,
            Map<String, CacheOptions> caches,
            Supplier<? extends @Nullable CacheErrorHandler> errorHandler) {
        Map<String, Cache> made = new LinkedHashMap<>();
        Executor executor = executor();
        caches.forEach((name, options) ->
                made.put(name, new DhtCache(name, cluster, options, executor, errorHandler, LOG::warn)));
        return new DhtCacheManager(Collections.unmodifiableMap(made));
    }

    /**
     * Returns the threads of asynchronous calls: on two processors or fewer, the JDK would start one for each stage.
     * They end when they are idle, so they need no close. A loader that waits for another one's future is compensated
     * for by a further thread, which a pool of fixed size would not do.
     */
    private static Executor executor() {
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        int threads = Math.max(MIN_THREADS, Runtime.getRuntime().availableProcessors());
        return new ForkJoinPool(
                threads,
                pool -> {
                    ForkJoinWorkerThread thread = ForkJoinPool.defaultForkJoinWorkerThreadFactory.newThread(pool);
                    thread.setName("dht4j-cache");
                    thread.setContextClassLoader(loader);
                    return thread;
                },
                null,
                true);
    }

    @Override
    public @Nullable Cache getCache(String name) {
        return caches.get(name);
    }

    @Override
    public Collection<String> getCacheNames() {
        return caches.keySet();
    }
}
