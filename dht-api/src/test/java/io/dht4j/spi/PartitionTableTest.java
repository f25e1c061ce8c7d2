package io.dht4j.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.dht4j.Node;
import io.dht4j.Topology;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PartitionTableTest {

    private static Topology topology(int nodes) {
        return Topology.of(IntStream.range(0, nodes)
                .mapToObj(i -> Node.of("n" + i, "a" + i + ":1"))
                .toArray(Node[]::new));
    }

    @Test
    void theUppermostBitsOfAHashChooseThePartition() {
        PartitionTable table = new PartitionTable(topology(1), new int[8][1]);
        assertThat(table.partitions()).isEqualTo(8);
        assertThat(table.partitionOf(0)).isZero();
        assertThat(table.partitionOf((1L << 61) - 1)).isZero();
        assertThat(table.partitionOf(1L << 61)).isEqualTo(1);
        assertThat(table.partitionOf(Long.MAX_VALUE)).isEqualTo(3);
        assertThat(table.partitionOf(Long.MIN_VALUE)).isEqualTo(4);
        assertThat(table.partitionOf(-1)).isEqualTo(7);
    }

    @Test
    void aSinglePartitionHoldsEveryHash() {
        PartitionTable table = new PartitionTable(topology(1), new int[1][1]);
        assertThat(List.of(0L, -1L, Long.MIN_VALUE, Long.MAX_VALUE))
                .allSatisfy(hash -> assertThat(table.partitionOf(hash)).isZero());
    }

    @Test
    void replicasAreInOrderAndFewerAreAPrefixOfMore() {
        PartitionTable table = new PartitionTable(topology(3), new int[][] {{2, 0, 1}, {1, 2, 0}});
        assertThat(table.depth()).isEqualTo(3);
        assertThat(table.replicas(0, 3)).extracting(Node::address).containsExactly("a2:1", "a0:1", "a1:1");
        assertThat(table.replicas(0, 1)).extracting(Node::address).containsExactly("a2:1");
        assertThat(table.replicas(1, 2)).extracting(Node::address).containsExactly("a1:1", "a2:1");
    }

    @Test
    void replicasBeyondTheRowFollowTheTopologyOrder() {
        int[] row = IntStream.iterate(38, i -> i - 2).limit(16).toArray(); // 38, 36, .. 8
        PartitionTable table = new PartitionTable(topology(40), new int[][] {row});
        assertThat(table.depth()).isEqualTo(PartitionTable.MAX_DEPTH);
        List<Node> all = table.replicas(0, 40);
        assertThat(all).hasSize(40).doesNotHaveDuplicates();
        assertThat(all.get(16).address()).as("the first behind 38").isEqualTo("a39:1");
        assertThat(all.get(17).address()).as("wrapped around").isEqualTo("a0:1");
        for (int from = 1; from <= 40; from++) {
            assertThat(table.replicas(0, from)).isEqualTo(all.subList(0, from));
        }
    }

    @Test
    void replicasOutOfRangeAreRefused() {
        PartitionTable table = new PartitionTable(topology(3), new int[][] {{2, 0, 1}, {1, 2, 0}});
        for (int from : new int[] {-1, 0, 4, Integer.MAX_VALUE}) {
            assertThatExceptionOfType(IndexOutOfBoundsException.class)
                    .as("from %d", from)
                    .isThrownBy(() -> table.replicas(0, from));
        }
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> table.replicas(2, 1));
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> table.replicas(-1, 1));
    }

    @Test
    void tableIsImmutable() {
        int[][] rows = {{2, 0, 1}};
        PartitionTable table = new PartitionTable(topology(3), rows);
        rows[0][0] = 1;
        assertThat(table.replicas(0, 1)).extracting(Node::address).containsExactly("a2:1");
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> table.replicas(0, 2).set(0, Node.of("x", "x:1")));
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> table.replicas(0, 3).remove(0));
    }

    @Test
    void malformedRowsAreRefusedAndNamed() {
        Topology three = topology(3);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new PartitionTable(three, new int[][] {{0, 1, 2}, {0, 1}}))
                .withMessageContaining("partition 1 has 2 replicas instead of 3");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new PartitionTable(three, new int[][] {{0, 1, 3}}))
                .withMessageContaining("partition 0, replica 2: node index 3");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new PartitionTable(three, new int[][] {{0, -1, 1}}))
                .withMessageContaining("-1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new PartitionTable(three, new int[][] {{0, 1, 0}}))
                .withMessageContaining("twice");
    }

    @Test
    void partitionsAreAPowerOfTwoUpToAMillion() {
        for (int wrong : new int[] {-8, 0, 3, 1000, (1 << 20) + 1, 1 << 21, Integer.MIN_VALUE}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> PartitionTable.requirePartitions(wrong))
                    .withMessageContaining("power of two from 1 to 1048576, not " + wrong);
        }
        assertThat(PartitionTable.requirePartitions(1 << 20)).isEqualTo(1 << 20);
        assertThatIllegalArgumentException().isThrownBy(() -> new PartitionTable(topology(1), new int[3][1]));
    }

    @Test
    void tablesAreComparedByContent() {
        PartitionTable table = new PartitionTable(topology(2), new int[][] {{0, 1}, {1, 0}});
        assertThat(table)
                .isEqualTo(new PartitionTable(topology(2), new int[][] {{0, 1}, {1, 0}}))
                .hasSameHashCodeAs(new PartitionTable(topology(2), new int[][] {{0, 1}, {1, 0}}))
                .isNotEqualTo(new PartitionTable(topology(2), new int[][] {{0, 1}, {0, 1}}))
                .hasToString("PartitionTable[2 partitions, 2 nodes]");
    }
}
