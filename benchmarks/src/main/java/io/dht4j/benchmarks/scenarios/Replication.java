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

/** Measures what replicas of each key cost, and what it costs to wait for a quorum of them or for all: three nodes. */
public final class Replication implements Scenario {

    private static final int NODES = 3;
    private static final List<String> POLICIES = List.of("1/1", "1/2", "2/2", "1/3", "2/3", "3/3");

    /** Creates the scenario. */
    public Replication() {}

    @Override
    public String name() {
        return "replication";
    }

    @Override
    public String question() {
        return "What do replicas cost, and waiting for a quorum of them or for all?";
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
                                "policies",
                                "answers to wait for, of how many replicas, separated by commas: "
                                        + String.join(", ", POLICIES),
                                "1/1,2/3",
                                "1/1,2/3,3/3"),
                        new Parameter("batching", "whether requests share frames: on or off", "off", "off"),
                        PeerTransports.parameter("vertx", "vertx")),
                "5000",
                "200000",
                "100");
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
        ServerComparison.of(context, ServerPlan.of(context), variants(context)).run();
    }

    private static List<ServerVariant> variants(Settings settings) {
        String transport = PeerTransports.of(settings);
        String batching = settings.one("batching", List.of("on", "off"));
        return settings.names("policies", POLICIES).stream()
                .map(policy -> of(policy).with(Setting.BATCHING, batching).over(transport))
                .toList();
    }

    private static ServerVariant of(String policy) {
        int slash = policy.indexOf('/');
        int replicas = Integer.parseInt(policy.substring(slash + 1));
        return ServerVariant.of(policy, NODES, Integer.parseInt(policy.substring(0, slash)), replicas)
                .with(Setting.REPLICATION_FACTOR, String.valueOf(replicas));
    }
}
