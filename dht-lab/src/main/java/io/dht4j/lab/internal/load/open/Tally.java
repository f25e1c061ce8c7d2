package io.dht4j.lab.internal.load.open;

import io.dht4j.lab.internal.load.Latency;
import io.dht4j.lab.internal.load.LoadException;
import io.dht4j.lab.internal.load.Outcome;
import io.dht4j.lab.workload.OperationKind;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** The results of a run's counted operations. Safe for use by any number of threads. */
public final class Tally {

    private final LongAdder served = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final LongAdder absent = new LongAdder();
    private final LongAccumulator lastServed = new LongAccumulator(Math::max, 0);
    private final ErrorCounts errors = new ErrorCounts();
    private final Map<OperationKind, Histogram> latencies = new EnumMap<>(OperationKind.class);

    /**
     * Creates an empty one.
     *
     * @param kinds of the operations that it counts
     */
    public Tally(Set<OperationKind> kinds) {
        kinds.forEach(kind -> latencies.put(kind, new ConcurrentHistogram(Latency.LONGEST_NANOS, Latency.DIGITS)));
    }

    /** Returns the time within the range of the histograms; longer times count as the longest. */
    static long clamp(long nanos) {
        return Math.min(Latency.LONGEST_NANOS, Math.max(0, nanos));
    }

    /**
     * Counts an operation that has ended.
     *
     * @param kind one of those at the creation
     * @param intended its intended begin, or in a closed loop its begin, in nanoseconds since the run began
     * @param now in nanoseconds since the run began
     * @param outcome of a success
     * @param error of a failure
     */
    public void ended(
            OperationKind kind, long intended, long now, @Nullable Outcome outcome, @Nullable Throwable error) {
        if (error != null) {
            errors.add(LoadException.nameOf(error), 1);
            failed.increment();
            return;
        }
        Objects.requireNonNull(latencies.get(kind)).recordValue(clamp(now - intended));
        lastServed.accumulate(now);
        if (outcome == Outcome.ABSENT) {
            absent.increment();
        }
        served.increment();
    }

    /** Returns the number of operations that succeeded. */
    public long served() {
        return served.sum();
    }

    /** Returns the number of operations that failed, without those that never ended. */
    public long failed() {
        return failed.sum();
    }

    /** Returns the number of served operations that read. */
    public long reads() {
        return latencies.entrySet().stream()
                .filter(each -> each.getKey().reads())
                .mapToLong(each -> each.getValue().getTotalCount())
                .sum();
    }

    /** Returns the number of served reads of absent keys. */
    public long absent() {
        return absent.sum();
    }

    /** Returns the time of the last success, in nanoseconds since the run began; 0 if there is none. */
    public long lastServedNanos() {
        return lastServed.get();
    }

    /** Counts operations that had not ended when the run was given up. */
    public void neverEnded(long operations) {
        if (operations > 0) {
            errors.add("never ended", operations);
        }
    }

    /** Returns the count of each error by its name. */
    public Map<String, Long> errorsByName() {
        return errors.byName();
    }

    /** Returns the latency of all that succeeded. */
    public Latency latency() {
        Histogram all = Latency.emptyHistogram();
        latencies.values().forEach(each -> all.add(each.copy()));
        return Latency.of(all);
    }

    /** Returns the latency of each kind by its label; empty for a single kind. */
    public Map<String, Latency> latencyByKind() {
        if (latencies.size() == 1) {
            return Map.of();
        }
        Map<String, Latency> byKind = new HashMap<>();
        latencies.forEach((kind, each) -> byKind.put(kind.label(), Latency.of(each.copy())));
        return byKind;
    }
}
