package io.dht4j.benchmarks.scenarios;

import io.dht4j.benchmarks.load.client.ClientSpec.Api;
import io.dht4j.benchmarks.placement.LookupBenchmark;
import io.dht4j.benchmarks.process.node.LabCustomizer;
import io.dht4j.benchmarks.results.KeyFigure;
import io.dht4j.benchmarks.results.Measurement;
import io.dht4j.benchmarks.scenario.CandidateParameters;
import io.dht4j.benchmarks.scenario.JmhRun;
import io.dht4j.benchmarks.scenario.Parameter;
import io.dht4j.benchmarks.scenario.RunContext;
import io.dht4j.benchmarks.scenario.Settings;
import io.dht4j.benchmarks.scenario.server.PeerTransports;
import io.dht4j.benchmarks.scenario.server.ServerComparison;
import io.dht4j.benchmarks.scenario.server.ServerComparison.Case;
import io.dht4j.benchmarks.scenario.server.ServerPlan;
import io.dht4j.benchmarks.scenario.server.ServerScenario;
import io.dht4j.benchmarks.scenario.server.ServerVariant;
import io.dht4j.lab.internal.counters.Cost;
import io.dht4j.server.config.Setting;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Scenarios that compare standalone servers: a question, parameters and variants each. */
final class Comparisons {

    static final int NODES = 3;
    static final int ACK = 2;
    private static final List<String> PLACEMENTS = List.of("rendezvous", "ring", "jump", "modulo");
    private static final List<String> POLICIES = List.of("1/1", "1/2", "2/2", "1/3", "2/3", "3/3");
    private static final List<String> STORES = List.of("memory", "os", "fsync");
    private static final List<String> SIZES = List.of("100", "1024", "16384", "1048576");
    private static final List<String> COUNTS = List.of("3", "6", "9", "12");
    private static final List<String> ENTRIES = List.of("10000", "100000", "1000000", "10000000");
    private static final List<String> SCALED_SIZES = List.of("100", "1024", "16384");
    private static final List<String> CONNECTIONS = List.of("4", "16", "64", "256");
    private static final List<String> ORDERINGS = List.of("real-time", "linearizable");
    private static final Parameter BATCHING =
            Parameter.of("batching", "whether requests share frames: on or off", "off");

    private Comparisons() {}

    /** Calls between two nodes, without replication: each request goes to either node. */
    static ServerScenario clients() {
        return ServerScenario.of("clients", "Which client costs least between two nodes?", 1, settings -> {
                    String batching = settings.one("batching", List.of("on", "off"));
                    List<ServerVariant> variants = new ArrayList<>();
                    PeerTransports.chosen(settings, "clients")
                            .forEach((name, transport) -> variants.add(unreplicated(name, 2)
                                    .with(Setting.BATCHING, batching)
                                    .over(transport)));
                    return Case.all(ServerPlan.of(settings), variants);
                })
                .with(
                        Parameter.list("clients", "variants", PeerTransports.ALL, "vertx,one-nio"),
                        CandidateParameters.transportClass(),
                        BATCHING)
                .holding("10000", "200000", "1024");
    }

    /** One node against three, where two of three requests are forwarded; and the lookup of a key's node by itself. */
    static ServerScenario sharding() {
        KeyFigure figure = KeyFigure.cost(Cost.CPU_MICROS).orValues();
        return ServerScenario.of(
                        "sharding",
                        "What do sharding, finding a key's node and forwarding to it cost?",
                        1,
                        Comparisons::shards)
                .with(
                        Parameter.list("placements", "strategies of the three nodes", PLACEMENTS, "rendezvous"),
                        PeerTransports.parameter("vertx", "vertx"))
                .holding("10000", "200000", "100")
                .answeredBy(figure, figure)
                .running((context, cases) -> {
                    List<String> placements = new ArrayList<>(placements(context));
                    ownPlacement(context).ifPresent(placements::add);
                    new ServerComparison(context, cases).run(placements.size());
                    findNodes(context, placements);
                });
    }

    private static List<String> placements(Settings settings) {
        return settings.names("placements", PLACEMENTS);
    }

    private static Optional<String> ownPlacement(Settings settings) {
        return CandidateParameters.placementName(settings, PLACEMENTS);
    }

