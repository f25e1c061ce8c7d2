package io.dht4j.benchmarks.scenarios;

import io.dht4j.benchmarks.results.KeyFigure;
import io.dht4j.benchmarks.scenario.CandidateParameters;
import io.dht4j.benchmarks.scenario.Needs;
import io.dht4j.benchmarks.scenario.Parameter;
import io.dht4j.benchmarks.scenario.RunContext;
import io.dht4j.benchmarks.scenario.Scenario;
import io.dht4j.benchmarks.scenario.Settings;
import io.dht4j.benchmarks.scenario.server.CostPlan;
import io.dht4j.benchmarks.scenario.server.ServerComparison;
import io.dht4j.benchmarks.scenario.server.ServerPlan;
import io.dht4j.benchmarks.scenario.server.ServerVariant;
import io.dht4j.benchmarks.scenario.server.Soak;
import io.dht4j.lab.internal.counters.Cost;
import io.dht4j.lab.internal.load.Operation;
import io.dht4j.server.config.Setting;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Measures whether cancelling requests of a read that has enough answers pays: gets at 2/3 that ask all three replicas.
 * Then a soak at a fixed rate, whose tail must not grow.
 */
public final class Cancellation implements Scenario {

    private static final int NODES = 3;
    private static final int ACK = 2;
    private static final List<String> POLICIES = List.of("never", "local", "propagate");
    private static final List<String> CLIENTS = List.of("vertx", "vertx-h2", "jdk", "jdk-h2", "one-nio", "grpc-stream");

    /** Creates the scenario. */
    public Cancellation() {}

    @Override
    public String name() {
        return "cancellation";
    }

    @Override
    public String question() {
        return "Does it pay to cancel surplus reads?";
    }

    @Override
    public KeyFigure keyFigure() {
        return KeyFigure.cost(Cost.CPU_MICROS);
    }

    @Override
    public List<Parameter> parameters() {
        return CostPlan.withQuickRate(
                ServerPlan.parametersOfOneOperation(
                        List.of(
                                new Parameter(
                                        "policies",
                                        "variants, separated by commas: " + String.join(", ", POLICIES),
                                        "local,propagate",
                                        String.join(",", POLICIES)),
                                new Parameter(
                                        "clients",
                                        "clients, separated by commas: " + String.join(", ", CLIENTS),
                                        "vertx",
                                        "vertx,one-nio,grpc-stream"),
                                CandidateParameters.transportClass(),
                                new Parameter(
                                        "client-threads",
                                        "connections to each peer, separated by commas: 8, 32, 64; one-nio has a "
                                                + "thread for each",
                                        "32",
                                        "8,32"),
                                new Parameter("minutes", "length of the soak, 0 for none, to 10,000", "0", "20"),
                                new Parameter("soak-operation", "operation of the soak: put or get", "get", "get"),
                                new Parameter(
                                        "soak-rate",
                                        "operations per second of the soak, 1 to 1,000,000",
                                        "1500",
                                        "3000")),
                        "5000",
                        "200000",
                        "1024"),
                1000);
    }

    @Override
    public void check(Settings settings) {
        plan(settings);
        variants(settings);
        soak(settings);
    }

    @Override
    public Needs needs(Settings settings) {
        return ServerComparison.needs(plan(settings), variants(settings), NODES);
    }

    @Override
    public void run(RunContext context) throws IOException, InterruptedException {
        ServerPlan plan = plan(context);
        Soak soak = soak(context);
        ServerComparison.of(context, plan, variants(context)).run(soak.steps());
        if (soak.minutes() > 0) {
            soak.run(context, plan);
        }
    }

    private static List<ServerVariant> variants(Settings settings) {
        List<ServerVariant> variants = new ArrayList<>();
        List<String> threads = settings.names("client-threads", List.of("8", "32", "64"));
        for (String client : settings.names("clients", CLIENTS)) {
            for (String policy : settings.names("policies", POLICIES)) {
                // The other clients carry many calls over few connections, without a thread for each.
                if (client.equals("one-nio") || client.equals("vertx") || client.equals("jdk")) {
                    threads.forEach(
                            count -> variants.add(asking(client + ", " + count + " connections, " + policy, policy)
                                    .over(client, count)));
                } else {
                    variants.add(asking(client + ", " + policy, policy).over(client));
                }
            }
        }
        CandidateParameters.transportClasses(settings, CLIENTS)
                .forEach((name, className) -> settings.names("policies", POLICIES)
                        .forEach(policy -> variants.add(
                                asking(name + ", " + policy, policy).overClass(className))));
        return variants;
    }

    private static ServerVariant asking(String name, String policy) {
        return ServerVariant.of(name, NODES, ACK, NODES)
                .with(Setting.READS, "all")
                .with(Setting.BATCHING, "off")
                .with(Setting.CANCELLATION, policy);
    }

    private static ServerPlan plan(Settings settings) {
        return ServerPlan.of(settings, List.of(Operation.GET));
    }

    private static Soak soak(Settings settings) {
        Operation operation =
                settings.one("soak-operation", List.of("put", "get")).equals("put") ? Operation.PUT : Operation.GET;
        return new Soak(
                // With the keys that the parameters name.
                ServerPlan.of(settings, List.of(operation)).operations().get(0),
                settings.decimal("minutes", 0, 10_000),
                settings.decimal("soak-rate", 1, 1_000_000));
    }
}
