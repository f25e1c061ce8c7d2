package io.dht4j.benchmarks.scenarios;

import io.dht4j.AtomicChange;
import io.dht4j.AtomicCounter;
import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.Ordering;
import io.dht4j.benchmarks.load.client.KeyNames;
import io.dht4j.benchmarks.load.closed.InterleavedRuns;
import io.dht4j.benchmarks.load.closed.Variant;
import io.dht4j.benchmarks.results.KeyFigure;
import io.dht4j.benchmarks.results.Measurement;
import io.dht4j.benchmarks.results.Spread;
import io.dht4j.benchmarks.scenario.Needs;
import io.dht4j.benchmarks.scenario.Parameter;
import io.dht4j.benchmarks.scenario.RunContext;
import io.dht4j.benchmarks.scenario.Scenario;
import io.dht4j.benchmarks.scenario.Settings;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.NodeStart;
import io.dht4j.core.options.Membership;
import io.dht4j.lab.internal.counters.StolenTime;
import io.dht4j.spi.Store;
import io.dht4j.store.memory.MemoryStore;
import io.dht4j.store.mvstore.Durability;
import io.dht4j.store.mvstore.MvStore;
import io.dht4j.store.mvstore.MvStoreOptions;
import io.dht4j.testkit.network.FreePorts;
import io.dht4j.topology.microraft.MicroRaftLogs;
import io.dht4j.transport.tcp.TcpTransport;
import io.dht4j.transport.tcp.TcpTransportOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * Measures atomic writes and reads beside plain ones, and a counter that all increment. Closed loops on three nodes in
 * this process, in rotating order.
 */
public final class Atomics implements Scenario {

    private static final List<String> STORES = List.of("memory", "os", "fsync");
    private static final String PUT = "PUT";
    private static final String GET = "GET";
    private static final String MAP = "bench";
    private static final int NODES = 3;
    private static final Key COUNTER = Key.of("counter");
    private static final CallOptions LINEARIZABLE = CallOptions.defaults().withOrdering(Ordering.LINEARIZABLE);

    /** Creates the scenario. */
    public Atomics() {}

    @Override
    public String name() {
        return "atomic";
    }

    @Override
    public String question() {
        return "What do atomic writes and reads cost beside plain ones?";
    }

    @Override
    public KeyFigure keyFigure() {
        return KeyFigure.values().in(PUT);
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(
                Parameter.list("stores", "variants", STORES, "memory", String.join(",", STORES)),
                Parameter.of("in-flight", "operations in flight, 1 to 4096", "64"),
                Parameter.of("value-bytes", "size of a value, 0 to 65,536", "100"),
                Parameter.of("keys", "number of keys, 1 to 1,000,000", "20000"),
                new Parameter("warm-up", "least seconds of each before measuring, 0.1 to 600", "2", "10"),
                new Parameter(
                        "warm-up-limit",
                        "greatest seconds of each before measuring, if the compilers stay busy, 0 to 3600",
                        "4",
                        "40"),
                new Parameter("seconds", "length of a repetition, 0.1 to 600", "0.75", "4"),
                new Parameter("repetitions", "measurements of each variant, in turns, 1 to 100", "4", "5"));
    }

    @Override
    public void check(Settings settings) {
        stores(settings);
        runs(settings);
        valueBytes(settings);
        keys(settings);
    }

    @Override
    public Needs needs(Settings settings) {
        return new Needs(2 * Needs.storeBytes((long) NODES * keys(settings), valueBytes(settings)), 0);
    }

    private static List<String> stores(Settings settings) {
        return settings.names("stores", STORES);
    }

    private static int valueBytes(Settings settings) {
        return (int) settings.number("value-bytes", 0, AtomicChange.MAX_VALUE_BYTES);
    }

    private static int keys(Settings settings) {
        return (int) settings.number("keys", 1, 1_000_000);
    }

    private static InterleavedRuns runs(Settings settings) {
        return new InterleavedRuns(
                (int) settings.number("in-flight", 1, 4096),
                settings.decimal("warm-up", 0.1, 600),
                settings.decimal("warm-up-limit", 0, 3600),
                settings.decimal("seconds", 0.1, 600),
                (int) settings.number("repetitions", 1, 100));
    }

    @Override
    public void run(RunContext context) throws IOException, InterruptedException {
        InterleavedRuns runs = runs(context);
        List<String> stores = stores(context);
        context.note("Nodes and load share one process, whose costs the tables show.");
        context.plan(stores.size() * (1 + 5 * runs.repetitions()));
        for (String store : stores) {
            try (Running cluster = Running.start(context.scratch(), store)) {
                measure(context, store, runs, cluster.nodes());
            }
        }
    }

    /** A variant in the report, and the one to which it is compared. */
    private record Shown(String group, String variant, Variant measured, Optional<Variant> beside) {}

