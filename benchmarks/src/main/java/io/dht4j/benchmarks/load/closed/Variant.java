package io.dht4j.benchmarks.load.closed;

import io.dht4j.lab.internal.load.CompilerWork;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.IntFunction;

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

    /**
     * The result of a repetition: the counts of the loop, the costs of an operation by their labels, and the compilers'
     * time.
     */
    record Measured(ThroughputLoop.Result counted, Map<String, Double> costs, double compilerSeconds, double seconds) {}

    IntFunction<CompletionStage<?>> operation() {
        return operation;
    }

    void add(Measured run) {
        runs.add(run);
    }

    /**
     * Returns the rate of each repetition.
     *
     * @return operations per second, in the order of measurement
     */
    public List<Double> values() {
        return runs.stream().map(run -> run.counted().perSecond()).toList();
    }

    /**
     * Returns the costs of an operation in each repetition: those of the whole process, client and servers.
     *
     * @return by label, in the order of measurement; without costs that the system does not report
     */
    public Map<String, List<Double>> costs() {
        Map<String, List<Double>> costs = new LinkedHashMap<>();
        runs.forEach(run -> run.costs()
                .forEach((cost, value) ->
                        costs.computeIfAbsent(cost, name -> new ArrayList<>()).add(value)));
        return costs;
    }

    /**
     * Returns the doubt about the figures if the process's compilers worked during the repetitions.
     *
     * @return in words; empty if they rested
     */
    public Optional<String> doubtOfCompilers() {
        CompilerWork work = new CompilerWork();
        runs.forEach(run -> work.add(run.compilerSeconds(), run.seconds()));
        return work.doubt("the process");
    }

    /**
     * Returns the doubt about the figures if more than one operation in a thousand failed.
     *
     * @return in words; empty if fewer failed
     */
    public Optional<String> doubtOfFailures() {
        return FailedOperations.doubt(runs.stream().map(Measured::counted).toList());
    }
}
