package io.dht4j.simulator.cluster;

import io.dht4j.Cluster;
import io.dht4j.DhtException;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.KeyValue;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Scan;
import io.dht4j.Topology;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.options.Repair;
import io.dht4j.spi.Entry;
import io.dht4j.spi.EntryCursor;
import io.dht4j.spi.Store;
import io.dht4j.spi.Transport;
import io.dht4j.testkit.network.Fault;
import io.dht4j.testkit.network.FaultyTransport;
import io.dht4j.testkit.network.LoopbackNetwork;
import io.dht4j.testkit.store.ModelStore;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * Nodes n0, n1, … of one cluster in one simulation: loopback network, faulty links, model stores, virtual time. Node
 * 0's environment drives the simulation.
 */
public class SimulatedCluster implements AutoCloseable {

    /** Longer than any timeout in these tests: what takes longer hangs. */
    public static final Duration BOUND = Duration.ofMinutes(1);

    public final VirtualEnvironment env;
    public final LoopbackNetwork network;
    public final Topology topology;
    public final List<Cluster> nodes = new ArrayList<>();
    public final List<FaultyTransport> links = new ArrayList<>();
    public final List<Store> stores = new ArrayList<>();
    /** Each node's own view of the simulation. */
    public final List<VirtualEnvironment> environments = new ArrayList<>();

    private final Setup setup;

    /** How to build the nodes. */
    public static final class Setup {
        private final long seed;
        private final int size;
        private String prefix = "";
        private VirtualEnvironment env;
        private LoopbackNetwork network;
        private Function<Integer, Store> stores = i -> new ModelStore();
        private int storeThreads;
        private BiFunction<Integer, Transport, Transport> wires = (i, wire) -> wire;
        private Function<Integer, Duration> clocks = i -> Duration.ZERO;
        private BiFunction<Integer, ClusterBuilder, ClusterBuilder> options = (i, builder) -> builder;
        private BiFunction<Integer, Topology, Topology> topologies = (i, topology) -> topology;

        private Setup(long seed, int size) {
            this.seed = seed;
            this.size = size;
        }

        public Setup on(VirtualEnvironment env, LoopbackNetwork network, String prefix) {
            this.env = env;
            this.network = network;
            this.prefix = prefix;
            return this;
        }

        public Setup stores(Function<Integer, Store> stores) {
            this.stores = stores;
            return this;
        }

        /** How many store tasks each node can have at a time that are busy. */
        public Setup storeThreads(int threads) {
            this.storeThreads = threads;
            return this;
        }

        /** What is put between each node's faulty link and the network. */
        public Setup wires(BiFunction<Integer, Transport, Transport> wires) {
            this.wires = wires;
            return this;
        }

        public Setup clocks(Function<Integer, Duration> clocks) {
            this.clocks = clocks;
            return this;
        }

        public Setup options(Function<ClusterBuilder, ClusterBuilder> options) {
            return options((i, builder) -> options.apply(builder));
        }

        public Setup options(BiFunction<Integer, ClusterBuilder, ClusterBuilder> options) {
            this.options = options;
            return this;
        }

        public Setup topologies(BiFunction<Integer, Topology, Topology> topologies) {
            this.topologies = topologies;
            return this;
        }

        public SimulatedCluster start() {
            return new SimulatedCluster(this);
        }
    }

    public static Setup of(long seed, int size) {
        return new Setup(seed, size);
    }

    public SimulatedCluster(Setup setup) {
        this.setup = setup;
        this.env = setup.env == null ? VirtualEnvironment.seeded(setup.seed) : setup.env;
        this.network = setup.network == null ? LoopbackNetwork.on(env) : setup.network;
        this.topology = Topology.of(IntStream.range(0, setup.size)
                .mapToObj(i -> Node.of("n" + i, setup.prefix + "host" + i + ":1"))
                .toArray(Node[]::new));
        for (int i = 0; i < setup.size; i++) {
            nodes.add(null);
            links.add(null);
            stores.add(null);
            environments.add(null);
            startNode(i, setup.stores.apply(i));
        }
    }

