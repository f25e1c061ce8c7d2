package io.dht4j.benchmarks.scenario.server;

import io.dht4j.benchmarks.report.Figures;
import io.dht4j.benchmarks.results.Measurement;
import io.dht4j.benchmarks.scenario.RunContext;
import io.dht4j.lab.internal.counters.Cost;
import io.dht4j.lab.internal.load.Operation;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * Compares clusters of standalone servers through a public API. Nodes and load are processes of their own.
 *
 * <p>Unless a rate is given, a first pass searches for the stable load of each variant. Then all repetitions count the
 * costs of all variants, in rotating order, at one rate for all of a group; the first also takes profiles at it.
 */
public final class ServerComparison {

    private final RunContext context;
    private final List<Case> cases;
    private final CostPlan costs;
    private final CaseRepetitions counts;
    private final CostRuns costRuns;
    private final Map<String, VariantResults> results = new LinkedHashMap<>();
    private final Map<String, OptionalDouble> rates = new LinkedHashMap<>();

    /**
     * A case to measure.
     *
     * @param group of the comparison in addition to the operation; empty for none
     * @param variant the cluster
     * @param plan of the measurement
     */
    public record Case(String group, ServerVariant variant, ServerPlan plan) {

        /** Returns a case of no group for each variant. */
        public static List<Case> all(ServerPlan plan, List<ServerVariant> variants) {
            return variants.stream().map(variant -> new Case("", variant, plan)).toList();
        }

        String groupOf(Operation operation) {
            return group.isEmpty() ? operation.name() : operation + ", " + group;
        }

        String title(String what) {
            return variant.name() + (group.isEmpty() ? "" : ", " + group) + ": " + what;
        }
    }

    /**
     * Creates a comparison.
     *
     * @param context the environment of the scenario
     * @param cases to measure; their plans have one pace and one {@link CostPlan}
     */
    public ServerComparison(RunContext context, List<Case> cases) {
        this.context = context;
        this.cases = List.copyOf(cases);
        this.costs = cases.get(0).plan().costs();
        this.counts = new CaseRepetitions(context, cases);
        this.costRuns = new CostRuns(context);
    }

    private boolean searches() {
        return costs.rate().isEmpty();
    }

    /**
     * Measures all variants. Blocks.
     *
     * @throws IOException if a process has ended or gives no answer; the message has its last log lines
     * @throws InterruptedException if the thread is interrupted; no process remains then
     */
    public void run() throws IOException, InterruptedException {
        run(0);
    }

    /**
     * Measures all variants as a part of a longer run. Blocks.
     *
     * @param following number of later steps
     * @throws IOException if a process has ended or gives no answer; the message has its last log lines
     * @throws InterruptedException if the thread is interrupted; no process remains then
     */
    public void run(int following) throws IOException, InterruptedException {
        int searches = searches() ? counts.stepsOfPass() : 0;
        context.plan(searches + counts.steps() + following);
        noteValues();
        try (LoadGenerator load = new LoadGenerator(NodeJvm.compilerFlags(context))) {
            if (searches()) {
                search(load);
            }
            chooseRates();
            counts.run(load, this::count);
        }
    }

    private void noteValues() {
        if (!searches()) {
            context.note(
                    "The operations/s are what was served of the same offered rate, not what a variant can serve.");
            return;
        }
        cases.stream()
                .map(each -> each.plan().pace().search())
                .distinct()
                .forEach(search -> context.note(String.format(
                        Locale.ROOT,
                        "The operations/s are stable loads: the highest rate of which 99 %% is served, of which "
                                + "nothing fails, and of which the 99th percentile is"
                                + " under %d ms. Each was searched for until it was known to within %.0f %%.",
                        search.p99().toMillis(),
                        100 * search.precision())));
    }

    /** Searches once for the stable load of each case. */
    private void search(LoadGenerator load) throws IOException, InterruptedException {
        for (Case each : cases) {
            context.step(each.title("starting, for the stable load"));
            try (CaseCluster cluster = CaseCluster.start(context, each, load)) {
                for (Operation operation : each.plan().operations()) {
                    context.step(each.title(operation + ", searching for the stable load"));
                    // Later compilations concern the load that is found, and the costs have a doubt of their own.
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
        Map<String, List<Double>> found = new LinkedHashMap<>();
        for (Case each : cases) {
            for (Operation operation : each.plan().operations()) {
                found.computeIfAbsent(each.groupOf(operation), name -> new ArrayList<>())
                        .add(results(each, operation).stableLoad().orElse(0));
            }
        }
        if (!searches()) {
            costs.rate()
                    .ifPresent(perSecond -> context.note("Costs and profiles are those at " + Figures.of(perSecond)
                            + " operations/s, offered to every variant, as --rate says."));
            found.keySet().forEach(group -> rates.put(group, costs.rate()));
            return;
        }
        found.forEach((group, loads) -> {
            OptionalDouble rate = CommonRate.of(loads);
            rates.put(group, rate);
            rate.ifPresent(perSecond -> context.note(String.format(
                    Locale.ROOT,
                    "%s: costs and profiles are those at %s operations/s, offered to every variant: %.0f %% of the "
                            + "least stable load.",
                    group,
                    Figures.of(perSecond),
                    100 * CommonRate.SHARE)));
        });
    }

    /** Counts costs, if the group has a rate; the first repetition also takes profiles. */
    private void count(CaseCluster cluster, Operation operation, int repetition)
            throws IOException, InterruptedException {
        Case of = cluster.of();
        OptionalDouble rate = rates.getOrDefault(of.groupOf(operation), OptionalDouble.empty());
        if (rate.isPresent()) {
            VariantResults counted = results(of, operation);
            costRuns.count(cluster, operation, rate.getAsDouble(), counted);
            add(of, operation);
            if (repetition == 0) {
                costRuns.profile(cluster, operation, rate.getAsDouble(), counted);
                add(of, operation);
            }
        }
        // The first pass has searched once already.
        if (searches() && costs.searchesEach() && !counts.isLast(repetition)) {
            search(cluster, operation, repetition + 1);
        }
    }

    /**
     * Returns a cost that was counted.
     *
     * @param variant one of the comparison, which has a case of no group
     * @param operation one of its plan
     * @param cost the counted cost
     * @return a value for each repetition, in their order; empty if it was not counted
     */
    public List<Double> costs(ServerVariant variant, Operation operation, Cost cost) {
        return cases.stream()
                .filter(each -> each.group().isEmpty() && each.variant().equals(variant))
                .flatMap(each -> results(each, operation).costs(cost).stream())
                .toList();
    }

    private VariantResults results(Case each, Operation operation) {
        return results.computeIfAbsent(
                each.groupOf(operation) + " " + each.variant().name(), name -> new VariantResults(costs.counted()));
    }

    private void add(Case each, Operation operation) {
        String group = each.groupOf(operation);
        context.add(results(each, operation).measurement(group, each.variant()));
    }
}
