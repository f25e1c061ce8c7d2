package io.dht4j.topology.microraft;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Value;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.NodeStart;
import io.dht4j.core.options.Membership;
import io.dht4j.core.options.Repair;
import io.dht4j.spi.Store;
import io.dht4j.testkit.network.LoopbackNetwork;
import io.dht4j.testkit.store.ForwardingStore;
import io.dht4j.testkit.store.ModelStore;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whole nodes form a cluster over MicroRaft, in virtual time. */
@Tag("portable")
class MicroRaftClusterTest {

    private static final Duration BOUND = Duration.ofMinutes(2);

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
        Membership membership = Membership.bootstrap(
                new NodeId("n" + i),
                founders,
                (self, initial, any) -> MicroRaftTopologyLog.open(
                        MicroRaftOptions.of(self, initial, directory.resolve("meta" + i)), at));
        return ClusterBuilder.of(membership)
                .partitions(32_768)
                .transport(network.transport(founders.get(i).address()))
                .store(new KeptStore(disks.get(i)))
                .environment(at)
                .repair(Repair.off())
                .timeout(Duration.ofSeconds(1))
                .drainTimeout(Duration.ZERO)
                .begin();
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
}
