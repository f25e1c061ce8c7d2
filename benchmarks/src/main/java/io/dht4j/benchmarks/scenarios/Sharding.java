package io.dht4j.benchmarks.scenarios;

import io.dht4j.benchmarks.placement.LookupBenchmark;
import io.dht4j.benchmarks.process.node.LabCustomizer;
import io.dht4j.benchmarks.results.KeyFigure;
import io.dht4j.benchmarks.results.Measurement;
import io.dht4j.benchmarks.scenario.CandidateParameters;
import io.dht4j.benchmarks.scenario.JmhRun;
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
import io.dht4j.server.config.Setting;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Measures sharding: one node against three without replication, where two of three requests are forwarded; the
 * strategies against each other; and the lookup of a key's node by itself.
 */
public final class Sharding implements Scenario {

    private static final int NODES = 3;
    private static final List<String> PLACEMENTS = List.of("rendezvous", "ring", "jump", "modulo");
    private static final String ONE = "one node";

    /** Creates the scenario. */
    public Sharding() {}

    @Override
    public String name() {
        return "sharding";
    }

    @Override
    public String question() {
        return "What do sharding, finding a key's node and forwarding to it cost?";
    }

    @Override
    public KeyFigure keyFigure() {
        return KeyFigure.cost(Cost.CPU_MICROS).orValues();
    }

    @Override
    public List<Parameter> parameters() {
        return ServerPlan.parameters(
                List.of(
                        new Parameter(
                                "placements",
                                "strategies of the three nodes, separated by commas: " + String.join(", ", PLACEMENTS),
                                "rendezvous",
                                String.join(",", PLACEMENTS)),
                        PeerTransports.parameter("vertx", "vertx")),
                "10000",
                "200000",
                "100");
    }

    @Override
    public void check(Settings settings) {
        cases(settings);
    }

    @Override
    public Needs needs(Settings settings) {
        return ServerComparison.needs(cases(settings), 1);
    }

    @Override
    public void run(RunContext context) throws IOException, InterruptedException {
        ServerComparison servers = new ServerComparison(context, cases(context));
        List<String> placements = new ArrayList<>(placements(context));
        own(context).ifPresent(placements::add);
        servers.run(placements.size());
        findNodes(context, placements);
    }

    private static List<Case> cases(Settings settings) {
        ServerPlan plan = ServerPlan.of(settings);
        String transport = PeerTransports.of(settings);
        List<Case> cases = new ArrayList<>();
        // The same number of connections in all; otherwise more nodes would mean more operations in flight.
        cases.add(new Case(
                "",
                ServerVariant.of(ONE, 1, 1, 1)
                        .with(Setting.REPLICATION_FACTOR, "1")
                        .over(transport),
                plan.withConnections(plan.client().connections() * NODES)));
        for (String placement : placements(settings)) {
            // The placement of the user's own is a variant beside these, and not that of all nodes.
            cases.add(new Case(
                    "",
                    threeNodes(placement, transport)
                            .with(Setting.PLACEMENT, placement)
                            .assembled(CandidateParameters.PLACEMENT_CLASS, CandidateParameters.NONE),
                    plan));
        }
        own(settings).ifPresent(name -> cases.add(new Case("", threeNodes(name, transport), plan)));
        return cases;
    }

    private static Optional<String> own(Settings settings) {
        return CandidateParameters.placementName(settings, PLACEMENTS);
    }

    private static ServerVariant threeNodes(String placement, String transport) {
        return ServerVariant.of("three nodes, " + placement, NODES, 1, 1)
                .with(Setting.REPLICATION_FACTOR, "1")
                .over(transport);
    }

    private static void findNodes(RunContext context, List<String> placements) throws IOException {
        List<String> flags = LabCustomizer.jvmFlags(CandidateParameters.components(context));
        for (String placement : placements) {
            context.step("finding the node, " + placement);
            List<Double> nanos = JmhRun.nanos(
                    LookupBenchmark.class,
                    Map.of("placement", placement, "nodes", String.valueOf(NODES), "partitions", "1024"),
                    flags,
                    context.quick());
            context.add(new Measurement(
                    "finding a key's replicas",
                    placement,
                    "ns",
                    false,
                    nanos,
                    Map.of("nodes", String.valueOf(NODES), "measured by", "JMH, LookupBenchmark"),
                    List.of(),
                    Map.of(),
                    List.of(),
                    List.of()));
        }
    }

    private static List<String> placements(Settings settings) {
        return settings.names("placements", PLACEMENTS);
    }
}
