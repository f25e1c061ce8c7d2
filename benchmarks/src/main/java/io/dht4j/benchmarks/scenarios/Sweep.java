package io.dht4j.benchmarks.scenarios;

import io.dht4j.benchmarks.results.KeyFigure;
import io.dht4j.benchmarks.results.LoadLevel;
import io.dht4j.benchmarks.results.Measurement;
import io.dht4j.benchmarks.scenario.CandidateParameters;
import io.dht4j.benchmarks.scenario.Needs;
import io.dht4j.benchmarks.scenario.Parameter;
import io.dht4j.benchmarks.scenario.RunContext;
import io.dht4j.benchmarks.scenario.Scenario;
import io.dht4j.benchmarks.scenario.Settings;
import io.dht4j.benchmarks.scenario.load.LoadPlan;
import io.dht4j.benchmarks.scenario.load.LoadRepetitions;
import io.dht4j.benchmarks.scenario.load.LoadSession;
import io.dht4j.benchmarks.scenario.server.PeerTransports;
import io.dht4j.benchmarks.scenario.server.SearchPlan;
import io.dht4j.benchmarks.scenario.server.ServerVariant;
import io.dht4j.benchmarks.stable.Knee;
import io.dht4j.benchmarks.stable.RateSweep;
import io.dht4j.benchmarks.stable.StableLoadSpec;
import io.dht4j.lab.internal.load.LoadResult;
import io.dht4j.lab.internal.load.Operation;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Measures latency at rising rates up to the knee, for some transports between nodes or for a running cluster. */
public final class Sweep implements Scenario {

    private static final String CLIENTS = "clients";
    private static final int ACK = 2;
    private static final double FULL_SPEED = 50_000;
    private static final int WARM_UP_IN_FLIGHT = 32;

    /** Creates the scenario. */
    public Sweep() {}

    @Override
    public String name() {
        return "sweep";
    }

    @Override
    public String question() {
        return "Up to which rate does latency stay within its bound?";
    }

    @Override
    public KeyFigure keyFigure() {
        return KeyFigure.values();
    }

    @Override
    public List<Parameter> parameters() {
        return LoadPlan.parameters(List.of(
                Parameter.list(
                        CLIENTS,
                        "transports between three nodes of the run",
                        PeerTransports.ALL,
                        "vertx,tcp",
                        "vertx,one-nio,grpc-stream,tcp"),
                CandidateParameters.transportClass(),
                new Parameter("step", "factor from one rate to the next, 1.05 to 4", "2", "1.5"),
                LoadPlan.shared("first-rate", "500", "500"),
                LoadPlan.shared("greatest-rate", "1000000", "1000000"),
                LoadPlan.shared("precision", "0.3", "0.05"),
                LoadPlan.shared("p99", "200", "50")));
    }

    @Override
    public void check(Settings settings) {
        SearchPlan search = SearchPlan.of(settings);
        step(settings);
        variants(settings);
        LoadPlan plan = LoadPlan.of(settings);
        plan.client().requireSendsWithin(search.p99());
        plan.requireEffects(settings, List.of(CLIENTS, CandidateParameters.CLASS));
        plan.requireTargets();
    }

    @Override
    public List<String> warnings(Settings settings) {
        return LoadPlan.of(settings).warnings();
    }

    @Override
    public Needs needs(Settings settings) {
        return LoadPlan.of(settings).needs();
    }

    private static double step(Settings settings) {
        return settings.decimal("step", 1.05, 4);
    }

    private static List<ServerVariant> variants(Settings settings) {
        List<ServerVariant> variants = new ArrayList<>();
        PeerTransports.chosen(settings, CLIENTS)
                .forEach((name, transport) -> variants.add(ServerVariant.of(name, LoadPlan.NODES, ACK, LoadPlan.NODES)
                        .over(transport)));
        return variants;
    }

    /** The results of a variant at an operation. */
    private static final class Cell {

        private final List<Double> knees = new ArrayList<>();
        private List<LoadLevel> levels = List.of();
        private final Set<String> doubts = new LinkedHashSet<>();

        private void add(Optional<Knee> found, List<LoadResult> points) {
            knees.add(found.map(Knee::perSecond).orElse(0.0));
            if (found.isEmpty()) {
                doubts.add("no rate held, down to a small part of --first-rate");
                return;
            }
            Knee knee = found.get();
            if (!knee.bent()) {
                doubts.add(Measurement.AT_LEAST);
            }
            if (levels.isEmpty()) {
                levels = knee.levels(points);
            } else {
                knee.at()
                        .conditions()
                        .rateDoubts()
                        .forEach(doubt -> doubts.add(Measurement.OF_THE_STABLE_LOAD + doubt));
            }
        }
    }

    @Override
    public void run(RunContext context) throws IOException, InterruptedException {
        LoadPlan plan = LoadPlan.of(context);
        SearchPlan search = SearchPlan.of(context);
        context.note(String.format(
                Locale.ROOT,
                "The operations/s are knees: the highest offered rate at which 99 %% is served, nothing fails and p99 "
                        + "is under %d ms, below the least rate at which that is not so. The lines are those of the "
                        + "first repetition.",
                search.p99().toMillis()));
        Map<String, Cell> cells = new LinkedHashMap<>();
        LoadRepetitions.run(context, plan, variants(context), (variant, shown, session, repetition) -> {
            warmUp(plan, search, session);
            for (Operation operation : plan.operations()) {
                context.step(variant + ": " + operation.name());
                Cell cell = cells.computeIfAbsent(operation.name() + " " + variant, name -> new Cell());
                StableLoadSpec spec = search.from(plan.load(operation, search.first(), 1000L * (repetition + 1))
                        .lasting(plan.seconds() / 4, plan.seconds()));
                List<LoadResult> points = RateSweep.run(session, spec, step(context));
                cell.add(Knee.of(points, spec::holds), points);
                context.add(measurement(operation.name(), variant, shown, cell));
            }
        });
    }

    /** Runs nodes of the run at full speed, and a cluster of others at the first rate only. */
    private static void warmUp(LoadPlan plan, SearchPlan search, LoadSession session)
            throws IOException, InterruptedException {
        if (plan.warmUpSeconds() == 0) {
            return;
        }
        double rate = plan.targets().isPresent() ? search.first() : FULL_SPEED;
        for (Operation operation : plan.operations()) {
            session.run(plan.load(operation, rate, 0)
                    .lasting(0, plan.warmUpSeconds())
                    .withMaxInFlight(Math.max(
                            WARM_UP_IN_FLIGHT, plan.processes() * plan.client().threads())));
        }
    }

    private static Measurement measurement(String group, String variant, Map<String, String> shown, Cell cell) {
        return new Measurement(
                group,
                variant,
                Measurement.PER_SECOND,
                true,
                cell.knees,
                shown,
                cell.levels,
                Map.of(),
                List.of(),
                List.copyOf(cell.doubts));
    }
}
