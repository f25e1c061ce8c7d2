package io.dht4j.spring.cache;

import io.dht4j.Key;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The keys whose values are being made in this application, so that concurrent callers make each once. Holds an entry
 * for each running load, two of a key at most. Safe for use by any number of threads.
 */
final class LoadsInFlight {

    /** The placeholder for the value of a load that did not end in time, or was interrupted. */
    static final Object NONE = new Object();

    /** A loader that runs. */
    private record Running(Thread thread, Key key) {}

    private final ConcurrentMap<Key, CompletableFuture<Object>> loads = new ConcurrentHashMap<>();
    private final ConcurrentMap<Key, CompletableFuture<Object>> overdue = new ConcurrentHashMap<>();
    private final Set<Running> running = ConcurrentHashMap.newKeySet();

    /** Returns whether this thread runs the loader of a key, so that it would wait for itself. */
    boolean isOfThisThread(Key key) {
        return running.contains(new Running(Thread.currentThread(), key));
    }

    /** Runs the loader of a key. */
    @Nullable
    Object inThisThread(Key key, Callable<?> loader) throws Exception {
        Running mine = new Running(Thread.currentThread(), key);
        boolean outermost = running.add(mine);
        try {
            return loader.call();
        } finally {
            if (outermost) {
                running.remove(mine);
            }
        }
    }

    /**
     * Joins a load, or begins it.
     *
     * @param mine completed by this caller if no other caller loads the key; removed when it ends
     * @return the load of another caller, or null
     */
    @Nullable
    CompletableFuture<Object> join(Key key, CompletableFuture<Object> mine) {
        CompletableFuture<Object> current =
                loads.compute(key, (same, other) -> other == null || other.isDone() ? mine : other);
        if (current != mine) {
            return current;
        }
        mine.whenComplete((value, error) -> loads.remove(key, mine));
        return null;
    }

    /**
     * Lets callers load a key beside a load that has not ended in time. At most one such load of a key is passed over
     * while it runs: a loader that loads its own key in another thread would begin loads without end.
     *
     * @return whether the caller may join or begin another load
     */
    boolean passOver(Key key, CompletableFuture<Object> load) {
        CompletableFuture<Object> other = overdue.putIfAbsent(key, load);
        if (other != null && other != load) {
            return false;
        }
        loads.remove(key, load);
        if (other == null) {
            load.whenComplete((value, error) -> overdue.remove(key, load));
        }
        return true;
    }

    /** Runs a load in this thread, and hands its outcome to those who wait for it. */
    static Object run(CompletableFuture<Object> mine, Supplier<Object> load) {
        try {
            Object value = load.get();
            mine.complete(value);
            return value;
        } catch (Throwable e) {
            fail(mine, e);
            throw e;
        }
    }

    /** Hands a failure to those who wait, who were not interrupted themselves. */
    static void fail(CompletableFuture<Object> mine, Throwable failure) {
        if (Thread.currentThread().isInterrupted() || CacheCalls.isInterrupt(failure)) {
            mine.complete(NONE);
        } else {
            mine.completeExceptionally(failure);
        }
    }
}
