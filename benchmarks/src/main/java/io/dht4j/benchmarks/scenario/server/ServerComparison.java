package io.dht4j.benchmarks.scenario.server;

import io.dht4j.benchmarks.files.Directories;
import io.dht4j.benchmarks.process.load.LoadProcess;
import io.dht4j.benchmarks.process.node.LabCustomizer;
import io.dht4j.benchmarks.process.node.Nodes;
import io.dht4j.benchmarks.process.node.NodesSpec;
import io.dht4j.benchmarks.process.node.Profiling;
import io.dht4j.benchmarks.profile.CollapsedStacks;
import io.dht4j.benchmarks.profile.FlameGraphs;
import io.dht4j.benchmarks.profile.ProfileEvent;
import io.dht4j.benchmarks.profile.ThreadStates;
import io.dht4j.benchmarks.report.LoadLevel;
import io.dht4j.benchmarks.report.Measurement;
import io.dht4j.benchmarks.report.Profile;
import io.dht4j.benchmarks.scenario.Lab;
import io.dht4j.benchmarks.scenario.Needs;
import io.dht4j.benchmarks.stable.Probe;
import io.dht4j.benchmarks.stable.StableLoad;
import io.dht4j.benchmarks.stable.StableLoadSearch;
import io.dht4j.benchmarks.stable.StableLoadSpec;
import io.dht4j.lab.internal.counters.Counters;
import io.dht4j.lab.internal.load.LoadDriver;
import io.dht4j.lab.internal.load.LoadResult;
import io.dht4j.lab.internal.load.LoadSpec;
import io.dht4j.lab.internal.load.Operation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * Finds the stable load of several clusters of standalone servers, in rotating order, through a public API. The first
 * repetition also measures latency, costs and profiles at that load. Nodes and load are processes of their own.
 */
public final class ServerComparison {

    /** Later searches begin slightly below the earlier result. */
    private static final double NEAR = 0.7;

