package io.dht4j.benchmarks.load;

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
import org.HdrHistogram.Histogram;

/**
 * An open-loop load: when operations begin is fixed before the first one does, and a server that is slow does not slow
 * the load down. A latency counts from the moment at which the operation was <em>meant</em> to begin, so that a pause
 * shows in all operations that fell into it, not only in those that were under way (Gil Tene's <em>coordinated
 * omission</em>).
 *
 * <p>Operations are at equal distances; the threads take them in turn. A thread that comes too late begins at once what
 * is due. Operations that find {@link LoadSpec#maxInFlight()} others under way are left out, as are those for which the
 * generator is too late, by more than a second if nothing else is {@linkplain #givingUpAfter asked for}; both count as
 * not sent. What is known against a run's figures stands in its {@linkplain Conditions#doubts() doubts}:
 * {@code docs/reference/bench.md} has the bounds.
 *
 * <p>Safe for use by any number of threads, though runs at the same time disturb each other.
 */
public final class OpenLoad implements LoadDriver {

    private static final Duration DRAIN = Duration.ofMinutes(2);
    private static final Duration GIVE_UP = Duration.ofSeconds(1);

    /** So that all threads wait for the first operation when its time comes. */
    private static final long START_NANOS = 20_000_000;

    /** No operation blocks, so that threads end at once; a bound all the same. */
    private static final int END_SECONDS = 5;

    private static final double NANOS_PER_MILLI = 1e6;
    private static final double P99 = 99;

    private final Target target;
    private final Duration drain;
    private final Duration giveUp;

    private OpenLoad(Target target, Duration drain, Duration giveUp) {
        this.target = target;
        this.drain = drain;
        this.giveUp = giveUp;
    }

    /**
     * A load against a target whose operations end within two minutes.
     *
     * @param target which the caller closes
     */
    public static OpenLoad on(Target target) {
        return new OpenLoad(target, DRAIN, GIVE_UP);
    }

    /**
     * The same load, with another bound on how long a run waits for the operations that are under way when all have
     * been begun. Those that have not ended then count as failed, as {@code never ended}.
     *
     * @param bound longer than the target's timeout
     */
    public OpenLoad drainingFor(Duration bound) {
        return new OpenLoad(target, bound, giveUp);
    }

    /**
     * The same load, with another bound on how late an operation may begin; those that would be later are not sent. A
     * generator that cannot keep up must end, and must not make up for its own pauses by a burst.
     *
     * @param lateness after the time at which the operation was meant to begin, above zero
     * @throws IllegalArgumentException if it is not
     */
    public OpenLoad givingUpAfter(Duration lateness) {
        if (lateness.isNegative() || lateness.isZero()) {
            throw new IllegalArgumentException("lateness must be above zero, not " + lateness);
        }
        return new OpenLoad(target, drain, lateness);
    }

    /**
     * {@inheritDoc}
     *
     * @throws IllegalStateException if a thread of the load failed by an error of this program
     */
    @Override
    public LoadResult run(LoadSpec spec) throws InterruptedException {
        Schedule schedule = Schedule.of(spec);
        Semaphore room = new Semaphore(spec.maxInFlight());
        Tally tally = new Tally();
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
                sending.add(threads.submit(
                        new Sender(spec, schedule, i, target, room, tally, random.split(), origin, giveUp.toNanos())));
            }
            TimeUnit.NANOSECONDS.sleep(origin + schedule.countingBegins() - System.nanoTime());
            HostNoise surroundings = new HostNoise();
            target.takeWaits();
            List<Sender.Sent> sent = new ArrayList<>();
            for (Future<Sender.Sent> each : sending) {
                sent.add(each.get());
            }
            // Senders give back no permits: all of them are here again when nothing is under way.
            boolean ended = room.tryAcquire(spec.maxInFlight(), drain.toNanos(), TimeUnit.NANOSECONDS);
            return result(spec, schedule, sent, tally, target.takeWaits(), ended, surroundings);
        } catch (ExecutionException e) {
            throw new IllegalStateException("a thread of the load failed: " + e.getCause(), e.getCause());
        } finally {
            end(threads);
        }
    }

    /** Nothing begins any more when this returns. */
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
        if (neverEnded > 0) {
            tally.errors().add("never ended", neverEnded);
        }
        Histogram lateness = Tally.histogram();
        threads.forEach(thread -> lateness.add(thread.lateness()));
        double latenessP99Micros = lateness.getValueAtPercentile(P99) / 1e3;

        Latency latency = tally.latency();
        ValidityWarnings doubts = new ValidityWarnings();
        doubts.stolen(surroundings.stolenPercent());
        doubts.gc(surroundings.gcMillis(), surroundings.elapsedMillis());
        doubts.lateness(latenessP99Micros, latency.micros(P99));
        doubts.waits(waits.getValueAtPercentile(P99) / 1e3, latency.micros(P99));
        doubts.clocks(
                (schedule.intended(schedule.operations() - 1) - schedule.countingBegins()) / NANOS_PER_MILLI,
                wallMillis(threads));
        doubts.tooLate(tooLate, giveUp);
        doubts.neverEnded(neverEnded);
        doubts.absent(tally.absent(), served);
        return new LoadResult(
                spec,
                Math.max(spec.seconds(), (tally.lastServedNanos() - schedule.countingBegins()) / 1e9),
                schedule.counted(),
                served,
                sent - served,
                noRoom + tooLate,
                tally.errorsByName(),
                latency,
                new Conditions(
                        surroundings.stolenPercent(), surroundings.gcMillis(), latenessP99Micros, doubts.found()));
    }

    /** From the first operation to the last, over all threads. */
    private static double wallMillis(List<Sender.Sent> threads) {
        long first = threads.stream().mapToLong(Sender.Sent::firstMillis).min().orElse(Long.MAX_VALUE);
        long last = threads.stream().mapToLong(Sender.Sent::lastMillis).max().orElse(0);
        return last - first;
    }
}
