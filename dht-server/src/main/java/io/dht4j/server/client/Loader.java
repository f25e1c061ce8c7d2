package io.dht4j.server.client;

import io.dht4j.AtomicChange;
import io.dht4j.AtomicResult;
import io.dht4j.DhtException;
import io.dht4j.Key;
import io.dht4j.RequestId;
import io.dht4j.spi.FileFailure;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.LongConsumer;

/**
 * Writes a file's entries with a bounded number of requests and of bytes in flight.
 *
 * <p>A write whose failure may pass (too few replicas, an unreachable node) is sent again, up to {@value #ATTEMPTS}
 * times. A write that an overloaded node refuses is sent again until no write has succeeded for a minute. Each time the
 * pause doubles, up to two seconds. It is at least as long as the node requests, and varies randomly, so that the
 * requests do not all return together. One load at a time.
 */
public final class Loader {

    /** The most requests in flight. */
    public static final int MAX_PARALLEL = 1024;

    private static final int ATTEMPTS = 10;
    /** The bound on values in flight, in units of 1 KiB. */
    private static final int MAX_KIB = 64 << 10;

    private final Target target;
    private final int parallel;
    private final Semaphore requests;
    private final Function<Duration, Executor> after;
    private final Duration patience;
    private final Semaphore kib = new Semaphore(MAX_KIB);
    /** The last write in flight of each key, so that of several entries with one key the last one takes effect. */
    private final ConcurrentMap<Key, CompletableFuture<Void>> lastOfKey = new ConcurrentHashMap<>();

    private volatile long succeededNanos = System.nanoTime();
    /** The first failure; incomplete while there is none. */
    private final CompletableFuture<ClientException> failure = new CompletableFuture<>();

    /** Entries that were not written because their keys had something. */
    private final AtomicLong present = new AtomicLong();

    /**
     * The result of a load.
     *
     * @param written entries that the cluster has acknowledged
     * @param expired entries that were left out because they had expired
     * @param present entries that were left out because their keys had something, if that matters
     */
    public record Result(long written, long expired, long present) {}

    /** Writes an entry. */
    @FunctionalInterface
    private interface Target {

        /**
         * Starts a write.
         *
         * @param ttlMillis how long the entry stays readable; empty for no limit
         * @param again the id of the write, if it was attempted before with an unknown outcome
         * @return completes with whether the entry was written
         */
        CompletableFuture<Boolean> write(Item item, OptionalLong ttlMillis, Optional<RequestId> again);
    }

    /**
     * Creates a loader.
     *
     * @param client where to write
     * @param parallel how many requests may be in flight, 1 to {@value #MAX_PARALLEL}
     */
    public Loader(DhtClient client, int parallel) {
        this(client, parallel, AskedPolicy.DEFAULT);
    }

    /**
     * Creates a loader with a policy of its own.
     *
     * @param client where to write
     * @param parallel how many requests may be in flight, 1 to {@value #MAX_PARALLEL}
     * @param policy how many replicas must confirm each entry
     */
    public Loader(DhtClient client, int parallel, AskedPolicy policy) {
        this(plain(client, policy), parallel, BackOff.PATIENCE, Loader::later);
    }

    /**
     * Creates a loader into an atomic map, which writes only keys that have nothing.
     *
     * @param client where to write
     * @param map the name of the map
     * @param parallel how many requests may be in flight, 1 to {@value #MAX_PARALLEL}
     * @return the loader
     */
    public static Loader ifAbsent(DhtClient client, String map, int parallel) {
        return new Loader(absent(client, map), parallel, BackOff.PATIENCE, Loader::later);
    }

    /**
     * Creates a loader into an atomic map with the pauses of a test.
     *
     * @param after runs something after a pause
     */
    static Loader ifAbsent(DhtClient client, String map, int parallel, Function<Duration, Executor> after) {
        return new Loader(absent(client, map), parallel, BackOff.PATIENCE, after);
    }

