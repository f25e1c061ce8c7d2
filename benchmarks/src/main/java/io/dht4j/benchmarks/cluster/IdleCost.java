package io.dht4j.benchmarks.cluster;

import io.dht4j.benchmarks.files.Directories;
import io.dht4j.benchmarks.load.LoadOptions;
import io.dht4j.benchmarks.load.LoadProgram;
import io.dht4j.benchmarks.load.closed.FailedOperations;
import io.dht4j.benchmarks.load.closed.ThroughputLoop;
import io.dht4j.benchmarks.results.PairedRatios;
import io.dht4j.benchmarks.results.Spread;
import io.dht4j.benchmarks.transports.BuiltInTransport;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.FailureDetectors;
import io.dht4j.core.options.HintedHandoff;
import io.dht4j.core.options.Repair;
import io.dht4j.lab.internal.counters.StolenTime;
import io.dht4j.lab.internal.nodes.ThreeNodes;
import io.dht4j.spi.Store;
import io.dht4j.store.memory.MemoryStore;
import io.dht4j.store.mvstore.MvStore;
import io.dht4j.store.mvstore.MvStoreOptions;
import io.dht4j.testkit.network.FreePorts;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntFunction;
import java.util.function.ToDoubleFunction;
import java.util.function.UnaryOperator;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Measures failure detection, hinted handoff and background repair while there is nothing to repair. Two clusters of
 * three nodes in this process take turns, one with all of them and one without.
 */
@Command(
        name = "idle-cost",
        mixinStandardHelpOptions = true,
        description = "Closed-loop load in turns on a cluster with healing switched on, and on one with it switched "
                + "off.")
public final class IdleCost implements Callable<Integer> {

    private static final List<String> STORES = List.of("memory", "durable");

    @Option(names = "--store", defaultValue = "memory", description = "memory or durable (default: ${DEFAULT-VALUE})")
    private String store = "memory";

    @Option(
            names = "--transport",
            defaultValue = "grpc-stream",
            description = "as of the scenario transports: vertx, grpc-stream, tcp, ... (default: ${DEFAULT-VALUE})")
    private String transport = "grpc-stream";

    @Option(names = "--value-bytes", defaultValue = "100", description = "size of a value (default: ${DEFAULT-VALUE})")
    private int valueBytes;

    @Option(names = "--repetitions", defaultValue = "9", description = "repetitions (default: ${DEFAULT-VALUE})")
    private int repetitions;

    @Mixin
    private final LoadOptions load = new LoadOptions(64, 100_000, 3, 15);

    /** Creates the command; for picocli. */
    public IdleCost() {}

    /**
     * Runs the command line.
     *
     * @param args see {@code --help}
     */
    public static void main(String[] args) {
        LoadProgram.main(new CommandLine(new IdleCost()), args);
    }

    /** One kind of operation on both clusters, and its results. */
    private record Pair(
            String name,
            IntFunction<CompletionStage<?>> on,
            IntFunction<CompletionStage<?>> off,
            List<ThroughputLoop.Result> resultsOn,
            List<ThroughputLoop.Result> resultsOff) {

        Pair(String name, IntFunction<CompletionStage<?>> on, IntFunction<CompletionStage<?>> off) {
            this(name, on, off, new ArrayList<>(), new ArrayList<>());
        }
    }

    @Override
    public Integer call() throws Exception {
        if (!STORES.contains(store)) {
            throw new CommandLine.ParameterException(
                    new CommandLine(this), "--store must be one of " + STORES + ", not " + store);
        }
        if (!BuiltInTransport.names().contains(transport)) {
            throw new CommandLine.ParameterException(
                    new CommandLine(this),
                    "--transport must be one of " + BuiltInTransport.names() + ", not " + transport);
        }
        Path directory = Files.createTempDirectory("dht4j-idle-cost-");
        String[] keys = new String[load.keys()];
        Arrays.setAll(keys, i -> "key-%08d".formatted(i));
        byte[] value = new byte[valueBytes];
        Arrays.fill(value, (byte) 'v');
        try (ThreeNodes on = start(directory.resolve("on"), builder -> builder, own -> own, keys, value);
                ThreeNodes off =
                        start(directory.resolve("off"), IdleCost::withoutHealing, UnfollowedStore::new, keys, value)) {
            for (int key = 0; key < load.keys(); key++) {
                on.put(0, key).toCompletableFuture().join();
                off.put(0, key).toCompletableFuture().join();
            }
            measure(List.of(
                    new Pair("put", slot -> on.put(slot % 3, anyKey()), slot -> off.put(slot % 3, anyKey())),
                    new Pair("get", slot -> on.get(slot % 3, anyKey()), slot -> off.get(slot % 3, anyKey()))));
        } finally {
            Directories.delete(directory);
        }
        return 0;
    }

