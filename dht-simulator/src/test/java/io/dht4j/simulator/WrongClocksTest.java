package io.dht4j.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Node;
import io.dht4j.Topology;
import io.dht4j.simulator.internal.node.SimulatedDisk;
import io.dht4j.simulator.internal.node.SimulatedNode;
import io.dht4j.testkit.network.LoopbackNetwork;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** How wrong the clocks of a simulation are, and until when. */
class WrongClocksTest {

    private static final Duration TIME = Duration.ofMinutes(2);

    private static Stream<Setup> setups() {
        return LongStream.range(0, 500).mapToObj(seed -> Setup.drawn(new SplittableRandom(seed), TIME));
    }

    @Test
    @DisplayName("clocks drift unless only the network fails, and one of eight is broken")
    void clocksDriftAndOneOfEightIsBroken() {
        assertThat(setups().filter(Setup::onlyNetwork).flatMap(setup -> setup.drifts().stream()))
                .isNotEmpty()
                .containsOnly(0);
        List<Integer> drifts = setups().filter(setup -> !setup.onlyNetwork())
                .flatMap(setup -> setup.drifts().stream())
                .toList();
        long broken = drifts.stream()
                .filter(drift -> Math.abs(drift) > Setup.ORDINARY_DRIFT)
                .count();
        assertThat(broken).isBetween(drifts.size() / 16L, drifts.size() / 6L);
        assertThat(drifts).anyMatch(drift -> drift > 0).anyMatch(drift -> drift < 0);
    }

    /**
     * What has expired may be missed early by a clock that is further off, and is allowed to: nothing could be required
     * of a read then.
     */
    @Test
    void purgingSetupsKeepClocksWithinTwiceTheSkew() {
        assertThat(setups().filter(Setup::purges)).allSatisfy(setup -> {
            for (int drift : setup.drifts()) {
                Duration drifted = TIME.multipliedBy(3)
                        .dividedBy(2)
                        .multipliedBy(Math.abs(drift))
                        .dividedBy(1_000_000);
                assertThat(setup.farthestClock().plus(drifted))
                        .isLessThanOrEqualTo(setup.skew().multipliedBy(2));
            }
        });
    }

    @Test
    void clockDriftsWhileItsNodeIsDownUntilHealed() {
        VirtualEnvironment world = VirtualEnvironment.seeded(1);
        Setup setup = setups().filter(each -> each.drifts().stream().allMatch(drift -> Math.abs(drift) > 50))
                .findFirst()
                .orElseThrow();
        Topology topology = Topology.of(IntStream.range(0, setup.size())
                .mapToObj(i -> Node.of("n" + i, "host" + i + ":1"))
                .toArray(Node[]::new));
        SimulatedNode.Lifecycle lifecycle = new SimulatedNode.Lifecycle(
                world, LoopbackNetwork.on(world), setup.ofNode(), topology, Optional.empty(), Optional.empty());
        List<SimulatedNode> nodes = topology.nodes().stream()
                .map(node -> new SimulatedNode(
                        node, new SimulatedDisk(node.id().value(), new SplittableRandom(2)), lifecycle))
                .toList();
        nodes.forEach(SimulatedNode::start);
        Faults faults = new Faults(new SplittableRandom(3), world, nodes, setup);

        faults.begin();
        List<Long> atBegin = nodes.stream().map(node -> ahead(node, world)).toList();
        world.advance(Duration.ofMinutes(1));
        nodes.get(0).crash(false);
        world.advance(Duration.ofMinutes(1));
        nodes.get(0).start();

        for (int i = 0; i < nodes.size(); i++) {
            assertThat(ahead(nodes.get(i), world) - atBegin.get(i))
                    .isEqualTo(Math.floorDiv(setup.drifts().get(i) * TIME.toMillis(), 1_000_000L))
                    .isNotZero();
        }

        faults.heal();
        world.advance(Duration.ofMinutes(10));

        assertThat(nodes).allMatch(node -> ahead(node, world) == 0);
    }

    private static long ahead(SimulatedNode node, VirtualEnvironment world) {
        return node.running().orElseThrow().environment().currentTimeMillis() - world.currentTimeMillis();
    }
}
