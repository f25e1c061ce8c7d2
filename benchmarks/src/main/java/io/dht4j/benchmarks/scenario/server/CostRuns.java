package io.dht4j.benchmarks.scenario.server;

import io.dht4j.benchmarks.process.node.Profiling;
import io.dht4j.benchmarks.profile.CollapsedStacks;
import io.dht4j.benchmarks.profile.FlameGraphs;
import io.dht4j.benchmarks.profile.ProfileEvent;
import io.dht4j.benchmarks.profile.ThreadStates;
import io.dht4j.benchmarks.report.Figures;
import io.dht4j.benchmarks.results.Measurement;
import io.dht4j.benchmarks.scenario.RunContext;
import io.dht4j.benchmarks.scenario.server.ServerComparison.Case;
import io.dht4j.benchmarks.stable.StableLoadSpec;
import io.dht4j.lab.internal.counters.Counters;
import io.dht4j.lab.internal.load.LoadResult;
import io.dht4j.lab.internal.load.LoadSpec;
import io.dht4j.lab.internal.load.Operation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Counts costs and takes profiles while a load runs at the rate of a group. A load that holds may fail in a slow moment
 * of the machine, so a run that fails is repeated, at the same rate: at a lower one an operation would cost more.
 * Confined to one thread.
 */
final class CostRuns {

    /** Attempts at the rate. */
    static final int TRIES = 3;

    private static final double TAIL = 99;

    private final RunContext context;
    private final Map<String, NamedStacks> baselines = new HashMap<>();
    /** The seed of the next run. Other keys each time, since recently read ones may be faster. */
    private long fresh = 1_000_000;

    CostRuns(RunContext context) {
        this.context = context;
    }

    private record NamedStacks(String variant, CollapsedStacks stacks) {}

    /** A load with the measurements during it. */
    record Counted(LoadResult result, Counters spent) {}

    /** Runs a load once. */
    @FunctionalInterface
    interface Attempt {

        /**
         * Runs it. Blocks.
         *
         * @throws IOException if it fails
         * @throws InterruptedException if the thread is interrupted
         */
        Counted run() throws IOException, InterruptedException;
    }

    /** Counts an operation's costs at a rate. Blocks. */
    void count(CaseCluster cluster, Operation operation, double rate, VariantResults results)
            throws IOException, InterruptedException {
        StableLoadSpec bounds = cluster.of().plan().search(operation, rate, 0);
        cluster.settle(operation, load(cluster, operation, rate));
        Counted counted = counted(bounds, rate, results, () -> {
            Counters before = cluster.counters();
            LoadResult result = cluster.run(load(cluster, operation, rate));
            return new Counted(result, cluster.counters().since(before));
        });
        if (counted.result().failed() > 0) {
            cluster.nodes().ping();
        }
    }

    /** Counts until the rate holds, and adds the last costs; with a doubt if it never does. */
    static Counted counted(StableLoadSpec bounds, double rate, VariantResults results, Attempt attempt)
            throws IOException, InterruptedException {
        Counted counted = attempt.run();
        for (int i = 1; i < TRIES && !bounds.holds(counted.result()); i++) {
            counted = attempt.run();
        }
        LoadResult result = counted.result();
        results.addCosts(rate, result, counted.spent().perOperation(result.offered() - result.notSent()));
        if (!bounds.holds(result)) {
            results.doubt(unheld(rate, result) + " while the costs were counted");
        }
        // Not those about its latencies: the generator's delays hardly change the cost of an operation.
        result.conditions().doubts().forEach(doubt -> results.doubt(Measurement.OF_THE_COSTS + doubt));
        results.addCompilation(counted.spent(), result.tookSeconds());
        return counted;
    }

    private static String unheld(double rate, LoadResult result) {
        return String.format(
                Locale.ROOT,
                "it did not hold %s operations/s (%s was served, %,d failed, and the 99th percentile was %s)",
                Figures.of(rate),
                Figures.share(result.servedShare()),
                result.failed(),
                Figures.micros(result.latency().micros(TAIL)));
    }

    /** Takes the profiles of a plan at a rate. Blocks. */
    void profile(CaseCluster cluster, Operation operation, double rate, VariantResults results)
            throws IOException, InterruptedException {
        Case of = cluster.of();
        StableLoadSpec bounds = of.plan().search(operation, rate, 0);
        for (ProfileEvent event : of.plan().events()) {
            String name = (of.groupOf(operation) + "-" + of.variant().name() + "-" + event.label())
                    .toLowerCase(Locale.ROOT)
                    .replaceAll("[^a-z0-9-]+", "-");
            Optional<LoadResult> meanwhile = Optional.empty();
            Profiling.Taken taken = new Profiling.Taken(Optional.empty(), List.of());
            for (int i = 0; i < TRIES; i++) {
                LoadResult[] last = new LoadResult[1];
                taken = Profiling.take(
                        cluster.nodes(),
                        event,
                        context.directory(),
                        name,
                        () -> last[0] = cluster.run(load(cluster, operation, rate)));
                meanwhile = Optional.ofNullable(last[0]);
                if (meanwhile.map(bounds::holds).orElse(true)) {
                    break;
                }
            }
            taken.notes().forEach(results::doubt);
            meanwhile
                    .filter(result -> !bounds.holds(result))
                    .ifPresent(result -> context.note(
                            of.groupOf(operation) + ", " + of.variant().name() + ": " + unheld(rate, result)
                                    + " while the profile of " + event.label() + " was taken."));
            if (taken.seen().isPresent()) {
                keep(of, operation, event, name, taken.seen().get(), results);
            }
        }
    }

    private LoadSpec load(CaseCluster cluster, Operation operation, double rate) {
        ServerPlan plan = cluster.of().plan();
        return plan.load(operation, rate, 0)
                .lasting(0, 2 * plan.pace().seconds())
                .withMaxInFlight(plan.search(operation, rate, 0).maxInFlight(rate))
                .withSeed(fresh++);
    }

    private void keep(
            Case of, Operation operation, ProfileEvent event, String name, Profiling.Seen seen, VariantResults results)
            throws IOException {
        results.addProfile(seen.profile());
        if (event == ProfileEvent.WALL) {
            linkThreads(of, operation, name, seen.stacks());
        }
        linkDifference(of, operation, event, name, seen.stacks());
    }

    private void linkThreads(Case of, Operation operation, String name, CollapsedStacks wall) throws IOException {
        Path file = context.directory().resolve(name + "-threads.md");
        Files.writeString(file, ThreadTable.of(ThreadStates.of(wall)));
        context.link(
                of.groupOf(operation) + ": what the threads of " + of.variant().name() + " did", file);
    }

    /** Draws each variant's profile against the first of its group. */
    private void linkDifference(Case of, Operation operation, ProfileEvent event, String name, CollapsedStacks stacks)
            throws IOException {
        String group = of.groupOf(operation) + ", " + event.label();
        NamedStacks own = new NamedStacks(of.variant().name(), stacks);
        Optional<NamedStacks> first = Optional.ofNullable(baselines.putIfAbsent(group, own));
        if (first.isPresent()) {
            Path file = context.directory().resolve(name + "-difference.html");
            String title =
                    group + ": " + own.variant() + " against " + first.get().variant();
            FlameGraphs.writeDifference(first.get().stacks(), stacks, title, file);
            context.link("flame graph of the difference: " + title, file);
        }
    }
}
