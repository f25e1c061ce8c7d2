package io.dht4j.lab.internal.load.closed;

import io.dht4j.lab.internal.load.Conditions;
import io.dht4j.lab.internal.load.Latency;
import io.dht4j.lab.internal.load.LoadClient;
import io.dht4j.lab.internal.load.LoadDriver;
import io.dht4j.lab.internal.load.LoadResult;
import io.dht4j.lab.internal.load.LoadSpec;
import io.dht4j.lab.internal.load.OperationStarter;
import io.dht4j.lab.internal.load.open.HostNoise;
import io.dht4j.lab.internal.load.open.Tally;
import io.dht4j.lab.internal.load.open.ValidityWarnings;
import io.dht4j.lab.workload.KeySpace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;
import java.util.stream.Stream;

/**
 * A closed loop: {@link LoadSpec#maxInFlight()} operations are in flight at all times, and each is followed by the
 * next. It measures the highest rate at that concurrency. A latency counts from the actual begin. A slow answer delays
 * the next operation instead of adding to its latency, so percentiles omit the waits of an open loop (<em>coordinated
 * omission</em>).
 *
 * <p>Operations that begin in the counted time count, until their end. Safe for use by any number of threads, though
 * runs at the same time disturb each other.
 */
public final class ClosedLoop implements LoadDriver {

    /** No operation blocks, so threads end at once; this is only a bound. */
    private static final int END_SECONDS = 5;

    private static final double P99 = 99;

    private final LoadClient client;
    private final Duration drain;
    private final LongFunction<KeySpace> keys;
    private final Runnable beforeThreadsEnd;

    /**
     * Creates a load for a client.
     *
     * @param client closed by the caller
     * @param drain bound on the wait for operations in flight at the end, longer than the client's timeout. Those that
     *     last longer count as failed, as {@code never ended}
     * @param keys the keys of a load by their number, to which earlier loads may have added
     * @param beforeThreadsEnd reads counters of this process: runs on the caller's thread when no operation is in
     *     flight, before the load's threads end, since before Java 21 a JVM forgets what an ended thread allocated
     */
    public ClosedLoop(LoadClient client, Duration drain, LongFunction<KeySpace> keys, Runnable beforeThreadsEnd) {
        this.client = client;
        this.drain = drain;
        this.keys = keys;
        this.beforeThreadsEnd = beforeThreadsEnd;
    }

    /**
     * {@inheritDoc}
     *
     * @throws IllegalArgumentException if the load has a rate
     * @throws IllegalStateException if a thread of the load failed by an error of this program
     */
    @Override
    public LoadResult run(LoadSpec spec) throws InterruptedException {
        if (!spec.closedLoop()) {
            throw new IllegalArgumentException("a closed loop has no rate, such as " + spec.perSecond());
        }
        Semaphore room = new Semaphore(spec.maxInFlight());
        Tally tally = new Tally(
                spec.operation().workload(client.valueSizes()).mix().percent().keySet());
        ExecutorService threads = Executors.newFixedThreadPool(spec.threads(), work -> {
            Thread thread = new Thread(work, "load");
            thread.setDaemon(true);
            return thread;
        });
        try {
            long origin = System.nanoTime();
            List<Future<Long>> begun = begin(spec, room, tally, threads, origin);
            TimeUnit.NANOSECONDS.sleep(origin + LoopThread.nanos(spec.warmUpSeconds()) - System.nanoTime());
            HostNoise noise = new HostNoise();
            client.takeWaits();
            client.takeConnectionWaits();
            long counted = 0;
            for (Future<Long> each : begun) {
                counted += each.get();
            }
            // Completions return the permits: all are available when no operation is in flight.
            boolean ended = room.tryAcquire(spec.maxInFlight(), drain.toNanos(), TimeUnit.NANOSECONDS);
            beforeThreadsEnd.run();
            return result(spec, counted, tally, ended, noise);
        } catch (ExecutionException e) {
            throw new IllegalStateException("a thread of the load failed: " + e.getCause(), e.getCause());
        } finally {
            end(threads);
        }
    }

    /** Starts the threads, each with its share of the operations in flight. */
    private List<Future<Long>> begin(LoadSpec spec, Semaphore room, Tally tally, ExecutorService threads, long origin) {
        KeySpace space = keys.apply(spec.keys());
        SplittableRandom random = new SplittableRandom(spec.seed());
        List<LoopThread> loops = new ArrayList<>();
        for (int i = 0; i < spec.threads(); i++) {
            loops.add(new LoopThread(spec, room, tally, origin));
        }
        for (int i = 0; i < spec.maxInFlight(); i++) {
            loops.get(i % loops.size()).add(new OperationStarter(client, spec.operation(), space, random.nextLong()));
        }
        return loops.stream().map(threads::submit).toList();
    }

    /** No operation begins after this returns. */
    private static void end(ExecutorService threads) {
        threads.shutdownNow();
        try {
            threads.awaitTermination(END_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private LoadResult result(LoadSpec spec, long begun, Tally tally, boolean ended, HostNoise noise) {
        long served = tally.served();
        long neverEnded = ended ? 0 : begun - served - tally.failed();
        tally.neverEnded(neverEnded);
        Latency latency = tally.latency();
        ValidityWarnings doubts = new ValidityWarnings();
        doubts.stolen(noise.stolenPercent());
        doubts.gc(noise.gcMillis(), noise.elapsedMillis());
        doubts.waits(client.takeWaits().getValueAtPercentile(P99) / 1e3, latency.micros(P99));
        doubts.connectionWaits(client.takeConnectionWaits().getValueAtPercentile(P99) / 1e3, latency.micros(P99));
        doubts.neverEnded(neverEnded);
        doubts.absent(tally.absent(), tally.reads());
        double lastSeconds = (tally.lastServedNanos() - LoopThread.nanos(spec.warmUpSeconds())) / 1e9;
        return new LoadResult(
                spec,
                Math.max(spec.seconds(), lastSeconds),
                begun,
                served,
                begun - served,
                0,
                tally.absent(),
                tally.errorsByName(),
                latency,
                tally.latencyByKind(),
                // A wait for the generator's own client lowers the rate of a closed loop too.
                new Conditions(
                        noise.stolenPercent(),
                        noise.gcMillis(),
                        0,
                        Stream.concat(doubts.found().stream(), doubts.foundOfLatency().stream())
                                .toList(),
                        List.of()));
    }
}
