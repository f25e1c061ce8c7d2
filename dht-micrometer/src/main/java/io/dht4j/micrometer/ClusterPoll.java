package io.dht4j.micrometer;

import io.dht4j.Cluster;
import io.dht4j.NodeDiagnostics;
import io.dht4j.RepairStatus;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks a cluster for its figures, at most once a second, since each scrape reads many of them. A caller that needs a
 * newer sample waits for it until {@value #PATIENCE_MILLIS} ms after it was asked for, and then takes the last one:
 * however many figures a scrape reads, it waits no longer than that. A sample that is older than a minute counts as
 * unknown. Safe for use by any number of threads.
 */
final class ClusterPoll {

    static final long PATIENCE_MILLIS = 250;

    private static final long VALID_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long OLDEST_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS);

    private final Cluster cluster;
    private final LongSupplier nanoTime;
    private final Consumer<ClusterSample> listener;

    // Guarded by this.
    /** The last non-empty sample. */
    private ClusterSample last = ClusterSample.UNKNOWN;

    private long takenNanos;
    private boolean ended;
    private long endedNanos;
    private @Nullable CompletableFuture<ClusterSample> running;
    private long begunNanos;

    /**
     * Creates a poll that has sent no request yet.
     *
     * @param cluster the cluster
     * @param nanoTime a monotonic clock
     * @param listener receives each new sample before its waiting callers; does not throw
     */
    ClusterPoll(Cluster cluster, LongSupplier nanoTime, Consumer<ClusterSample> listener) {
        this.cluster = cluster;
        this.nanoTime = nanoTime;
        this.listener = listener;
    }

    /** Returns a sample that is about a second old at most, or the last one if a newer one takes too long. */
    ClusterSample get() {
        CompletableFuture<ClusterSample> asked;
        long remaining;
        boolean begins;
        synchronized (this) {
            long now = nanoTime.getAsLong();
            if (running == null && ended && now - endedNanos < VALID_NANOS) {
                return lastKnown();
            }
            // A call that never ends must not keep the figures from ever being asked for again.
            begins = running == null || now - begunNanos >= OLDEST_NANOS;
            asked = running == null || begins ? new CompletableFuture<>() : running;
            if (begins) {
                running = asked;
                begunNanos = now;
            }
            remaining = PATIENCE_NANOS - (now - begunNanos);
        }
        if (begins) {
            ask(asked);
        }
        if (asked.isDone() || remaining > 0) {
            await(asked, remaining);
        }
        return lastKnown();
    }

    private synchronized ClusterSample lastKnown() {
        return nanoTime.getAsLong() - takenNanos < OLDEST_NANOS ? last : ClusterSample.UNKNOWN;
    }

    private static void await(CompletableFuture<ClusterSample> asked, long nanos) {
        try {
            asked.get(Math.max(0, nanos), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (TimeoutException | ExecutionException e) {
            // The last sample replaces it; values that it lacks are not a number.
            return;
        }
    }

    private void ask(CompletableFuture<ClusterSample> asked) {
        CompletableFuture<Optional<RepairStatus>> repair =
                optional(() -> cluster.operations().repairStatus());
        optional(() -> cluster.operations().status())
                .thenCombine(
                        repair,
                        (status, progress) -> new ClusterSample(
                                status,
                                progress,
                                cluster.operations().diagnostics().map(NodeDiagnostics::gauges)))
                .exceptionally(error -> ClusterSample.UNKNOWN)
                .thenAccept(sample -> {
                    try {
                        ended(asked, sample);
                        listener.accept(sample);
                    } finally {
                        asked.complete(sample);
                    }
                });
    }

    /** Keeps a sample unless it is empty: then the one before is used until it is too old. */
    private synchronized void ended(CompletableFuture<ClusterSample> asked, ClusterSample sample) {
        long now = nanoTime.getAsLong();
        if (running == asked) {
            running = null;
            ended = true;
            endedNanos = now;
        }
        if (sample.status().isPresent()) {
            last = sample;
            takenNanos = now;
        }
    }

    private static <T> CompletableFuture<Optional<T>> optional(Supplier<CompletionStage<T>> call) {
        CompletableFuture<Optional<T>> result = new CompletableFuture<>();
        try {
            call.get().whenComplete((value, error) -> result.complete(Optional.ofNullable(value)));
        } catch (RuntimeException | Error e) {
            // For example of a client that is closed.
            result.complete(Optional.empty());
        }
        return result;
    }
}
