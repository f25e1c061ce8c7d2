package io.dht4j.benchmarks.scenario.server;

import io.dht4j.benchmarks.scenario.RunContext;
import io.dht4j.benchmarks.scenario.server.ServerComparison.Case;
import io.dht4j.lab.internal.load.Operation;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Repeats a measurement of some clusters, in rotating order, so that none always follows the same other one: on
 * processes that are new in each repetition, or on processes that start once and stay. Confined to one thread.
 */
final class CaseRepetitions {

    private final RunContext context;
    private final List<Case> cases;
    private final int repetitions;
    private final boolean keepsProcesses;

    /**
     * Creates repetitions.
     *
     * @param context receives the progress
     * @param cases to measure; their plans have one pace and one {@link CostPlan}
     */
    CaseRepetitions(RunContext context, List<Case> cases) {
        this.context = context;
        this.cases = List.copyOf(cases);
        ServerPlan plan = cases.get(0).plan();
        this.repetitions = plan.pace().repetitions();
        this.keepsProcesses = plan.costs().keepsProcesses();
    }

    /** One measurement. */
    @FunctionalInterface
    interface Measure {

        /**
         * Measures. Blocks.
         *
         * @param cluster filled and warmed up for the operation
         * @param repetition from 0
         */
        void of(CaseCluster cluster, Operation operation, int repetition) throws IOException, InterruptedException;
    }

    /** Returns the number of steps. */
    int steps() {
        return repetitions * operations() + (keepsProcesses ? 1 : repetitions) * cases.size();
    }

    /** Returns the number of steps of a single pass on new processes. */
    int stepsOfPass() {
        return cases.size() + operations();
    }

    private int operations() {
        return cases.stream().mapToInt(each -> each.plan().operations().size()).sum();
    }

    /** Returns whether a repetition is the last one. */
    boolean isLast(int repetition) {
        return repetition == repetitions - 1;
    }

    /** Runs all. Blocks. */
    void run(LoadGenerator load, Measure measure) throws IOException, InterruptedException {
        if (keepsProcesses) {
            runOnKept(load, measure);
        } else {
            runOnNew(load, measure);
        }
    }

    private void runOnNew(LoadGenerator load, Measure measure) throws IOException, InterruptedException {
        for (int repetition = 0; repetition < repetitions; repetition++) {
            for (int i = 0; i < cases.size(); i++) {
                Case each = cases.get((i + repetition) % cases.size());
                context.step(title(each, "starting and filling", repetition));
                try (CaseCluster cluster = CaseCluster.start(context, each, load)) {
                    for (Operation operation : each.plan().operations()) {
                        context.step(title(each, operation.name(), repetition));
                        cluster.turnTo(operation);
                        measure.of(cluster, operation, repetition);
                    }
                }
            }
        }
    }

    /** Measures on processes that start once: those of the other variants wait during a repetition. */
    private void runOnKept(LoadGenerator load, Measure measure) throws IOException, InterruptedException {
        context.note("The processes of each variant started once and stayed: the repetitions do not show how processes "
                + "of the same variant differ. Those of the other variants were idle meanwhile.");
        List<CaseCluster> clusters = new ArrayList<>();
        try {
            for (Case each : cases) {
                context.step(each.title("starting, filling and warming up"));
                clusters.add(CaseCluster.start(context, each, load));
            }
            List<Operation> operations = cases.stream()
                    .flatMap(each -> each.plan().operations().stream())
                    .distinct()
                    .toList();
            for (Operation operation : operations) {
                runOnKept(operation, clusters, measure);
            }
        } finally {
            closeAll(clusters);
        }
    }

    private void runOnKept(Operation operation, List<CaseCluster> all, Measure measure)
            throws IOException, InterruptedException {
        List<CaseCluster> clusters = all.stream()
                .filter(each -> each.of().plan().operations().contains(operation))
                .toList();
        for (CaseCluster cluster : clusters) {
            cluster.reconnect(operation);
            cluster.turnTo(operation);
        }
        for (int repetition = 0; repetition < repetitions; repetition++) {
            for (int i = 0; i < clusters.size(); i++) {
                CaseCluster cluster = clusters.get((i + repetition) % clusters.size());
                context.step(title(cluster.of(), operation.name(), repetition));
                cluster.reconnect(operation);
                measure.of(cluster, operation, repetition);
            }
        }
    }

    private static void closeAll(List<CaseCluster> clusters) throws IOException {
        List<IOException> failures = new ArrayList<>();
        for (CaseCluster cluster : clusters) {
            try {
                cluster.close();
            } catch (IOException e) {
                failures.add(e);
            }
        }
        if (!failures.isEmpty()) {
            IOException first = failures.get(0);
            failures.subList(1, failures.size()).forEach(first::addSuppressed);
            throw first;
        }
    }

    private String title(Case each, String what, int repetition) {
        return each.title(what) + (repetitions == 1 ? "" : ", repetition " + (repetition + 1) + " of " + repetitions);
    }
}
