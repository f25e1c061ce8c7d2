package io.dht4j.benchmarks.scenarios;

import io.dht4j.benchmarks.process.node.LabCustomizer;
import io.dht4j.benchmarks.results.KeyFigure;
import io.dht4j.benchmarks.scenario.Needs;
import io.dht4j.benchmarks.scenario.Parameter;
import io.dht4j.benchmarks.scenario.RunContext;
import io.dht4j.benchmarks.scenario.Scenario;
import io.dht4j.benchmarks.scenario.Settings;
import io.dht4j.benchmarks.scenario.server.PairedCosts;
import io.dht4j.benchmarks.scenario.server.PeerTransports;
import io.dht4j.benchmarks.scenario.server.ServerComparison;
import io.dht4j.benchmarks.scenario.server.ServerPlan;
import io.dht4j.benchmarks.scenario.server.ServerVariant;
import io.dht4j.lab.internal.counters.Cost;
import io.dht4j.lab.internal.load.Operation;
import io.dht4j.server.config.Setting;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Measures what nodes pay for being observed, by loads that are embedded in them. */
public final class ObservationCost implements Scenario {

    private static final int NODES = 3;
    private static final int ACK = 2;

    private static final String CANDIDATES = "candidates";
    private static final String OFF = "off";
    private static final String METRICS = "metrics";
    private static final String SLOW_CALLS = "slow-calls";
    private static final List<String> OBSERVED = List.of(METRICS, SLOW_CALLS, "both");

    /** The greatest wanted difference of the processor time of a put with metrics, as a part of that without. */
    private static final double MOST_DIFFERENCE = 0.02;

    /** Defaults of shared parameters: of the short form and the full one. */
    private static final Map<String, List<String>> DEFAULTS = Map.of(
            "operations", List.of("put", "put,get"),
            "repetitions", List.of("4", "20"),
            "processes", List.of("kept", "kept"),
            "rate", List.of("2000", "6000"),
            "profiles", List.of("none", "none"),
            "warm-up", List.of("4", "15"),
            "warm-up-limit", List.of("12", "60"),
            "seconds", List.of("1", "6"));

    /** Creates the scenario. */
    public ObservationCost() {}

    @Override
    public String name() {
        return "observation";
    }

    @Override
    public String question() {
        return "What do metrics and the log of slow calls cost?";
    }

    @Override
    public KeyFigure keyFigure() {
        return KeyFigure.cost(Cost.CPU_MICROS);
    }

    @Override
    public List<Parameter> parameters() {
        return ServerPlan.parametersOfEmbeddedLoads(
                        List.of(
                                new Parameter(
                                        CANDIDATES,
                                        "what is compared with off, where nothing observes, separated by commas: "
                                                + "metrics (Micrometer), slow-calls (the log of slow calls), both",
                                        METRICS,
                                        METRICS + "," + SLOW_CALLS),
                                PeerTransports.parameter("vertx", "grpc-stream")),
                        "5000",
                        "20000",
                        "100")
                .stream()
                .map(shared -> shared.withDefaults(DEFAULTS))
                .toList();
    }

    @Override
    public void check(Settings settings) {
        ServerPlan.ofEmbeddedLoads(settings);
        variants(settings);
    }

    @Override
    public Needs needs(Settings settings) {
        return ServerComparison.needs(ServerPlan.ofEmbeddedLoads(settings), variants(settings), NODES);
    }

    private static List<ServerVariant> variants(Settings settings) {
        String transport = PeerTransports.of(settings);
        List<ServerVariant> variants = new ArrayList<>();
        variants.add(variant(OFF, transport, false, false));
        for (String name : settings.names(CANDIDATES, OBSERVED)) {
            variants.add(variant(name, transport, !name.equals(SLOW_CALLS), !name.equals(METRICS)));
        }
        return variants;
    }

    private static ServerVariant variant(String name, String transport, boolean hasMetrics, boolean logsSlowCalls) {
        ServerVariant variant = ServerVariant.of(name, NODES, ACK, NODES)
                .over(transport)
                .with(Setting.SLOW_CALLS, logsSlowCalls ? "1000" : "0");
        return hasMetrics ? variant : variant.assembled(LabCustomizer.OBSERVER, LabCustomizer.NONE);
    }

    @Override
    public void run(RunContext context) throws IOException, InterruptedException {
        ServerPlan plan = ServerPlan.ofEmbeddedLoads(context);
        List<ServerVariant> variants = variants(context);
        ServerComparison comparison = ServerComparison.of(context, plan, variants);
        context.note("The costs are those of the nodes with their embedded loads. Nobody asks for the metrics "
                + "meanwhile.");
        comparison.run();
        List<String> findings = new ArrayList<>();
        boolean kept = true;
        for (Operation operation : plan.operations()) {
            for (ServerVariant observed : variants.subList(1, variants.size())) {
                Optional<PairedCosts> pairs =
                        PairedCosts.of(comparison, operation, Cost.CPU_MICROS, observed, variants.get(0));
                if (pairs.isEmpty()) {
                    continue;
                }
                pairs.get().addTo(context);
                boolean isBound =
                        observed.name().equals(METRICS) && operation.name().equals(Operation.PUT.name());
                findings.add("a " + pairs.get().operationName() + " with " + observed.name() + " takes "
                        + pairs.get().shown(isBound ? "at most 2 %" : ""));
                kept &= !isBound || pairs.get().difference() <= MOST_DIFFERENCE;
            }
        }
        if (!findings.isEmpty()) {
            context.conclude(
                    (kept ? "Within the bound: " : "Not within the bound: ") + String.join("; ", findings) + ".");
        }
    }
}
