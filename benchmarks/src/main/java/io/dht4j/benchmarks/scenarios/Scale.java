package io.dht4j.benchmarks.scenarios;

import io.dht4j.benchmarks.load.client.ClientSpec.Api;
import io.dht4j.benchmarks.results.KeyFigure;
import io.dht4j.benchmarks.scenario.Needs;
import io.dht4j.benchmarks.scenario.Parameter;
import io.dht4j.benchmarks.scenario.RunContext;
import io.dht4j.benchmarks.scenario.Scenario;
import io.dht4j.benchmarks.scenario.Settings;
import io.dht4j.benchmarks.scenario.server.PeerTransports;
import io.dht4j.benchmarks.scenario.server.ServerComparison;
import io.dht4j.benchmarks.scenario.server.ServerComparison.Case;
import io.dht4j.benchmarks.scenario.server.ServerPlan;
import io.dht4j.benchmarks.scenario.server.ServerVariant;
import io.dht4j.lab.internal.counters.Cost;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Measures how the cost of an operation grows with nodes, entries, sizes of values and operations in flight. */
public final class Scale implements Scenario {

    private static final int NODES = 3;
    private static final int ACK = 2;
    private static final List<String> COUNTS = List.of("3", "6", "9", "12");
    private static final List<String> ENTRIES = List.of("10000", "100000", "1000000", "10000000");
    private static final List<String> SIZES = List.of("100", "1024", "16384");
    private static final List<String> CONNECTIONS = List.of("4", "16", "64", "256");

    /** Creates the scenario. */
    public Scale() {}

    @Override
    public String name() {
        return "scale";
    }

    @Override
    public String question() {
        return "What does an operation cost as nodes, entries, values and requests in flight grow?";
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
                                "nodes",
                                "numbers of nodes, separated by commas: " + String.join(", ", COUNTS),
                                "3,6",
                                "3,6,9,12"),
                        new Parameter(
                                "entries",
                                "numbers of entries, separated by commas: " + String.join(", ", ENTRIES) + ", or none",
                                "none",
                                String.join(",", ENTRIES)),
                        new Parameter(
                                "sizes",
                                "sizes of values in bytes, separated by commas: " + String.join(", ", SIZES)
                                        + ", or none",
                                "none",
                                String.join(",", SIZES)),
                        new Parameter(
                                "in-flight",
                                "connections of the load to each node, separated by commas: "
                                        + String.join(", ", CONNECTIONS) + ", or none",
                                "none",
                                "4,64,256"),
                        PeerTransports.parameter("vertx", "vertx")),
                "5000",
                "50000",
                "100");
    }

    @Override
    public void check(Settings settings) {
        cases(settings);
    }

    @Override
    public Needs needs(Settings settings) {
        return ServerComparison.needs(cases(settings), NODES);
    }

    @Override
    public void run(RunContext context) throws IOException, InterruptedException {
        new ServerComparison(context, cases(context)).run();
    }

    private static List<Case> cases(Settings settings) {
        ServerPlan plan = ServerPlan.of(settings);
        String transport = PeerTransports.of(settings);
        List<Case> cases = new ArrayList<>();
        for (String count : settings.names("nodes", COUNTS)) {
            int nodes = Integer.parseInt(count);
            // The same number of connections in all; otherwise more nodes would mean more operations in flight.
            ServerPlan shared = plan.withConnections(Math.max(1, plan.client().connections() * NODES / nodes));
            cases.add(new Case("nodes", nodes(count + " nodes", nodes, transport), shared));
        }
        for (String count : orNone(settings, "entries", ENTRIES)) {
            cases.add(new Case(
                    "entries",
                    nodes(count + " entries", NODES, transport),
                    plan.holding(Long.parseLong(count), plan.valueSizes())));
        }
        for (String size : orNone(settings, "sizes", SIZES)) {
            cases.add(new Case(
                    "size of values",
                    nodes(size + " bytes", NODES, transport),
                    plan.holding(plan.keys(), Integer.parseInt(size))));
        }
        List<String> inFlight = orNone(settings, "in-flight", CONNECTIONS);
        if (!inFlight.isEmpty() && plan.client().api() == Api.GRPC) {
            throw new IllegalArgumentException(
                    "--in-flight must be none with --api grpc, where a connection carries any number of requests");
        }
        for (String connections : inFlight) {
            cases.add(new Case(
                    "under way",
                    nodes(connections + " to each node", NODES, transport),
                    plan.withConnections(Integer.parseInt(connections))));
        }
        return cases;
    }

    private static List<String> orNone(Settings settings, String parameter, List<String> allowed) {
        List<String> names = new ArrayList<>(allowed);
        names.add("none");
        List<String> given = settings.names(parameter, names);
        return given.contains("none") ? List.of() : given;
    }

    private static ServerVariant nodes(String name, int count, String transport) {
        return ServerVariant.of(name, count, ACK, NODES).over(transport);
    }
}
