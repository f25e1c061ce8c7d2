package io.dht4j.simulator.cluster.membership;

import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.RefillStatus;
import io.dht4j.Topology;
import io.dht4j.Version;
import io.dht4j.core.HashFunctions;
import io.dht4j.core.Placements;
import io.dht4j.core.internal.coordinator.node.NodeCluster;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.view.Batch;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.view.Epoch;
import io.dht4j.core.internal.view.Moves;
import io.dht4j.core.internal.view.NodeIdentity;
import io.dht4j.core.internal.view.Phase;
import io.dht4j.core.internal.view.ReplicaSlot;
import io.dht4j.core.internal.view.Row;
import io.dht4j.core.internal.view.Views;
import io.dht4j.core.internal.wire.FrameException;
import io.dht4j.core.internal.wire.NodeIds;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.core.internal.wire.codec.FrameCodec;
import io.dht4j.simulator.cluster.BlockingStore;
import io.dht4j.simulator.cluster.SimulatedCluster;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Entry;
import io.dht4j.spi.Frame;
import io.dht4j.spi.FrameHandler;
import io.dht4j.spi.Store;
import io.dht4j.testkit.network.Fault;
import io.dht4j.testkit.network.FaultyTransport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * Five nodes with an agreed table of eight partitions of three replicas each. The table is changed here; a node learns
 * of it when it is made to, or asks. Node 4 begins as a replica of no partition.
 */
final class AgreedCluster implements AutoCloseable {

    static final int NODES = 5;
    static final int COORDINATOR = 4;
    static final int PARTITIONS = 8;
    static final int REPLICAS = 3;
    static final NodeIds NAMES =
            new NodeIds(IntStream.range(0, NODES).mapToObj(SimulatedCluster::id).toList());

    private static final UUID CLUSTER = new UUID(7, 7);

    final SimulatedCluster cluster;
    final List<BlockingStore> stores = new ArrayList<>();
    /** Each frame that one node has sent to another. */
    final List<Sent> sent = new ArrayList<>();
    /** Each frame that a node has begun to serve. */
    final List<Served> served = new ArrayList<>();
    /** The nodes whose connections each node has closed, by the number of the latter. */
    final Map<Integer, List<Node>> forgotten = new HashMap<>();

    private int weight = 1;
    /** Where the views say that nodes listen, if it is not where they do. */
    private final Map<Integer, String> addresses = new HashMap<>();
    /** What receives the frames at each node. */
    final Map<Integer, FrameHandler> handlers = new HashMap<>();
    /** What becomes of a frame before it is sent. */
    UnaryOperator<Frame> onTheWire = UnaryOperator.identity();
    /** The fetches of newer views, in order. */
    final List<Fetch> fetches = new ArrayList<>();
    /** Called when a node asks for a newer view. */
    Runnable beforeRefresh = () -> {};

    boolean mayRefresh = true;

    /** What the views know of moves besides the rows. */
    Moves moves = Moves.NONE;

    private long epoch = 2;
    private final List<Row> rows = new ArrayList<>();
    private final List<Integer> members =
            new ArrayList<>(IntStream.range(0, NODES).boxed().toList());
    private final int[] incarnations = new int[NODES];

    /** A frame, and the reply to it once there is one. */
    static final class Sent {
        final int from;
        final int to;
        final byte[] request;
        byte[] reply = {};

        Sent(int from, int to, byte[] request) {
            this.from = from;
            this.to = to;
            this.request = request;
        }
    }

    /** A frame that a node has begun to serve. */
    record Served(int at, byte[] frame) {}

    /** A node fetches a newer view of another one. */
    record Fetch(int by, NodeId of) {}

