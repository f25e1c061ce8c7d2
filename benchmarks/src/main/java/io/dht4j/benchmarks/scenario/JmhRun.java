package io.dht4j.benchmarks.scenario;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Runs a JMH benchmark within a scenario. */
public final class JmhRun {

    private JmhRun() {}

    /**
     * Runs a benchmark in five consecutive processes, or in four short ones, the least that a comparison can judge.
     * Compiled code differs more between processes than between iterations. Blocks.
     *
     * @param benchmark a class with one benchmark, in nanoseconds
     * @param parameters a value for each of its parameters
     * @param jvmFlags further flags of its processes
     * @param quick whether short
     * @return the mean of each process
     * @throws IOException if it fails
     */
    public static List<Double> nanos(
            Class<?> benchmark, Map<String, String> parameters, List<String> jvmFlags, boolean quick)
            throws IOException {
        ChainedOptionsBuilder options = new OptionsBuilder()
                .include(benchmark.getName().replace(".", "\\.") + "\\.")
                .forks(quick ? 4 : 5)
                .warmupIterations(quick ? 1 : 5)
                .measurementIterations(quick ? 1 : 5)
                .warmupTime(TimeValue.milliseconds(quick ? 400 : 1000))
                .measurementTime(TimeValue.milliseconds(quick ? 200 : 1000))
                .jvmArgsAppend(jvmFlags.toArray(String[]::new))
                .verbosity(VerboseMode.SILENT)
                .shouldFailOnError(true);
        parameters.forEach(options::param);
        Collection<RunResult> results;
        try {
            results = new Runner(options.build()).run();
        } catch (RunnerException e) {
            throw new IOException("the benchmark " + benchmark.getSimpleName() + " did not run: " + e.getMessage(), e);
        }
        List<Double> nanos = new ArrayList<>();
        for (RunResult result : results) {
            result.getBenchmarkResults()
                    .forEach(process -> nanos.add(process.getPrimaryResult().getScore()));
        }
        return nanos;
    }
}
