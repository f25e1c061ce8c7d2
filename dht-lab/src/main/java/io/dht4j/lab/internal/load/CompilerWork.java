package io.dht4j.lab.internal.load;

import io.dht4j.lab.internal.counters.Cost;
import io.dht4j.lab.internal.counters.Counters;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The work of the compilers of the measured processes during the repetitions of a measurement. Their own time may be
 * left out of a cost, but the code that they were about to replace is slower than it will be. Like the figures, the
 * work is judged by the median, so one busy repetition causes no doubt. Confined to one thread.
 */
public final class CompilerWork {

    private final List<Double> shares = new ArrayList<>();

    /** Creates an instance without repetitions. */
    public CompilerWork() {}

    /**
     * Adds a repetition. One of no length is ignored.
     *
     * @param spent by the processes during the repetition
     * @param seconds its length
     */
    public void add(Counters spent, double seconds) {
        add(spent.values().getOrDefault(Cost.COMPILER_MICROS, 0L) / 1e6, seconds);
    }

    /**
     * Adds a repetition. One of no length is ignored.
     *
     * @param compilerSeconds processor time of the compilers during the repetition; 0 if unknown
     * @param seconds its length
     */
    public void add(double compilerSeconds, double seconds) {
        if (seconds > 0) {
            shares.add(compilerSeconds / seconds);
        }
    }

    /**
     * Returns the doubt about the figures.
     *
     * @param whose the owners of the compilers, such as {@code the nodes}
     * @return in words; empty if the compilers rested in at least half of the repetitions
     */
    public Optional<String> doubt(String whose) {
        double share = median();
        return share > WarmUp.RESTING
                ? Optional.of(String.format(
                        Locale.ROOT,
                        "while it was measured the compilers of %s were still at work, with %.0f %% of a processor "
                                + "together",
                        whose,
                        100 * share))
                : Optional.empty();
    }

    /** Returns the lower median, so that half of the repetitions at rest suffice; 0 without repetitions. */
    private double median() {
        List<Double> sorted = shares.stream().sorted().toList();
        return sorted.isEmpty() ? 0 : sorted.get((sorted.size() - 1) / 2);
    }
}
