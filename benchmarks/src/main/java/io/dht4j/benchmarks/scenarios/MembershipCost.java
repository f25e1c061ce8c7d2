package io.dht4j.benchmarks.scenarios;

import io.dht4j.benchmarks.report.Figures;
import io.dht4j.benchmarks.results.KeyFigure;
import io.dht4j.benchmarks.results.Measurement;
import io.dht4j.benchmarks.results.Spread;
import io.dht4j.benchmarks.scenario.Needs;
import io.dht4j.benchmarks.scenario.Parameter;
import io.dht4j.benchmarks.scenario.RunContext;
import io.dht4j.benchmarks.scenario.Scenario;
import io.dht4j.benchmarks.scenario.Settings;
import io.dht4j.benchmarks.scenario.server.IdleTraffic;
import io.dht4j.benchmarks.scenario.server.PairedCosts;
import io.dht4j.benchmarks.scenario.server.PeerTransports;
import io.dht4j.benchmarks.scenario.server.ServerComparison;
import io.dht4j.benchmarks.scenario.server.ServerPlan;
import io.dht4j.benchmarks.scenario.server.ServerVariant;
import io.dht4j.lab.internal.counters.Cost;
import io.dht4j.lab.internal.load.Operation;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Measures what an agreed cluster costs beside a static one while no node joins or leaves. */
public final class MembershipCost implements Scenario {

    private static final int NODES = 3;
    private static final int ACK = 2;

    private static final String STATIC = "static";
    private static final String AGREED = "agreed";
    private static final String IDLE = "idle traffic";
    private static final String IDLE_WINDOWS = "idle-windows";
    private static final String IDLE_SECONDS = "idle-seconds";

    /** The greatest wanted difference of the processor times, as a part of that of the static cluster. */
    private static final double MOST_DIFFERENCE = 0.02;

    /** The greatest wanted idle traffic of metadata of a node. */
    private static final double MOST_IDLE_BYTES = 5_000;

    /** Defaults of shared parameters: of the short form and the full one. */
    private static final Map<String, List<String>> DEFAULTS = Map.of(
            "operations", List.of("put,get", "put,get"),
            "repetitions", List.of("4", "20"),
            "processes", List.of("kept", "kept"),
            "rate", List.of("1000", "2000"),
            "profiles", List.of("none", "none"),
            "warm-up", List.of("4", "10"),
            "warm-up-limit", List.of("12", "40"),
            "seconds", List.of("1", "2"));

    /** Creates the scenario. */
    public MembershipCost() {}

    @Override
    public String name() {
        return "membership";
    }

    @Override
    public String question() {
        return "What does an agreed cluster cost beside a static one while no node joins or leaves?";
    }

    @Override
    public KeyFigure keyFigure() {
        return KeyFigure.cost(Cost.CPU_MICROS);
    }

    @Override
    public List<Parameter> parameters() {
        return ServerPlan.parameters(
                        List.of(
                                new Parameter(
                                        IDLE_WINDOWS,
                                        "windows in which the traffic of idle nodes is counted, 0 to 100",
                                        "2",
                                        "6"),
                                new Parameter(IDLE_SECONDS, "length of such a window, 0.5 to 600 seconds", "5", "10"),
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
        ServerPlan.of(settings);
        variants(settings);
        idleWindows(settings);
        idleSeconds(settings);
    }

    private static int idleWindows(Settings settings) {
        return (int) settings.number(IDLE_WINDOWS, 0, 100);
    }

    private static double idleSeconds(Settings settings) {
        return settings.decimal(IDLE_SECONDS, 0.5, 600);
    }

    @Override
    public Needs needs(Settings settings) {
        return ServerComparison.needs(ServerPlan.of(settings), variants(settings), NODES);
    }

    private static List<ServerVariant> variants(Settings settings) {
        String transport = PeerTransports.of(settings);
        return List.of(
                ServerVariant.of(STATIC, NODES, ACK, NODES).over(transport),
                ServerVariant.of(AGREED, NODES, ACK, NODES).over(transport).whoseNodesMayChange());
    }

    @Override
    public void run(RunContext context) throws IOException, InterruptedException {
        ServerPlan plan = ServerPlan.of(context);
        List<ServerVariant> variants = variants(context);
        ServerComparison comparison = ServerComparison.of(context, plan, variants);
        comparison.run(variants.size());
        List<String> findings = new ArrayList<>();
        boolean kept = true;
        for (Operation operation : plan.operations()) {
            kept &= addRatios(context, comparison, operation, variants, findings);
        }
        kept &= addIdle(context, plan, variants, findings);
        if (!findings.isEmpty()) {
            context.conclude(
                    (kept ? "Within all bounds: " : "Not within all bounds: ") + String.join("; ", findings) + ".");
        }
    }

    /** Adds the ratios of the pairs. Returns whether the processor times differ as little as is wanted. */
    private static boolean addRatios(
            RunContext context,
            ServerComparison comparison,
            Operation operation,
            List<ServerVariant> variants,
            List<String> findings) {
        boolean kept = true;
        for (Cost cost : List.of(Cost.CPU_MICROS, Cost.BYTES_ON_THE_WIRE)) {
            Optional<PairedCosts> pairs = PairedCosts.of(comparison, operation, cost, variants.get(1), variants.get(0));
            if (pairs.isEmpty()) {
                continue;
            }
            pairs.get().addTo(context);
            findings.add("a " + pairs.get().operationName() + " takes "
                    + pairs.get().shown(cost == Cost.CPU_MICROS ? "within 2 %" : ""));
            kept &= cost != Cost.CPU_MICROS || Math.abs(pairs.get().difference()) <= MOST_DIFFERENCE;
        }
        return kept;
    }

    /** Adds the idle traffic. Returns whether that of metadata is as little as is wanted. */
    private static boolean addIdle(
            RunContext context, ServerPlan plan, List<ServerVariant> variants, List<String> findings)
            throws IOException, InterruptedException {
        List<Double> medians = new ArrayList<>();
        for (ServerVariant variant : variants) {
            context.step(variant.name() + ": idle traffic");
            List<Double> bytes =
                    IdleTraffic.bytesPerSecond(context, variant, plan, idleWindows(context), idleSeconds(context));
            if (bytes.isEmpty()) {
                return true;
            }
            medians.add(Spread.of(bytes).median());
            context.add(new Measurement(
                    IDLE,
                    variant.name(),
                    "bytes/s of a node",
                    false,
                    bytes,
                    variant.shown(),
                    List.of(),
                    Map.of(),
                    List.of(),
                    List.of()));
        }
        double metadata = medians.get(1) - medians.get(0);
        context.note("The idle traffic includes the headers of TCP. That of metadata is the difference of the two.");
        findings.add(String.format(
                Locale.ROOT,
                "an idle node sends %s KB/s of metadata (wanted less than %s)",
                Figures.of(metadata / 1e3),
                Figures.of(MOST_IDLE_BYTES / 1e3)));
        return metadata < MOST_IDLE_BYTES;
    }
}