    private AgreedCluster(SimulatedCluster.Setup setup, BiConsumer<Integer, BlockingStore> content) {
        cluster = setup.stores(i -> {
                    BlockingStore store = new BlockingStore();
                    content.accept(i, store);
                    stores.add(store);
                    return store;
                })
                .wires((i, wire) -> new RecordingTransport(this, i, wire))
                .start();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            rows.add(Row.stable(2, nodes(partition % 4, (partition + 1) % 4, (partition + 2) % 4)));
        }
        IntStream.range(0, NODES).forEach(this::fetchViewsAt);
        installAtAll();
    }

    private void fetchViewsAt(int node) {
        node(node).refresh().from((from, known) -> {
            beforeRefresh.run();
            fetches.add(new Fetch(node, from));
            return mayRefresh
                    ? CompletableFuture.completedFuture(view(node))
                    : CompletableFuture.failedFuture(new IllegalStateException("nobody answers"));
        });
    }

    /** Returns which nodes have fetched a newer view, in order. */
    List<Integer> refreshed() {
        return fetches.stream().map(Fetch::by).toList();
    }

    /**
     * Cuts the replicas off from each other, but not from the coordinator. Otherwise, those that come to share a
     * partition ask each other about it, and learn of the table by this.
     */
    void isolateReplicas() {
        for (int from = 0; from < COORDINATOR; from++) {
            for (int to = 0; to < COORDINATOR; to++) {
                link(from).toward(SimulatedCluster.id(to), Fault.refuse());
            }
        }
        // What is under way arrives.
        cluster.env.advance(Duration.ofSeconds(1));
    }

    /** Starts a node again with all that its disk held, with the newest view and a working link. */
    void restart(int node) {
        BlockingStore disk = new BlockingStore(cluster.image(node));
        stores.set(node, disk);
        restart(node, disk);
    }

    /** Starts a node again with a store, with the newest view and a working link. */
    void restart(int node, Store store) {
        cluster.stop(node);
        cluster.startNode(node, store);
        fetchViewsAt(node);
        install(node);
    }

    /** Runs a repair session of a node over some partitions, or all. */
    void repair(int node, Integer... some) {
        long before = rounds(node);
        cluster.await(node(node).operations().repair(Set.of(some)));
        cluster.env.runUntil(() -> rounds(node) > before, Duration.ofMinutes(10));
    }

    private long rounds(int node) {
        return node(node)
                .operations()
                .repairStatus()
                .toCompletableFuture()
                .join()
                .rounds();
    }

    RefillStatus refill(int node) {
        return cluster.await(node(node).operations().status()).refill();
    }

    static AgreedCluster start() {
        return with((i, store) -> {});
    }

    /** Starts the nodes with content in their stores. */
    static AgreedCluster with(BiConsumer<Integer, BlockingStore> content) {
        return new AgreedCluster(
                SimulatedCluster.of(1, NODES).options(builder -> builder.partitions(PARTITIONS)), content);
    }

    static AgreedCluster with(SimulatedCluster.Setup setup) {
        return new AgreedCluster(setup, (i, store) -> {});
    }

    /** The replicas of a partition by the placement with which the nodes were started. */
    int[] replicasByPlacement(int partition) {
        return Placements.rendezvous().assign(cluster.topology, PARTITIONS).replicas(partition, REPLICAS).stream()
                .mapToInt(cluster.topology.nodes()::indexOf)
                .toArray();
    }

    private List<Node> nodes(int... numbers) {
        return IntStream.of(numbers)
                .mapToObj(i -> cluster.topology.nodes().get(i))
                .toList();
    }

    NodeCluster node(int i) {
        return (NodeCluster) cluster.node(i);
    }

    Cluster coordinator() {
        return cluster.node(COORDINATOR);
    }

    Views views(int i) {
        return node(i).views();
    }

    FaultyTransport link(int i) {
        return cluster.links.get(i);
    }

    /** Changes the replicas of a partition. No node learns of it by this. */
    void change(int partition, int... replicas) {
        epoch++;
        rows.set(partition, Row.stable(epoch, nodes(replicas)));
    }

    /**
     * Gives a slot of a partition another phase: with its owner and this heir, or with the heir alone in
     * {@link Phase#STABLE} and {@link Phase#FILL}. No node learns of it by this.
     */
    void move(int partition, int slot, Phase phase, int heir) {
        epoch++;
        List<ReplicaSlot> slots = new ArrayList<>(rows.get(partition).slots());
        Node to = cluster.topology.nodes().get(heir);
        slots.set(slot, new ReplicaSlot(phase, phase.isOfTwo() ? slots.get(slot).owner() : to, to));
        rows.set(partition, Row.of(epoch, slots));
    }

    /** Changes the replicas of a partition. All nodes but the coordinator learn of it. */
    void changeBehindTheCoordinator(int partition, int... replicas) {
        change(partition, replicas);
        install(0, 1, 2, 3);
    }

    /** Leaves a node no other partition than one. All nodes learn of it. */
    void giveAwayAllBut(int partition, int node) {
        int[] rest = IntStream.of(0, 1, 2, 3).filter(i -> i != node).toArray();
        for (int i = 0; i < PARTITIONS; i++) {
            if (i != partition) {
                change(i, rest);
            }
        }
        installAtAll();
    }

    /** Returns whether an heir has all of a partition, as it reports. */
    boolean isComplete(int heir, int partition) {
        return node(heir).moves().progress().stream()
                .anyMatch(batch -> batch.complete().contains(partition));
    }

    /** Gives the same slot of several partitions another phase, in one step; see {@link #move}. */
    void moveAll(List<Integer> partitions, int slot, Phase phase, int heir) {
        long next = epoch + 1;
        for (int partition : partitions) {
            epoch = next - 1;
            move(partition, slot, phase, heir);
        }
    }

    /** Lets the views name the batch that moves a partition. No node learns of it by this. */
    void inBatch(long id, int partition, int from, int to) {
        settings(new Moves(
                List.of(new Batch(Epoch.of(1, id), from + 1, to + 1, PartitionSet.of(partition), Phase.COPY)),
                moves.settings(),
                moves.dead()));
    }

    /** Sends a request that concerns one partition, by the newest rows, as another node's. */
    Reply send(int from, int to, int partition, Request request) {
        return send(from, to, frame(from, to, partition, request), request);
    }

    /** Returns a request that concerns one partition, by the newest rows, as another node's. */
    Frame frame(int from, int to, int partition, Request request) {
        byte[] like = between(from, to).stream()
                .map(sent -> sent.request)
                .filter(FrameHeaders::isAgreed)
                .reduce((one, other) -> other)
                .orElseThrow();
        return FrameHeaders.like(like, view(from).rowVersion(partition), request);
    }

    /** Sends a frame with a request. */
    Reply send(int from, int to, Frame frame, Request request) {
        byte[] reply = cluster.await(link(from)
                .call(
                        cluster.topology.nodes().get(to),
                        frame,
                        new CallContext(cluster.env::nanoTime, SimulatedCluster.BOUND.toNanos())));
        try {
            return FrameCodec.decodeReply(reply, request, NAMES).message();
        } catch (FrameException e) {
            throw new AssertionError(e);
        }
    }

    /** Lets the views differ in what they know of moves. No node learns of it by this. */
    void settings(Moves changed) {
        epoch++;
        moves = changed;
    }

    /** Removes a node, which is a replica of nothing. No node learns of it by this. */
    void remove(int node) {
        epoch++;
        members.remove(Integer.valueOf(node));
    }

    /** Gives all nodes another weight. No node learns of it by this. */
    void weigh(int each) {
        epoch++;
        weight = each;
    }

    /** Lets the views give a node another address, or its own again. No node learns of it by this. */
    void address(int node, Optional<String> address) {
        epoch++;
        address.ifPresentOrElse(other -> addresses.put(node, other), () -> addresses.remove(node));
    }

    /** Adds a node again. No node learns of it by this. */
    void add(int node) {
        epoch++;
        members.add(node);
    }

    /** Gives a node another incarnation. No node learns of it by this. */
    void replace(int node) {
        epoch++;
        incarnations[node]++;
    }

    /** The newest view, as a node sees it. */
    ClusterView view(int i) {
        return view(i, epoch, rows);
    }

    /** A view in which a partition has other replicas than the agreed ones, by a row of the same version. */
    ClusterView wrongView(int i, int partition, int... replicas) {
        List<Row> wrong = new ArrayList<>(rows);
        wrong.set(partition, Row.stable(rows.get(partition).version(), nodes(replicas)));
        return view(i, epoch + 1, wrong);
    }

    private ClusterView view(int i, long at, List<Row> table) {
        Map<NodeId, NodeIdentity> identities = new HashMap<>();
        for (int node : members) {
            identities.put(
                    SimulatedCluster.id(node),
                    new NodeIdentity(node + NODES * incarnations[node], new UUID(1 + incarnations[node], node)));
        }
        return ClusterView.agreed(
                CLUSTER,
                SimulatedCluster.id(i),
                new Topology(
                        at,
                        members.stream()
                                .map(cluster.topology.nodes()::get)
                                .map(this::asAgreed)
                                .toList()),
                HashFunctions.xxh3(),
                table.stream().map(this::asAgreed).toList(),
                identities,
                moves);
    }

    private Node asAgreed(Node node) {
        int number = cluster.topology.nodes().indexOf(node);
        return new Node(node.id(), addresses.getOrDefault(number, node.address()), weight);
    }

    private Row asAgreed(Row row) {
        return Row.of(
                row.version(),
                row.slots().stream()
                        .map(slot -> new ReplicaSlot(slot.phase(), asAgreed(slot.owner()), asAgreed(slot.heir())))
                        .toList());
    }

    void install(int... nodes) {
        for (int node : nodes) {
            views(node).install(view(node));
        }
    }

    void installAtAll() {
        install(IntStream.range(0, NODES).toArray());
    }

    /** A key of a partition. */
    Key key(int partition) {
        return keys(partition, 1).get(0);
    }

    /** Some keys of a partition. */
    List<Key> keys(int partition, int count) {
        return IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> Key.of("key" + i))
                .filter(key -> views(0).current().partitionOf(key) == partition)
                .limit(count)
                .toList();
    }

    /** The frames from one node to another, pings and the like included. */
    List<Sent> between(int from, int to) {
        return sent.stream().filter(each -> each.from == from && each.to == to).toList();
    }

    /** Refuses the calls of the coordinator to some nodes. */
    void refuse(int... nodes) {
        for (int node : nodes) {
            link(COORDINATOR).toward(SimulatedCluster.id(node), Fault.refuse());
        }
    }

    /** Brings an entry to the stores of some nodes, as another coordinator would that dies then. */
    Version apply(Key key, byte[] value, int... nodes) {
        Version later = Version.of(cluster.env.currentTimeMillis() + 100, 0);
        for (int node : nodes) {
            stores.get(node).apply(List.of(Entry.value(key, later, value, Entry.NEVER)));
        }
        return later;
    }

    boolean holds(int node, Key key, byte[] value) {
        return stores.get(node)
                .get(key)
                .filter(entry -> Arrays.equals(entry.value(), value))
                .isPresent();
    }

    @Override
    public void close() {
        cluster.close();
    }
}
