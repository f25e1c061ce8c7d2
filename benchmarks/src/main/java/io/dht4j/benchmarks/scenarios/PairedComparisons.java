package io.dht4j.benchmarks.scenarios;

import io.dht4j.benchmarks.process.node.LabCustomizer;
import io.dht4j.benchmarks.report.Figures;
import io.dht4j.benchmarks.results.Measurement;
import io.dht4j.benchmarks.results.Spread;
import io.dht4j.benchmarks.scenario.Parameter;
import io.dht4j.benchmarks.scenario.RunContext;
import io.dht4j.benchmarks.scenario.Settings;
import io.dht4j.benchmarks.scenario.server.IdleTraffic;
import io.dht4j.benchmarks.scenario.server.PairedCosts;
import io.dht4j.benchmarks.scenario.server.PeerTransports;
import io.dht4j.benchmarks.scenario.server.ServerComparison;
import io.dht4j.benchmarks.scenario.server.ServerComparison.Case;
import io.dht4j.benchmarks.scenario.server.ServerPlan;
import io.dht4j.benchmarks.scenario.server.ServerScenario;
import io.dht4j.benchmarks.scenario.server.ServerVariant;
import io.dht4j.lab.internal.counters.Cost;
import io.dht4j.lab.internal.load.Operation;
import io.dht4j.server.config.Setting;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The scenarios that compare servers in pairs, and conclude whether the differences are within their bounds. */
final class PairedComparisons {

    private static final int NODES = 3;
    private static final int ACK = 2;
    private static final String METRICS = "metrics";
    private static final String SLOW_CALLS = "slow-calls";

    /** The greatest wanted difference of the processor times, as a part of that of the first variant. */
    private static final double MOST_DIFFERENCE = 0.02;

    /** The greatest wanted idle traffic of metadata of a node. */
    private static final double MOST_IDLE_BYTES = 5_000;

    private PairedComparisons() {}

    /** Collects the findings. Confined to one thread. */
    private static final class Findings {

        private final List<String> all = new ArrayList<>();
        private boolean kept = true;

        void add(String finding, boolean keeps) {
            all.add(finding);
            kept &= keeps;
        }

        void conclude(RunContext context, String bounds) {
            if (!all.isEmpty()) {
                context.conclude((kept ? "Within " : "Not within ") + bounds + ": " + String.join("; ", all) + ".");
            }
        }
    }

    /** An agreed cluster beside a static one while no node joins or leaves. */
    static ServerScenario membership() {
        return inPairs(
                        ServerScenario.of(
                                "membership",
                                "What does an agreed cluster cost beside a static one while no node joins or leaves?",
                                NODES,
                                settings -> {
                                    idleWindows(settings);
                                    idleSeconds(settings);
                                    ServerVariant fixed = ServerVariant.of("static", NODES, ACK, NODES)
                                            .over(PeerTransports.of(settings));
                                    return Case.all(
                                            ServerPlan.of(settings),
                                            List.of(fixed, fixed.named("agreed").whoseNodesMayChange()));
                                }),
                        new Parameter(
                                "idle-windows",
                                "windows in which the traffic of idle nodes is counted, 0 to 100",
                                "2",
                                "6"),
                        new Parameter("idle-seconds", "length of such a window, 0.5 to 600 seconds", "5", "10"))
                .byDefault("operations", "put,get", "put,get")
                .byDefault("rate", "1000", "2000")
                .byDefault("warm-up", "4", "10")
                .byDefault("warm-up-limit", "12", "40")
                .byDefault("seconds", "1", "2")
                .running(PairedComparisons::compareMembership);
    }

    /** Adds what both scenarios share: kept processes at a given rate, in many repetitions. */
    private static ServerScenario inPairs(ServerScenario scenario, Parameter... own) {
        return scenario.with(PeerTransports.parameter("vertx", "grpc-stream"))
                .with(own)
                .holding("5000", "20000", "100")
                .byDefault("repetitions", "4", "20")
                .byDefault("processes", "kept", "kept")
                .byDefault("profiles", "none", "none");
    }

    private static int idleWindows(Settings settings) {
        return (int) settings.number("idle-windows", 0, 100);
    }

    private static double idleSeconds(Settings settings) {
        return settings.decimal("idle-seconds", 0.5, 600);
    }

