package io.dht4j.topology.microraft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Value;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.NodeStart;
import io.dht4j.core.internal.coordinator.node.NodeCluster;
import io.dht4j.core.internal.membership.agreed.AgreedMembership;
import io.dht4j.core.internal.membership.command.Command;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.Lifecycle;
import io.dht4j.core.options.Membership;
import io.dht4j.core.options.Repair;
import io.dht4j.spi.Store;
import io.dht4j.spi.TopologyLogFactory;
import io.dht4j.testkit.network.LoopbackNetwork;
import io.dht4j.testkit.store.ForwardingStore;
import io.dht4j.testkit.store.ModelStore;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whole nodes form a cluster over MicroRaft, in virtual time. */
class MicroRaftClusterTest {

    private static final Duration BOUND = Duration.ofMinutes(2);
    private static final Duration LONG = Duration.ofMinutes(15);
    private static final int PARTITIONS = 32_768;

    @TempDir
    private Path directory;

    private final VirtualEnvironment env = VirtualEnvironment.seeded(1, 5_000_000);
    private final LoopbackNetwork network = LoopbackNetwork.on(env);
    private final List<ModelStore> disks = new ArrayList<>();

    /** A store whose content stays when it is closed. */
    private static final class KeptStore extends ForwardingStore {

        KeptStore(Store disk) {
            super(disk);
        }

        @Override
        public void close() {
            // The disk stays.
        }
    }

    private static List<Node> founders(int size) {
        return IntStream.range(0, size)
                .mapToObj(i -> Node.of("n" + i, "host" + i + ":1"))
                .toList();
    }

    private NodeStart start(int i, List<Node> founders) {
        VirtualEnvironment at = env.newNode();
        while (disks.size() <= i) {
            disks.add(new ModelStore());
        }
        Membership membership = Membership.bootstrap(new NodeId("n" + i), founders, logs(i, at));
        return start(i, founders.get(i), at, ClusterBuilder.of(membership).partitions(PARTITIONS));
    }

    private NodeStart join(int i, List<Node> seeds) {
        VirtualEnvironment at = env.newNode();
        while (disks.size() <= i) {
            disks.add(new ModelStore());
        }
        Node self = Node.of("n" + i, "host" + i + ":1");
        return start(i, self, at, ClusterBuilder.of(Membership.join(self, seeds, logs(i, at))));
    }

    private TopologyLogFactory logs(int i, VirtualEnvironment at) {
        MicroRaftLogs logs = new MicroRaftLogs(directory.resolve("meta" + i));
        return (self, initial, any) -> logs.open(self, initial, at);
    }

    private NodeStart start(int i, Node self, VirtualEnvironment at, ClusterBuilder builder) {
        return builder.transport(network.transport(self.address()))
                .store(new KeptStore(disks.get(i)))
                .environment(at)
                .repair(Repair.off())
                .timeout(Duration.ofSeconds(1))
                .drainTimeout(Duration.ZERO)
                .begin();
    }

    @Test
    void aVoterWithoutItsLogDoesNotStart() throws IOException {
        List<Node> founders = founders(3);
        List<NodeStart> starts = new ArrayList<>();
        for (int i = 0; i < founders.size(); i++) {
            starts.add(start(i, founders));
        }
        starts.forEach(start -> env.await(start.cluster(), BOUND));
        starts.get(1).close();
        try (Stream<Path> files = Files.walk(directory.resolve("meta1"))) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
        NodeStart again = start(1, founders);
        assertThatThrownBy(() -> env.await(again.cluster(), BOUND)).hasMessageContaining("log of node n1 is empty");
        again.close();
        starts.get(0).close();
        starts.get(2).close();
    }

    private static void cut(Path log, long bytes) throws IOException {
        try (FileChannel file = FileChannel.open(log, StandardOpenOption.WRITE)) {
            file.truncate(bytes);
        }
    }

