package io.dht4j.simulator.cluster.membership;

import static java.util.Objects.requireNonNull;

import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.MembershipStatus;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Topology;
import io.dht4j.Value;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.NodeStart;
import io.dht4j.core.internal.coordinator.node.NodeCluster;
import io.dht4j.core.internal.membership.agreed.AgreedMembership;
import io.dht4j.core.internal.membership.command.Command;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.options.Membership;
import io.dht4j.core.options.Repair;
import io.dht4j.spi.NodeRef;
import io.dht4j.spi.StoreException;
import io.dht4j.spi.TopologyLog;
import io.dht4j.spi.Transport;
import io.dht4j.testkit.network.FaultyTransport;
import io.dht4j.testkit.network.LoopbackNetwork;
import io.dht4j.testkit.time.VirtualEnvironment;
import io.dht4j.testkit.topology.ModelTopologyGroup;
import io.dht4j.testkit.topology.ModelTopologyLog;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Nodes n0, n1, … that form and join agreed clusters, in one simulation over the model log. */
final class FormedCluster implements AutoCloseable {

    static final Duration BOUND = Duration.ofMinutes(1);
    static final int PARTITIONS = 16;

    final VirtualEnvironment env;
    final LoopbackNetwork network;
    final Map<Integer, Running> nodes = new TreeMap<>();
    /** Whether the nodes' logs take part; else they are silent, as those of a lost majority. */
    boolean logsRun = true;

    /** The nodes whose logs cannot be opened. */
    final Set<NodeId> fullDisks = new HashSet<>();

    /** The nodes that are of 0.1.0 as far as silent members are concerned, when they start. */
    final Set<Integer> ofEarlierRelease = new HashSet<>();

    private final Map<List<NodeRef>, ModelTopologyGroup> groups = new HashMap<>();
    private final Map<NodeId, NodeRef> logs = new HashMap<>();
    private final Map<NodeRef, TopologyLog> open = new TreeMap<>();
    private boolean everyoneLeads;
    /** The commands that were appended while everyone leads, in their order. */
    final Map<Long, byte[]> agreed = new TreeMap<>();

    private final Map<Integer, KeptStore> disks = new HashMap<>();

    /** A node that is being started, or runs. */
    static final class Running {
        final VirtualEnvironment env;
        final FaultyTransport link;
        final NodeStart start;

        Running(VirtualEnvironment env, FaultyTransport link, NodeStart start) {
            this.env = env;
            this.link = link;
            this.start = start;
        }
    }

    FormedCluster(long seed) {
        env = VirtualEnvironment.seeded(seed, 5_000_000);
        network = LoopbackNetwork.on(env);
    }

    /** Lets each member of the log that starts from now on take itself for the leader. */
    FormedCluster everyoneLeads() {
        everyoneLeads = true;
        return this;
    }

    static Node node(int i) {
        return Node.of("n" + i, "host" + i + ":1");
    }

    static List<Node> list(int... numbers) {
        return IntStream.of(numbers).mapToObj(FormedCluster::node).toList();
    }

    /** The disk of a node, which outlives it. */
    KeptStore disk(int i) {
        return disks.computeIfAbsent(i, any -> new KeptStore());
    }

    /** Gives a node an empty disk. */
    void replaceDisk(int i) {
        disks.put(i, new KeptStore());
    }

    /** Gives a node the disk of another one. */
    void takeDisk(int i, int other) {
        disks.put(i, disk(other));
    }

    /** Empties the directory of the log of a node that does not run, and leaves its store. */
    void loseLog(int i) {
        groups.values().forEach(group -> group.loseDisk(requireNonNull(logs.get(node(i).id()))));
    }

    /** Cuts the log of a node that does not run behind an index. */
    void cutLog(int i, long index) {
        groups.values().forEach(group -> group.cutDisk(requireNonNull(logs.get(node(i).id())), index));
    }

    private TopologyLog open(NodeRef self, List<NodeRef> initial, VirtualEnvironment at) {
        ModelTopologyGroup group = groups.computeIfAbsent(initial, members -> new ModelTopologyGroup(members, 20));
        if (fullDisks.contains(self.name())) {
            throw new StoreException("no space left");
        }
        logs.put(self.name(), self);
        if (!logsRun) {
            return new SilentLog();
        }
        TopologyLog log = new ModelTopologyLog(group, self, at);
        if (!everyoneLeads) {
            return log;
        }
        open.put(self, log);
        return new EveryoneLeadsLog(log, open.values(), agreed, at);
    }

    NodeStart bootstrap(int i, List<Node> founders) {
        return bootstrap(i, founders, builder -> builder);
    }

    NodeStart bootstrap(int i, List<Node> founders, UnaryOperator<ClusterBuilder> options) {
        VirtualEnvironment at = env.withClockOffset(Duration.ZERO);
        return start(
                i,
                at,
                ClusterBuilder.of(Membership.bootstrap(
                                node(i).id(), founders, (self, initial, any) -> open(self, initial, at)))
                        .partitions(PARTITIONS),
                options);
    }

    NodeStart join(int i, List<Node> seeds) {
        return join(i, seeds, builder -> builder);
    }

    NodeStart join(int i, List<Node> seeds, UnaryOperator<ClusterBuilder> options) {
        return join(i, node(i), seeds, options);
    }

    NodeStart join(int i, Node self, List<Node> seeds, UnaryOperator<ClusterBuilder> options) {
        VirtualEnvironment at = env.withClockOffset(Duration.ZERO);
        return start(
                i,
                at,
                ClusterBuilder.of(Membership.join(self, seeds, (ref, initial, any) -> open(ref, initial, at))),
                options);
    }

