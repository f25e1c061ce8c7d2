package io.dht4j.lab.internal.load.open;

import io.dht4j.lab.internal.load.Conditions;
import io.dht4j.lab.internal.load.Latency;
import io.dht4j.lab.internal.load.LoadClient;
import io.dht4j.lab.internal.load.LoadDriver;
import io.dht4j.lab.internal.load.LoadResult;
import io.dht4j.lab.internal.load.LoadSpec;
import io.dht4j.lab.internal.load.OperationStarter;
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
import org.HdrHistogram.Histogram;

/**
 * An open-loop load: the times of operations are fixed before the first one begins, and a slow server leaves the load
 * as it is. A latency counts from the <em>intended</em> begin, so a pause shows in all operations that fall into it,
 * not only in those in flight (Gil Tene's <em>coordinated omission</em>).
 *
 * <p>Operations have equal distances, and are assigned to the threads round-robin. A late thread begins all due
 * operations at once. Operations count as not sent if {@link LoadSpec#maxInFlight()} others are in flight, or if the
 * generator is too late for them, {@linkplain #givingUpAfter by default} by more than a second. The
 * {@linkplain Conditions#doubts() doubts} of a run list the reasons to distrust its figures;
 * {@code docs/reference/bench.md} has the bounds.
 *
 * <p>Safe for use by any number of threads, though runs at the same time disturb each other.
 */
public final class OpenLoad implements LoadDriver {

    private static final Duration DRAIN = Duration.ofMinutes(2);
    private static final Duration GIVE_UP = Duration.ofSeconds(1);

    /** The lead in which all threads get ready for the first operation. */
    private static final long START_NANOS = 20_000_000;

    /** No operation blocks, so threads end at once; this is only a bound. */
    private static final int END_SECONDS = 5;

    private static final double NANOS_PER_MILLI = 1e6;
    private static final double P99 = 99;

    private final LoadClient client;
    private final Duration drain;
    private final Duration giveUp;
    private final LongFunction<KeySpace> keys;
    private final Runnable beforeThreadsEnd;

    private OpenLoad(
            LoadClient client,
            Duration drain,
            Duration giveUp,
            LongFunction<KeySpace> keys,
            Runnable beforeThreadsEnd) {
        this.client = client;
        this.drain = drain;
        this.giveUp = giveUp;
        this.keys = keys;
        this.beforeThreadsEnd = beforeThreadsEnd;
    }

    /**
     * Creates a load for a client whose operations end within two minutes.
     *
     * @param client closed by the caller
     */
    public static OpenLoad on(LoadClient client) {
        return new OpenLoad(client, DRAIN, GIVE_UP, KeySpace::new, () -> {});
    }

    /**
     * Returns a copy with another bound on the wait for operations in flight at the end. Those that last longer count
     * as failed, as {@code never ended}.
     *
     * @param bound longer than the client's timeout
     */
    public OpenLoad drainingFor(Duration bound) {
        return new OpenLoad(client, bound, giveUp, keys, beforeThreadsEnd);
    }

    /**
     * Returns a copy with another bound on lateness; later operations count as not sent. A generator that falls behind
     * must end, and never follow its own pause with a burst.
     *
     * @param lateness after the intended begin of an operation, above zero
     * @throws IllegalArgumentException if it is zero or less
     */
    public OpenLoad givingUpAfter(Duration lateness) {
        if (lateness.isNegative() || lateness.isZero()) {
            throw new IllegalArgumentException("lateness must be above zero, not " + lateness);
        }
        return new OpenLoad(client, drain, lateness, keys, beforeThreadsEnd);
    }

    /**
     * Returns a copy for keys that earlier loads may have added to. By default each load has keys of its own.
     *
     * @param space which replaces the number of {@link LoadSpec#keys()}
     */
    public OpenLoad over(KeySpace space) {
        return new OpenLoad(client, drain, giveUp, count -> space, beforeThreadsEnd);
    }

    /**
     * Returns a copy that reads counters of this process at the end of a load. Before Java 21 a JVM forgets what an
     * ended thread allocated, and the calls of a load allocate on its threads.
     *
     * @param reading runs on the caller's thread when no operation is in flight, before the load's threads end
     */
    public OpenLoad beforeThreadsEnd(Runnable reading) {
        return new OpenLoad(client, drain, giveUp, keys, reading);
    }

