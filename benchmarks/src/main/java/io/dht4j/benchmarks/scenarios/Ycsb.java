package io.dht4j.benchmarks.scenarios;

import io.dht4j.benchmarks.load.client.ClientSpec.Api;
import io.dht4j.benchmarks.results.KeyFigure;
import io.dht4j.benchmarks.scenario.Needs;
import io.dht4j.benchmarks.scenario.Parameter;
import io.dht4j.benchmarks.scenario.RunContext;
import io.dht4j.benchmarks.scenario.Scenario;
import io.dht4j.benchmarks.scenario.Settings;
import io.dht4j.benchmarks.scenario.server.ClosedComparison;
import io.dht4j.benchmarks.scenario.server.LoopPlan;
import io.dht4j.benchmarks.scenario.server.PeerTransports;
import io.dht4j.benchmarks.scenario.server.ServerComparison;
import io.dht4j.benchmarks.scenario.server.ServerComparison.Case;
import io.dht4j.benchmarks.scenario.server.ServerPlan;
import io.dht4j.benchmarks.scenario.server.ServerVariant;
import io.dht4j.lab.internal.counters.Cost;
import io.dht4j.lab.internal.load.Operation;
import io.dht4j.lab.workload.Workload;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Runs the workloads A to F of YCSB against three nodes: through the embedded cluster, the public HTTP API and the
 * public gRPC API, and through the embedded cluster of nodes that talk TCP to each other.
 */
public final class Ycsb implements Scenario {

    private static final int NODES = 3;
    private static final int ACK = 2;
    private static final String TCP = "tcp";
    private static final String EMBEDDED = "embedded";
    private static final String EMBEDDED_TCP = "embedded-tcp";
    private static final List<String> WORKLOADS = List.of("a", "b", "c", "d", "e", "f");

    /** The API of each candidate. */
    private static final Map<String, Api> CANDIDATES = candidates();

    /** Creates the scenario. */
    public Ycsb() {}

    private static Map<String, Api> candidates() {
        Map<String, Api> apis = new LinkedHashMap<>();
        apis.put(EMBEDDED, Api.EMBEDDED);
        apis.put("http-api", Api.HTTP);
        apis.put("grpc-api", Api.GRPC);
        apis.put(EMBEDDED_TCP, Api.EMBEDDED);
        return apis;
    }

    @Override
    public String name() {
        return "ycsb";
    }

    @Override
    public String question() {
        return "What do the workloads of YCSB cost, embedded and over each public API?";
    }

    @Override
    public KeyFigure keyFigure() {
        return KeyFigure.cost(Cost.CPU_MICROS).orValues();
    }

    @Override
    public List<Parameter> parameters() {
        List<Parameter> own = new ArrayList<>(List.of(
                new Parameter(
                        "workloads",
                        "workloads of YCSB, separated by commas: " + String.join(", ", WORKLOADS),
                        "a,e",
                        String.join(",", WORKLOADS)),
                new Parameter(
                        "candidates",
                        "variants, separated by commas: embedded (calls of Cluster in each node's process), "
                                + "http-api and grpc-api (the public APIs), embedded-tcp (embedded, and TCP "
                                + "between the nodes)",
                        "embedded,http-api",
                        String.join(",", CANDIDATES.keySet())),
                PeerTransports.parameter("vertx", "grpc-stream")));
        own.addAll(LoopPlan.parameters());
        return ServerPlan.parametersOfWorkloads(own, "2000", "200000", "1000");
    }

    @Override
    public void check(Settings settings) {
        cases(settings);
        loop(settings);
    }

    /** A node has at least one operation in flight for each thread of its embedded load. */
    private static LoopPlan loop(Settings settings) {
        return LoopPlan.of(
                settings, NODES * cases(settings).get(0).plan().client().threads());
    }

    @Override
    public Needs needs(Settings settings) {
        return ServerComparison.needs(cases(settings), NODES);
    }

    @Override
    public void run(RunContext context) throws IOException, InterruptedException {
        List<Case> cases = cases(context);
        for (Operation workload : cases.get(0).plan().operations()) {
            context.note(workload.name() + ": " + shares(workload) + "; " + workload.keys() + " keys.");
        }
        LoopPlan loop = loop(context);
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
        String transport = PeerTransports.of(settings);
        List<String> names = settings.names("candidates", List.copyOf(CANDIDATES.keySet()));
        if (transport.equals(TCP) && names.contains(EMBEDDED) && names.contains(EMBEDDED_TCP)) {
            throw new IllegalArgumentException(
                    "--candidates must not have both embedded and embedded-tcp with --between-nodes tcp, which makes "
                            + "them the same");
        }
        List<Case> cases = new ArrayList<>();
        for (String name : names) {
            cases.add(new Case(
                    "",
                    ServerVariant.of(name, NODES, ACK, NODES).over(name.equals(EMBEDDED_TCP) ? TCP : transport),
                    plan.over(CANDIDATES.getOrDefault(name, Api.HTTP))));
        }
        return cases;
    }
}
