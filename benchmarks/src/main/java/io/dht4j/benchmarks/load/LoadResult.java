package io.dht4j.benchmarks.load;

import java.util.Map;

/**
 * What came of a load.
 *
 * @param spec what was offered
 * @param tookSeconds from the intended time of the first counted operation until the last one succeeded, but at least
 *     the time that was asked for
 * @param offered operations whose intended time lay within the counted time
 * @param served of those, the ones that succeeded
 * @param failed of those, the ones that failed
 * @param notSent of those, the ones that were left out because too many were under way, or because the generator itself
 *     was too late for them
 * @param errors how often each error came, by {@linkplain LoadException#nameOf name}; at most 20 names, the rest under
 *     {@code other}
 * @param latency times from the <em>intended</em> beginning to the end of those that succeeded, in nanoseconds
 * @param conditions what else happened
 */
public record LoadResult(
        LoadSpec spec,
        double tookSeconds,
        long offered,
        long served,
        long failed,
        long notSent,
        Map<String, Long> errors,
        Latency latency,
        Conditions conditions) {

    /** Keeps an unmodifiable copy. */
    public LoadResult {
        errors = Map.copyOf(errors);
    }

    /** Operations that succeeded, per second. */
    public double servedPerSecond() {
        return served / tookSeconds;
    }

    /** The share of what was offered that succeeded, 0 to 1. */
    public double servedShare() {
        return offered == 0 ? 0 : (double) served / offered;
    }
}