    /** Returns the only file of a node's log. */
    private Path log(int i) throws IOException {
        try (Stream<Path> files = Files.walk(directory.resolve("meta" + i))) {
            return files.filter(file -> String.valueOf(file.getFileName()).endsWith(".log"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    /** A cut log looks like one whose last write was interrupted, and the state of its node is newer. */
    @Test
    void aLoneFounderWhoseLogIsCutServesAndIsRecoveredByWord() throws IOException {
        List<Node> founders = founders(1);
        NodeStart first = start(0, founders);
        agreed(first);
        long formed = Files.size(log(0));
        for (int i = 1; i < 5; i++) {
            NodeId name = new NodeId("n" + i);
            change(first, state -> new Command.Admit(state.epoch(), name));
        }
        first.close();
        cut(log(0), formed + 10);

        NodeStart again = start(0, founders);
        putAndGet(List.of(env.await(again.cluster(), BOUND)), "value");
        env.advance(Duration.ofSeconds(40));
        String waits = env.await(env.await(again.cluster(), BOUND).membership().status(), BOUND)
                .metadata()
                .waitsFor();
        assertThat(waits).contains("n0 to take part in changes of the topology").endsWith("MembershipChange.Recover");
        assertThatThrownBy(() -> env.await(agreed(again).recover(Set.of(), false), BOUND))
                .hasMessageContaining("repeat this in 30 s");
        env.advance(Duration.ofSeconds(31));
        env.await(agreed(again).recover(Set.of(), false), BOUND);
        change(again, state -> new Command.Admit(state.epoch(), new NodeId("n5")));
        assertThat(agreed(again).state().orElseThrow().members().named(new NodeId("n4")))
                .isPresent();
        again.close();
        NodeStart third = start(0, founders);
        change(third, state -> new Command.Admit(state.epoch(), new NodeId("n6")));
        third.close();
    }

    private void putAndGet(List<Cluster> nodes, String value) {
        env.await(nodes.get(0).put(Key.of("key"), value.getBytes(StandardCharsets.UTF_8)), BOUND);
        for (Cluster node : nodes) {
            assertThat(env.await(node.get(Key.of("key")), BOUND).map(Value::text))
                    .contains(value);
        }
    }

    @Test
    void fourNodesFormAClusterAndStartAgain() {
        List<Node> founders = founders(4);
        for (int round = 0; round < 2; round++) {
            List<NodeStart> starts = new ArrayList<>();
            for (int i = 0; i < founders.size(); i++) {
                starts.add(start(i, founders));
            }
            List<Cluster> nodes = starts.stream()
                    .map(start -> env.await(start.cluster(), BOUND))
                    .toList();
            putAndGet(nodes, "value" + round);
            assertThat(nodes)
                    .allSatisfy(node -> assertThat(node.topology().size()).isEqualTo(4));
            starts.forEach(NodeStart::close);
        }
    }

    /** Waits until some nodes have installed a state. */
    private void await(List<NodeStart> at, Predicate<ClusterState> wanted) {
        List<AgreedMembership> members = at.stream().map(this::agreed).toList();
        env.runUntil(
                () -> members.stream()
                        .allMatch(member -> wanted.test(member.state().orElseThrow())),
                LONG);
    }

    private AgreedMembership agreed(NodeStart start) {
        return ((NodeCluster) env.await(start.cluster(), BOUND)).agreed().orElseThrow();
    }

    private void change(NodeStart at, Function<ClusterState, Command> plan) {
        env.await(agreed(at).change(plan.andThen(Optional::of)), BOUND);
    }

    @Test
    @Tag("full")
    void votersChangeAndReturnAndTheLostMajorityIsRecovered() throws IOException {
        List<Node> founders = founders(3);
        List<NodeStart> starts = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            starts.add(start(i, founders));
        }
        starts.forEach(this::agreed);
        change(starts.get(0), state -> new Command.Admit(state.epoch(), new NodeId("n3")));
        starts.add(join(3, founders));
        await(starts, state -> state.batches().isEmpty() && serves(state, 4));

        change(starts.get(0), state -> new Command.Leave(state.epoch(), 1));
        List<NodeStart> left = starts.subList(1, 4);
        await(left, state -> state.members().get(1).lifecycle() == Lifecycle.REMOVED);
        starts.get(0).close();
        await(left, state -> state.members().voters().equals(List.of(2, 3, 4)));
        putAndGet(left.stream().map(start -> env.await(start.cluster(), BOUND)).toList(), "three");

        // One of the three founders' identities is gone, and the majority of the rest ends.
        starts.get(1).close();
        starts.get(2).close();
        NodeStart last = starts.get(3);
        env.await(agreed(last).recover(Set.of(new NodeId("n1"), new NodeId("n2")), false), BOUND);
        env.advance(Duration.ofSeconds(40));
        change(last, state -> new Command.MarkDead(state.epoch(), 2, true));
        assertThat(agreed(last).state().orElseThrow().members().voters()).containsExactly(4);
        try (Stream<Path> logs = Files.list(directory.resolve("meta3"))) {
            assertThat(logs).hasSize(1);
        }
        last.close();
        NodeStart again = join(3, founders);
        agreed(again);
        env.advance(Duration.ofSeconds(40));
        change(again, state -> new Command.MarkDead(state.epoch(), 3, true));
        again.close();
    }

    @Test
    void ofFiveVotersTwoMayBeLost() {
        List<Node> founders = founders(5);
        List<NodeStart> starts = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            starts.add(start(i, founders));
        }
        starts.forEach(this::agreed);
        change(starts.get(4), state -> new Command.SetVoterCount(state.epoch(), 5));
        await(starts, state -> state.members().voters().size() == 5);
        env.advance(Duration.ofMinutes(1));
        starts.get(0).close();
        starts.get(1).close();
        env.advance(Duration.ofSeconds(20));
        change(starts.get(4), state -> new Command.Admit(state.epoch(), new NodeId("n5")));
        starts.subList(2, 5).forEach(NodeStart::close);
    }

    private static boolean serves(ClusterState state, int member) {
        return state.members().size() >= member && state.members().get(member).lifecycle() == Lifecycle.SERVING;
    }
}