    private final Lab lab;
    private final int repetitions;
    private final List<Case> cases;
    private final Map<String, Cell> cells = new LinkedHashMap<>();
    private final Map<String, NamedStacks> baselines = new HashMap<>();
    /**
     * The seed of the next run for costs or a profile. Other keys each time, since recently read ones may be faster.
     */
    private long fresh = 1_000_000;

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
     * @param repetitions of each case, with new processes
     * @param cases to measure
     */
    public ServerComparison(Lab lab, int repetitions, List<Case> cases) {
        this.lab = lab;
        this.repetitions = repetitions;
        this.cases = List.copyOf(cases);
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
     * Returns the needs of the largest case.
     *
     * @param cases of a comparison
     * @param copies of each entry
     */
    public static Needs needs(List<Case> cases, int copies) {
        return cases.stream()
                .map(each -> each.plan().needs(each.variant().nodes(), copies))
                .reduce(Needs.LITTLE, Needs::or);
    }

    /** Returns the number of steps. */
    public int steps() {
        return repetitions
                * cases.stream()
                        .mapToInt(each -> 1 + each.plan().operations().size())
                        .sum();
    }

    private record NamedStacks(String variant, CollapsedStacks stacks) {}

    /** The results of a variant at an operation. */
    private static final class Cell {

        private final List<Double> rates = new ArrayList<>();
        private final Set<String> doubts = new LinkedHashSet<>();
        private final List<Profile> profiles = new ArrayList<>();
        private List<LoadLevel> levels = List.of();
        private final Map<String, List<Double>> costs = new LinkedHashMap<>();
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
        cases.stream()
                .map(each -> each.plan().pace())
                .distinct()
                .forEach(pace -> lab.note(String.format(
                        Locale.ROOT,
                        "The operations/s are stable loads: the highest rate of which 99 %% is served, of which "
                                + "nothing fails, and of which the 99th percentile is"
                                + " under %d ms. Each was searched for until it was known to within %.0f %%, %s.",
                        pace.p99().toMillis(),
                        100 * pace.precision(),
                        repetitions == 1 ? "once" : repetitions + " times")));
        try (LoadGenerator load = new LoadGenerator(NodeJvm.compilerFlags(lab))) {
            for (int repetition = 0; repetition < repetitions; repetition++) {
                for (int i = 0; i < cases.size(); i++) {
                    // Rotated, so that none always follows the same other one.
                    measure(cases.get((i + repetition) % cases.size()), repetition, load);
                }
            }
        }
    }

    private void measure(Case each, int repetition, LoadGenerator generator) throws IOException, InterruptedException {
        ServerVariant variant = each.variant();
        ServerPlan plan = each.plan();
        lab.step(title(each, "starting and filling", repetition));
        Path data = Files.createTempDirectory(lab.scratch(), "nodes");
        NodeJvm jvm = plan.jvm().with(LabCustomizer.jvmFlags(variant.components()));
        NodesSpec spec = NodesSpec.of(variant.nodes(), data, variant.settings())
                .withJvm(jvm.heapMegabytes(), jvm.flags(variant.nodes()));
        try (Nodes nodes = Nodes.start(plan.client().offering(spec))) {
            LoadProcess load = FilledLoad.of(lab, plan, variant.ack(), variant.from(), nodes, generator);
            WarmUp warmUp = new WarmUp(plan, nodes, load);
            // Warms up first: compilation under load would count against the first variant.
            warmUp.run();
            for (Operation operation : plan.operations()) {
                lab.step(title(each, operation.name(), repetition));
                warmUp.turnTo(operation).ifPresent(cell(each, operation).doubts::add);
                measure(each, operation, repetition, nodes, load);
            }
        } finally {
            Directories.delete(data);
        }
    }

    private Cell cell(Case each, Operation operation) {
        return cells.computeIfAbsent(
                each.groupOf(operation) + " " + each.variant().name(), name -> new Cell());
    }

    private String title(Case each, String what, int repetition) {
        return each.variant().name()
                + (each.group().isEmpty() ? "" : ", " + each.group())
                + ": " + what
                + (repetitions == 1 ? "" : ", repetition " + (repetition + 1) + " of " + repetitions);
    }

    private void measure(Case each, Operation operation, int repetition, Nodes nodes, LoadProcess load)
            throws IOException, InterruptedException {
        ServerPlan plan = each.plan();
        Cell cell = cell(each, operation);
        double from = cell.rates.stream()
                .filter(rate -> rate > 0)
                .findFirst()
                .map(rate -> Math.max(plan.pace().firstRate(), NEAR * rate))
                .orElse(plan.pace().firstRate());
        List<String> ofTheLimit = new ArrayList<>();
        LoadDriver pinging = spec -> {
            LoadResult result = load.run(spec);
            if (result.failed() > 0) {
                nodes.ping();
            }
            return result;
        };
        StableLoad stable = StableLoadSearch.find(pinging, plan.search(operation, from, repetition), probe -> {
            // Later runs at parts of the result have doubts of their own.
            if (!probe.stable() && probe.phase() != Probe.Phase.LEVEL) {
                ofTheLimit.clear();
                ofTheLimit.addAll(probe.result().conditions().doubts());
            }
        });
        nodes.ping();
        ofTheLimit.forEach(doubt -> cell.doubts.add(Measurement.OF_THE_LIMIT + doubt));
        cell.rates.add(stable.perSecond());
        if (!stable.found()) {
            cell.doubts.add(
                    "no rate was stable, down to a small part of " + plan.pace().firstRate() + " per second");
        }
        if (stable.atLeast()) {
            cell.doubts.add(Measurement.AT_LEAST);
        }
        if (!cell.levels.isEmpty()) {
            // The levels hold those of the first repetition.
            stable.levels().stream()
                    .filter(level -> level.percent() == LoadLevel.ALL)
                    .flatMap(level -> level.result().conditions().doubts().stream())
                    .forEach(doubt -> cell.doubts.add(Measurement.OF_THE_STABLE_LOAD + doubt));
        }
        if (stable.found()) {
            countCosts(each, operation, stable.perSecond(), cell, nodes, load);
            if (cell.levels.isEmpty()) {
                cell.levels = stable.levels();
                profile(each, operation, stable.perSecond(), cell, nodes, load);
            }
        }
        lab.add(new Measurement(
                each.groupOf(operation),
                each.variant().name(),
                Measurement.PER_SECOND,
                true,
                cell.rates,
                each.variant().shown(),
                cell.levels,
                cell.costs,
                cell.profiles,
                List.copyOf(cell.doubts)));
    }

    /** Counts costs in a further run at the stable load, or at a part of it if the load fails. */
    private void countCosts(Case each, Operation operation, double rate, Cell cell, Nodes nodes, LoadProcess load)
            throws IOException, InterruptedException {
        StableLoadSpec search = each.plan().search(operation, rate, 0);
        Map<String, Double> costs = new LinkedHashMap<>();
        List<String> doubts = new ArrayList<>();
        OptionalInt counted = look(each, operation, rate, spec -> {
            Counters before = nodes.counters();
            LoadResult result = load.run(spec);
            costs.clear();
            costs.putAll(nodes.counters().since(before).perOperation(result.offered() - result.notSent()));
            doubts.clear();
            doubts.addAll(result.conditions().doubts());
            return search.holds(result);
        });
        costs.forEach((cost, value) ->
                cell.costs.computeIfAbsent(cost, name -> new ArrayList<>()).add(value));
        doubts.forEach(doubt -> cell.doubts.add("while the costs were counted: " + doubt));
        noteRate(each, operation, cell, "the costs were counted", counted);
    }

    /** Takes profiles in further runs at the stable load, or at a part of it if the load fails. */
    private void profile(Case each, Operation operation, double rate, Cell cell, Nodes nodes, LoadProcess load)
            throws IOException, InterruptedException {
        StableLoadSpec search = each.plan().search(operation, rate, 0);
        for (ProfileEvent event : each.plan().events()) {
            String name = (each.groupOf(operation) + "-" + each.variant().name() + "-" + event.label())
                    .toLowerCase(Locale.ROOT)
                    .replaceAll("[^a-z0-9-]+", "-");
            Deque<Profiling.Taken> all = new ArrayDeque<>();
            OptionalInt profiled = look(each, operation, rate, spec -> {
                List<LoadResult> meanwhile = new ArrayList<>();
                Profiling.Taken taken =
                        Profiling.take(nodes, event, lab.directory(), name, () -> meanwhile.add(load.run(spec)));
                all.add(taken);
                return taken.seen().isEmpty() || meanwhile.stream().allMatch(search::holds);
            });
            keep(each, operation, event, name, all.getLast(), cell);
            if (all.getLast().seen().isPresent()) {
                noteRate(each, operation, cell, "the profile of " + event.label() + " was taken", profiled);
            }
        }
    }

    /** A measurement during a load. */
    @FunctionalInterface
    private interface Taking {

        /** Returns whether the load held. */
        boolean held(LoadSpec spec) throws IOException, InterruptedException;
    }

    /** Returns the percentage of the stable load at which it held; empty if it never did. */
    private OptionalInt look(Case each, Operation operation, double rate, Taking taking)
            throws IOException, InterruptedException {
        ServerPlan plan = each.plan();
        return ConfirmationRun.until(percent -> {
            double part = rate * percent / LoadLevel.ALL;
            return taking.held(plan.load(operation, part, 0)
                    .lasting(0, 2 * plan.pace().seconds())
                    .withMaxInFlight(plan.search(operation, part, 0).maxInFlight(part))
                    .withSeed(fresh++));
        });
    }

    private void noteRate(Case each, Operation operation, Cell cell, String what, OptionalInt held) {
        if (held.isEmpty()) {
            cell.doubts.add("while " + what + " the load was not stable, not even at a part of it");
        } else if (held.getAsInt() < LoadLevel.ALL) {
            lab.note(each.groupOf(operation) + ", " + each.variant().name() + ": " + what + " at " + held.getAsInt()
                    + " % of the stable load, at more of which it did not hold meanwhile.");
        }
    }

    private void keep(Case each, Operation operation, ProfileEvent event, String name, Profiling.Taken taken, Cell cell)
            throws IOException {
        cell.doubts.addAll(taken.notes());
        if (taken.seen().isEmpty()) {
            return;
        }
        CollapsedStacks stacks = taken.seen().get().stacks();
        cell.profiles.add(taken.seen().get().profile());
        if (event == ProfileEvent.WALL) {
            linkThreads(each, operation, name, stacks);
        }
        linkDifference(each, operation, event, name, stacks);
    }

    private void linkThreads(Case each, Operation operation, String name, CollapsedStacks wall) throws IOException {
        Path file = lab.directory().resolve(name + "-threads.md");
        Files.writeString(file, ThreadTable.of(ThreadStates.of(wall)));
        lab.link(
                each.groupOf(operation) + ": what the threads of "
                        + each.variant().name() + " did",
                file);
    }

    /** Draws each variant's profile against the first of its group. */
    private void linkDifference(Case each, Operation operation, ProfileEvent event, String name, CollapsedStacks stacks)
            throws IOException {
        String group = each.groupOf(operation) + ", " + event.label();
        NamedStacks own = new NamedStacks(each.variant().name(), stacks);
        Optional<NamedStacks> first = Optional.ofNullable(baselines.putIfAbsent(group, own));
        if (first.isPresent()) {
            Path file = lab.directory().resolve(name + "-difference.html");
            String title =
                    group + ": " + own.variant() + " against " + first.get().variant();
            FlameGraphs.writeDifference(first.get().stacks(), stacks, title, file);
            lab.link("flame graph of the difference: " + title, file);
        }
    }
}
