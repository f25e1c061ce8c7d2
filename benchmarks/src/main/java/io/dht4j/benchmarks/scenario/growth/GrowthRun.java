package io.dht4j.benchmarks.scenario.growth;

import io.dht4j.benchmarks.files.Directories;
import io.dht4j.benchmarks.load.closed.Preload;
import io.dht4j.benchmarks.load.closed.ReadBack;
import io.dht4j.benchmarks.process.load.LoadProcess;
import io.dht4j.benchmarks.process.node.MembershipReading;
import io.dht4j.benchmarks.process.node.NodeProcess;
import io.dht4j.benchmarks.process.node.Nodes;
import io.dht4j.benchmarks.report.Figures;
import io.dht4j.benchmarks.scenario.RunContext;
import io.dht4j.benchmarks.scenario.server.FilledLoad;
import io.dht4j.benchmarks.stable.StableLoad;
import io.dht4j.benchmarks.stable.StableLoadSearch;
import io.dht4j.lab.internal.counters.Cost;
import io.dht4j.lab.internal.counters.Counters;
import io.dht4j.lab.internal.load.CompilerWork;
import io.dht4j.lab.internal.load.LoadResult;
import io.dht4j.lab.internal.load.WarmUp;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Lets a cluster of three nodes grow to four while a load runs: undisturbed windows, the start of the fourth node, the
 * moves, undisturbed windows again; then every key is read. Confined to one thread.
 */
public final class GrowthRun {

    private static final int STEPS = 10;
    private static final double TAIL = 99;
    private static final double TURN_SECONDS = 5;
    private static final double PART_OF_STABLE = 0.5;
    /** A count under load may be wrong by this part of the entries. */
    private static final long TOLERATED = 100;

    private static final Duration READING = Duration.ofMinutes(30);

    private final RunContext context;
    private final GrowthPlan plan;
    private final GrowthReport report;

    /**
     * Creates a run.
     *
     * @param context receives the figures
     * @param plan of the run
     */
    public GrowthRun(RunContext context, GrowthPlan plan) {
        this.context = context;
        this.plan = plan;
        this.report = new GrowthReport(context, plan.variant().shown());
    }

    /** The rows at the end, and the moves. */
    private record Grown(Moves moves, List<GrowthFigures.Rows> rows, LoadWindows windows) {}

    /**
     * Runs it. Blocks.
     *
     * @throws IOException if a process has ended or gives no answer, or the moves do not end
     * @throws InterruptedException if the thread is interrupted; no process remains then
     */
    public void run() throws IOException, InterruptedException {
        context.plan(STEPS);
        Path data = Files.createTempDirectory(context.scratch(), "nodes");
        context.step("starting three nodes");
        try (Nodes nodes = Nodes.start(plan.nodes(data));
                LoadProcess load = LoadProcess.start(
                        "load", plan.client(nodes), plan.loadHeapMegabytes(), plan.loadFlags(), Optional.empty())) {
            context.step("filling");
            FilledLoad.fill(context, load, plan.keys(), plan.valueBytes());
            context.step("warming up");
            warmUp(nodes, load);
            context.step("choosing the rate");
            double rate = rate(load);
            Grown grown;
            try (LoadWindows windows = LoadWindows.start(load, plan.window(rate))) {
                grown = grow(nodes, windows);
            }
            context.step("reading every key");
            load.connect(plan.client(nodes));
            ReadBack.Result readBack = load.readBack(plan.keys(), Preload.inFlight(plan.valueBytes()), READING);
            report.write(growth(grown, readBack));
        }
        Directories.delete(data);
    }

    private void warmUp(Nodes nodes, LoadProcess load) throws IOException, InterruptedException {
        if (plan.warmUpSeconds() == 0) {
            return;
        }
        double seconds = Math.min(TURN_SECONDS, plan.warmUpSeconds());
        WarmUp.Turn<IOException> turn = () -> {
            load.run(plan.fullSpeed(seconds).withSeed(System.nanoTime()));
            return seconds;
        };
        new WarmUp<IOException>(plan.warmUpLimit(), nodes::counters, System::nanoTime)
                .run(plan.warmUpSeconds(), List.of(turn));
    }

    private double rate(LoadProcess load) throws IOException, InterruptedException {
        if (plan.rate().isPresent()) {
            return plan.rate().getAsDouble();
        }
        StableLoad stable = StableLoadSearch.find(load, plan.searchSpec(), probe -> {});
        if (!stable.found()) {
            throw new IOException("no rate was stable, down to a small part of --first-rate; name a rate with --rate");
        }
        double rate = Math.floor(PART_OF_STABLE * stable.perSecond());
        context.note(String.format(
                Locale.ROOT,
                "The load is %s operations/s, half of the stable load of %s/s before the growth.",
                Figures.of(rate),
                Figures.of(stable.perSecond())));
        return rate;
    }

