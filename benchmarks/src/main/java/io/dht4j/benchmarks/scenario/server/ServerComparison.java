package io.dht4j.benchmarks.scenario.server;

import io.dht4j.benchmarks.report.Figures;
import io.dht4j.benchmarks.results.Measurement;
import io.dht4j.benchmarks.scenario.Lab;
import io.dht4j.benchmarks.scenario.Needs;
import io.dht4j.lab.internal.load.Operation;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;

/**
 * Compares clusters of standalone servers through a public API. Nodes and load are processes of their own.
 *
 * <p>Unless a rate is given, a first pass searches for the stable load of each variant. Then all repetitions count the
 * costs of all variants, in rotating order, at one rate for all of a group; the first also takes profiles at it.
 */
public final class ServerComparison {

    private final Lab lab;
    private final int repetitions;
    private final List<Case> cases;
    private final Map<String, VariantResults> results = new LinkedHashMap<>();
    private final Map<String, OptionalDouble> rates = new LinkedHashMap<>();
    private final CostRuns costRuns;

    /**
     * A case to measure.
     *
     * @param group of the comparison in addition to the operation; empty for none
     * @param variant the cluster
     * @param plan of the measurement
     */
    public record Case(String group, ServerVariant variant, ServerPlan plan) {

        String groupOf(Operation operation) {
            return group.isEmpty() ? operation.name() : operation + ", " + group;
        }
    }

    /**
     * Creates a comparison.
     *
     * @param lab the environment of the scenario
     * @param repetitions of each case
     * @param cases to measure; their plans have one {@link CostPlan}
     */
    public ServerComparison(Lab lab, int repetitions, List<Case> cases) {
        this.lab = lab;
        this.repetitions = repetitions;
        this.cases = List.copyOf(cases);
        this.costRuns = new CostRuns(lab);
    }

    /**
     * Creates a comparison with a case for each variant, all with one plan.
     *
     * @param lab the environment of the scenario
     * @param plan of every case
     * @param variants to compare
     */
    public static ServerComparison of(Lab lab, ServerPlan plan, List<ServerVariant> variants) {
        return new ServerComparison(
                lab,
                plan.pace().repetitions(),
                variants.stream().map(variant -> new Case("", variant, plan)).toList());
    }

    /**
     * Returns the needs of the largest case, or of all together if their processes are kept.
     *
     * @param cases of a comparison
     * @param copies of each entry
     */
    public static Needs needs(List<Case> cases, int copies) {
        return cases.stream()
                .map(each -> each.plan().needs(each.variant().nodes(), copies, 1))
                .reduce(keepsProcesses(cases) ? Needs::beside : Needs::or)
                .orElse(Needs.LITTLE);
    }

    private static boolean keepsProcesses(List<Case> cases) {
        return cases.stream().anyMatch(each -> each.plan().costs().keepsProcesses());
    }

    /** Returns the number of steps. */
    public int steps() {
        int operations =
                cases.stream().mapToInt(each -> each.plan().operations().size()).sum();
        int pass = cases.size() + operations;
        return keepsProcesses(cases)
                ? cases.size() + repetitions * operations
                : (searches() ? pass : 0) + repetitions * pass;
    }

    private boolean searches() {
        return cases.stream().anyMatch(each -> each.plan().costs().rate().isEmpty());
    }

    /**
     * Measures everything. Blocks.
     *
     * @throws IOException if a process has ended or gives no answer; the message has its last log lines
     * @throws InterruptedException if the thread is interrupted; no process remains then
     */
    public void run() throws IOException, InterruptedException {
        run(0);
    }

    /**
     * Measures everything as a part of a longer run. Blocks.
     *
     * @param following number of later steps
     * @throws IOException if a process has ended or gives no answer; the message has its last log lines
     * @throws InterruptedException if the thread is interrupted; no process remains then
     */
    public void run(int following) throws IOException, InterruptedException {
        lab.plan(steps() + following);
        noteValues();
        try (LoadGenerator load = new LoadGenerator(NodeJvm.compilerFlags(lab))) {
            if (searches()) {
                search(load);
            }
            chooseRates();
            if (keepsProcesses(cases)) {
                countOnKept(load);
            } else {
                countOnNew(load);
            }
        }
    }

    private void noteValues() {
        if (!searches()) {
            lab.note("The operations/s are what was served of the same offered rate, not what a variant can serve.");
            return;
        }
        cases.stream()
                .map(each -> each.plan().pace())
                .distinct()
                .forEach(pace -> lab.note(String.format(
                        Locale.ROOT,
                        "The operations/s are stable loads: the highest rate of which 99 %% is served, of which "
                                + "nothing fails, and of which the 99th percentile is"
                                + " under %d ms. Each was searched for until it was known to within %.0f %%.",
                        pace.p99().toMillis(),
                        100 * pace.precision())));
    }

    /** Searches once for the stable load of each case. */
    private void search(LoadGenerator load) throws IOException, InterruptedException {
        for (Case each : cases) {
            lab.step(title(each, "starting, for the stable load"));
            try (CaseCluster cluster = CaseCluster.start(lab, each, load)) {
                for (Operation operation : each.plan().operations()) {
                    lab.step(title(each, operation + ", searching for the stable load"));
                    // What was compiled later concerns the load that is found, and the costs have a doubt of their own.
                    cluster.turnTo(operation)
                            .ifPresent(doubt -> results(each, operation).doubt(Measurement.OF_THE_STABLE_LOAD + doubt));
                    search(cluster, operation, 0);
                }
            }
        }
    }

