package io.dht4j.benchmarks.scenarios;

import io.dht4j.benchmarks.load.client.ClientSpec.Api;
import io.dht4j.benchmarks.results.KeyFigure;
import io.dht4j.benchmarks.scenario.Parameter;
import io.dht4j.benchmarks.scenario.RunContext;
import io.dht4j.benchmarks.scenario.Settings;
import io.dht4j.benchmarks.scenario.server.ClosedComparison;
import io.dht4j.benchmarks.scenario.server.LoopPlan;
import io.dht4j.benchmarks.scenario.server.PeerTransports;
import io.dht4j.benchmarks.scenario.server.ServerComparison;
import io.dht4j.benchmarks.scenario.server.ServerComparison.Case;
import io.dht4j.benchmarks.scenario.server.ServerPlan;
import io.dht4j.benchmarks.scenario.server.ServerScenario;
import io.dht4j.benchmarks.scenario.server.ServerVariant;
import io.dht4j.lab.internal.counters.Cost;
import io.dht4j.lab.internal.load.Operation;
import io.dht4j.lab.workload.Workload;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Runs the workloads A to F of YCSB against three nodes: through the embedded cluster, the public HTTP API and the
 * public gRPC API, and through the embedded cluster of nodes that talk TCP to each other.
 */
final class Ycsb {

    private static final int NODES = 3;
    private static final int ACK = 2;
    private static final String TCP = "tcp";
    private static final String EMBEDDED = "embedded";
    private static final String EMBEDDED_TCP = "embedded-tcp";
    private static final List<String> CANDIDATES = List.of(EMBEDDED, "http-api", "grpc-api", EMBEDDED_TCP);
    private static final List<String> WORKLOADS = List.of("a", "b", "c", "d", "e", "f");

    private Ycsb() {}

    static ServerScenario scenario() {
        KeyFigure figure = KeyFigure.cost(Cost.CPU_MICROS).orValues();
        return ServerScenario.of(
                        "ycsb",
                        "What do the workloads of YCSB cost, embedded and over each public API?",
                        NODES,
                        Ycsb::cases)
                .without("operations", "mix", "key-distribution", "api")
                .with(LoopPlan.parameters().toArray(Parameter[]::new))
                .with(
                        Parameter.list("workloads", "workloads of YCSB", WORKLOADS, "a,e"),
                        new Parameter(
                                "candidates",
                                "variants, separated by commas: embedded (calls of Cluster in each node's process), "
                                        + "http-api and grpc-api (the public APIs), embedded-tcp (embedded, and TCP "
                                        + "between the nodes)",
                                "embedded,http-api",
                                String.join(",", CANDIDATES)),
                        PeerTransports.parameter("vertx", "grpc-stream"))
                .holding("2000", "200000", "1000")
                .answeredBy(figure, figure)
                .running(Ycsb::run);
    }

    /** A node has at least one operation in flight for each thread of its embedded load. */
    private static LoopPlan loop(Settings settings, ServerPlan plan) {
        return LoopPlan.of(settings, NODES * plan.client().threads());
    }

    private static void run(RunContext context, List<Case> cases) throws IOException, InterruptedException {
        ServerPlan plan = cases.get(0).plan();
        for (Operation workload : plan.operations()) {
            context.note(workload.name() + ": " + shares(workload) + "; " + workload.keys() + " keys.");
        }
        LoopPlan loop = loop(context, plan);
        if (loop.isClosed()) {
            new ClosedComparison(context, loop, cases).run();
            return;
        }
        context.note("The costs are those of the whole, nodes and load: an embedded load runs within the nodes, and "
                + "the process of the load over an API is added to them. The client over HTTP is a lean one of "
                + "the lab.");
        new ServerComparison(context, cases).run();
    }

    /** Returns the mix for people, such as "95 % get, 5 % update". */
    private static String shares(Operation workload) {
        return Arrays.stream(workload.mix().split(",", -1))
                .map(share -> share.split("=", 2))
                .map(share -> share[1] + " % " + share[0])
                .collect(Collectors.joining(", "));
    }

    private static List<Case> cases(Settings settings) {
        ServerPlan plan = ServerPlan.ofWorkloads(
                        settings,
                        settings.names("workloads", WORKLOADS).stream()
                                .map(name -> Operation.of(Workload.parse(name.toUpperCase(Locale.ROOT))))
                                .toList())
                .countingLoad();
        loop(settings, plan);
        String transport = PeerTransports.of(settings);
        List<String> names = settings.names("candidates", CANDIDATES);
        if (transport.equals(TCP) && names.contains(EMBEDDED) && names.contains(EMBEDDED_TCP)) {
            throw new IllegalArgumentException(
                    "--candidates must not have both embedded and embedded-tcp with --between-nodes tcp, which makes "
                            + "them the same");
        }
        List<Case> cases = new ArrayList<>();
        for (String name : names) {
            Api api = name.startsWith(EMBEDDED) ? Api.EMBEDDED : name.equals("http-api") ? Api.HTTP : Api.GRPC;
            ServerVariant nodes =
                    ServerVariant.of(name, NODES, ACK, NODES).over(name.equals(EMBEDDED_TCP) ? TCP : transport);
            cases.add(new Case("", nodes, plan.over(api)));
        }
        return cases;
    }
}