    /** Joins a node whose clock is apart from those of the others. */
    NodeStart joinApart(int i, List<Node> seeds, Duration clockOffset) {
        VirtualEnvironment at = env.withClockOffset(clockOffset);
        return start(
                i,
                at,
                ClusterBuilder.of(Membership.join(node(i), seeds, (ref, initial, any) -> open(ref, initial, at))),
                builder -> builder);
    }

    /** Starts a node with changed options of its membership; joins if seeds are given, and is a founder otherwise. */
    NodeStart startWith(int i, List<Node> founders, List<Node> seeds, UnaryOperator<Membership> options) {
        VirtualEnvironment at = env.withClockOffset(Duration.ZERO);
        Membership membership = seeds.isEmpty()
                ? Membership.bootstrap(node(i).id(), founders, (self, initial, any) -> open(self, initial, at))
                : Membership.join(node(i), seeds, (self, initial, any) -> open(self, initial, at));
        ClusterBuilder builder = ClusterBuilder.of(options.apply(membership));
        return start(i, at, seeds.isEmpty() ? builder.partitions(PARTITIONS) : builder, each -> each);
    }

    private NodeStart start(
            int i, VirtualEnvironment at, ClusterBuilder builder, UnaryOperator<ClusterBuilder> options) {
        Transport wire = network.transport(node(i).address());
        FaultyTransport link = new FaultyTransport(ofEarlierRelease.contains(i) ? new EarlierRelease(wire) : wire, at);
        NodeStart start = options.apply(common(i, at, link, builder)).begin();
        nodes.put(i, new Running(at, link, start));
        return start;
    }

    private ClusterBuilder common(int i, VirtualEnvironment at, FaultyTransport link, ClusterBuilder builder) {
        disks.put(i, disk(i).reopened());
        return builder.transport(link)
                .store(disk(i))
                .environment(at)
                .repair(Repair.off())
                .timeout(Duration.ofSeconds(1))
                .drainTimeout(Duration.ZERO);
    }

    /** Starts a node of a static cluster; the caller closes it. */
    Cluster startStatic(int i, Topology topology) {
        VirtualEnvironment at = env.withClockOffset(Duration.ZERO);
        FaultyTransport link = new FaultyTransport(network.transport(node(i).address()), at);
        return common(i, at, link, ClusterBuilder.of(node(i).id(), topology).partitions(PARTITIONS))
                .start();
    }

    /** Forms a cluster of nodes 0 to size - 1. */
    FormedCluster form(int size) {
        List<Node> founders = list(IntStream.range(0, size).toArray());
        for (int i = 0; i < size; i++) {
            bootstrap(i, founders);
        }
        IntStream.range(0, size).forEach(this::cluster);
        return this;
    }

    /** Waits until a node serves. */
    Cluster cluster(int i) {
        return env.await(nodes.get(i).start.cluster(), BOUND);
    }

    /** Waits until all starts have succeeded or failed. */
    void awaitStarts() {
        env.runUntil(
                () -> nodes.values().stream()
                        .allMatch(node ->
                                node.start.cluster().toCompletableFuture().isDone()),
                BOUND);
    }

    /** Waits until the start of a node fails, and returns the message. */
    String failure(int i) {
        try {
            cluster(i);
            throw new AssertionError("node n" + i + " has started");
        } catch (RuntimeException e) {
            nodes.remove(i).start.close();
            return String.valueOf(e.getMessage());
        }
    }

    /** What the start of a node waits for. */
    String waiting(int i) {
        return nodes.get(i).start.waiting();
    }

    AgreedMembership membership(int i) {
        return ((NodeCluster) cluster(i)).agreed().orElseThrow();
    }

    /** Changes the agreed state at a node, whatever it is; see {@link AgreedMembership#change}. */
    CompletableFuture<Long> change(int i, Function<ClusterState, Command> plan) {
        return membership(i).change(plan.andThen(Optional::of));
    }

    ClusterState state(int i) {
        return membership(i).state().orElseThrow();
    }

    /** Ends a node as kill -9 does. */
    void crash(int i) {
        Running ended = nodes.remove(i);
        ended.env.crash();
        ended.link.close();
    }

    void stop(int i) {
        nodes.remove(i).start.close();
    }

    void stopAll() {
        List.copyOf(nodes.keySet()).forEach(this::stop);
    }

    void put(int at, String key, String value) {
        env.await(cluster(at).put(Key.of(key), value.getBytes(StandardCharsets.UTF_8)), BOUND);
    }

    @Nullable
    String get(int at, String key) {
        return env.await(cluster(at).get(Key.of(key)), BOUND).map(Value::text).orElse(null);
    }

    /** Waits until some nodes have installed an epoch. */
    void awaitEpoch(long epoch, int... at) {
        List<AgreedMembership> all = IntStream.of(at).mapToObj(this::membership).toList();
        env.runUntil(
                () -> all.stream().allMatch(each -> each.state().orElseThrow().epoch() >= epoch), BOUND);
    }

    @Override
    public void close() {
        List<RuntimeException> failures = new ArrayList<>();
        nodes.values().forEach(running -> running.link.heal());
        for (int i : List.copyOf(nodes.keySet())) {
            try {
                stop(i);
            } catch (RuntimeException e) {
                failures.add(e);
            }
        }
        if (!failures.isEmpty()) {
            throw failures.get(0);
        }
    }

    /** What a node shows of the membership. */
    MembershipStatus status(int at) {
        return env.await(cluster(at).membership().status(), BOUND);
    }

    /** What a node shows of the newest member of a name. */
    MembershipStatus.Member member(int at, int name) {
        return status(at).members().stream()
                .filter(each -> each.name().equals(node(name).id()))
                .reduce((first, second) -> second)
                .orElseThrow();
    }
}
