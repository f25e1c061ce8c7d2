package io.dht4j.benchmarks.scenarios;

import io.dht4j.benchmarks.results.KeyFigure;
import io.dht4j.benchmarks.scenario.Needs;
import io.dht4j.benchmarks.scenario.Parameter;
import io.dht4j.benchmarks.scenario.RunContext;
import io.dht4j.benchmarks.scenario.Scenario;
import io.dht4j.benchmarks.scenario.Settings;
import io.dht4j.benchmarks.scenario.server.PeerTransports;
import io.dht4j.benchmarks.scenario.server.ServerComparison;
import io.dht4j.benchmarks.scenario.server.ServerPlan;
import io.dht4j.benchmarks.scenario.server.ServerVariant;
import io.dht4j.lab.internal.counters.Cost;
import io.dht4j.server.config.Setting;
import java.io.IOException;
import java.util.List;

/** Measures linearizable calls beside those with the order of real time: a further round trip for each write. */
public final class OrderingCost implements Scenario {

    private static final int NODES = 3;
    private static final int ACK = 2;
    private static final List<String> ORDERINGS = List.of("real-time", "linearizable");

    /** Creates the scenario. */
    public OrderingCost() {}

    @Override
    public String name() {
        return "ordering";
    }

    @Override
    public String question() {
        return "What do linearizable reads and writes cost?";
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
                                "orderings",
                                "variants, separated by commas: " + String.join(", ", ORDERINGS),
                                String.join(",", ORDERINGS),
                                String.join(",", ORDERINGS)),
                        PeerTransports.parameter("vertx", "grpc-stream")),
                "10000",
                "200000",
                "1024");
    }

    @Override
    public void check(Settings settings) {
        ServerPlan.of(settings);
        variants(settings);
    }

    @Override
    public Needs needs(Settings settings) {
        return ServerComparison.needs(ServerPlan.of(settings), variants(settings), 1);
    }

    @Override
    public void run(RunContext context) throws IOException, InterruptedException {
        ServerComparison.of(context, ServerPlan.of(context), variants(context)).run();
    }

    private static List<ServerVariant> variants(Settings settings) {
        String transport = PeerTransports.of(settings);
        return settings.names("orderings", ORDERINGS).stream()
                .map(ordering -> ServerVariant.of(ordering, NODES, ACK, NODES)
                        .with(Setting.ORDERING, ordering)
                        .over(transport))
                .toList();
    }
}
