package io.dht4j.benchmarks.scenarios;

import static io.dht4j.benchmarks.scenarios.Comparisons.ACK;
import static io.dht4j.benchmarks.scenarios.Comparisons.NODES;

import io.dht4j.benchmarks.process.node.LabCustomizer;
import io.dht4j.benchmarks.profile.ProfileEvent;
import io.dht4j.benchmarks.results.KeyFigure;
import io.dht4j.benchmarks.scenario.CandidateParameters;
import io.dht4j.benchmarks.scenario.Parameter;
import io.dht4j.benchmarks.scenario.Settings;
import io.dht4j.benchmarks.scenario.server.PeerTransports;
import io.dht4j.benchmarks.scenario.server.ServerComparison;
import io.dht4j.benchmarks.scenario.server.ServerComparison.Case;
import io.dht4j.benchmarks.scenario.server.ServerPlan;
import io.dht4j.benchmarks.scenario.server.ServerScenario;
import io.dht4j.benchmarks.scenario.server.ServerVariant;
import io.dht4j.benchmarks.scenario.server.Soak;
import io.dht4j.lab.internal.counters.Cost;
import io.dht4j.lab.internal.load.Operation;
import io.dht4j.server.config.Setting;
import java.util.ArrayList;
import java.util.List;

/** Scenarios that compare how coordinators wait for the replicas. */
final class CoordinatorComparisons {

    private static final List<String> COORDINATORS = List.of("asynchronous", "batching", "blocking");
    private static final List<String> CANCELLATIONS = List.of("never", "local", "propagate");
    private static final List<String> CANCELLING =
            List.of("vertx", "vertx-h2", "jdk", "jdk-h2", "one-nio", "grpc-stream");
    private static final List<String> REPLIES = List.of("transport", "common", "own-1", "own-2", "own-8");

    private static final List<String> WAITING = List.of("quorum", "all");

    private CoordinatorComparisons() {}

    /** The library's coordinator against one with a thread for each request; and two ways to merge the answers. */
    static ServerScenario async() {
        return ServerScenario.of(
                        "async",
                        "What does asynchronous fan-out win over a thread for each request?",
                        NODES,
                        CoordinatorComparisons::coordinators)
                .with(
                        Parameter.list("coordinators", "variants", COORDINATORS, "asynchronous,blocking"),
                        Parameter.of("threads", "of the blocking coordinator, 1 to 4096", "64"),
                        PeerTransports.parameter("vertx", "vertx"))
                .holding("10000", "200000", "100")
                .searchingEach(KeyFigure.cost(Cost.CPU_MICROS).orValues())
                .running((context, cases) -> {
                    List<Merging> ways = Merging.ways(context.quick());
                    new ServerComparison(context, cases).run(ways.size());
                    for (Merging way : ways) {
                        context.step(way.title());
                        context.add(way.measure(context.quick()));
                    }
                });
    }

    private static List<Case> coordinators(Settings settings) {
        long threads = settings.number("threads", 1, 4096);
        String transport = PeerTransports.of(settings);
        List<String> coordinators = settings.names("coordinators", COORDINATORS);
        for (String ignored : List.of(CandidateParameters.PLACEMENT_CLASS, CandidateParameters.HASH_CLASS)) {
            if (!settings.text(ignored).equals(CandidateParameters.NONE) && coordinators.contains("blocking")) {
                throw new IllegalArgumentException("--" + ignored + " must be none with the coordinator blocking, which"
                        + " asks every node; leave it out of --coordinators");
            }
        }
        List<ServerVariant> variants = new ArrayList<>();
        for (String coordinator : coordinators) {
            ServerVariant nodes =
                    ServerVariant.of(coordinator, NODES, NODES, NODES).over(transport);
            variants.add(
                    switch (coordinator) {
                        case "asynchronous" -> nodes.with(Setting.BATCHING, "off");
                        // Only the asynchronous one can batch: its waiting requests share frames.
                        case "batching" -> nodes;
                        default -> nodes.assembled(LabCustomizer.COORDINATOR, "blocking-" + threads);
                    });
        }
        return Case.all(ServerPlan.of(settings), variants);
    }

