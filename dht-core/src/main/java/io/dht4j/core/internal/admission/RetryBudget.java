package io.dht4j.core.internal.admission;

import io.dht4j.core.options.OverloadProtection.Retries;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * Limits second attempts to a share of the requests of roughly the last ten seconds, so that retries do not multiply an
 * overload. Works as Finagle's {@code RetryBudget}, except that the window has no sharp edge: deposits decay
 * exponentially.
 *
 * <p>A deposit costs the increment of a striped counter; only withdrawals read the clock. Does not block; safe for use
 * by any number of threads.
 */
public final class RetryBudget {

    private static final double WINDOW_NANOS = 10e9;

    private final Retries limits;
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
     * Creates a budget with the balance that it has without any requests.
     *
     * @param limits the limits of the budget
     * @param nanoTime the monotonic clock
     */
    public RetryBudget(Retries limits, LongSupplier nanoTime) {
        this.limits = limits;
        this.nanoTime = nanoTime;
        this.balance = limits.perSecond() * WINDOW_NANOS / 1e9;
        this.countedNanos = nanoTime.getAsLong();
    }

    /** Deposits for the first attempt of a request. */
    public void asked() {
        requests.increment();
    }

    /**
     * Withdraws for a request that is sent a second time.
     *
     * @return false if the balance is too low: then the caller does not send it
     */
    public boolean mayRetry() {
        return spend(retries);
    }

    /**
     * Withdraws for a request that is sent because another one is late.
     *
     * @return false if the balance is too low: then the caller does not send it
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
        // Deposits spread evenly over a long time have partly decayed by now.
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
     * Returns the number of requests sent a second time.
     *
     * @return the number since the start
     */
    public long retries() {
        return retries.sum();
    }

    /**
     * Returns the number of requests sent because another one was late.
     *
     * @return the number since the start
     */
    public long hedges() {
        return hedges.sum();
    }

    /**
     * Returns the number of requests that were not sent for lack of budget.
     *
     * @return the number since the start
     */
    public long denied() {
        return denied.sum();
    }
}
