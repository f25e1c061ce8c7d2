package io.dht4j.benchmarks.scenario;

import io.dht4j.benchmarks.load.LoadResult;
import io.dht4j.benchmarks.load.LoadSpec;
import io.dht4j.benchmarks.load.Operation;
import io.dht4j.benchmarks.process.LoadProcess;
import io.dht4j.benchmarks.process.Nodes;
import io.dht4j.benchmarks.process.NodesSpec;
import io.dht4j.benchmarks.report.Measurement;
import io.dht4j.benchmarks.target.TargetSpec;
import io.dht4j.examples.server.Setting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Whether it pays to cancel the requests of a read that has enough answers: gets at 2/3 that ask all three replicas. Then a soak at
 * a fixed rate, whose tail must not grow.
 */
public final class Cancellation implements Scenario {

    private static final int NODES = 3;
    private static final int ACK = 2;
    private static final double TAIL = 99;
    private static final List<String> POLICIES = List.of("never", "local", "propagate");
    private static final List<String> CLIENTS = List.of("vertx", "vertx-h2", "jdk", "jdk-h2", "one-nio", "grpc-stream");

    /** The scenario. */
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
    public List<Parameter> parameters() {
        return ServerPlan.parametersOfOneOperation(
                List.of(
                        new Parameter(
                                "policies",
                                "what to compare, with commas between: " + String.join(", ", POLICIES),
                                "local,propagate",
                                String.join(",", POLICIES)),
                        new Parameter(
                                "clients",
                                "over what, with commas between: " + String.join(", ", CLIENTS),
                                "vertx",
                                "vertx,one-nio,grpc-stream"),
                        new Parameter(
                                "client-threads",
                                "connections to each peer, with commas between, out of 8, 32, 64; one-nio has a thread for each",
                                "32",
                                "8,32"),
                        new Parameter("minutes", "length of the soak, 0 for none, to 10,000", "0.2", "20"),
                        new Parameter("soak-rate", "gets per second of the soak, 1 to 1,000,000", "1500", "3000")),
                "5000",
                "200000",
                "1024");
    }

    @Override
    public void check(Settings settings) {
        plan(settings);
        variants(settings);
        minutes(settings);
        soakRate(settings);
    }

    @Override
    public long diskBytes(Settings settings) {
        return plan(settings).diskBytes(NODES);
    }

    @Override
    public void run(Lab lab) throws IOException, InterruptedException {
        ServerPlan plan = plan(lab);
        ServerComparison.of(lab, plan, variants(lab)).run();
        if (minutes(lab) > 0) {
            soak(lab, plan);
        }
    }

    private static List<ServerVariant> variants(Settings settings) {
        List<ServerVariant> variants = new ArrayList<>();
        List<String> threads = settings.names("client-threads", List.of("8", "32", "64"));
        for (String client : settings.names("clients", CLIENTS)) {
            for (String policy : settings.names("policies", POLICIES)) {
                // The others carry many calls over few connections, and have no thread for each.
                if (client.equals("one-nio") || client.equals("vertx") || client.equals("jdk")) {
                    threads.forEach(count -> variants.add(ServerVariants.over(
                            asking(client + ", " + count + " connections, " + policy, policy), client, count)));
                } else {
                    variants.add(ServerVariants.over(asking(client + ", " + policy, policy), client));
                }
            }
        }
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

    private static double minutes(Settings settings) {
        return settings.decimal("minutes", 0, 10_000);
    }

    private static double soakRate(Settings settings) {
        return settings.decimal("soak-rate", 1, 1_000_000);
    }

    /** With everything at its default but that all replicas are asked: slice after slice, the tail of each. */
    private static void soak(Lab lab, ServerPlan plan) throws IOException, InterruptedException {
        double seconds = 60 * minutes(lab);
        int slices = (int) Math.max(4, Math.min(60, seconds / 60));
        ServerVariant variant = ServerVariant.of("soak", NODES, ACK, NODES).with(Setting.READS, "all");
        lab.plan(1 + slices);
        lab.step("soak of " + minutes(lab) + " minutes: filling");
        Path data = Files.createTempDirectory(lab.scratch(), "nodes");
        try (Generator generator = new Generator(NodeJvm.compilerFlags(lab));
                Nodes nodes = Nodes.start(NodesSpec.of(NODES, data, variant.settings())
                        .withJvm(plan.jvm().heapMegabytes(), plan.jvm().flags(NODES)))) {
            LoadProcess load = generator.connected(TargetSpec.http(nodes.httpAddresses())
                    .withConnections(plan.connections(), 1)
                    .withPolicy(ACK, NODES)
                    .withValueBytes(plan.valueBytes()));
            load.fill(plan.keys(), ServerComparison.FILL_IN_FLIGHT, ServerComparison.FILL_DEADLINE);
            LoadSpec spec = plan.load(Operation.GET, soakRate(lab), 0);
            List<Double> tails = new ArrayList<>();
            Set<String> doubts = new LinkedHashSet<>();
            WarmUp warmUp = new WarmUp(plan, nodes, load);
            warmUp.run();
            warmUp.turnTo(Operation.GET).ifPresent(doubts::add);
            for (int slice = 0; slice < slices; slice++) {
                lab.step(String.format(Locale.ROOT, "soak, part %d of %d", slice + 1, slices));
                LoadResult result = load.run(spec.lasting(0, seconds / slices).withSeed(slice));
                nodes.ping();
                tails.add(result.latency().micros(TAIL));
                doubts.addAll(result.conditions().doubts());
                if (result.failed() + result.notSent() > 0) {
                    doubts.add(result.failed() + " gets failed and " + result.notSent() + " were not sent in part "
                            + (slice + 1));
                }
                add(lab, variant, tails, slices, doubts);
            }
        } finally {
            Trees.delete(data);
        }
    }

    private static void add(Lab lab, ServerVariant variant, List<Double> tails, int slices, Set<String> doubts) {
        int half = slices / 2;
        for (boolean first : new boolean[] {true, false}) {
            List<Double> part = first
                    ? tails.subList(0, Math.min(half, tails.size()))
                    : tails.subList(Math.min(half, tails.size()), tails.size());
            if (!part.isEmpty()) {
                lab.add(new Measurement(
                        "soak at a fixed rate",
                        first ? "first half" : "second half",
                        "µs at p99, part by part",
                        false,
                        part,
                        variant.shown(),
                        List.of(),
                        Map.of(),
                        List.of(),
                        List.copyOf(doubts)));
            }
        }
    }
}