    /**
     * Cancelling requests of a read that has enough answers: gets at 2/3 that ask all three replicas. Then a soak at a
     * fixed rate, whose tail must not grow.
     */
    static ServerScenario cancellation() {
        return ServerScenario.of(
                        "cancellation",
                        "Does it pay to cancel surplus reads?",
                        NODES,
                        CoordinatorComparisons::cancelling)
                .without("operations", "mix")
                .with(
                        Parameter.list("policies", "variants", CANCELLATIONS, "local,propagate"),
                        Parameter.list("clients", "clients", CANCELLING, "vertx", "vertx,one-nio,grpc-stream"),
                        CandidateParameters.transportClass(),
                        new Parameter(
                                "client-threads",
                                "connections to each peer, separated by commas: 8, 32, 64; one-nio has a thread for "
                                        + "each",
                                "32",
                                "8,32"),
                        new Parameter("minutes", "length of the soak, 0 for none, to 10,000", "0", "20"),
                        Parameter.of("soak-operation", "operation of the soak: put or get", "get"),
                        new Parameter("soak-rate", "operations per second of the soak, 1 to 1,000,000", "1500", "3000"))
                .holding("5000", "200000", "1024")
                .byDefault("rate", "1000", "search")
                .running((context, cases) -> {
                    Soak soak = soak(context);
                    new ServerComparison(context, cases).run(soak.steps());
                    if (soak.minutes() > 0) {
                        soak.run(context, cases.get(0).plan());
                    }
                });
    }

    private static List<Case> cancelling(Settings settings) {
        soak(settings);
        List<ServerVariant> variants = new ArrayList<>();
        List<String> threads = settings.names("client-threads", List.of("8", "32", "64"));
        List<String> policies = settings.names("policies", CANCELLATIONS);
        for (String client : settings.names("clients", CANCELLING)) {
            for (String policy : policies) {
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
        CandidateParameters.transportClasses(settings, CANCELLING)
                .forEach((name, className) -> policies.forEach(policy ->
                        variants.add(asking(name + ", " + policy, policy).overClass(className))));
        return Case.all(ServerPlan.of(settings, List.of(Operation.GET)), variants);
    }

    private static ServerVariant asking(String name, String policy) {
        return ServerVariant.of(name, NODES, ACK, NODES)
                .with(Setting.READS, "all")
                .with(Setting.BATCHING, "off")
                .with(Setting.CANCELLATION, policy);
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

    /** The threads that handle replies, the number of connections, and the policy; with the states of the threads. */
    static ServerScenario executors() {
        return ServerScenario.of(
                        "executors",
                        "Which threads should handle replies, how large should pools be, and what does waiting for all"
                                + " cost?",
                        NODES,
                        CoordinatorComparisons::repliers)
                .with(
                        Parameter.list("replies", "threads that handle replies", REPLIES, "transport,own-2"),
                        Parameter.list("policies", "replicas that must answer", WAITING, "quorum"),
                        PeerTransports.parameter("vertx", "vertx"));
    }

    private static List<Case> repliers(Settings settings) {
        String transport = PeerTransports.of(settings);
        List<String> policies = settings.names("policies", WAITING);
        List<String> replies = settings.names("replies", REPLIES);
        List<ServerVariant> variants = new ArrayList<>();
        if (policies.contains("quorum")) {
            replies.forEach(where -> variants.add(replying("quorum", ACK, where, transport)));
        }
        if (policies.contains("all")) {
            variants.add(replying("all", NODES, "transport", transport));
        }
        return Case.all(ServerPlan.of(settings).profiling(ProfileEvent.WALL), variants);
    }

    private static ServerVariant replying(String policy, int ack, String where, String transport) {
        return ServerVariant.of(policy + ", replies " + where, NODES, ack, NODES)
                .with(Setting.BATCHING, "off")
                .over(transport)
                .assembled(LabCustomizer.REPLIES, where);
    }
}
