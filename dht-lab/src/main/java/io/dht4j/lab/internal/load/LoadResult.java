package io.dht4j.lab.internal.load;

import io.dht4j.lab.workload.OperationKind;
import java.util.Locale;
import java.util.Map;

/**
 * The result of a load.
 *
 * @param spec the load
 * @param tookSeconds from the intended begin of the first counted operation to the last success, at least the requested
 *     time
 * @param offered operations with an intended begin in the counted time
 * @param served those that succeeded
 * @param failed those that failed
 * @param notSent those omitted because too many were in flight, or because the generator was too late
 * @param absent served operations that found no key
 * @param errors count of each error by {@linkplain LoadException#nameOf name}; at most 20 names, the rest under
 *     {@code other}
 * @param latency times from the <em>intended</em> begin to the success, in nanoseconds
 * @param latencyByKind the same for each kind of operation, by {@linkplain OperationKind#label() label}; empty for a
 *     load of one kind
 * @param conditions of the run
 */
public record LoadResult(
        LoadSpec spec,
        double tookSeconds,
        long offered,
        long served,
        long failed,
        long notSent,
        long absent,
        Map<String, Long> errors,
        Latency latency,
        Map<String, Latency> latencyByKind,
        Conditions conditions) {

    /** Keeps unmodifiable copies. */
    public LoadResult {
        errors = Map.copyOf(errors);
        latencyByKind = Map.copyOf(latencyByKind);
    }

    /** Returns successes per second. */
    public double servedPerSecond() {
        return served / tookSeconds;
    }

    /** Returns the share of offered operations that succeeded, 0 to 1. */
    public double servedShare() {
        return offered == 0 ? 0 : (double) served / offered;
    }

    /** Returns for people how many operations have no latency. */
    public String unserved() {
        return String.format(
                Locale.ROOT,
                "of %,d offered operations %,d failed%s and %,d were not sent, which have no latency",
                offered,
                failed,
                errors.isEmpty() ? "" : " " + errors,
                notSent);
    }
}