    /** Starts a node that is not running, over a store. */
    public final void startNode(int i, Store store) {
        VirtualEnvironment nodeEnv = env.withClockOffset(setup.clocks.apply(i));
        FaultyTransport transport = new FaultyTransport(
                setup.wires.apply(i, network.transport(topology.nodes().get(i).address())), nodeEnv);
        links.set(i, transport);
        stores.set(i, store);
        environments.set(i, nodeEnv);
        if (setup.storeThreads > 0) {
            nodeEnv.setStoreThreads(setup.storeThreads);
        }
        ClusterBuilder builder = ClusterBuilder.of(id(i), setup.topologies.apply(i, topology))
                .transport(transport)
                .store(store)
                .environment(nodeEnv)
                .repair(Repair.off())
                .timeout(Duration.ofSeconds(1))
                .drainTimeout(Duration.ZERO);
        nodes.set(i, setup.options.apply(i, builder).start());
    }

    /** Starts a node again with all that its last store held. */
    public void restartNode(int i) {
        ModelStore copy = image(i);
        stop(i);
        startNode(i, copy);
    }

    /** What a node's disk holds now, to start it with later. */
    public ModelStore image(int i) {
        ModelStore copy = new ModelStore();
        Store disk = stores.get(i);
        List<io.dht4j.spi.Entry> kept = new ArrayList<>();
        try (var cursor = disk.scan(KeyRange.all())) {
            cursor.forEachRemaining(kept::add);
        }
        copy.apply(kept);
        for (String name : List.of("fence", "set-back", "versions", "incoming", "atomic-bound")) {
            disk.note(name).ifPresent(note -> copy.keepNote(name, note));
        }
        return copy;
    }

    public void stop(int i) {
        nodes.get(i).close();
    }

    public static NodeId id(int i) {
        return new NodeId("n" + i);
    }

    /** The bytes of a text. */
    public static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** All that a store holds, tombstones included. */
    public static List<Entry> content(Store store) {
        List<Entry> content = new ArrayList<>();
        try (EntryCursor cursor = store.scan(KeyRange.all())) {
            cursor.forEachRemaining(content::add);
        }
        return content;
    }

    public Cluster node(int i) {
        return nodes.get(i);
    }

    /** Waits for a result in virtual time, and fails if it hangs. */
    public <T> T await(CompletionStage<T> stage) {
        return env.await(stage, BOUND);
    }

    /** Waits for a failure. */
    public DhtException failureOf(CompletionStage<?> stage) {
        try {
            Object result = env.await(stage, BOUND);
            throw new AssertionError("expected a failure, not " + result + " (seed " + env.seed() + ")");
        } catch (DhtException e) {
            return e;
        }
    }

    /** Everything that a scan shows. */
    public List<KeyValue> drain(Scan scan) {
        List<KeyValue> all = new ArrayList<>();
        await(scan.forEach(all::add));
        return all;
    }

    /** Counts the frames from node 0 to a peer, each of which suffers a fault. */
    public AtomicInteger countFramesTo(int peer, Fault fault) {
        AtomicInteger frames = new AtomicInteger();
        links.get(0).toward(id(peer), () -> {
            frames.incrementAndGet();
            return fault;
        });
        return frames;
    }

    /** Makes a node refuse calls, or silent, or whatever else, for all the others. */
    public void towardNode(int target, Fault fault) {
        for (int i = 0; i < links.size(); i++) {
            if (i != target) {
                links.get(i).toward(id(target), fault);
            }
        }
    }

    public void heal() {
        links.forEach(FaultyTransport::heal);
    }

    /** The index of the node that is the n-th replica of a key, counted from 0. */
    public int replica(Key key, int n) {
        return topology.nodes()
                .indexOf(node(0).locate(key)
                        .toCompletableFuture()
                        .join()
                        .replicas()
                        .get(n));
    }

    /** A key whose n-th replica is a certain node. */
    public Key keyOf(int node, int n) {
        for (int i = 0; ; i++) {
            Key key = Key.of("key" + i);
            if (replica(key, n) == node) {
                return key;
            }
        }
    }

    @Override
    public void close() {
        // Deadlines end what is left, so that no call is under way when the nodes close.
        heal();
        env.advance(BOUND);
        nodes.forEach(Cluster::close);
    }
}
