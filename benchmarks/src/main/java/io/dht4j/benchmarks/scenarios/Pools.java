package io.dht4j.benchmarks.scenarios;

import io.dht4j.benchmarks.process.node.LabCustomizer;
import io.dht4j.benchmarks.profile.ProfileEvent;
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
import java.util.ArrayList;
import java.util.List;

/**
 * Compares the threads that handle replies of other nodes, the number of connections, and the default policy. The
 * report links the thread states of each variant.
 */
public final class Pools implements Scenario {

    private static final int NODES = 3;
    private static final int MAJORITY = 2;
    private static final List<String> REPLIES = List.of("transport", "common", "own-1", "own-2", "own-8");

    /** Creates the scenario. */
    public Pools() {}

    @Override
    public String name() {
        return "executors";
    }

    @Override
    public String question() {
        return "Which threads should handle replies, how large should pools be, and what does waiting for all cost?";
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
                                "replies",
                                "threads that handle replies, separated by commas: " + String.join(", ", REPLIES),
                                "transport,own-2",
                                String.join(",", REPLIES)),
                        new Parameter(
                                "policies",
                                "replicas that must answer, separated by commas: quorum, all",
                                "quorum",
                                "quorum,all"),
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
        ServerPlan plan = ServerPlan.of(context).profiling(ProfileEvent.WALL);
        ServerComparison.of(context, plan, variants(context)).run();
    }

    private static List<ServerVariant> variants(Settings settings) {
        String transport = PeerTransports.of(settings);
        List<ServerVariant> variants = new ArrayList<>();
        List<String> policies = settings.names("policies", List.of("quorum", "all"));
        List<String> replies = settings.names("replies", REPLIES);
        if (policies.contains("quorum")) {
            replies.forEach(where -> variants.add(ServerVariant.of("quorum, replies " + where, NODES, MAJORITY, NODES)
                    .with(Setting.BATCHING, "off")
                    .over(transport)
                    .assembled(LabCustomizer.REPLIES, where)));
        }
        if (policies.contains("all")) {
            variants.add(ServerVariant.of("all, replies transport", NODES, NODES, NODES)
                    .with(Setting.BATCHING, "off")
                    .over(transport)
                    .assembled(LabCustomizer.REPLIES, "transport"));
        }
        return variants;
    }
}
