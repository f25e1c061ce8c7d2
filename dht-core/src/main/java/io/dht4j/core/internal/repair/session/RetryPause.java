package io.dht4j.core.internal.repair.session;

import io.dht4j.core.internal.admission.Backoff;
import io.dht4j.spi.Environment;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Computes the pauses between attempts, which double while no attempt makes progress. Not thread-safe. */
final class RetryPause {

    private static final Backoff BACKOFF = Backoff.doubling(Duration.ofSeconds(1), Duration.ofSeconds(30));

    private final Environment environment;
    private final Runnable attempt;
    private Environment.@Nullable Timer timer;

    /** The number of attempts since the last one that made progress. */
    private int attempts;

    /** The amount of work that was left at the last attempt. */
    private int left;

    RetryPause(Environment environment, Runnable attempt) {
        this.environment = environment;
        this.attempt = attempt;
    }

    /** Begins the shortest pause, in place of the current one. */
    void begin() {
        schedule(BACKOFF.baseNanos());
    }

    /** Begins a pause after an incomplete attempt, longer than the last one unless the attempt made progress. */
    void beginAfter(int rest) {
        attempts = rest < left ? 0 : attempts + 1;
        left = rest;
        if (rest > 0) {
            schedule(BACKOFF.nanos(attempts));
        }
    }

    private void schedule(long nanos) {
        cancel();
        timer = environment.schedule(attempt, nanos);
    }

    void cancel() {
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }
}
