package io.dht4j.spring.cache;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.KeyValue;
import io.dht4j.Scan;
import io.dht4j.ScanScope;
import io.dht4j.Value;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/** The calls of the cluster that a cache makes, each with its deadline. Safe for use by any number of threads. */
class CacheCalls {

    /** Calls end by their own timeout; this bounds the wait even for a cluster that breaks that promise. */
    private static final Duration MARGIN = Duration.ofSeconds(1);

    private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(5);
    private static final int DELETES_IN_FLIGHT = 64;

    /** Causes may form a circle. */
    private static final int MOST_CAUSES = 32;

    private final Cluster cluster;
    private final KeyRange all;
    private final CallOptions options;
    private final CallOptions writes;
    private final Duration wait;

    /**
     * Creates the calls of a cache.
     *
     * @param all the range of its keys
     */
    CacheCalls(Cluster cluster, KeyRange all, CacheOptions options) {
        this.cluster = cluster;
        this.all = all;
        this.options = options.calls();
        this.writes = options.writes();
        this.wait = this.options.timeout().orElse(DEFAULT_TIMEOUT).plus(MARGIN);
    }

    CompletionStage<Optional<byte[]>> get(Key key) {
        return cluster.get(key, options).thenApply(found -> found.map(Value::bytes));
    }

    CompletionStage<?> put(Key key, byte[] bytes) {
        return cluster.put(key, bytes, writes);
    }

    /** Writes a value if there is none, and completes with the value that is there otherwise. */
    CompletionStage<Optional<byte[]>> putIfAbsent(Key key, byte[] bytes) {
        return get(key).thenCompose(found -> found.isPresent()
                ? CompletableFuture.completedFuture(found)
                : put(key, bytes).thenApply(version -> Optional.empty()));
    }

    CompletionStage<?> delete(Key key) {
        return cluster.delete(key, options);
    }

    /** Returns the key of an entry that a scan of the keys shows. */
    Key keyOf(KeyValue entry) {
        return entry.key();
    }

    /** Waits for the end of a call. */
    <T> T await(CompletionStage<T> call) {
        return await(call, wait);
    }

    private static <T> T await(CompletionStage<T> call, Duration limit) {
        try {
            return call.toCompletableFuture().get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw thrown("a call of the cache failed", e);
        } catch (TimeoutException e) {
            throw DhtException.of(ErrorCode.INTERNAL, "the cluster has not answered the cache within " + limit)
                    .traced();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for the cluster", e);
        }
    }

    /** Returns the failure of a stage, to be thrown. That of the cluster gets the trace of the caller. */
    static RuntimeException thrown(String otherwise, ExecutionException error) {
        Throwable failure = DhtException.unwrap(error);
        if (failure instanceof DhtException known) {
            return known.traced();
        }
        return failure instanceof RuntimeException known ? known : new IllegalStateException(otherwise, failure);
    }

    /** Returns whether a failure is due to an interrupt of the thread that reports it. */
    static boolean isInterrupt(Throwable failure) {
        return Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
                .limit(MOST_CAUSES)
                .anyMatch(InterruptedException.class::isInstance);
    }

    /**
     * Deletes all keys. Blocks, at most for the limit and one call.
     *
     * @return how many there were
     * @throws DhtException if a call fails, or the limit has passed; some keys may have been deleted
     */
    long clear(Duration limit) {
        long begin = System.nanoTime();
        long deleted = 0;
        try (Scan scan = cluster.scan(all, ScanScope.CLUSTER, options)) {
            for (List<KeyValue> page = await(scan.next()); !page.isEmpty(); page = await(scan.next())) {
                for (int from = 0; from < page.size(); from += DELETES_IN_FLIGHT) {
                    if (System.nanoTime() - begin > limit.toNanos()) {
                        throw DhtException.of(
                                        ErrorCode.WRITE_INDETERMINATE,
                                        "clearing the cache has deleted " + deleted + " keys within " + limit
                                                + ", and not all")
                                .traced();
                    }
                    List<KeyValue> some = page.subList(from, Math.min(page.size(), from + DELETES_IN_FLIGHT));
                    await(CompletableFuture.allOf(some.stream()
                            .map(entry -> delete(keyOf(entry)).toCompletableFuture())
                            .toArray(CompletableFuture[]::new)));
                    deleted += some.size();
                }
            }
        }
        return deleted;
    }
}
