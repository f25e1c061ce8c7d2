package io.dht4j.examples.client;

import io.dht4j.DhtException;
import io.dht4j.Key;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

/**
 * Writes a file's entries with a bounded number of requests and of bytes under way. What fails in a way that may pass (a
 * busy node, too few replicas) is sent again, up to {@value #ATTEMPTS} times. One load at a time.
 */
public final class Loader {

    /** The most requests under way. */
    public static final int MAX_PARALLEL = 1024;

    private static final int ATTEMPTS = 10;
    private static final long FIRST_PAUSE_MILLIS = 50;
    private static final long LONGEST_PAUSE_MILLIS = 2_000;
    /** Values under way, in units of 1 KiB. */
    private static final int MAX_KIB = 64 << 10;

    private final DhtClient client;
    private final int parallel;
    private final AskedPolicy policy;
    private final Semaphore requests;
    private final Semaphore kib = new Semaphore(MAX_KIB);
    /** The last write of each key that is under way, so that of several entries with one key the last one counts. */
    private final ConcurrentMap<Key, CompletableFuture<Void>> lastOfKey = new ConcurrentHashMap<>();
    /** The first failure; while there is none, not done. */
    private final CompletableFuture<ClientException> failure = new CompletableFuture<>();

    /**
     * What a load has done.
     *
     * @param written entries that the cluster has acknowledged
     * @param expired entries that were left out because their time was over
     */
    public record Result(long written, long expired) {}

    /**
     * A loader.
     *
     * @param client where to write
     * @param parallel how many requests may be under way, 1 to {@value #MAX_PARALLEL}
     */
    public Loader(DhtClient client, int parallel) {
        this(client, parallel, AskedPolicy.DEFAULT);
    }

    /**
     * A loader with a policy of its own.
     *
     * @param client where to write
     * @param parallel how many requests may be under way, 1 to {@value #MAX_PARALLEL}
     * @param policy how many replicas must confirm each entry
     */
    public Loader(DhtClient client, int parallel, AskedPolicy policy) {
        if (parallel < 1 || parallel > MAX_PARALLEL) {
            throw new IllegalArgumentException("parallel must be 1 to " + MAX_PARALLEL + ", not " + parallel);
        }
        this.client = client;
        this.parallel = parallel;
        this.policy = policy;
        this.requests = new Semaphore(parallel);
    }

    /**
     * Writes everything. Blocks until it is acknowledged, or until what was under way at the first failure has ended.
     *
     * @param in the lines; not closed
     * @param format their format
     * @param progress is told the bytes read so far
     * @return what was done
     * @throws IOException if reading fails
     * @throws ClientException if a line is malformed or cannot be written; the message names the line
     * @throws InterruptedException if the thread was interrupted
     */
    public Result load(InputStream in, ItemFormat format, LongConsumer progress)
            throws IOException, ClientException, InterruptedException {
        return load(lines(in, format), progress);
    }

    /**
     * Writes everything. Blocks until it is acknowledged, or until what was under way at the first failure has ended.
     *
     * @param items what to write
     * @param progress is told the bytes read so far
     * @return what was done
     * @throws IOException if reading fails
     * @throws ClientException if an entry is malformed or cannot be written; the message names its place
     * @throws InterruptedException if the thread was interrupted
     */
    public Result load(ItemSource items, LongConsumer progress)
            throws IOException, ClientException, InterruptedException {
        long sent = 0;
        long expired = 0;
        try {
            Optional<Item> next = items.next();
            while (next.isPresent() && !failure.isDone()) {
                Item item = next.get();
                OptionalLong ttl = OptionalLong.empty();
                if (item.expiresAtMillis().isPresent()) {
                    ttl = OptionalLong.of(item.expiresAtMillis().getAsLong() - System.currentTimeMillis());
                }
                if (ttl.isPresent() && ttl.getAsLong() < 1) {
                    expired++;
                } else {
                    send(item, ttl, items.place());
                    sent++;
                }
                progress.accept(items.bytesRead());
                next = items.next();
            }
        } catch (InterruptedException e) {
            failure.complete(new ClientException("interrupted")); // Nothing is tried again.
            throw e;
        } finally {
            requests.acquire(parallel); // Nothing is under way any more.
            requests.release(parallel);
        }
        if (failure.isDone()) {
            throw failure.join();
        }
        return new Result(sent, expired);
    }

    private static ItemSource lines(InputStream in, ItemFormat format) {
        LineReader lines = new LineReader(in);
        return new ItemSource() {
            @Override
            public Optional<Item> next() throws IOException, ClientException {
                Optional<byte[]> line = lines.next();
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
                return "line " + lines.lineNumber();
            }

            @Override
            public long bytesRead() {
                return lines.bytesRead();
            }
        };
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
        begin.thenCompose(nothing -> write(item, ttl, 1)).whenComplete((nothing, error) -> {
            if (error != null) {
                failure.complete(new ClientException(
                        place + ": " + DhtException.unwrap(error).getMessage()));
            }
            lastOfKey.remove(item.key(), written);
            kib.release(cost);
            requests.release();
            // Also after a failure: what waits for it must end.
            written.complete(null);
        });
    }

    private CompletableFuture<Void> write(Item item, OptionalLong ttl, int attempt) {
        return client.put(item.key(), item.value(), policy, ttl)
                .handle((nothing, error) -> {
                    if (error == null) {
                        return CompletableFuture.<Void>completedFuture(null);
                    }
                    boolean again = attempt < ATTEMPTS
                            && !failure.isDone()
                            && DhtException.unwrap(error) instanceof ClientException cause
                            && cause.isWorthRepeating();
                    if (!again) {
                        return CompletableFuture.<Void>failedFuture(error);
                    }
                    long pause = Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << attempt);
                    Executor later = CompletableFuture.delayedExecutor(pause, TimeUnit.MILLISECONDS);
                    return CompletableFuture.supplyAsync(() -> write(item, ttl, attempt + 1), later)
                            .thenCompose(stage -> stage);
                })
                .thenCompose(stage -> stage);
    }
}
