package io.dht4j.core.internal.admission;

import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * Lets a part of the requests be made a second time, so that retries do not multiply a load that is too much already:
 * what was asked in the last ten seconds or so pays for it. As Finagle's {@code RetryBudget}, but for the window, whose
 * edge is not sharp: what was paid in loses its worth exponentially.
 *
 * <p>Paying in costs the increment of a striped counter; the clock is read by spending only. Does not block; safe for
 * use by any number of threads.
 */
public final class RetryBudget {

    private static final double WINDOW_NANOS = 10e9;

    private final BudgetLimits limits;
    private final LongSupplier nanoTime;
    private final LongAdder requests = new LongAdder();
    private final LongAdder denied = new LongAdder();
    private final LongAdder retries = new LongAdder();
    private final LongAdder hedges = new LongAdder();

    // Guarded by this.
    private double balance;
    private long countedRequests;
    private long countedNanos;

    /**
     * A budget with what it has without any requests.
     *
     * @param limits how much may be spent
     * @param nanoTime the monotonic clock
     */
    public RetryBudget(BudgetLimits limits, LongSupplier nanoTime) {
        this.limits = limits;
        this.nanoTime = nanoTime;
        this.balance = limits.perSecond() * WINDOW_NANOS / 1e9;
        this.countedNanos = nanoTime.getAsLong();
    }

    /** Pays in for a request that was made for the first time. */
    public void asked() {
        requests.increment();
    }

    /**
     * Spends for a request that is sent a second time.
     *
     * @return false if there is too little left: then nothing must be sent
     */
    public boolean mayRetry() {
        return spend(retries);
    }

    /**
     * Spends for a request that is sent because another one is late.
     *
     * @return false if there is too little left: then nothing must be sent
     */
    public boolean mayHedge() {
        return spend(hedges);
    }

    private boolean spend(LongAdder what) {
        if (!withdraw()) {
            denied.increment();
            return false;
        }
        what.increment();
        return true;
    }

    private synchronized boolean withdraw() {
        long now = nanoTime.getAsLong();
        double elapsed = Math.max(0, now - countedNanos);
        long sum = requests.sum();
        double paid = limits.share() * (sum - countedRequests) + limits.perSecond() * elapsed / 1e9;
        double kept = Math.exp(-elapsed / WINDOW_NANOS);
        // What came evenly over a long time has lost a part of its worth by now.
        double worth = elapsed == 0 ? 1 : (1 - kept) * WINDOW_NANOS / elapsed;
        balance = balance * kept + paid * worth;
        countedRequests = sum;
        countedNanos = now;
        if (balance < 1) {
            return false;
        }
        balance--;
        return true;
    }

    /**
     * How many requests were sent a second time.
     *
     * @return since the beginning
     */
    public long retries() {
        return retries.sum();
    }

    /**
     * How many were sent because another one was late.
     *
     * @return since the beginning
     */
    public long hedges() {
        return hedges.sum();
    }

    /**
     * How many were not sent for want of budget.
     *
     * @return since the beginning
     */
    public long denied() {
        return denied.sum();
    }
}
