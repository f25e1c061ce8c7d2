package io.dht4j.benchmarks.scenarios;

import io.dht4j.benchmarks.report.Figures;
import io.dht4j.benchmarks.results.KeyFigure;
import io.dht4j.benchmarks.results.LoadLevel;
import io.dht4j.benchmarks.results.Measurement;
import io.dht4j.benchmarks.scenario.Needs;
import io.dht4j.benchmarks.scenario.Parameter;
import io.dht4j.benchmarks.scenario.RunContext;
import io.dht4j.benchmarks.scenario.Scenario;
import io.dht4j.benchmarks.scenario.Settings;
import io.dht4j.benchmarks.scenario.load.LoadPlan;
import io.dht4j.benchmarks.scenario.load.LoadRepetitions;
import io.dht4j.benchmarks.scenario.load.LoadSession;
import io.dht4j.benchmarks.scenario.server.ClientPlan;
import io.dht4j.benchmarks.scenario.server.LoopPlan;
import io.dht4j.benchmarks.scenario.server.PeerTransports;
import io.dht4j.benchmarks.scenario.server.ServerVariant;
import io.dht4j.lab.internal.counters.Counters;
import io.dht4j.lab.internal.load.CompilerWork;
import io.dht4j.lab.internal.load.LoadResult;
import io.dht4j.lab.internal.load.LoadSpec;
import io.dht4j.lab.internal.load.Operation;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Offers one rate to three nodes of the run, or to a running cluster, and reports latency and costs. */
public final class FixedLoad implements Scenario {

    private static final String RATE = "rate";
    private static final double TAIL = 99;

    /**
     * The least share of served operations. Others have no latency, and most of them would be among the slowest
     * hundredth, at whose edge the figure is.
     */
    private static final double LEAST_SERVED = 0.999;

    /** Creates the scenario. */
    public FixedLoad() {}

    @Override
    public String name() {
        return "load";
    }

    @Override
    public String question() {
        return "What latency has a cluster at a given rate?";
    }

    @Override
    public KeyFigure keyFigure() {
        return KeyFigure.values();
    }

    @Override
    public List<Parameter> parameters() {
        return LoadPlan.parameters(Stream.concat(
                        Stream.of(
                                new Parameter(
                                        RATE,
                                        "offered operations per second in an open loop, 1 to 1,000,000",
                                        "500",
                                        "1000"),
                                PeerTransports.parameter("vertx", "grpc-stream")),
                        LoopPlan.parameters().stream())
                .toList());
    }

    @Override
    public void check(Settings settings) {
        rate(settings);
        PeerTransports.of(settings);
        LoadPlan plan = LoadPlan.of(settings);
        loop(settings, plan);
        plan.requireEffects(settings, List.of(PeerTransports.BETWEEN_NODES));
        plan.requireTargets();
    }

    @Override
    public List<String> warnings(Settings settings) {
        return LoadPlan.of(settings).warnings();
    }

    private static LoopPlan loop(Settings settings, LoadPlan plan) {
        return LoopPlan.of(settings, plan.processes() * plan.client().threads(), List.of(RATE, ClientPlan.SEND_EVERY));
    }

    @Override
    public Needs needs(Settings settings) {
        return LoadPlan.of(settings).needs();
    }

    private static double rate(Settings settings) {
        return settings.decimal(RATE, 1, 1_000_000);
    }

    /** The results of an operation. */
    private static final class Cell {

        private final List<Double> values = new ArrayList<>();
        private final List<LoadLevel> levels = new ArrayList<>();
        private final Map<String, List<Double>> costs = new LinkedHashMap<>();
        private final Set<String> doubts = new LinkedHashSet<>();
        private final CompilerWork compilers = new CompilerWork();

        private void addCosts(Counters spent, LoadResult result) {
            spent.perOperation(result.offered() - result.notSent())
                    .forEach((cost, value) -> costs.computeIfAbsent(cost, name -> new ArrayList<>())
                            .add(value));
            compilers.add(spent, result.tookSeconds());
        }

        private List<String> allDoubts() {
            List<String> all = new ArrayList<>(doubts);
            compilers.doubt("the nodes").ifPresent(all::add);
            return all;
        }
    }

    @Override
    public void run(RunContext context) throws IOException, InterruptedException {
        LoadPlan plan = LoadPlan.of(context);
        LoopPlan loop = loop(context, plan);
        if (loop.isClosed()) {
            loop.note(context);
        }
        String transport = PeerTransports.of(context);
        Map<Operation, Cell> cells = new LinkedHashMap<>();
        LoadRepetitions.run(
                context,
                plan,
                List.of(ServerVariant.of(transport, LoadPlan.NODES, 2, LoadPlan.NODES)
                        .over(transport)),
                (variant, shown, session, repetition) -> {
                    for (Operation operation : plan.operations()) {
                        context.step(variant + ": " + operation.name());
                        Cell cell = cells.computeIfAbsent(operation, each -> new Cell());
                        LoadSpec open = plan.load(operation, rate(context), repetition + 1L);
                        LoadSpec spec = loop.isClosed() ? loop.closed(open) : open;
                        measure(plan, spec, repetition, session, cell);
                        context.add(measurement(spec, variant, shown, cell));
                    }
                });
    }

    private static void measure(LoadPlan plan, LoadSpec spec, int repetition, LoadSession session, Cell cell)
            throws IOException, InterruptedException {
        if (plan.warmUpSeconds() > 0) {
            session.run(spec.lasting(0, plan.warmUpSeconds()).withSeed(-1 - repetition));
        }
        Optional<Counters> before = session.counters();
        LoadResult result = session.run(spec);
        Optional<Counters> after = session.counters();
        if (before.isPresent() && after.isPresent()) {
            cell.addCosts(after.get().since(before.get()), result);
        }
        cell.values.add(
                spec.closedLoop() ? result.servedPerSecond() : result.latency().micros(TAIL));
        if (cell.levels.isEmpty()) {
            cell.levels.add(new LoadLevel(LoadLevel.ALL, result));
        }
        cell.doubts.addAll(result.conditions().doubts());
        // The generator's delays hardly change the cost of an operation at a given rate; in a closed loop they change
        // the rate.
        String begin = spec.closedLoop() ? "" : Measurement.OF_THE_LATENCY;
        result.conditions().latencyDoubts().forEach(doubt -> cell.doubts.add(begin + doubt));
        if (result.servedShare() < LEAST_SERVED || result.failed() > 0) {
            cell.doubts.add(result.unserved());
        }
    }

    private static Measurement measurement(LoadSpec spec, String variant, Map<String, String> shown, Cell cell) {
        return new Measurement(
                        spec.operation().name()
                                + (spec.closedLoop()
                                        ? ", " + spec.maxInFlight() + " in flight"
                                        : ", " + Figures.of(spec.perSecond()) + "/s offered"),
                        variant,
                        spec.closedLoop() ? Measurement.CLOSED_LOOP : "µs at p99",
                        spec.closedLoop(),
                        cell.values,
                        shown,
                        cell.levels,
                        cell.costs,
                        List.of(),
                        cell.allDoubts())
                .countedAt(cell.costs.isEmpty() || spec.closedLoop() ? 0 : spec.perSecond());
    }
}
