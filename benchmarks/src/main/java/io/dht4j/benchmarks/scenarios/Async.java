package io.dht4j.benchmarks.scenarios;

import io.dht4j.benchmarks.process.node.LabCustomizer;
import io.dht4j.benchmarks.results.KeyFigure;
import io.dht4j.benchmarks.scenario.CandidateParameters;
import io.dht4j.benchmarks.scenario.Needs;
import io.dht4j.benchmarks.scenario.Parameter;
import io.dht4j.benchmarks.scenario.RunContext;
import io.dht4j.benchmarks.scenario.Scenario;
import io.dht4j.benchmarks.scenario.Settings;
import io.dht4j.benchmarks.scenario.server.CostPlan;
import io.dht4j.benchmarks.scenario.server.PeerTransports;
import io.dht4j.benchmarks.scenario.server.ServerComparison;
import io.dht4j.benchmarks.scenario.server.ServerPlan;
import io.dht4j.benchmarks.scenario.server.ServerVariant;
import io.dht4j.lab.internal.counters.Cost;
import io.dht4j.server.config.Setting;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Measures asynchronous fan-out: three nodes at 3/3, the library's coordinator against one with a thread for each
 * request; and two ways to merge the replicas' answers.
 */
public final class Async implements Scenario {

    private static final int NODES = 3;
    private static final String ASYNCHRONOUS = "asynchronous";
    private static final String BATCHING = "batching";
    private static final String BLOCKING = "blocking";
    private static final List<String> COORDINATORS = List.of(ASYNCHRONOUS, BATCHING, BLOCKING);

    /** Creates the scenario. */
    public Async() {}

    @Override
    public String name() {
        return "async";
    }

    @Override
    public String question() {
        return "What does asynchronous fan-out win over a thread for each request?";
    }

    @Override
    public KeyFigure keyFigure() {
        return KeyFigure.values();
    }

    @Override
    public KeyFigure keyFigure(Settings settings) {
        return CostPlan.isRateGiven(settings) ? KeyFigure.cost(Cost.CPU_MICROS).orValues() : keyFigure();
    }

    @Override
    public List<Parameter> parameters() {
        return CostPlan.searchingEach(ServerPlan.parameters(
                List.of(
                        new Parameter(
                                "coordinators",
                                "variants, separated by commas: " + String.join(", ", COORDINATORS),
                                ASYNCHRONOUS + "," + BLOCKING,
                                String.join(",", COORDINATORS)),
                        new Parameter("threads", "of the blocking coordinator, 1 to 4096", "64", "64"),
                        PeerTransports.parameter("vertx", "vertx")),
                "10000",
                "200000",
                "100"));
    }

    @Override
    public void check(Settings settings) {
        ServerPlan.of(settings);
        variants(settings);
    }

    @Override
    public Needs needs(Settings settings) {
        return ServerComparison.needs(ServerPlan.of(settings), variants(settings), NODES);
    }

    @Override
    public void run(RunContext context) throws IOException, InterruptedException {
        ServerComparison servers = ServerComparison.of(context, ServerPlan.of(context), variants(context));
        List<Merging> ways = Merging.ways(context.quick());
        servers.run(ways.size());
        for (Merging way : ways) {
            context.step(way.title());
            context.add(way.measure(context.quick()));
        }
    }

    private static List<ServerVariant> variants(Settings settings) {
        long threads = settings.number("threads", 1, 4096);
        String transport = PeerTransports.of(settings);
        refuseIgnored(settings, CandidateParameters.PLACEMENT_CLASS);
        refuseIgnored(settings, CandidateParameters.HASH_CLASS);
        List<ServerVariant> variants = new ArrayList<>();
        for (String coordinator : settings.names("coordinators", COORDINATORS)) {
            ServerVariant nodes =
                    ServerVariant.of(coordinator, NODES, NODES, NODES).over(transport);
            variants.add(
                    switch (coordinator) {
                        case ASYNCHRONOUS -> nodes.with(Setting.BATCHING, "off");
                        // Only the asynchronous one can batch: its waiting requests share frames.
                        case BATCHING -> nodes;
                        default -> nodes.assembled(LabCustomizer.COORDINATOR, "blocking-" + threads);
                    });
        }
        return variants;
    }

    /** The blocking coordinator asks every node, so it neither hashes keys nor places them. */
    private static void refuseIgnored(Settings settings, String parameter) {
        if (!settings.text(parameter).equals(CandidateParameters.NONE)
                && settings.names("coordinators", COORDINATORS).contains(BLOCKING)) {
            throw new IllegalArgumentException("--" + parameter + " must be none with the coordinator " + BLOCKING
                    + ", which asks every node; leave it out of --coordinators");
        }
    }
}