    private static void compareMembership(RunContext context, List<Case> cases)
            throws IOException, InterruptedException {
        ServerComparison comparison = new ServerComparison(context, cases);
        comparison.run(cases.size());
        Findings findings = new Findings();
        for (Operation operation : cases.get(0).plan().operations()) {
            for (Cost cost : List.of(Cost.CPU_MICROS, Cost.BYTES_ON_THE_WIRE)) {
                boolean isBound = cost == Cost.CPU_MICROS;
                Optional<PairedCosts> pairs = PairedCosts.of(
                        comparison,
                        operation,
                        cost,
                        cases.get(1).variant(),
                        cases.get(0).variant());
                pairs.ifPresent(each -> {
                    each.addTo(context);
                    findings.add(
                            "a " + each.operationName() + " takes " + each.shown(isBound ? "within 2 %" : ""),
                            !isBound || Math.abs(each.difference()) <= MOST_DIFFERENCE);
                });
            }
        }
        addIdle(context, cases, findings);
        findings.conclude(context, "all bounds");
    }

    /** Adds the idle traffic. */
    private static void addIdle(RunContext context, List<Case> cases, Findings findings)
            throws IOException, InterruptedException {
        List<Double> medians = new ArrayList<>();
        for (Case each : cases) {
            ServerVariant variant = each.variant();
            context.step(variant.name() + ": idle traffic");
            List<Double> bytes = IdleTraffic.bytesPerSecond(
                    context, variant, each.plan(), idleWindows(context), idleSeconds(context));
            if (bytes.isEmpty()) {
                return;
            }
            medians.add(Spread.of(bytes).median());
            context.add(new Measurement(
                    "idle traffic", variant.name(), "bytes/s of a node", false, bytes, variant.shown(), List.of()));
        }
        double metadata = medians.get(1) - medians.get(0);
        context.note("The idle traffic includes the headers of TCP. That of metadata is the difference of the two.");
        findings.add(
                String.format(
                        Locale.ROOT,
                        "an idle node sends %s KB/s of metadata (wanted less than %s)",
                        Figures.of(metadata / 1e3),
                        Figures.of(MOST_IDLE_BYTES / 1e3)),
                metadata < MOST_IDLE_BYTES);
    }

    /** Nodes that are observed beside others, by loads that are embedded in them. */
    static ServerScenario observation() {
        return inPairs(
                        ServerScenario.of(
                                "observation", "What do metrics and the log of slow calls cost?", NODES, settings -> {
                                    String transport = PeerTransports.of(settings);
                                    List<ServerVariant> variants = new ArrayList<>();
                                    variants.add(observed("off", transport));
                                    settings.names("candidates", List.of(METRICS, SLOW_CALLS, "both"))
                                            .forEach(name -> variants.add(observed(name, transport)));
                                    return Case.all(ServerPlan.ofEmbeddedLoads(settings), variants);
                                }),
                        new Parameter(
                                "candidates",
                                "what is compared with off, where nothing observes, separated by commas: metrics "
                                        + "(Micrometer), slow-calls (the log of slow calls), both",
                                METRICS,
                                METRICS + "," + SLOW_CALLS))
                .without("api")
                .byDefault("rate", "2000", "6000")
                .byDefault("warm-up", "4", "15")
                .byDefault("warm-up-limit", "12", "60")
                .byDefault("seconds", "1", "6")
                .running(PairedComparisons::compareObservation);
    }

    private static ServerVariant observed(String name, String transport) {
        boolean logsSlowCalls = name.equals(SLOW_CALLS) || name.equals("both");
        boolean hasMetrics = name.equals(METRICS) || name.equals("both");
        ServerVariant variant = ServerVariant.of(name, NODES, ACK, NODES)
                .over(transport)
                .with(Setting.SLOW_CALLS, logsSlowCalls ? "1000" : "0");
        return hasMetrics ? variant : variant.assembled(LabCustomizer.OBSERVER, LabCustomizer.NONE);
    }

    private static void compareObservation(RunContext context, List<Case> cases)
            throws IOException, InterruptedException {
        ServerComparison comparison = new ServerComparison(context, cases);
        context.note("The costs are those of the nodes with their embedded loads. No client reads the metrics "
                + "meanwhile.");
        comparison.run();
        Findings findings = new Findings();
        for (Operation operation : cases.get(0).plan().operations()) {
            for (Case observed : cases.subList(1, cases.size())) {
                ServerVariant variant = observed.variant();
                boolean isBound =
                        variant.name().equals(METRICS) && operation.name().equals(Operation.PUT.name());
                PairedCosts.of(
                                comparison,
                                operation,
                                Cost.CPU_MICROS,
                                variant,
                                cases.get(0).variant())
                        .ifPresent(each -> {
                            each.addTo(context);
                            findings.add(
                                    "a " + each.operationName() + " with " + variant.name() + " takes "
                                            + each.shown(isBound ? "at most 2 %" : ""),
                                    !isBound || each.difference() <= MOST_DIFFERENCE);
                        });
            }
        }
        findings.conclude(context, "the bound");
    }
}