    private static List<Case> shards(Settings settings) {
        ServerPlan plan = ServerPlan.of(settings);
        String transport = PeerTransports.of(settings);
        List<Case> cases = new ArrayList<>();
        // The same number of connections in all; otherwise more nodes would mean more operations in flight.
        cases.add(new Case(
                "",
                unreplicated("one node", 1).over(transport),
                plan.withConnections(plan.client().connections() * NODES)));
        for (String placement : placements(settings)) {
            // The placement of the user's own is a variant beside these, and not that of all nodes.
            ServerVariant nodes = unreplicated("three nodes, " + placement, NODES)
                    .with(Setting.PLACEMENT, placement)
                    .over(transport)
                    .assembled(CandidateParameters.PLACEMENT_CLASS, CandidateParameters.NONE);
            cases.add(new Case("", nodes, plan));
        }
        ownPlacement(settings)
                .map(name -> unreplicated("three nodes, " + name, NODES).over(transport))
                .ifPresent(nodes -> cases.add(new Case("", nodes, plan)));
        return cases;
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
                    List.of()));
        }
    }

    /** Replicas of each key, and waiting for a quorum of them or for all: three nodes. */
    static ServerScenario replication() {
        return ServerScenario.of(
                        "replication",
                        "What do replicas cost, and waiting for a quorum of them or for all?",
                        NODES,
                        settings -> {
                            String transport = PeerTransports.of(settings);
                            String batching = settings.one("batching", List.of("on", "off"));
                            return Case.all(
                                    ServerPlan.of(settings),
                                    settings.names("policies", POLICIES).stream()
                                            .map(policy -> replicated(policy)
                                                    .with(Setting.BATCHING, batching)
                                                    .over(transport))
                                            .toList());
                        })
                .with(
                        Parameter.list(
                                "policies",
                                "answers to wait for, of how many replicas",
                                POLICIES,
                                "1/1,2/3",
                                "1/1,2/3,3/3"),
                        BATCHING,
                        PeerTransports.parameter("vertx", "vertx"));
    }

    private static ServerVariant replicated(String policy) {
        String[] parts = policy.split("/", 2);
        return ServerVariant.of(policy, NODES, Integer.parseInt(parts[0]), Integer.parseInt(parts[1]))
                .with(Setting.REPLICATION_FACTOR, parts[1]);
    }

    /** Surviving a kill and a loss of power, by size of value, with more data than the cache holds. */
    static ServerScenario durability() {
        return ServerScenario.of(
                        "durability",
                        "What does it cost to keep entries through a kill, and through a loss of power?",
                        NODES,
                        Comparisons::stores)
                .with(
                        Parameter.list("stores", "variants", STORES, "memory,os"),
                        new Parameter(
                                "sizes",
                                "sizes of values in bytes, separated by commas: " + String.join(", ", SIZES)
                                        + "; the number of keys gives keys x value-bytes of data",
                                "100",
                                String.join(",", SIZES)),
                        PeerTransports.parameter("vertx", "grpc-stream"))
                .holding("5000", "5000000", "100")
                .searchingEach(KeyFigure.cost(Cost.CPU_MICROS));
    }

    private static List<Case> stores(Settings settings) {
        ServerPlan plan = ServerPlan.of(settings);
        String transport = PeerTransports.of(settings);
        long bytes = plan.keys() * plan.oneValueSize();
        List<Case> cases = new ArrayList<>();
        Optional<String> own = CandidateParameters.storeName(settings, STORES);
        for (String size : settings.names("sizes", SIZES)) {
            int valueBytes = Integer.parseInt(size);
            ServerPlan sized = plan.holding(Math.max(100, bytes / valueBytes), valueBytes);
            own.ifPresent(name -> cases.add(new Case(size + " bytes", quorum(name, NODES, transport), sized)));
            for (String store : settings.names("stores", STORES)) {
                // The store of the user's own is a variant beside these, and not that of all nodes.
                ServerVariant nodes = quorum(store, NODES, transport)
                        .assembled(CandidateParameters.STORE_CLASS, CandidateParameters.NONE);
                cases.add(new Case(
                        size + " bytes",
                        store.equals("memory")
                                ? nodes.with(Setting.STORE, "memory")
                                : nodes.with(Setting.STORE, "mvstore").with(Setting.DURABILITY, store),
                        sized));
            }
        }
        return cases;
    }

    /** Linearizable calls beside those with the order of real time: a further round trip for each write. */
    static ServerScenario ordering() {
        return ServerScenario.of("ordering", "What do linearizable reads and writes cost?", 1, settings -> {
                    String transport = PeerTransports.of(settings);
                    return Case.all(
                            ServerPlan.of(settings),
                            settings.names("orderings", ORDERINGS).stream()
                                    .map(ordering ->
                                            quorum(ordering, NODES, transport).with(Setting.ORDERING, ordering))
                                    .toList());
                })
                .with(
                        Parameter.list("orderings", "variants", ORDERINGS, String.join(",", ORDERINGS)),
                        PeerTransports.parameter("vertx", "grpc-stream"))
                .holding("10000", "200000", "1024");
    }

    /** How the cost of an operation grows with nodes, entries, sizes of values and operations in flight. */
    static ServerScenario scale() {
        return ServerScenario.of(
                        "scale",
                        "What does an operation cost as nodes, entries, values and requests in flight grow?",
                        NODES,
                        Comparisons::scales)
                .with(
                        Parameter.list("nodes", "numbers of nodes", COUNTS, "3,6"),
                        orNone("entries", "numbers of entries", ENTRIES, String.join(",", ENTRIES)),
                        orNone("sizes", "sizes of values in bytes", SCALED_SIZES, String.join(",", SCALED_SIZES)),
                        orNone("in-flight", "connections of the load to each node", CONNECTIONS, "4,64,256"),
                        PeerTransports.parameter("vertx", "vertx"))
                .holding("5000", "50000", "100");
    }

    private static Parameter orNone(String name, String what, List<String> allowed, String full) {
        Parameter list = Parameter.list(name, what, allowed, "none", full);
        return new Parameter(name, list.meaning() + ", or none", "none", full);
    }

    private static List<String> orNone(Settings settings, String parameter, List<String> allowed) {
        List<String> names = new ArrayList<>(allowed);
        names.add("none");
        List<String> given = settings.names(parameter, names);
        return given.contains("none") ? List.of() : given;
    }

    private static List<Case> scales(Settings settings) {
        ServerPlan plan = ServerPlan.of(settings);
        String transport = PeerTransports.of(settings);
        List<Case> cases = new ArrayList<>();
        for (String count : settings.names("nodes", COUNTS)) {
            int nodes = Integer.parseInt(count);
            // The same number of connections in all; otherwise more nodes would mean more operations in flight.
            ServerPlan shared = plan.withConnections(Math.max(1, plan.client().connections() * NODES / nodes));
            cases.add(new Case("nodes", quorum(count + " nodes", nodes, transport), shared));
        }
        for (String count : orNone(settings, "entries", ENTRIES)) {
            ServerPlan holding = plan.holding(Long.parseLong(count), plan.valueSizes());
            cases.add(new Case("entries", quorum(count + " entries", NODES, transport), holding));
        }
        for (String size : orNone(settings, "sizes", SCALED_SIZES)) {
            ServerPlan holding = plan.holding(plan.keys(), Integer.parseInt(size));
            cases.add(new Case("size of values", quorum(size + " bytes", NODES, transport), holding));
        }
        List<String> inFlight = orNone(settings, "in-flight", CONNECTIONS);
        if (!inFlight.isEmpty() && plan.client().api() == Api.GRPC) {
            throw new IllegalArgumentException(
                    "--in-flight must be none with --api grpc, where a connection carries any number of requests");
        }
        for (String connections : inFlight) {
            ServerPlan shared = plan.withConnections(Integer.parseInt(connections));
            cases.add(new Case("under way", quorum(connections + " to each node", NODES, transport), shared));
        }
        return cases;
    }

    private static ServerVariant quorum(String name, int nodes, String transport) {
        return ServerVariant.of(name, nodes, ACK, NODES).over(transport);
    }

    private static ServerVariant unreplicated(String name, int nodes) {
        return ServerVariant.of(name, nodes, 1, 1).with(Setting.REPLICATION_FACTOR, "1");
    }
}
