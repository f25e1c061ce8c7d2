package io.dht4j.benchmarks.scenario.server;

import io.dht4j.benchmarks.scenario.Lab;
import io.dht4j.benchmarks.scenario.server.ServerComparison.Case;
import io.dht4j.lab.internal.load.LoadResult;
import io.dht4j.lab.internal.load.LoadSpec;
import io.dht4j.lab.internal.load.Operation;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Compares the rates of clusters in closed loops, on processes that are new in each repetition. It counts no costs,
 * since each variant has a rate of its own. Confined to one thread.
 */
public final class ClosedComparison {

    private final Lab lab;
    private final LoopPlan loop;
    private final List<Case> cases;
    private final Map<String, VariantResults> results = new LinkedHashMap<>();

    /**
     * Creates a comparison.
     *
     * @param lab the environment of the scenario
     * @param loop which is closed
     * @param cases to measure
     */
    public ClosedComparison(Lab lab, LoopPlan loop, List<Case> cases) {
        this.lab = lab;
        this.loop = loop;
        this.cases = List.copyOf(cases);
    }

    /**
     * Measures everything. Blocks.
     *
     * @throws IOException if a process has ended or gives no answer; the message has its last log lines
     * @throws InterruptedException if the thread is interrupted; no process remains then
     */
    public void run() throws IOException, InterruptedException {
        int repetitions = cases.get(0).plan().pace().repetitions();
        int operations =
                cases.stream().mapToInt(each -> each.plan().operations().size()).sum();
        lab.plan(repetitions * (cases.size() + operations));
        loop.note(lab);
        try (LoadGenerator load = new LoadGenerator(NodeJvm.compilerFlags(lab))) {
            for (int repetition = 0; repetition < repetitions; repetition++) {
                for (int i = 0; i < cases.size(); i++) {
                    // Rotated, so that none always follows the same other one.
                    Case each = cases.get((i + repetition) % cases.size());
                    lab.step(each.variant().name() + ": starting and filling");
                    try (CaseCluster cluster = CaseCluster.start(lab, each, load)) {
                        measure(cluster, repetition);
                    }
                }
            }
        }
    }

    private void measure(CaseCluster cluster, int repetition) throws IOException, InterruptedException {
        Case of = cluster.of();
        for (Operation operation : of.plan().operations()) {
            lab.step(of.variant().name() + ": " + operation.name());
            String group = of.groupOf(operation);
            VariantResults measured =
                    results.computeIfAbsent(group + " " + of.variant().name(), name -> new VariantResults());
            cluster.turnTo(operation).ifPresent(measured::doubt);
            LoadSpec spec = loop.closed(of.plan().load(operation, 0, repetition));
            LoadResult result = cluster.run(spec);
            measured.addClosed(result);
            if (result.failed() > 0) {
                cluster.nodes().ping();
                measured.doubt(result.failed() + " of " + result.offered() + " operations failed: " + result.errors());
            }
            lab.add(measured.measurement(group, of.variant()));
        }
    }
}