    private void search(CaseCluster cluster, Operation operation, int repetition)
            throws IOException, InterruptedException {
        VariantSearch.run(cluster, operation, repetition, results(cluster.of(), operation));
        add(cluster.of(), operation);
    }

    /** Chooses the rate of each group, and notes why. */
    private void chooseRates() {
        Map<String, List<Double>> loads = new LinkedHashMap<>();
        Set<String> given = new LinkedHashSet<>();
        for (Case each : cases) {
            for (Operation operation : each.plan().operations()) {
                String group = each.groupOf(operation);
                OptionalDouble rate = each.plan().costs().rate();
                if (rate.isPresent()) {
                    rates.put(group, rate);
                    given.add(group);
                } else {
                    loads.computeIfAbsent(group, name -> new ArrayList<>())
                            .add(results(each, operation).stableLoad().orElse(0));
                }
            }
        }
        loads.forEach((group, found) -> rates.put(group, CommonRate.of(found)));
        rates.forEach((group, rate) -> rate.ifPresent(perSecond -> lab.note(String.format(
                Locale.ROOT,
                "%s: costs and profiles are those at %s operations/s, offered to every variant: %s.",
                group,
                Figures.of(perSecond),
                given.contains(group)
                        ? "as --rate says"
                        : String.format(Locale.ROOT, "%.0f %% of the least stable load", 100 * CommonRate.SHARE)))));
    }

    private OptionalDouble rate(Case each, Operation operation) {
        return rates.getOrDefault(each.groupOf(operation), OptionalDouble.empty());
    }

    /** Counts on processes that are new in each repetition. */
    private void countOnNew(LoadGenerator load) throws IOException, InterruptedException {
        for (int repetition = 0; repetition < repetitions; repetition++) {
            for (int i = 0; i < cases.size(); i++) {
                // Rotated, so that none always follows the same other one.
                Case each = cases.get((i + repetition) % cases.size());
                lab.step(title(each, "starting and filling", repetition));
                try (CaseCluster cluster = CaseCluster.start(lab, each, load)) {
                    for (Operation operation : each.plan().operations()) {
                        lab.step(title(each, operation.name(), repetition));
                        cluster.turnTo(operation);
                        count(cluster, operation);
                        if (repetition == 0) {
                            profile(cluster, operation);
                        }
                        boolean isLast = repetition == repetitions - 1;
                        // The first pass has searched once already.
                        if (each.plan().costs().searchesEach() && searches() && !isLast) {
                            search(cluster, operation, repetition + 1);
                        }
                    }
                }
            }
        }
    }

    /** Counts on processes that start once: those of the other variants wait meanwhile. */
    private void countOnKept(LoadGenerator load) throws IOException, InterruptedException {
        lab.note("The processes of each variant started once and stayed: the repetitions do not show how processes "
                + "of the same variant differ. Those of the other variants were idle meanwhile.");
        List<CaseCluster> clusters = new ArrayList<>();
        try {
            for (Case each : cases) {
                lab.step(title(each, "starting, filling and warming up"));
                CaseCluster cluster = CaseCluster.start(lab, each, load);
                clusters.add(cluster);
            }
            List<Operation> operations = cases.stream()
                    .flatMap(each -> each.plan().operations().stream())
                    .distinct()
                    .toList();
            for (Operation operation : operations) {
                countOnKept(operation, clusters);
            }
        } finally {
            closeAll(clusters);
        }
    }

    private void countOnKept(Operation operation, List<CaseCluster> all) throws IOException, InterruptedException {
        List<CaseCluster> clusters = all.stream()
                .filter(each -> each.of().plan().operations().contains(operation))
                .toList();
        for (CaseCluster cluster : clusters) {
            cluster.reconnect();
            cluster.turnTo(operation);
        }
        for (int repetition = 0; repetition < repetitions; repetition++) {
            for (int i = 0; i < clusters.size(); i++) {
                CaseCluster cluster = clusters.get((i + repetition) % clusters.size());
                lab.step(title(cluster.of(), operation.name(), repetition));
                cluster.reconnect();
                count(cluster, operation);
                if (repetition == 0) {
                    profile(cluster, operation);
                }
            }
        }
    }

    private static void closeAll(List<CaseCluster> clusters) throws IOException {
        IOException failure = null;
        for (CaseCluster cluster : clusters) {
            try {
                cluster.close();
            } catch (IOException e) {
                failure = e;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    private void count(CaseCluster cluster, Operation operation) throws IOException, InterruptedException {
        OptionalDouble rate = rate(cluster.of(), operation);
        if (rate.isPresent()) {
            costRuns.count(cluster, operation, rate.getAsDouble(), results(cluster.of(), operation));
            add(cluster.of(), operation);
        }
    }

    private void profile(CaseCluster cluster, Operation operation) throws IOException, InterruptedException {
        OptionalDouble rate = rate(cluster.of(), operation);
        if (rate.isPresent()) {
            costRuns.profile(cluster, operation, rate.getAsDouble(), results(cluster.of(), operation));
            add(cluster.of(), operation);
        }
    }

    private VariantResults results(Case each, Operation operation) {
        return results.computeIfAbsent(
                each.groupOf(operation) + " " + each.variant().name(), name -> new VariantResults());
    }

    private void add(Case each, Operation operation) {
        String group = each.groupOf(operation);
        lab.add(results(each, operation).measurement(group, each.variant()));
    }

    private static String title(Case each, String what) {
        return each.variant().name() + (each.group().isEmpty() ? "" : ", " + each.group()) + ": " + what;
    }

    private String title(Case each, String what, int repetition) {
        return title(each, what) + (repetitions == 1 ? "" : ", repetition " + (repetition + 1) + " of " + repetitions);
    }
}
