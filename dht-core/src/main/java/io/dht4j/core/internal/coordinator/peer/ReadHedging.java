package io.dht4j.core.internal.coordinator.peer;

import io.dht4j.Hedging;
import io.dht4j.core.internal.admission.LatencyQuantile;
import io.dht4j.core.internal.admission.RetryBudget;
import java.util.Optional;

/**
 * Hedged requests of reads, after J. Dean and L. A. Barroso, <em>The Tail at Scale</em>, 2013: a read whose replicas
 * are late asks one more. Determines the hedge delay, and limits the number of hedges by the retry budget. Does not
 * block; safe for use by any number of threads.
 */
public final class ReadHedging {

    /** No hedge delay: reads are not hedged. */
    public static final long NEVER = Long.MAX_VALUE;

    private final Hedging setting;
    private final RetryBudget budget;
    /** The latencies of the first requests of reads; empty unless the delay is a percentile of them. */
    private final Optional<LatencyQuantile> latency;

    ReadHedging(Hedging setting, RetryBudget budget) {
        this.setting = setting;
        this.budget = budget;
        this.latency = setting instanceof Hedging.AtPercentile at
                ? Optional.of(new LatencyQuantile(at.percentile()))
                : Optional.empty();
    }

    /**
     * Returns how long a read waits before it asks one more replica.
     *
     * @return nanoseconds, or {@link #NEVER}; also while no latency is known
     */
    public long delayNanos() {
        if (setting instanceof Hedging.After after) {
            return after.delay().toNanos();
        }
        long usual = latency.map(LatencyQuantile::nanos).orElse(0L);
        return usual == 0 ? NEVER : usual;
    }

    /**
     * Withdraws from the retry budget for a request that would not be sent if all replicas answered in time.
     *
     * @return false if the balance is too low: then the caller does not send it
     */
    public boolean mayHedge() {
        return budget.mayHedge();
    }

    /**
     * Records the latency of a request, if it is a first request of a read. Hedges and repeated requests do not count:
     * these few are sent while others are slow.
     */
    void answered(PendingRequest request, long now) {
        // A cancelled one counts when it is reported as abandoned.
        if (latency.isPresent()
                && request.handler().isFirst()
                && request.first()
                && !request.context().isCancelled()) {
            latency.get().add(now - request.since());
        }
    }

    /**
     * Records a first request of a read that was cancelled before its answer arrived. Its latency is at least its age.
     * Without it the slow ones would be missing from the percentile, which would fall with each hedge that wins, and so
     * cause more of them.
     *
     * @param ageNanos the time since the request was sent
     */
    public void abandoned(long ageNanos) {
        if (latency.isPresent()) {
            latency.get().addAtLeast(ageNanos);
        }
    }
}