    private static Target plain(DhtClient client, AskedPolicy policy) {
        return (item, ttl, again) ->
                client.put(item.key(), item.value(), policy, ttl).thenApply(nothing -> true);
    }

    private static Target absent(DhtClient client, String map) {
        return (item, ttl, again) -> client.execute(
                        map, item.key(), AtomicChange.putIfAbsent(item.value(), ttl.orElse(0)), again)
                .thenApply(AtomicResult::isDone);
    }

    /**
     * Creates a loader of a snapshot, whose entries may be those of atomic maps.
     *
     * @param client where to write
     * @param parallel how many requests may be in flight, 1 to {@value #MAX_PARALLEL}
     * @param policy how many replicas must confirm each plain entry
     * @return the loader
     */
    public static Loader ofSnapshot(DhtClient client, int parallel, AskedPolicy policy) {
        Target plain = plain(client, policy);
        return new Loader(
                (item, ttl, again) -> {
                    Optional<AtomicItem> atomic = AtomicItem.of(item);
                    return atomic.isPresent() ? atomic.get().write(client, ttl) : plain.write(item, ttl, again);
                },
                parallel,
                BackOff.PATIENCE,
                Loader::later);
    }

    private static Executor later(Duration pause) {
        return CompletableFuture.delayedExecutor(pause.toMillis(), TimeUnit.MILLISECONDS);
    }

    /**
     * Creates a loader with the pauses of a test.
     *
     * @param patience how long overload may last
     * @param after runs something after a pause
     */
    Loader(DhtClient client, int parallel, AskedPolicy policy, Duration patience, Function<Duration, Executor> after) {
        this(plain(client, policy), parallel, patience, after);
    }

    private Loader(Target target, int parallel, Duration patience, Function<Duration, Executor> after) {
        if (parallel < 1 || parallel > MAX_PARALLEL) {
            throw new IllegalArgumentException("parallel must be 1 to " + MAX_PARALLEL + ", not " + parallel);
        }
        this.target = target;
        this.parallel = parallel;
        this.requests = new Semaphore(parallel);
        this.patience = patience;
        this.after = after;
    }

    /**
     * Writes all lines. Blocks until all writes are acknowledged, or until the writes in flight at the first failure
     * have ended.
     *
     * @param in the lines; not closed
     * @param name what to call the input in messages, a file's name for example
     * @param format their format
     * @param progress receives the number of bytes read so far
     * @return the result
     * @throws IOException if reading fails
     * @throws ClientException if a line is malformed or cannot be written; the message names input and line
     * @throws InterruptedException if the thread was interrupted
     */
    public Result load(InputStream in, String name, ItemFormat format, LongConsumer progress)
            throws IOException, ClientException, InterruptedException {
        return load(lines(in, name, format), progress);
    }

    /**
     * Writes all items. Blocks until all writes are acknowledged, or until the writes in flight at the first failure
     * have ended.
     *
     * @param items what to write
     * @param progress receives the number of bytes read so far
     * @return the result
     * @throws IOException if reading fails
     * @throws ClientException if an entry is malformed or cannot be written; the message names its place
     * @throws InterruptedException if the thread was interrupted
     */
    public Result load(ItemSource items, LongConsumer progress)
            throws IOException, ClientException, InterruptedException {
        long sent = 0;
        long expired = 0;
        present.set(0);
        succeededNanos = System.nanoTime();
        try {
            Optional<Item> next = items.next();
            while (next.isPresent() && !failure.isDone()) {
                Item item = next.get();
                long now = System.currentTimeMillis();
                OptionalLong expiry = item.expiresAtMillis();
                if (expiry.isPresent() && expiry.getAsLong() <= now) {
                    expired++;
                } else {
                    OptionalLong ttl =
                            expiry.isPresent() ? OptionalLong.of(expiry.getAsLong() - now) : OptionalLong.empty();
                    send(item, ttl, items.place());
                    sent++;
                }
                progress.accept(items.bytesRead());
                next = items.next();
            }
        } catch (InterruptedException e) {
            failure.complete(new ClientException("interrupted")); // No request is repeated.
            throw e;
        } finally {
            requests.acquire(parallel); // No write is in flight.
            requests.release(parallel);
        }
        if (failure.isDone()) {
            throw failure.join();
        }
        return new Result(sent - present.get(), expired, present.get());
    }

