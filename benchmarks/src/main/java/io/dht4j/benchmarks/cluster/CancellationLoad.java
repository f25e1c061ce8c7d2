package io.dht4j.benchmarks.cluster;

import io.dht4j.CancellationPolicy;
import io.dht4j.ReadFanOut;
import io.dht4j.benchmarks.load.LoadOptions;
import io.dht4j.benchmarks.load.LoadProgram;
import io.dht4j.benchmarks.load.closed.InterleavedRuns;
import io.dht4j.benchmarks.load.closed.Variant;
import io.dht4j.benchmarks.transports.BuiltInTransport;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.options.Batching;
import io.dht4j.lab.internal.nodes.ThreeNodes;
import io.dht4j.testkit.network.FreePorts;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.UnaryOperator;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Measures the cost of cancelling requests of a read that has enough answers: gets at 1/3 that ask all three replicas,
 * with each cancellation policy, with and without batching, beside gets that ask as many as they need.
 */
@Command(
        name = "cancellation-load",
        mixinStandardHelpOptions = true,
        description = "Closed-loop gets on three nodes in one process, memory stores, for each cancellation policy.")
public final class CancellationLoad implements Callable<Integer> {

    /** The greatest warm-up as a multiple of the least, if the compilers stay busy. */
    private static final int LONGEST_WARM_UP = 4;

    @Mixin
    private final LoadOptions load = new LoadOptions(64, 20_000, 3, 4);

    @Option(
            names = "--transports",
            split = ",",
            defaultValue = "vertx,vertx-h2,grpc-unary,grpc-stream",
            description = "as in transports-load (default: ${DEFAULT-VALUE})")
    private List<String> transports = List.of();

    @Option(
            names = "--ack",
            defaultValue = "1",
            description = "number of sufficient answers (default: ${DEFAULT-VALUE})")
    private int ack;

    @Option(names = "--value-bytes", defaultValue = "1000", description = "size of a value (default: ${DEFAULT-VALUE})")
    private int valueBytes;

    @Option(
            names = "--repetitions",
            defaultValue = "5",
            description = "repetitions of each (default: ${DEFAULT-VALUE})")
    private int repetitions;

    /** Creates the command; for picocli. */
    public CancellationLoad() {}

    /**
     * Runs the command line.
     *
     * @param args see {@code --help}
     */
    public static void main(String[] args) {
        LoadProgram.main(new CommandLine(new CancellationLoad()), args);
    }

    @Override
    public Integer call() throws Exception {
        String[] keys = new String[load.keys()];
        for (int i = 0; i < load.keys(); i++) {
            keys[i] = "key-%08d".formatted(i);
        }
        byte[] value = new byte[valueBytes];
        Arrays.fill(value, (byte) 'v');
        Map<String, UnaryOperator<ClusterBuilder>> settings = new LinkedHashMap<>();
        settings.put("enough", builder -> builder.readFanOut(ReadFanOut.ENOUGH));
        for (CancellationPolicy policy : CancellationPolicy.values()) {
            settings.put(
                    "all, " + policy.name().toLowerCase(Locale.ROOT),
                    builder -> builder.readFanOut(ReadFanOut.ALL).cancellation(policy));
        }
        Map<String, Variant> variants = new LinkedHashMap<>();
        List<ThreeNodes> running = new ArrayList<>();
        try {
            for (String transport : transports) {
                for (Batching batching : List.of(Batching.off(), Batching.on())) {
                    for (Map.Entry<String, UnaryOperator<ClusterBuilder>> setting : settings.entrySet()) {
                        ThreeNodes nodes = new ThreeNodes(
                                BuiltInTransport.named(transport),
                                FreePorts.find(3),
                                builder -> setting.getValue().apply(builder).batching(batching),
                                ack,
                                keys,
                                value);
                        running.add(nodes);
                        for (int key = 0; key < load.keys(); key++) {
                            nodes.put(key % 3, key).toCompletableFuture().join();
                        }
                        variants.put(
                                "`%s` | %s | %s"
                                        .formatted(transport, batching.enabled() ? "on" : "off", setting.getKey()),
                                new Variant(slot -> nodes.get(
                                        slot % 3, ThreadLocalRandom.current().nextInt(load.keys()))));
                    }
                }
            }
            System.out.printf(
                    Locale.ROOT,
                    "gets at %d/3, %d in flight, %d-byte values, %d keys%n",
                    ack,
                    load.inFlight(),
                    valueBytes,
                    load.keys());
            new InterleavedRuns(
                            load.inFlight(),
                            load.warmUp(),
                            LONGEST_WARM_UP * load.warmUp(),
                            load.seconds(),
                            repetitions)
                    .run(List.copyOf(variants.values()));
            System.out.println("| transport | batching | asked, cancelled | gets/s | bytes allocated |");
            System.out.println("|---|---|---|---|---|");
            variants.forEach((name, variant) -> System.out.printf(
                    Locale.ROOT, "| %s | %s | %,.0f |%n", name, variant.rates(), variant.allocated()));
        } finally {
            running.forEach(ThreeNodes::close);
        }
        return 0;
    }
}
