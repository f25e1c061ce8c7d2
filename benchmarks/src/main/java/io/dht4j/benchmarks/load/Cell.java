package io.dht4j.benchmarks.load;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletionStage;
import java.util.function.IntFunction;
import java.util.function.ToDoubleFunction;

/** One thing of a {@link Comparison}: what is done, and what each repetition gave. For one thread. */
public final class Cell {

    private final IntFunction<CompletionStage<?>> operation;
    private final List<Measured> runs = new ArrayList<>();

    /**
     * A thing to measure.
     *
     * @param operation starts one operation; the argument is the slot that it runs in, 0 to one less than there are
     *     slots
     */
    public Cell(IntFunction<CompletionStage<?>> operation) {
        this.operation = operation;
    }

    /** What a repetition gave. */
    record Measured(double perSecond, double bytesEach) {}

    IntFunction<CompletionStage<?>> operation() {
        return operation;
    }

    void add(Measured run) {
        runs.add(run);
    }

    /**
     * The median rate.
     *
     * @return operations per second
     */
    public double rate() {
        return sorted(Measured::perSecond)[runs.size() / 2];
    }

    /**
     * The rate of each repetition.
     *
     * @return operations per second, in the order in which they were measured
     */
    public List<Double> values() {
        return runs.stream().map(Measured::perSecond).toList();
    }

    /**
     * The rate with its range, for people.
     *
     * @return median (least to greatest)
     */
    public String rates() {
        double[] sorted = sorted(Measured::perSecond);
        return String.format(Locale.ROOT, "%,.0f (%,.0f to %,.0f)", rate(), sorted[0], sorted[sorted.length - 1]);
    }

    /**
     * What the whole process allocated for each operation, client and servers alike.
     *
     * @return the median, in bytes
     */
    public double allocated() {
        return sorted(Measured::bytesEach)[runs.size() / 2];
    }

    private double[] sorted(ToDoubleFunction<Measured> what) {
        return runs.stream().mapToDouble(what).sorted().toArray();
    }
}