    private static ItemSource lines(InputStream in, String name, ItemFormat format) {
        LineReader lines = new LineReader(in);
        return new ItemSource() {
            @Override
            public Optional<Item> next() throws IOException, ClientException {
                Optional<byte[]> line;
                try {
                    do {
                        line = lines.next();
                    } while (line.filter(each -> isBlank(each, format)).isPresent());
                } catch (IOException e) {
                    throw new IOException(name + ": " + FileFailure.inWords(e), e);
                } catch (ClientException e) {
                    throw new ClientException(name + " " + e.getMessage());
                }
                if (line.isEmpty()) {
                    return Optional.empty();
                }
                try {
                    return Optional.of(format.parse(line.get()));
                } catch (ClientException e) {
                    throw new ClientException(place() + ": " + e.getMessage());
                }
            }

            @Override
            public String place() {
                return name + " line " + lines.lineNumber();
            }

            @Override
            public long bytesRead() {
                return lines.bytesRead();
            }
        };
    }

    /** Returns whether a line has no entry. Editors and concatenated files leave such lines. */
    private static boolean isBlank(byte[] line, ItemFormat format) {
        for (byte each : line) {
            if (each != ' ' && each != '\r' && (each != '\t' || format == ItemFormat.TSV)) {
                return false;
            }
        }
        return true;
    }

    private void send(Item item, OptionalLong ttl, String place) throws InterruptedException {
        int cost = Math.min(MAX_KIB, 1 + item.value().length / 1024);
        requests.acquire();
        try {
            kib.acquire(cost);
        } catch (InterruptedException e) {
            requests.release();
            throw e;
        }
        CompletableFuture<Void> written = new CompletableFuture<>();
        CompletableFuture<Void> before = lastOfKey.put(item.key(), written);
        CompletableFuture<Void> begin = before == null ? CompletableFuture.completedFuture(null) : before;
        begin.thenCompose(nothing -> write(item, ttl, 1, Optional.empty())).whenComplete((nothing, error) -> {
            if (error != null) {
                failure.complete(new ClientException(
                        place + ": " + DhtException.unwrap(error).getMessage()));
            }
            lastOfKey.remove(item.key(), written);
            kib.release(cost);
            requests.release();
            // Also after a failure: the writes that wait for it must end.
            written.complete(null);
        });
    }

    private CompletableFuture<Void> write(Item item, OptionalLong ttl, int attempt, Optional<RequestId> again) {
        return target.write(item, ttl, again)
                .handle((isWritten, error) -> {
                    if (error == null) {
                        succeededNanos = System.nanoTime();
                        if (!isWritten) {
                            present.incrementAndGet();
                        }
                        return CompletableFuture.<Void>completedFuture(null);
                    }
                    if (failure.isDone()
                            || !(DhtException.unwrap(error) instanceof ClientException cause)
                            || !mayBeSentAgain(cause, attempt)) {
                        return CompletableFuture.<Void>failedFuture(error);
                    }
                    return CompletableFuture.supplyAsync(
                                    () -> write(
                                            item,
                                            ttl,
                                            attempt + 1,
                                            cause.requestId().or(() -> again)),
                                    after.apply(BackOff.pause(attempt, cause.retryAfter())))
                            .thenCompose(stage -> stage);
                })
                .thenCompose(stage -> stage);
    }

    private boolean mayBeSentAgain(ClientException cause, int attempt) {
        return cause.isOverload()
                ? System.nanoTime() - succeededNanos < patience.toNanos()
                : cause.isWorthRepeating() && attempt < ATTEMPTS;
    }
}
