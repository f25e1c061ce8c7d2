package io.dht4j.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Topology;
import io.dht4j.spi.PartitionTable;
import io.dht4j.spi.Placement;
import io.dht4j.testkit.SearchEffort;
import java.util.Arrays;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("search")
@Tag("full")
class PlacementEvennessTest {

    static Stream<Placement> bounded() {
        return Stream.of(Placements.ring(), Placements.rendezvous(), Placements.jump());
    }

    static Stream<Placement> heedingWeights() {
        return Stream.of(Placements.ring(), Placements.rendezvous());
    }

    static Stream<Placement> unbounded() {
        return Stream.of(
                Placements.ring(RingOptions.defaults().withBound(LoadBound.none())),
                Placements.rendezvous(LoadBound.none()),
                Placements.jump(LoadBound.none()));
    }

    @ParameterizedTest
    @MethodSource("bounded")
    void noNodeHoldsMoreThanATenthOverTheMeanAtAnyDepth(Placement placement) {
        for (int nodes = 1; nodes <= 64; nodes++) {
            requireBound(placement, nodes, 1024);
        }
        for (int nodes : new int[] {100, 128, 200}) {
            requireBound(placement, nodes, 4096);
        }
        requireBound(placement, 1000, 16_384);
    }

    @ParameterizedTest
    @MethodSource("bounded")
    void noNodeExceedsTheMeanByATenthWithFewPartitions(Placement placement) {
        for (int nodes = 1; nodes <= 64; nodes++) {
            for (int partitions = Math.max(2, Integer.highestOneBit(nodes) * 2); partitions <= 256; partitions *= 2) {
                requireBound(placement, nodes, partitions);
            }
        }
    }

    private static void requireBound(Placement placement, int nodes, int partitions) {
        PartitionTable table = placement.assign(Tables.nodes(nodes), partitions);
        for (int from = 1; from <= Math.min(nodes, 8); from++) {
            int limit = (int) Math.ceil(1.1 * partitions * from / nodes - 1e-9);
            assertThat(Tables.loads(table, from).values())
                    .as("%s, %d nodes, %d partitions, first %d", placement.name(), nodes, partitions, from)
                    .allMatch(load -> load <= limit);
        }
    }

    @ParameterizedTest
    @MethodSource("heedingWeights")
    void nodesStayWithinATenthOverTheirWeightedShare(Placement placement) {
        SplittableRandom random = new SplittableRandom(7);
        for (int round = 0; round < SearchEffort.of(60); round++) {
            int[] weights = new int[1 + random.nextInt(40)];
            boolean steep = random.nextBoolean();
            Arrays.setAll(weights, i -> steep && random.nextInt(10) == 0 ? 1000 : 1 + random.nextInt(steep ? 100 : 4));
            Topology topology = Tables.weighted(weights);
            PartitionTable table = placement.assign(topology, 1024);
            for (int from = 1; from <= Math.min(weights.length, 3); from++) {
                double[] fair = fairShares(weights, 1024, from);
                Map<NodeId, Integer> loads = Tables.loads(table, from);
                for (int i = 0; i < weights.length; i++) {
                    Node node = topology.nodes().get(i);
                    assertThat(loads.getOrDefault(node.id(), 0))
                            .as("%s of %s, first %d", node.id(), Arrays.toString(weights), from)
                            .isLessThanOrEqualTo((int) Math.ceil(1.1 * fair[i] - 1e-6));
                }
            }
        }
    }

    /** In proportion to the weights, except that nobody gets more than all partitions. */
    private static double[] fairShares(int[] weights, int partitions, int from) {
        double[] shares = new double[weights.length];
        double left = (double) partitions * from;
        boolean[] full = new boolean[weights.length];
        for (boolean again = true; again; ) {
            again = false;
            double weightLeft = 0;
            for (int i = 0; i < weights.length; i++) {
                weightLeft += full[i] ? 0 : weights[i];
            }
            for (int i = 0; i < weights.length && !again; i++) {
                if (!full[i]) {
                    shares[i] = weights[i] * left / weightLeft;
                    if (shares[i] > partitions) {
                        shares[i] = partitions;
                        full[i] = true;
                        left -= partitions;
                        again = true;
                    }
                }
            }
        }
        return shares;
    }

    @ParameterizedTest
    @MethodSource("heedingWeights")
    void aNodeOfTwiceTheWeightHoldsTwiceAsMuch(Placement placement) {
        Map<NodeId, Integer> loads = Tables.loads(placement.assign(Tables.weighted(1, 2, 1, 2, 1, 1, 2, 1), 16_384), 1);
        int heavy = loads.get(new NodeId("n2")) + loads.get(new NodeId("n4")) + loads.get(new NodeId("n7"));
        // Six elevenths of the whole.
        assertThat(heavy).isBetween(8_400, 9_500);
    }

    @ParameterizedTest
    @MethodSource("unbounded")
    void withoutABoundSomeNodeHoldsMuchMore(Placement placement) {
        PartitionTable table = placement.assign(Tables.nodes(100), 4096);
        assertThat(Tables.evenness(table, 100, 1)).isBetween(1.2, 2.0);
    }

    @Test
    void aSmallerFactorSpreadsMoreEvenly() {
        Topology topology = Tables.nodes(20);
        assertThat(Tables.evenness(Placements.rendezvous(new LoadBound(1.05)).assign(topology, 4096), 20, 1))
                .isLessThan(1.06);
        assertThat(Tables.evenness(Placements.rendezvous(new LoadBound(1.5)).assign(topology, 4096), 20, 1))
                .isGreaterThan(1.06);
    }

    @Test
    void moreVirtualNodesMakeThePlainRingEvener() {
        RingOptions plain = RingOptions.defaults().withBound(LoadBound.none());
        double few = 0;
        double many = 0;
        for (int nodes = 5; nodes <= 20; nodes++) {
            few += Tables.evenness(
                    Placements.ring(plain.withVirtualNodes(4)).assign(Tables.nodes(nodes), 16_384), nodes, 1);
            many += Tables.evenness(Placements.ring(plain).assign(Tables.nodes(nodes), 16_384), nodes, 1);
        }
        assertThat(many).isLessThan(few * 0.8);
    }
}
