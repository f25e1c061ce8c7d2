package io.dht4j.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Node;
import io.dht4j.Topology;
import io.dht4j.spi.PartitionTable;
import io.dht4j.spi.Placement;
import io.dht4j.testkit.SearchEffort;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("search")
class PlacementMovementTest {

    static Stream<Placement> bounded() {
        return PlacementEvennessTest.bounded();
    }

    static Stream<Placement> unbounded() {
        return PlacementEvennessTest.unbounded();
    }

    /** Takes the part that a join moved, times the number of nodes after it. */
    private interface Joins {
        void moved(int nodes, int from, double times);
    }

    private static void join(Placement placement, int first, int last, int partitions, Joins joins) {
        PartitionTable before = placement.assign(Tables.nodes(first), partitions);
        for (int nodes = first + 1; nodes <= last; nodes++) {
            PartitionTable after = placement.assign(Tables.nodes(nodes), partitions);
            for (int from = 1; from <= 3; from += 2) {
                double moved = Tables.moved(before, Math.min(from, nodes - 1), after, Math.min(from, nodes));
                joins.moved(nodes, from, moved * nodes);
            }
            before = after;
        }
    }

    @ParameterizedTest
    @MethodSource("bounded")
    void joinMovesAtMostTwiceItsShare(Placement placement) {
        Joins check = atMostTwice(placement);
        join(placement, 1, SearchEffort.of(64), 1024, check);
        join(placement, 1, SearchEffort.of(64), 2048, check);
    }

    private static Joins atMostTwice(Placement placement) {
        return (nodes, from, times) -> assertThat(times)
                .as("%s, join of node %d, first %d", placement.name(), nodes, from)
                .isLessThanOrEqualTo(2);
    }

    @ParameterizedTest
    @Tag("full")
    @MethodSource("bounded")
    void joinToManyNodesMovesAtMostTwiceItsShare(Placement placement) {
        Joins check = atMostTwice(placement);
        join(placement, 98, 104, 4096, check);
        join(placement, 126, 132, 4096, check);
        join(placement, 198, 206, 4096, check);
        // Among these is the join with which the limit of a node falls from 19 partitions to 18.
        join(placement, 998, 1004, 16_384, check);
    }

    @ParameterizedTest
    @MethodSource("unbounded")
    void withoutABoundJoinsMoveTheNewNodesShareOnAverage(Placement placement) {
        double[] sum = new double[2];
        Joins count = (nodes, from, times) -> sum[from / 2] += times;
        int last = Math.max(2, SearchEffort.of(64));
        join(placement, 1, last, 8192, count);
        assertThat(sum[0] / (last - 1)).as("first replicas").isLessThan(1.1);
        assertThat(sum[1] / (last - 1)).as("three replicas").isLessThan(1.1);
    }

    @ParameterizedTest
    @MethodSource("unbounded")
    void withoutABoundWhatMovesMovesToTheNewNode(Placement placement) {
        for (int nodes = 2; nodes <= 40; nodes++) {
            PartitionTable before = placement.assign(Tables.nodes(nodes - 1), 1024);
            PartitionTable after = placement.assign(Tables.nodes(nodes), 1024);
            for (int partition = 0; partition < 1024; partition++) {
                Node first = after.replicas(partition, 1).get(0);
                if (!first.id().value().equals("n" + nodes)) {
                    assertThat(first.id())
                            .isEqualTo(before.replicas(partition, 1).get(0).id());
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("bounded")
    void theLastNodesLeavingUndoesItsJoin(Placement placement) {
        PartitionTable before = placement.assign(Tables.nodes(10), 1024);
        PartitionTable after = placement.assign(Tables.nodes(9), 1024);
        assertThat(Tables.moved(before, 3, after, 3)).isLessThanOrEqualTo(0.2);
    }

    @Test
    void whichNodeLeavesMattersLittleToRingAndRendezvous() {
        for (Placement placement : List.of(Placements.ring(), Placements.rendezvous())) {
            PartitionTable before = placement.assign(Tables.nodes(20), 1024);
            for (int leaving = 0; leaving < 20; leaving++) {
                PartitionTable after = placement.assign(without(20, leaving), 1024);
                assertThat(Tables.moved(before, 3, after, 3))
                        .as("%s without node %d", placement.name(), leaving + 1)
                        .isLessThanOrEqualTo(4.0 / 20);
            }
        }
    }

    @Test
    void jumpPaysForAnyLeaveButTheLast() {
        PartitionTable before = Placements.jump().assign(Tables.nodes(20), 1024);
        assertThat(Tables.moved(before, 1, Placements.jump().assign(without(20, 9), 1024), 1))
                .isGreaterThan(0.3);
    }

    private static Topology without(int nodes, int leaving) {
        List<Node> left = new ArrayList<>(Tables.nodes(nodes).nodes());
        left.remove(leaving);
        return new Topology(2, left);
    }

    @Test
    void moduloTheControlMovesMost() {
        PartitionTable before = Placements.modulo().assign(Tables.nodes(10), 1024);
        PartitionTable after = Placements.modulo().assign(Tables.nodes(11), 1024);
        assertThat(Tables.moved(before, 1, after, 1)).isGreaterThan(0.85);
        assertThat(Tables.moved(before, 3, after, 3)).isGreaterThan(0.6);
    }
}
