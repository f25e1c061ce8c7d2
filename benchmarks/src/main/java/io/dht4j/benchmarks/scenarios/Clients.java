package io.dht4j.benchmarks.scenarios;

import io.dht4j.benchmarks.results.KeyFigure;
import io.dht4j.benchmarks.scenario.CandidateParameters;
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
import java.util.stream.Stream;

/**
 * Measures calls between two nodes, by HTTP client and gRPC mode, without replication: each request goes to either
 * node.
 */
public final class Clients implements Scenario {

    private static final int NODES = 2;

    /** Creates the scenario. */
    public Clients() {}

    @Override
    public String name() {
        return "clients";
    }

    @Override
    public String question() {
        return "Which client costs least between two nodes?";
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
                                "clients",
                                "variants, separated by commas: " + String.join(", ", PeerTransports.ALL),
                                "vertx,one-nio",
                                String.join(",", PeerTransports.ALL)),
                        CandidateParameters.transportClass(),
                        new Parameter("batching", "whether requests share frames: on or off", "off", "off")),
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
        String batching = settings.one("batching", List.of("on", "off"));
        return Stream.concat(
                        settings.names("clients", PeerTransports.ALL).stream()
                                .map(client ->
                                        ServerVariant.of(client, NODES, 1, 1).over(client)),
                        CandidateParameters.transportClasses(settings, PeerTransports.ALL).entrySet().stream()
                                .map(own -> ServerVariant.of(own.getKey(), NODES, 1, 1)
                                        .overClass(own.getValue())))
                .map(variant -> variant.with(Setting.REPLICATION_FACTOR, "1").with(Setting.BATCHING, batching))
                .toList();
    }
}
