package io.dht4j.simulator.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.core.internal.membership.codec.CommandCodec;
import io.dht4j.core.internal.membership.codec.MalformedStateException;
import io.dht4j.core.internal.membership.command.Command;
import io.dht4j.core.internal.membership.command.CommandResult;
import io.dht4j.core.internal.membership.command.StateMachine;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.Lifecycle;
import io.dht4j.core.internal.view.Batch;
import io.dht4j.core.internal.view.Phase;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Members that all take themselves for the leader, and drive moves at the same time. */
class SeveralDriversTest {

    private static final int NODES = 3;

    @Test
    void driversThatDoNotKnowOfEachOtherMoveEachSlotOnce() throws MalformedStateException {
        try (DrivenCluster cluster = new DrivenCluster(NODES, builder -> builder, FormedCluster::everyoneLeads)) {
            Map<Long, List<Phase>> phases = new HashMap<>();
            List<ClusterState> states = new ArrayList<>();
            cluster.nodes.membership(1).follow(state -> {
                states.add(state);
                for (Batch batch : state.batches()) {
                    List<Phase> seen = phases.computeIfAbsent(batch.id(), id -> new ArrayList<>());
                    if (!seen.contains(batch.phase())) {
                        seen.add(batch.phase());
                    }
                }
            });
            assertThat(cluster.nodes.nodes.keySet())
                    .as("all drive")
                    .allMatch(i -> cluster.nodes.membership(i).reports().own().leads());
            cluster.join(0, NODES);
            cluster.awaitServing(1, NODES);
            cluster.change(1, state -> new Command.Leave(state.epoch(), 1));
            cluster.awaitRemoved(1, 1);
            assertThat(phases).isNotEmpty();
            assertThat(phases.values()).allSatisfy(seen -> assertThat(seen).containsExactly(Phase.COPY, Phase.BOTH));
            assertThat(states).allSatisfy(ClusterState::check);
            assertThat(cluster.nodes.state(1).members().takers())
                    .allMatch(member -> member.lifecycle() == Lifecycle.SERVING);
            cluster.assertData(1, 2, NODES);
            List<CommandResult.Refused> refused = refused(cluster.nodes.agreed.values());
            assertThat(refused).as("drivers have met").isNotEmpty();
            assertThat(refused).as("by their epochs").allMatch(CommandResult.Refused::stale);
        }
    }

    /** Applies the agreed commands again, and returns the refusals. */
    private static List<CommandResult.Refused> refused(Collection<byte[]> commands) throws MalformedStateException {
        List<CommandResult.Refused> refused = new ArrayList<>();
        Optional<ClusterState> state = Optional.empty();
        for (byte[] command : commands) {
            CommandResult result = StateMachine.apply(state, CommandCodec.decode(command));
            if (result instanceof CommandResult.Accepted accepted) {
                state = Optional.of(accepted.state());
            } else {
                refused.add((CommandResult.Refused) result);
            }
        }
        return refused;
    }
}