    private Grown grow(Nodes nodes, LoadWindows windows) throws IOException, InterruptedException {
        CompilerWork compilers = new CompilerWork();
        context.step("undisturbed windows before the moves");
        undisturbed(nodes, windows, compilers);
        context.step("a fourth node joins");
        windows.begin(Phase.JOINING);
        NodeProcess first = nodes.all().get(0);
        first.rebalance(true, plan.bytesPerSecond());
        first.admit(nodes.nextName());
        NodeProcess joined = nodes.startJoining();
        context.step("moving partitions");
        Moves moves = new Moves(joined, windows);
        Counters before = nodes.counters();
        windows.begin(Phase.MOVES);
        moves.run(() -> first.rebalance(false, plan.bytesPerSecond()));
        noteCompilers(nodes.counters().since(before), moves.seconds());
        context.step("dropping what has moved away");
        windows.begin(Phase.DROPS);
        long copies = GrowthPlan.REPLICAS * plan.keys();
        moves.awaitDrops(nodes, copies, copies / TOLERATED);
        windows.begin(Phase.AFTER);
        context.step("undisturbed windows after the moves");
        undisturbed(nodes, windows, compilers);
        windows.finish();
        compilers.doubt("the nodes").ifPresent(doubt -> report.doubt(Phase.BEFORE, doubt));
        return new Grown(moves, rows(nodes, moves.awaitDrops(nodes, copies, 0)), windows);
    }

    private void undisturbed(Nodes nodes, LoadWindows windows, CompilerWork compilers)
            throws IOException, InterruptedException {
        Counters before = nodes.counters();
        long began = System.nanoTime();
        windows.await(plan.windows());
        compilers.add(nodes.counters().since(before), (System.nanoTime() - began) / 1e9);
    }

    /** The new process compiles while partitions move to it: that is a part of a growth, and no doubt. */
    private void noteCompilers(Counters spent, double seconds) {
        double share = spent.values().getOrDefault(Cost.COMPILER_MICROS, 0L) / 1e6 / seconds;
        context.note(String.format(
                Locale.ROOT,
                "During the moves the compilers of the nodes, one of which is new, used %.0f %% of a processor.",
                100 * share));
    }

    private List<GrowthFigures.Rows> rows(Nodes nodes, List<Long> entries) throws IOException, InterruptedException {
        long held = entries.stream().mapToLong(Long::longValue).sum();
        if (held != GrowthPlan.REPLICAS * plan.keys()) {
            report.doubtRows(String.format(
                    Locale.ROOT,
                    "the nodes hold %,d entries two minutes after the load, not three of each of %,d keys",
                    held,
                    plan.keys()));
        }
        Map<String, Integer> weights = new TreeMap<>();
        for (MembershipReading.Member member : nodes.all().get(0).membership().members()) {
            weights.put(member.name(), member.weight());
        }
        List<GrowthFigures.Rows> rows = new ArrayList<>();
        List<NodeProcess> all = nodes.all();
        for (int i = 0; i < all.size(); i++) {
            String name = all.get(i).id();
            rows.add(new GrowthFigures.Rows(name, entries.get(i), weights.getOrDefault(name, 1)));
        }
        return rows;
    }

    private GrowthFigures growth(Grown grown, ReadBack.Result readBack) {
        LoadWindows windows = grown.windows();
        for (Phase phase : Phase.values()) {
            windows.of(phase).forEach(result -> doubts(phase, result));
        }
        readBack.errors().forEach((name, count) -> context.note("Reading back, " + count + " gets failed: " + name));
        Map<String, GrowthFigures.Tails> tails = new TreeMap<>();
        for (String kind : List.of("get", "put")) {
            tails.put(
                    kind,
                    new GrowthFigures.Tails(
                            tails(windows, Phase.BEFORE, kind),
                            tails(windows, Phase.MOVES, kind),
                            tails(windows, Phase.DROPS, kind),
                            tails(windows, Phase.AFTER, kind)));
        }
        return new GrowthFigures(
                plan.keys(),
                tails,
                windows.all().stream().mapToLong(LoadResult::offered).sum(),
                windows.all().stream().mapToLong(LoadResult::failed).sum(),
                readBack,
                grown.rows(),
                grown.moves().bytes(),
                plan.entryBytes(),
                grown.moves().seconds(),
                plan.bytesPerSecond());
    }

    private void doubts(Phase phase, LoadResult result) {
        result.conditions().allDoubts().forEach(doubt -> report.doubt(phase, doubt));
        if (result.failed() + result.notSent() > 0) {
            report.doubt(phase, result.unserved());
        }
    }

    private static List<Double> tails(LoadWindows windows, Phase phase, String kind) {
        return windows.of(phase).stream()
                .flatMap(result -> Optional.ofNullable(result.latencyByKind().get(kind)).stream())
                .map(latency -> latency.micros(TAIL))
                .toList();
    }
}
