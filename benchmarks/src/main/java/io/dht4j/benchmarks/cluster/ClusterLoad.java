package io.dht4j.benchmarks.cluster;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.ReadFanOut;
import io.dht4j.Topology;
import io.dht4j.benchmarks.load.LoadOptions;
import io.dht4j.benchmarks.load.LoadProgram;
import io.dht4j.benchmarks.load.closed.FailedOperations;
import io.dht4j.benchmarks.load.closed.ThroughputLoop;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.SystemEnvironment;
import io.dht4j.lab.internal.counters.StolenTime;
import io.dht4j.spi.MemoryBudget;
import io.dht4j.store.memory.MemoryStore;
import io.dht4j.testkit.network.LoopbackNetwork;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntFunction;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Measures puts and gets of a cluster in one process over the loopback transport and memory stores: the cost of the
 * core, without network and disk.
 */
@Command(
        name = "cluster-load",
        mixinStandardHelpOptions = true,
        description = "Closed-loop load on a cluster in one process, loopback transport, memory stores.")
public final class ClusterLoad implements Callable<Integer> {

    @Mixin
    private final LoadOptions load = new LoadOptions(64, 100_000, 5, 10);

    @Option(names = "--nodes", defaultValue = "3", description = "nodes (default: ${DEFAULT-VALUE})")
    private int nodes;

    @Option(names = "--ack", defaultValue = "2", description = "ack of the policy (default: ${DEFAULT-VALUE})")
    private int ack;

    @Option(names = "--from", defaultValue = "3", description = "from of the policy (default: ${DEFAULT-VALUE})")
    private int from;

    @Option(names = "--value-bytes", defaultValue = "100", description = "size of a value (default: ${DEFAULT-VALUE})")
    private int valueBytes;

    @Option(names = "--repetitions", defaultValue = "5", description = "repetitions (default: ${DEFAULT-VALUE})")
    private int repetitions;

    @Option(names = "--only", split = ",", description = "operations out of put, get-enough, get-all (default: all)")
    private List<String> only = List.of();

    /** Creates the command; for picocli. */
    public ClusterLoad() {}

    /**
     * Runs the command line.
     *
     * @param args see {@code --help}
     */
    public static void main(String[] args) {
        LoadProgram.main(new CommandLine(new ClusterLoad()), args);
    }

    @Override
    public Integer call() throws InterruptedException {
        try (SystemEnvironment environment = SystemEnvironment.create("bench")) {
            List<Cluster> enough = start(environment, ReadFanOut.ENOUGH);
            List<Cluster> all = start(environment, ReadFanOut.ALL);
            try {
                measure(enough, all);
            } finally {
                enough.forEach(Cluster::close);
                all.forEach(Cluster::close);
            }
        }
        return 0;
    }

    private List<Cluster> start(SystemEnvironment environment, ReadFanOut fanOut) {
        Node[] members = new Node[nodes];
        for (int i = 0; i < nodes; i++) {
            members[i] = Node.of("n" + (i + 1), "n" + (i + 1) + ":1");
        }
        Topology topology = Topology.of(members);
        LoopbackNetwork network = LoopbackNetwork.on(environment);
        List<Cluster> clusters = new ArrayList<>();
        // Two clusters run at a time.
        MemoryBudget share = MemoryBudget.ofHeap().part(2 * nodes).withMaxValueBytes(Math.max(1 << 20, valueBytes));
        for (Node node : members) {
            clusters.add(ClusterBuilder.of(node.id(), topology)
                    .environment(environment)
                    .memory(share)
                    .maxValueBytes(share.maxValueBytes())
                    .transport(network.transport(node.address()))
                    .store(new MemoryStore(share.memoryStoreBytes()))
                    .readFanOut(fanOut)
                    .timeout(Duration.ofSeconds(10))
                    .start());
        }
        return clusters;
    }

    private void measure(List<Cluster> enough, List<Cluster> all) throws InterruptedException {
        CallOptions options = CallOptions.defaults().withPolicy(ack, from);
        Key[] keys = new Key[load.keys()];
        for (int i = 0; i < load.keys(); i++) {
            keys[i] = Key.of("key-%08d".formatted(i));
        }
        byte[] value = new byte[valueBytes];
        Arrays.fill(value, (byte) 'v');
        for (Key key : keys) {
            enough.get(0).put(key, value, options).toCompletableFuture().join();
            all.get(0).put(key, value, options).toCompletableFuture().join();
        }
        Map<String, IntFunction<CompletionStage<?>>> candidates = new LinkedHashMap<>();
        candidates.put("put", slot -> any(enough, slot).put(any(keys), value, options));
        candidates.put("get-enough", slot -> any(enough, slot).get(any(keys), options));
        candidates.put("get-all", slot -> any(all, slot).get(any(keys), options));
        if (!only.isEmpty()) {
            candidates.keySet().retainAll(only);
        }
        List<String> names = List.copyOf(candidates.keySet());
        List<IntFunction<CompletionStage<?>>> operations = List.copyOf(candidates.values());

        System.out.printf(
                Locale.ROOT,
                "%d nodes in one process, loopback, memory stores, %d/%d, %d in flight, %d-byte values, %d keys%n",
                nodes,
                ack,
                from,
                load.inFlight(),
                valueBytes,
                load.keys());
        for (IntFunction<CompletionStage<?>> operation : operations) {
            ThroughputLoop.run(load.inFlight(), load.warmUp() / operations.size(), operation);
        }
        StolenTime stolen = new StolenTime();
        List<List<ThroughputLoop.Result>> results = new ArrayList<>();
        operations.forEach(operation -> results.add(new ArrayList<>()));
        for (int repetition = 0; repetition < repetitions; repetition++) {
            // Rotated, so that no candidate is always first after a pause.
            for (int i = 0; i < operations.size(); i++) {
                int which = (i + repetition) % operations.size();
                results.get(which).add(ThroughputLoop.run(load.inFlight(), load.seconds(), operations.get(which)));
            }
        }
        for (int i = 0; i < operations.size(); i++) {
            double[] rates = results.get(i).stream()
                    .mapToDouble(ThroughputLoop.Result::perSecond)
                    .sorted()
                    .toArray();
            double[] p50 = results.get(i).stream()
                    .mapToDouble(ThroughputLoop.Result::p50Micros)
                    .sorted()
                    .toArray();
            double[] p99 = results.get(i).stream()
                    .mapToDouble(ThroughputLoop.Result::p99Micros)
                    .sorted()
                    .toArray();
            System.out.printf(
                    Locale.ROOT,
                    "%-12s %,10.0f/s (%,.0f to %,.0f)   p50 %,.0f µs   p99 %,.0f µs%n",
                    names.get(i),
                    rates[rates.length / 2],
                    rates[0],
                    rates[rates.length - 1],
                    p50[p50.length / 2],
                    p99[p99.length / 2]);
            String name = names.get(i);
            FailedOperations.doubt(results.get(i)).ifPresent(doubt -> System.out.println(name + ": " + doubt));
        }
        System.out.printf(Locale.ROOT, "stolen time %.1f %%%n", stolen.percent());
    }

    private static Cluster any(List<Cluster> clusters, int slot) {
        return clusters.get(slot % clusters.size());
    }

    private static Key any(Key[] keys) {
        return keys[ThreadLocalRandom.current().nextInt(keys.length)];
    }
}
