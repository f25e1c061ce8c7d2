package io.dht4j.testkit.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Topology;
import io.dht4j.spi.PartitionTable;
import io.dht4j.spi.Placement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * The contract of every {@link Placement}. A subclass supplies the placement and its additional guarantees. The tests
 * of each strategy cover evenness of the spread and movement at joins.
 */
public abstract class PlacementContract {

    private static final int[] NODE_COUNTS = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 18, 33, 100};
    private static final int[] PARTITION_COUNTS = {1, 2, 8, 64, 1024};

    /** Constructor for subclasses. */
    protected PlacementContract() {}

    /**
     * Returns the placement under test.
     *
     * @return an instance with the same options each time, the same one or a new one
     */
    protected abstract Placement placement();

    /**
     * Returns whether a node's share is proportional to its weight.
     *
     * @return true if it does
     */
    protected abstract boolean heedsWeights();

    /**
     * Returns whether the table is independent of the order of the nodes in the topology.
     *
     * @return true if it does
     */
    protected abstract boolean ignoresOrder();

    private static Topology nodes(int count) {
        List<Node> nodes = new ArrayList<>();
        for (int i = 1; i <= count; i++) {
            nodes.add(Node.of("node-" + i, "10.0.0." + i + ":7000"));
        }
        return new Topology(1, nodes);
    }

    private static List<NodeId> ids(PartitionTable table, int partition, int from) {
        return table.replicas(partition, from).stream().map(Node::id).toList();
    }

    private static List<List<NodeId>> ids(PartitionTable table) {
        List<List<NodeId>> rows = new ArrayList<>();
        for (int partition = 0; partition < table.partitions(); partition++) {
            rows.add(ids(table, partition, table.depth()));
        }
        return rows;
    }

    /** Every row contains every node once, also for a single node and for more nodes than partitions. */
    @Test
    public void everyPartitionHasEveryNodeOnce() {
        for (int count : NODE_COUNTS) {
            Topology topology = nodes(count);
            Set<Node> all = Set.copyOf(topology.nodes());
            for (int partitions : PARTITION_COUNTS) {
                PartitionTable table = placement().assign(topology, partitions);
                assertThat(table.partitions()).isEqualTo(partitions);
                assertThat(table.depth()).isEqualTo(PartitionTable.depthFor(count));
                for (int partition = 0; partition < partitions; partition++) {
                    List<Node> row = table.replicas(partition, count);
                    // The row has as many nodes as the topology and contains each, so each occurs once.
                    assertThat(row)
                            .as("%d nodes, partition %d of %d", count, partition, partitions)
                            .hasSize(count);
                    assertThat(Set.copyOf(row))
                            .as("%d nodes, partition %d of %d", count, partition, partitions)
                            .isEqualTo(all);
                }
            }
        }
    }

    /** Fewer replicas are a prefix of more. */
    @Test
    public void fewerReplicasAreAPrefixOfMore() {
        PartitionTable table = placement().assign(nodes(20), 64);
        for (int partition = 0; partition < 64; partition++) {
            List<Node> all = table.replicas(partition, 20);
            for (int from = 1; from <= 20; from++) {
                assertThat(table.replicas(partition, from)).isEqualTo(all.subList(0, from));
            }
        }
    }

    /** The same topology gives the same table, also from another instance and at another epoch. */
    @Test
    public void theSameNodesGiveTheSameTable() {
        for (int count : NODE_COUNTS) {
            Topology topology = nodes(count);
            PartitionTable table = placement().assign(topology, 1024);
            assertThat(placement().assign(nodes(count), 1024)).isEqualTo(table);
            assertThat(placement().assign(new Topology(9, topology.nodes()), 1024))
                    .isEqualTo(table);
        }
    }

    /** One instance serves many threads at the same time. */
    @Test
    public void oneInstanceServesManyThreads() throws Exception {
        Placement placement = placement();
        PartitionTable expected = placement().assign(nodes(30), 1024);
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<CompletableFuture<PartitionTable>> tables = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                tables.add(CompletableFuture.supplyAsync(() -> placement.assign(nodes(30), 1024), threads));
            }
            for (CompletableFuture<PartitionTable> table : tables) {
                assertThat(table.get(30, TimeUnit.SECONDS)).isEqualTo(expected);
            }
        } finally {
            threads.shutdown();
        }
    }

    /** A node whose address changes keeps its partitions. */
    @Test
    public void addressesDoNotMatter() {
        Topology topology = nodes(12);
        List<Node> moved = topology.nodes().stream()
                .map(node -> new Node(node.id(), "elsewhere-" + node.address(), node.weight()))
                .toList();
        assertThat(ids(placement().assign(new Topology(2, moved), 1024)))
                .isEqualTo(ids(placement().assign(topology, 1024)));
    }

    /** Where guaranteed, only the set of nodes determines the table. */
    @Test
    public void theOrderOfNodesDoesNotMatterWhereThatIsPromised() {
        if (!ignoresOrder()) {
            return;
        }
        for (int count : new int[] {2, 5, 17, 40}) {
            Topology topology = nodes(count);
            List<Node> reversed = new ArrayList<>(topology.nodes());
            Collections.reverse(reversed);
            assertThat(ids(placement().assign(new Topology(1, reversed), 1024)))
                    .isEqualTo(ids(placement().assign(topology, 1024)));
        }
    }

    /** Every node is the first replica of some partition, whether it joined first or last. */
    @Test
    public void everyNodeIsTheFirstReplicaOfSomePartition() {
        for (int count : new int[] {1, 2, 3, 10, 50}) {
            PartitionTable table = placement().assign(nodes(count), 4096);
            HashSet<NodeId> first = new HashSet<>();
            for (int partition = 0; partition < 4096; partition++) {
                first.addAll(ids(table, partition, 1));
            }
            assertThat(first).hasSize(count);
        }
    }

    /** Weights of any size give complete rows, and larger shares where the strategy supports weights. */
    @Test
    public void weightsAreServed() {
        SplittableRandom random = new SplittableRandom(11);
        for (int round = 0; round < 20; round++) {
            List<Node> nodes = new ArrayList<>();
            int count = 2 + random.nextInt(20);
            for (int i = 0; i < count; i++) {
                int weight = i == 0 ? Node.MAX_WEIGHT : 1 + random.nextInt(Node.MAX_WEIGHT / 2);
                nodes.add(new Node(new NodeId("node-" + i), "host:" + (1 + i), weight));
            }
            PartitionTable table = placement().assign(new Topology(1, nodes), 1024);
            int[] first = new int[2];
            int lightest = nodes.stream().mapToInt(Node::weight).min().orElseThrow();
            for (int partition = 0; partition < 1024; partition++) {
                List<Node> row = table.replicas(partition, count);
                assertThat(row).hasSize(count).doesNotHaveDuplicates();
                first[0] += row.get(0).weight() == Node.MAX_WEIGHT ? 1 : 0;
                first[1] += row.get(0).weight() == lightest ? 1 : 0;
            }
            if (heedsWeights()) {
                assertThat(first[0])
                        .as("the heaviest node compared with the lightest, of %s", nodes)
                        .isGreaterThan(first[1]);
            }
        }
    }

    /** A number that is not a power of two in the range is refused. */
    @Test
    public void aWrongNumberOfPartitionsIsRefused() {
        for (int partitions : new int[] {-1, 0, 3, 1000, PartitionTable.MAX_PARTITIONS * 2}) {
            assertThatThrownBy(() -> placement().assign(nodes(3), partitions))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("power of two")
                    .hasMessageContaining(String.valueOf(partitions));
        }
    }

    /** The name is short enough for a status line. */
    @Test
    public void thePlacementHasAName() {
        assertThat(placement().name()).matches("[a-z-]{3,30}");
    }
}
