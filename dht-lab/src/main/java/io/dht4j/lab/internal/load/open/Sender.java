package io.dht4j.lab.internal.load.open;

import static java.util.concurrent.TimeUnit.MICROSECONDS;

import io.dht4j.lab.internal.load.Latency;
import io.dht4j.lab.internal.load.LoadSpec;
import io.dht4j.lab.internal.load.OperationStarter;
import io.dht4j.lab.internal.load.Outcome;
import io.dht4j.lab.workload.OperationKind;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.function.BiConsumer;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** One thread of a load, which begins every n-th operation at its time. */
final class Sender implements Callable<Sender.Sent> {

    private final LoadSpec spec;
    private final Schedule schedule;
    private final int index;
    private final OperationStarter operations;
    private final Semaphore room;
    private final Tally tally;
    private final Pacer pace;
    private final long giveUpNanos;

    Sender(
            LoadSpec spec,
            Schedule schedule,
            int index,
            OperationStarter operations,
            Semaphore room,
            Tally tally,
            long origin,
            long giveUpNanos) {
        this.spec = spec;
        this.schedule = schedule;
        this.index = index;
        this.operations = operations;
        this.room = room;
        this.tally = tally;
        this.giveUpNanos = giveUpNanos;
        this.pace = new Pacer(
                origin, schedule.distanceNanos() * spec.threads(), MICROSECONDS.toNanos(spec.sendEveryMicros()));
    }

    /**
     * The work of a thread on counted operations.
     *
     * @param sent number of begun operations
     * @param noRoom number omitted because too many were in flight
     * @param tooLate number omitted because the thread was too late
     * @param lateness of each
     * @param firstMillis wall-clock time of the first one
     * @param lastMillis wall-clock time of the last one
     */
    record Sent(long sent, long noRoom, long tooLate, Histogram lateness, long firstMillis, long lastMillis) {}

    @Override
    public Sent call() throws InterruptedException {
        Histogram lateness = Latency.emptyHistogram();
        long sent = 0;
        long noRoom = 0;
        long tooLate = 0;
        long firstMillis = Long.MAX_VALUE;
        for (long i = index; i < schedule.operations(); i += spec.threads()) {
            long intended = schedule.intended(i);
            long late = pace.await(intended) - intended;
            boolean counts = schedule.counts(i);
            boolean inTime = late <= giveUpNanos;
            boolean begun = inTime && room.tryAcquire();
            if (begun) {
                CompletionStage<Outcome> operation = operations.next();
                operation.whenComplete(new Pending(intended, counts, operations.kind()));
            } else {
                // Drawn in any case, so the keys are independent of earlier operations.
                operations.skip();
            }
            if (counts) {
                if (firstMillis == Long.MAX_VALUE) {
                    firstMillis = System.currentTimeMillis();
                }
                lateness.recordValue(Tally.clamp(late));
                sent += begun ? 1 : 0;
                tooLate += inTime ? 0 : 1;
                noRoom += inTime && !begun ? 1 : 0;
            }
        }
        return new Sent(sent, noRoom, tooLate, lateness, firstMillis, System.currentTimeMillis());
    }

    /** An operation in flight. */
    private final class Pending implements BiConsumer<@Nullable Outcome, @Nullable Throwable> {

        private final long intended;
        private final boolean counts;
        private final OperationKind kind;

        Pending(long intended, boolean counts, OperationKind kind) {
            this.intended = intended;
            this.counts = counts;
            this.kind = kind;
        }

        @Override
        public void accept(@Nullable Outcome outcome, @Nullable Throwable error) {
            if (counts) {
                tally.ended(kind, intended, pace.now(), outcome, error);
            }
            room.release();
        }
    }
}