    private static void measure(RunContext context, String store, InterleavedRuns runs, List<Cluster> nodes)
            throws InterruptedException {
        List<Shown> all = variants(context, store, nodes);
        context.step("warming up, " + store);
        runs.run(all.stream().map(Shown::measured).toList(), (variant, stolenPercent) -> {
            Shown of = all.stream()
                    .filter(each -> each.measured() == variant)
                    .findFirst()
                    .orElseThrow();
            context.step(of.variant() + ", " + of.group());
            add(context, of, stolenPercent);
        });
        all.forEach(each -> add(context, each, 0));
    }

    private static List<Shown> variants(Settings settings, String store, List<Cluster> nodes) {
        byte[] value = new byte[valueBytes(settings)];
        int keys = keys(settings);
        Variant puts = new Variant(at(nodes, (node, slot) -> node.put(key(keys), value)));
        Variant atomicPuts = new Variant(at(
                nodes,
                (node, slot) -> node.execute(MAP, key(keys), AtomicChange.put(value, 0), CallOptions.defaults())));
        Variant counted = new Variant(at(nodes, (node, slot) -> {
            AtomicCounter counter = node.atomicCounter(MAP, COUNTER);
            return counter.add(1);
        }));
        Variant reads = new Variant(at(nodes, (node, slot) -> node.get(key(keys), LINEARIZABLE)));
        Variant atomicReads = new Variant(
                at(nodes, (node, slot) -> node.execute(MAP, key(keys), AtomicChange.read(), CallOptions.defaults())));
        return List.of(
                new Shown(PUT + ", " + store, "plain", puts, Optional.empty()),
                new Shown(PUT + ", " + store, "atomic", atomicPuts, Optional.of(puts)),
                new Shown(PUT + ", " + store, "one counter", counted, Optional.of(puts)),
                new Shown(GET + ", " + store, "linearizable", reads, Optional.empty()),
                new Shown(GET + ", " + store, "atomic", atomicReads, Optional.of(reads)));
    }

    private interface Call {
        CompletionStage<?> begin(Cluster node, int slot);
    }

    private static IntFunction<CompletionStage<?>> at(List<Cluster> nodes, Call call) {
        return slot -> call.begin(nodes.get(slot % NODES), slot);
    }

    private static Key key(int keys) {
        return Key.of(KeyNames.of(ThreadLocalRandom.current().nextInt(keys)));
    }

    private static void add(RunContext context, Shown shown, double stolenPercent) {
        Map<String, Double> ratios = new LinkedHashMap<>();
        shown.beside().filter(other -> !other.values().isEmpty()).ifPresent(other -> {
            double rate = Spread.of(other.values()).median();
            if (rate > 0) {
                ratios.put(
                        shown.group().startsWith(PUT) ? "of plain puts" : "of linearizable gets",
                        Spread.of(shown.measured().values()).median() / rate);
            }
        });
        List<String> doubts = new ArrayList<>();
        if (stolenPercent > StolenTime.MUCH_PERCENT) {
            doubts.add(String.format(
                    Locale.ROOT, "%.1f %% of the processors' time went to others on this host", stolenPercent));
        }
        shown.measured().doubtOfCompilers().ifPresent(doubts::add);
        shown.measured().doubtOfFailures().ifPresent(doubts::add);
        context.add(new Measurement(
                shown.group(),
                shown.variant(),
                Measurement.PER_SECOND,
                true,
                shown.measured().values(),
                Map.of(),
                ratios,
                List.of(),
                shown.measured().costs(),
                0,
                List.of(),
                doubts));
    }

    /** Three nodes that agree on one another. */
    private record Running(List<Cluster> nodes, List<NodeStart> starts) implements AutoCloseable {

        static Running start(Path scratch, String store) throws IOException {
            List<Integer> ports = FreePorts.find(NODES);
            List<Node> founders = IntStream.range(0, NODES)
                    .mapToObj(i -> Node.of("n" + (i + 1), "127.0.0.1:" + ports.get(i)))
                    .toList();
            Path data = Files.createTempDirectory(scratch, "atomic");
            List<NodeStart> starts = new ArrayList<>();
            try {
                for (Node node : founders) {
                    Path own = Files.createDirectories(data.resolve(node.id().value()));
                    starts.add(ClusterBuilder.of(
                                    Membership.bootstrap(node.id(), founders, new MicroRaftLogs(own.resolve("meta"))))
                            .transport(TcpTransport.create(TcpTransportOptions.at(node.host(), node.port())))
                            .store(store(store, own))
                            .begin());
                }
                return new Running(
                        starts.stream()
                                .map(start ->
                                        start.cluster().toCompletableFuture().join())
                                .toList(),
                        starts);
            } catch (CompletionException e) {
                starts.forEach(NodeStart::close);
                throw new IOException("the nodes do not start: " + e.getCause(), e);
            }
        }

        private static Store store(String name, Path directory) {
            return switch (name) {
                case "memory" -> new MemoryStore();
                case "os" -> MvStore.open(directory, MvStoreOptions.defaults().withDurability(Durability.OS));
                default -> MvStore.open(directory, MvStoreOptions.defaults().withDurability(Durability.FSYNC));
            };
        }

        @Override
        public void close() {
            starts.forEach(NodeStart::close);
        }
    }
}