    /**
     * {@inheritDoc}
     *
     * @throws IllegalArgumentException if the load has no rate
     * @throws IllegalStateException if a thread of the load failed by an error of this program
     */
    @Override
    public LoadResult run(LoadSpec spec) throws InterruptedException {
        if (spec.closedLoop()) {
            throw new IllegalArgumentException("an open loop needs a rate");
        }
        Schedule schedule = Schedule.of(spec);
        Semaphore room = new Semaphore(spec.maxInFlight());
        KeySpace space = keys.apply(spec.keys());
        Tally tally = new Tally(
                spec.operation().workload(client.valueSizes()).mix().percent().keySet());
        SplittableRandom random = new SplittableRandom(spec.seed());
        ExecutorService threads = Executors.newFixedThreadPool(spec.threads(), work -> {
            Thread thread = new Thread(work, "load");
            thread.setDaemon(true);
            return thread;
        });
        try {
            long origin = System.nanoTime() + START_NANOS;
            List<Future<Sender.Sent>> sending = new ArrayList<>();
            for (int i = 0; i < spec.threads(); i++) {
                OperationStarter operations = new OperationStarter(client, spec.operation(), space, random.nextLong());
                sending.add(threads.submit(
                        new Sender(spec, schedule, i, operations, room, tally, origin, giveUp.toNanos())));
            }
            TimeUnit.NANOSECONDS.sleep(origin + schedule.countingBegins() - System.nanoTime());
            HostNoise surroundings = new HostNoise();
            client.takeWaits();
            client.takeConnectionWaits();
            List<Sender.Sent> sent = new ArrayList<>();
            for (Future<Sender.Sent> each : sending) {
                sent.add(each.get());
            }
            // Completions return the permits: all are available when no operation is in flight.
            boolean ended = room.tryAcquire(spec.maxInFlight(), drain.toNanos(), TimeUnit.NANOSECONDS);
            beforeThreadsEnd.run();
            return result(spec, schedule, sent, tally, client.takeWaits(), ended, surroundings);
        } catch (ExecutionException e) {
            throw new IllegalStateException("a thread of the load failed: " + e.getCause(), e.getCause());
        } finally {
            end(threads);
        }
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

    private LoadResult result(
            LoadSpec spec,
            Schedule schedule,
            List<Sender.Sent> threads,
            Tally tally,
            Histogram waits,
            boolean ended,
            HostNoise surroundings) {
        long sent = threads.stream().mapToLong(Sender.Sent::sent).sum();
        long noRoom = threads.stream().mapToLong(Sender.Sent::noRoom).sum();
        long tooLate = threads.stream().mapToLong(Sender.Sent::tooLate).sum();
        long served = tally.served();
        long neverEnded = ended ? 0 : sent - served - tally.failed();
        tally.neverEnded(neverEnded);
        Histogram lateness = Latency.emptyHistogram();
        threads.forEach(thread -> lateness.add(thread.lateness()));
        double latenessP99Micros = lateness.getValueAtPercentile(P99) / 1e3;

        Latency latency = tally.latency();
        ValidityWarnings doubts = new ValidityWarnings();
        doubts.stolen(surroundings.stolenPercent());
        doubts.gc(surroundings.gcMillis(), surroundings.elapsedMillis());
        doubts.lateness(latenessP99Micros, latency.micros(P99));
        doubts.waits(waits.getValueAtPercentile(P99) / 1e3, latency.micros(P99));
        doubts.connectionWaits(client.takeConnectionWaits().getValueAtPercentile(P99) / 1e3, latency.micros(P99));
        doubts.clocks(
                (schedule.intended(schedule.operations() - 1) - schedule.countingBegins()) / NANOS_PER_MILLI,
                wallMillis(threads));
        doubts.tooLate(tooLate, giveUp);
        doubts.neverEnded(neverEnded);
        doubts.absent(tally.absent(), tally.reads());
        return new LoadResult(
                spec,
                Math.max(spec.seconds(), (tally.lastServedNanos() - schedule.countingBegins()) / 1e9),
                schedule.counted(),
                served,
                sent - served,
                noRoom + tooLate,
                tally.absent(),
                tally.errorsByName(),
                latency,
                tally.latencyByKind(),
                new Conditions(
                        surroundings.stolenPercent(),
                        surroundings.gcMillis(),
                        latenessP99Micros,
                        doubts.found(),
                        doubts.foundOfLatency()));
    }

    /** Returns the time from the first operation to the last, over all threads. */
    private static double wallMillis(List<Sender.Sent> threads) {
        long first = threads.stream().mapToLong(Sender.Sent::firstMillis).min().orElse(Long.MAX_VALUE);
        long last = threads.stream().mapToLong(Sender.Sent::lastMillis).max().orElse(0);
        return last - first;
    }
}