    private int anyKey() {
        return ThreadLocalRandom.current().nextInt(load.keys());
    }

    private static ClusterBuilder withoutHealing(ClusterBuilder builder) {
        return builder.handoff(HintedHandoff.off()).repair(Repair.off()).failureDetector(FailureDetectors.none());
    }

    private ThreeNodes start(
            Path directory,
            UnaryOperator<ClusterBuilder> settings,
            UnaryOperator<Store> storeUsed,
            String[] keys,
            byte[] value)
            throws Exception {
        List<Path> nodes = new ArrayList<>();
        UnaryOperator<ClusterBuilder> stores = builder -> {
            if (store.equals("memory")) {
                return builder.store(storeUsed.apply(
                        new MemoryStore(ThreeNodes.share(value.length).memoryStoreBytes())));
            }
            Path node = directory.resolve("n" + nodes.size());
            nodes.add(node);
            return builder.store(
                    storeUsed.apply(MvStore.open(node, MvStoreOptions.of(ThreeNodes.share(value.length)))));
        };
        return new ThreeNodes(
                BuiltInTransport.named(transport),
                FreePorts.find(3),
                builder -> settings.apply(stores.apply(builder)),
                2,
                keys,
                value);
    }

    private void measure(List<Pair> pairs) throws InterruptedException {
        System.out.printf(
                Locale.ROOT,
                "3 nodes in one process, %s, %s stores, 2/3, %d in flight, %d-byte values, %d keys, %d "
                        + "repetitions of %.1f s%n",
                transport,
                store,
                load.inFlight(),
                valueBytes,
                load.keys(),
                repetitions,
                load.seconds());
        for (Pair pair : pairs) {
            ThroughputLoop.run(load.inFlight(), load.warmUp(), pair.on());
            ThroughputLoop.run(load.inFlight(), load.warmUp(), pair.off());
        }
        StolenTime stolen = new StolenTime();
        for (int repetition = 0; repetition < repetitions; repetition++) {
            for (Pair pair : pairs) {
                // The order alternates.
                boolean onFirst = repetition % 2 == 0;
                ThroughputLoop.Result first =
                        ThroughputLoop.run(load.inFlight(), load.seconds(), onFirst ? pair.on() : pair.off());
                ThroughputLoop.Result second =
                        ThroughputLoop.run(load.inFlight(), load.seconds(), onFirst ? pair.off() : pair.on());
                pair.resultsOn().add(onFirst ? first : second);
                pair.resultsOff().add(onFirst ? second : first);
            }
        }
        for (Pair pair : pairs) {
            print(pair.name() + ", on", pair.resultsOn());
            print(pair.name() + ", off", pair.resultsOff());
            tellRatios(
                    pair.name() + ", per second, on to off",
                    ThroughputLoop.Result::perSecond,
                    pair.resultsOn(),
                    pair.resultsOff());
            tellRatios(
                    pair.name() + ", p99, on to off",
                    ThroughputLoop.Result::p99Micros,
                    pair.resultsOn(),
                    pair.resultsOff());
        }
        System.out.printf(Locale.ROOT, "stolen time %.1f %%%n", stolen.percent());
    }

    private static void print(String name, List<ThroughputLoop.Result> results) {
        double[] rates = sorted(results, ThroughputLoop.Result::perSecond);
        double[] p99 = sorted(results, ThroughputLoop.Result::p99Micros);
        System.out.printf(
                Locale.ROOT,
                "%-28s %,10.0f/s (%,.0f to %,.0f)   p99 %,.0f µs (%,.0f to %,.0f)%n",
                name,
                rates[rates.length / 2],
                rates[0],
                rates[rates.length - 1],
                p99[p99.length / 2],
                p99[0],
                p99[p99.length - 1]);
        FailedOperations.doubt(results).ifPresent(doubt -> System.out.println(name + ": " + doubt));
    }

    /** Ratios of consecutive runs, so that slow changes of the machine cancel out. */
    private static void tellRatios(
            String name,
            ToDoubleFunction<ThroughputLoop.Result> figure,
            List<ThroughputLoop.Result> on,
            List<ThroughputLoop.Result> off) {
        PairedRatios ratios = PairedRatios.of(
                on.stream().map(figure::applyAsDouble).toList(),
                off.stream().map(figure::applyAsDouble).toList());
        Spread median = ratios.ofMedian();
        Spread all = ratios.spread();
        System.out.printf(
                Locale.ROOT,
                "%-28s %.3f (with 95 %% it is %.3f to %.3f; all are %.3f to %.3f)%n",
                name,
                median.median(),
                median.least(),
                median.greatest(),
                all.least(),
                all.greatest());
    }

    private static double[] sorted(
            List<ThroughputLoop.Result> results, ToDoubleFunction<ThroughputLoop.Result> figure) {
        return results.stream().mapToDouble(figure).sorted().toArray();
    }
}
