package io.dht4j.benchmarks.load.closed;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletionStage;
import java.util.function.IntFunction;
import java.util.function.ToDoubleFunction;

/** One variant of {@link InterleavedRuns}, and the results of its repetitions. Confined to one thread. */
public final class Variant {

    private final IntFunction<CompletionStage<?>> operation;
    private final List<Measured> runs = new ArrayList<>();

    /**
     * Creates a variant.
     *
     * @param operation starts one operation; the argument is its slot, from 0
     */
    public Variant(IntFunction<CompletionStage<?>> operation) {
        this.operation = operation;
    }

    /** The result of a repetition. */
    record Measured(double perSecond, double bytesEach) {}

    IntFunction<CompletionStage<?>> operation() {
        return operation;
    }

    void add(Measured run) {
        runs.add(run);
    }

    /**
     * Returns the median rate.
     *
     * @return operations per second
     */
    public double rate() {
        return sorted(Measured::perSecond)[runs.size() / 2];
    }

    /**
     * Returns the rate of each repetition.
     *
     * @return operations per second, in the order of measurement
     */
    public List<Double> values() {
        return runs.stream().map(Measured::perSecond).toList();
    }

    /**
     * Returns the rate with its range, for people.
     *
     * @return median (least to greatest)
     */
    public String rates() {
        double[] sorted = sorted(Measured::perSecond);
        return String.format(Locale.ROOT, "%,.0f (%,.0f to %,.0f)", rate(), sorted[0], sorted[sorted.length - 1]);
    }

    /**
     * Returns the bytes that the whole process, client and servers, allocated per operation.
     *
     * @return the median, in bytes
     */
    public double allocated() {
        return sorted(Measured::bytesEach)[runs.size() / 2];
    }

    /**
     * Returns the bytes that the whole process allocated per operation in each repetition.
     *
     * @return in the order of measurement
     */
    public List<Double> allocations() {
        return runs.stream().map(Measured::bytesEach).toList();
    }

    private double[] sorted(ToDoubleFunction<Measured> what) {
        return runs.stream().mapToDouble(what).sorted().toArray();
    }
}
