package io.dht4j.lab.internal.load.open;

import io.dht4j.lab.internal.counters.StolenTime;
import io.dht4j.lab.internal.load.Conditions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Finds reasons to doubt a run. Confined to one thread. */
public final class ValidityWarnings {

    /** Greatest pause time of the generator's own collector, in percent: such pauses look like the server's. */
    static final double GC_PERCENT = 5;

    /** Acceptable 99th percentile of lateness for every measurement. */
    static final double LATENESS_P99_MICROS = 1000;

    /** Lateness is part of every latency. Above the bound, it must be small against the measured latency. */
    static final double LATENESS_SHARE = 0.2;

    /** Greatest difference between wall clock and monotonic clock over the run, in percent. */
    static final double CLOCKS_PERCENT = 1;

    /** The resolution of the wall clock, milliseconds at both ends. */
    static final double CLOCK_GRAIN_MILLIS = 2;

    /** Greatest share of reads of absent keys, in percent: they cost a server less than others. */
    static final double ABSENT_PERCENT = 1;

    private final List<String> found = new ArrayList<>();
    private final List<String> ofLatency = new ArrayList<>();

    /** Creates an instance that has found none. */
    public ValidityWarnings() {}

    /** Judges the share of the processors' time that the hypervisor gave to others. */
    public void stolen(double percent) {
        if (percent > StolenTime.MUCH_PERCENT) {
            add(found, "%.1f %% of the processors' time went to others on this host", percent);
        }
    }

    /** Judges the pauses of the generator's collector, as a part of the run. */
    public void gc(double millis, double ofMillis) {
        double percent = ofMillis == 0 ? 0 : 100 * millis / ofMillis;
        if (percent > GC_PERCENT) {
            add(found, "the generator's garbage collector stopped it for %.1f %% of the time", percent);
        }
    }

    void lateness(double p99Micros, double latencyP99Micros) {
        if (isMuch(p99Micros, latencyP99Micros)) {
            add(
                    ofLatency,
                    "the generator began 1 %% of the operations more than %,.0f µs after their time, which is "
                            + "much of the"
                            + " %,.0f µs that 1 %% took",
                    p99Micros,
                    latencyP99Micros);
        }
    }

    /** Judges the waits for threads of the client, as a part of the latency. */
    public void waits(double p99Micros, double latencyP99Micros) {
        if (isMuch(p99Micros, latencyP99Micros)) {
            add(
                    ofLatency,
                    "1 %% of the operations waited more than %,.0f µs for the generator's own client, which is "
                            + "much of the"
                            + " %,.0f µs that 1 %% took",
                    p99Micros,
                    latencyP99Micros);
        }
    }

    /** Judges the waits for a free connection of the client, as a part of the latency. */
    public void connectionWaits(double p99Micros, double latencyP99Micros) {
        if (isMuch(p99Micros, latencyP99Micros)) {
            add(
                    ofLatency,
                    "1 %% of the operations waited more than %,.0f µs " + Conditions.FOR_A_CONNECTION
                            + ", which is much of the %,.0f µs that 1 %% took: the load needs more connections, or "
                            + "the nodes are overloaded",
                    p99Micros,
                    latencyP99Micros);
        }
    }

    private static boolean isMuch(double p99Micros, double latencyP99Micros) {
        return p99Micros > LATENESS_P99_MICROS && p99Micros > LATENESS_SHARE * latencyP99Micros;
    }

    /** A second measurement of the rate. */
    void clocks(double intendedMillis, double wallMillis) {
        if (Math.abs(wallMillis - intendedMillis) > CLOCKS_PERCENT / 100 * intendedMillis + CLOCK_GRAIN_MILLIS) {
            add(
                    found,
                    "by the clock on the wall the operations were begun in %,.0f ms, not in the intended %,.0f ms:"
                            + " the rate was another one",
                    wallMillis,
                    intendedMillis);
        }
    }

    void tooLate(long operations, Duration bound) {
        if (operations > 0) {
            add(
                    found,
                    "the generator was more than %s late for %,d operations and left them out",
                    bound.toMillis() % 1000 == 0 ? bound.toSeconds() + " s" : bound.toMillis() + " ms",
                    operations);
        }
    }

    /** Judges the number of operations that had not ended when the run was given up. */
    public void neverEnded(long operations) {
        if (operations > 0) {
            add(found, "%,d operations had not ended when the run was given up", operations);
        }
    }

    /** Judges the number of reads of absent keys. */
    public void absent(long reads, long of) {
        if (of > 0 && 100.0 * reads / of > ABSENT_PERCENT) {
            add(found, "%.1f %% of the reads found nothing", 100.0 * reads / of);
        }
    }

    private static void add(List<String> to, String format, Object... arguments) {
        to.add(String.format(Locale.ROOT, format, arguments));
    }

    /**
     * Returns the doubts about every figure of the run.
     *
     * @return in words; empty if there are none
     */
    public List<String> found() {
        return List.copyOf(found);
    }

    /**
     * Returns the doubts about the latencies only. The costs of an operation hardly depend on its begin.
     *
     * @return in words; empty if there are none
     */
    public List<String> foundOfLatency() {
        return List.copyOf(ofLatency);
    }
}
