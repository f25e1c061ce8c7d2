package io.dht4j.simulator;

import io.dht4j.MembershipStatus;
import io.dht4j.NodeId;
import io.dht4j.core.internal.membership.state.Member;
import io.dht4j.simulator.internal.node.Agreement;
import io.dht4j.simulator.internal.node.SimulatedNode;
import io.dht4j.simulator.internal.node.SimulatedNodes;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * An operator that checks the status when changes have found no leader for long. It begins the next generation if there
 * is no leader and only nodes with lost disks are down. The members of the log may differ from the voters of the agreed
 * state, so it is unknown in advance whether a lost disk costs the majority. Agreements of the lost voters may be
 * repeated. Confined to the simulation's thread.
 */
final class LostMajority {

    private static final Duration POLL = Duration.ofSeconds(10);
    /** Longer than an election among nodes that answer. */
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final VirtualEnvironment world;
    private final SimulatedNodes nodes;
    private final Agreement agreement;
    private final Operator operator;
    private Duration led = Duration.ZERO;

    LostMajority(VirtualEnvironment world, SimulatedNodes nodes, Agreement agreement, Operator operator) {
        this.world = world;
        this.nodes = nodes;
        this.agreement = agreement;
        this.operator = operator;
    }

    void begin() {
        led = world.elapsed();
        later();
    }

    private void later() {
        world.schedule(
                () -> {
                    look();
                    later();
                },
                POLL.toNanos());
    }

    private void look() {
        if (leads()) {
            led = world.elapsed();
            removeForgotten();
        }
        Set<NodeId> lost = nodes.present().stream()
                .filter(SimulatedNode::isAway)
                .map(node -> node.node.id())
                .collect(Collectors.toSet());
        if (lost.isEmpty()
                || world.elapsed().minus(led).compareTo(PATIENCE) < 0
                || operator.isRecovering()
                || nodes.present().stream()
                        .anyMatch(node -> !node.isAway() && node.running().isEmpty())) {
            return;
        }
        List<SimulatedNode.Running> serving = nodes.present().stream()
                .flatMap(node -> node.running().stream())
                .toList();
        if (!serving.isEmpty()) {
            SimulatedNode.Running asked = serving.get(0);
            asked.environment()
                    .executor()
                    .execute(() -> asked.cluster()
                            .membership()
                            .status()
                            .whenComplete((status, error) -> recover(status, lost)));
        }
    }

    /** Removes nodes whose removal only the lost voters knew: they never return. */
    private void removeForgotten() {
        nodes.states().newest().stream()
                .flatMap(state -> state.members().all().stream())
                .filter(member -> member.lifecycle().isPresent()
                        && nodes.named(member.name()).isEmpty())
                .map(Member::name)
                .filter(name -> !operator.open().contains("replace " + name))
                .forEach(name -> operator.change(
                        "replace " + name,
                        membership -> membership.replace(name),
                        () -> operator.change("remove " + name, membership -> membership.remove(name), () -> {})));
    }

    /** Returns whether a running node leads. A process that was killed may believe that it still does. */
    boolean leads() {
        return agreement
                .leader()
                .flatMap(leader -> nodes.present().stream()
                        .filter(node -> node.node.id().equals(leader))
                        .findFirst())
                .filter(SimulatedNode::hasProcess)
                .isPresent();
    }

    private void recover(@Nullable MembershipStatus status, Set<NodeId> lost) {
        if (status != null && status.metadata().leader().isEmpty() && !operator.isRecovering()) {
            operator.recover(lost, () -> true, () -> {});
        }
    }
}
