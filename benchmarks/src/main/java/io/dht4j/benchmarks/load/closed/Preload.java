package io.dht4j.benchmarks.load.closed;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.lab.internal.load.LoadClient;
import io.dht4j.lab.internal.load.LoadException;
import io.dht4j.lab.internal.load.Outcome;
import io.dht4j.lab.workload.SizeChooser;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Writes each key once, as fast as the client takes them: a fixed number of operations is in flight, and each that ends
 * starts the next.
 */
public final class Preload {

    private static final int ATTEMPTS = 6;

    /**
     * The pause before the second attempt; it doubles for each next one, since a store that merges large values may
     * refuse writes for seconds.
     */
    private static final long RETRY_MILLIS = 200;

    private static final int PATIENCE_SECONDS = 120;
    private static final int MOST_IN_FLIGHT = 128;
    private static final int BYTES_IN_FLIGHT = 8 << 20;

    private final LoadClient client;
    private final int maxInFlight;
    private final Semaphore room;
    private final AtomicReference<@Nullable String> failure = new AtomicReference<>();

    private Preload(LoadClient client, int maxInFlight) {
        this.client = client;
        this.maxInFlight = maxInFlight;
        this.room = new Semaphore(maxInFlight);
    }

    /**
     * The written keys.
     *
     * @param keys number of acknowledged keys
     * @param seconds elapsed time
     */
    public record Filled(long keys, double seconds) {}

    /**
     * Returns how many values to write at a time.
     *
     * @param valueBytes size of the largest
     * @return 1 to 128: fewer for large values, which would time out in each other's queue
     */
    public static int inFlight(int valueBytes) {
        return Math.max(1, Math.min(MOST_IN_FLIGHT, BYTES_IN_FLIGHT / Math.max(1, valueBytes)));
    }

    /**
     * Puts each of some keys, and repeats a failed put a few times. Blocks.
     *
     * @param client receives the puts
     * @param first the first key; 0 or more
     * @param keys number of consecutive keys; 0 or more
     * @param maxInFlight operations in flight; 1 to 1,000,000
     * @throws IOException if a put failed to the end, or none ended for two minutes; some keys are written then
     * @throws InterruptedException if the thread is interrupted; operations in flight end by themselves
     */
    public static Filled fill(LoadClient client, long first, long keys, int maxInFlight)
            throws IOException, InterruptedException {
        if (first < 0) {
            throw new IllegalArgumentException("first key to fill: " + first + " is not 0 or more");
        }
        if (keys < 0) {
            throw new IllegalArgumentException("keys to fill: " + keys + " is not 0 or more");
        }
        if (maxInFlight < 1 || maxInFlight > 1_000_000) {
            throw new IllegalArgumentException(
                    "operations in flight while filling: " + maxInFlight + " is not 1 to 1,000,000");
        }
        long begin = System.nanoTime();
        new Preload(client, maxInFlight).run(first, keys);
        return new Filled(keys, (System.nanoTime() - begin) / 1e9);
    }

    private void run(long first, long keys) throws IOException, InterruptedException {
        SizeChooser sizes = client.valueSizes().chooser(first);
        for (long key = first; key < first + keys; key++) {
            await(1);
            put(key, sizes.next(), 1);
        }
        await(maxInFlight);
    }

    private void await(int permits) throws IOException, InterruptedException {
        if (!room.tryAcquire(permits, PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new IOException("filling stopped: no put has ended for " + PATIENCE_SECONDS + " s");
        }
        String failed = failure.get();
        if (failed != null) {
            throw new IOException(failed);
        }
    }

    private void put(long key, int valueBytes, int attempt) {
        begin(key, valueBytes).whenComplete((outcome, error) -> {
            if (error == null) {
                room.release();
            } else if (attempt < ATTEMPTS && !isFinal(error)) {
                later(attempt).execute(() -> put(key, valueBytes, attempt + 1));
            } else {
                failure.compareAndSet(
                        null,
                        "filling stopped: key number " + key + " could not be written in " + attempt
                                + (attempt == 1 ? " attempt: " : " attempts: ")
                                + LoadException.nameOf(error) + ": "
                                + DhtException.unwrap(error).getMessage());
                room.release();
            }
        });
    }

    /**
     * Returns whether the node would refuse a repetition too. Over HTTP, the name of a failure begins with the status.
     */
    private static boolean isFinal(Throwable error) {
        String name = LoadException.nameOf(error);
        return Stream.of(ErrorCode.values())
                .anyMatch(code -> code.action() == ErrorCode.Action.FIX_REQUEST && name.endsWith(code.name()));
    }

    /** Reports exceptions that a client throws against its contract, which a timer's thread would lose. */
    private CompletionStage<Outcome> begin(long key, int valueBytes) {
        try {
            return client.put(key, valueBytes);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static Executor later(int attempt) {
        return CompletableFuture.delayedExecutor(RETRY_MILLIS << (attempt - 1), TimeUnit.MILLISECONDS);
    }
}
