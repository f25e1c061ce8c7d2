package io.dht4j.benchmarks.load.closed;

import io.dht4j.DhtException;
import io.dht4j.lab.internal.load.LoadClient;
import io.dht4j.lab.internal.load.LoadException;
import io.dht4j.lab.internal.load.Outcome;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Reads each key once, as fast as the client answers, and counts those that are not there. */
public final class ReadBack {

    private static final int PATIENCE_SECONDS = 120;
    private static final int MOST_NAMES = 20;

    private final LoadClient client;
    private final int maxInFlight;
    private final Semaphore room;
    private final LongAdder found = new LongAdder();
    private final LongAdder absent = new LongAdder();
    // Guarded by itself.
    private final Map<String, Long> errors = new TreeMap<>();

    private ReadBack(LoadClient client, int maxInFlight) {
        this.client = client;
        this.maxInFlight = maxInFlight;
        this.room = new Semaphore(maxInFlight);
    }

    /**
     * The keys that were read.
     *
     * @param found number of keys with a value
     * @param absent number of keys without one
     * @param errors count of the failures of the other reads, by name
     */
    public record Result(long found, long absent, Map<String, Long> errors) {

        /** Keeps an unmodifiable copy. */
        public Result {
            errors = Map.copyOf(errors);
        }
    }

    /**
     * Reads the keys from 0 on. Blocks.
     *
     * @param client is called
     * @param keys number of keys, 0 or more
     * @param maxInFlight operations in flight, 1 to 1,000,000
     * @return the findings
     * @throws IOException if no read ended for two minutes
     * @throws InterruptedException if the thread is interrupted; operations in flight end on their own
     */
    public static Result of(LoadClient client, long keys, int maxInFlight) throws IOException, InterruptedException {
        if (keys < 0) {
            throw new IllegalArgumentException("keys to read back: " + keys + " is not 0 or more");
        }
        if (maxInFlight < 1 || maxInFlight > 1_000_000) {
            throw new IllegalArgumentException(
                    "operations in flight while reading back: " + maxInFlight + " is not 1 to 1,000,000");
        }
        return new ReadBack(client, maxInFlight).run(keys);
    }

    private Result run(long keys) throws IOException, InterruptedException {
        for (long key = 0; key < keys; key++) {
            await(1);
            begin(key).whenComplete(this::ended);
        }
        await(maxInFlight);
        synchronized (errors) {
            return new Result(found.sum(), absent.sum(), errors);
        }
    }

    private void await(int permits) throws IOException, InterruptedException {
        if (!room.tryAcquire(permits, PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new IOException("reading back stopped: no get has ended for " + PATIENCE_SECONDS + " s");
        }
    }

    /** Reports exceptions that a client throws against its contract. */
    private CompletionStage<Outcome> begin(long key) {
        try {
            return client.get(key);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void ended(@Nullable Outcome outcome, @Nullable Throwable error) {
        if (error != null) {
            String name = LoadException.nameOf(DhtException.unwrap(error));
            synchronized (errors) {
                errors.merge(errors.size() < MOST_NAMES || errors.containsKey(name) ? name : "other", 1L, Long::sum);
            }
        } else {
            (outcome == Outcome.DONE ? found : absent).increment();
        }
        room.release();
    }
}
