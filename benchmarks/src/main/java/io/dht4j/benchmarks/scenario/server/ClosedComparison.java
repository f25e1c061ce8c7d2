package io.dht4j.benchmarks.scenario.server;

import io.dht4j.benchmarks.scenario.RunContext;
import io.dht4j.benchmarks.scenario.server.ServerComparison.Case;
import io.dht4j.lab.internal.counters.Counters;
import io.dht4j.lab.internal.load.LoadResult;
import io.dht4j.lab.internal.load.LoadSpec;
import io.dht4j.lab.internal.load.Operation;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Compares the rates of clusters in closed loops. It reports no costs, since each variant has a rate of its own.
 * Confined to one thread.
 */
public final class ClosedComparison {

    private final RunContext context;
    private final LoopPlan loop;
    private final CaseRepetitions repetitions;
    private final Map<String, VariantResults> results = new LinkedHashMap<>();

    /**
     * Creates a comparison.
     *
     * @param context the environment of the scenario
     * @param loop which is closed
     * @param cases to measure; their plans have one pace and one {@link CostPlan}
     */
    public ClosedComparison(RunContext context, LoopPlan loop, List<Case> cases) {
        this.context = context;
        this.loop = loop;
        this.repetitions = new CaseRepetitions(context, cases);
    }

    /**
     * Measures all variants. Blocks.
     *
     * @throws IOException if a process has ended or gives no answer; the message has its last log lines
     * @throws InterruptedException if the thread is interrupted; no process remains then
     */
    public void run() throws IOException, InterruptedException {
        context.plan(repetitions.steps());
        loop.note(context);
        try (LoadGenerator load = new LoadGenerator(NodeJvm.compilerFlags(context))) {
            repetitions.run(load, this::measure);
        }
    }

    private void measure(CaseCluster cluster, Operation operation, int repetition)
            throws IOException, InterruptedException {
        Case of = cluster.of();
        String group = of.groupOf(operation);
        VariantResults measured = results.computeIfAbsent(
                group + " " + of.variant().name(),
                name -> new VariantResults(of.plan().costs().counted()));
        LoadSpec spec = loop.closed(of.plan().load(operation, 0, repetition));
        Counters before = cluster.counters();
        LoadResult result = cluster.run(spec);
        Counters spent = cluster.counters().since(before);
        measured.addClosed(result);
        measured.addCompilation(spent, spec.warmUpSeconds() + result.tookSeconds());
        if (result.failed() > 0) {
            cluster.nodes().ping();
            measured.doubt(result.failed() + " of " + result.offered() + " operations failed: " + result.errors());
        }
        context.add(measured.measurement(group, of.variant()));
    }
}
