package io.dht4j.core.internal.membership.command;

import static io.dht4j.core.internal.membership.Clusters.form;
import static io.dht4j.core.internal.membership.Clusters.formed;
import static io.dht4j.core.internal.membership.Clusters.refused;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Node;
import io.dht4j.Topology;
import io.dht4j.core.internal.membership.Clusters;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.SlotTable;
import io.dht4j.core.internal.view.Epoch;
import io.dht4j.core.internal.view.Phase;
import io.dht4j.core.internal.view.RebalanceSettings;
import io.dht4j.spi.PartitionTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class FormationTest {

    @Test
    void foundersServeWithTheNumbersAndSlotsOfTheirOrder() {
        ClusterState state = formed(4, 64, 3, "a", "b");
        assertThat(state.epoch()).isEqualTo(Epoch.of(1, 1));
        assertThat(Epoch.text(state.epoch())).isEqualTo("1.1");
        assertThat(state.cluster()).isEqualTo(Clusters.CLUSTER);
        assertThat(state.members().all())
                .extracting(member -> member.number() + " " + member.name().value() + " " + member.lifecycle() + " "
                        + member.details().zone() + " " + member.versionSlot())
                .containsExactly("1 n1 SERVING a 0", "2 n2 SERVING b 1", "3 n3 SERVING a 2", "4 n4 SERVING b 3");
        assertThat(state.members().voters()).containsExactly(1);
        assertThat(state.rebalance()).isEqualTo(RebalanceSettings.DEFAULT);
    }

    @Test
    void rowsAreThoseOfThePlacement() {
        ClusterState state = formed(5, 128, 3);
        List<Node> nodes = new ArrayList<>();
        state.members()
                .all()
                .forEach(member ->
                        nodes.add(new Node(member.name(), member.details().address(), 1)));
        PartitionTable table = Clusters.PLACEMENT.assign(new Topology(1, nodes), 128);
        for (int partition = 0; partition < 128; partition++) {
            assertThat(state.row(partition))
                    .extracting(slot -> state.members().get(slot.owner()).name())
                    .containsExactlyElementsOf(
                            table.replicas(partition, 3).stream().map(Node::id).toList());
            assertThat(state.row(partition)).allMatch(slot -> slot.phase() == Phase.STABLE);
            assertThat(state.rowVersion(partition)).isEqualTo(state.epoch());
        }
    }

    @Test
    void formedClusterIsNotFormedAgain() {
        assertThat(refused(formed(3, 8, 3), form(3, 8, 3))).contains("is formed already", "Membership.join");
    }

    @Test
    void nothingButFormationIsAcceptedBefore() {
        assertThat(StateMachine.apply(Optional.empty(), new Command.Admit(Epoch.NONE, Clusters.name(4))))
                .isInstanceOfSatisfying(CommandResult.Refused.class, refusal -> {
                    assertThat(refusal.reason()).contains("Membership.bootstrap");
                });
    }

    @Test
    void contradictoryFoundersAreRefused() {
        Command.Form good = form(4, 8, 3);
        List<Command.Founder> founders = good.founders();
        assertThat(problem(good.founders().subList(0, 2), good)).contains("formed by 3 to 10000 nodes, not 2");
        Command.Founder last = founders.get(3);
        Command.Founder first = founders.get(0);
        assertThat(problem(
                        with(founders, new Command.Founder(first.name(), last.incarnation(), last.attributes())), good))
                .contains("lists n1 twice");
        assertThat(problem(
                        with(founders, new Command.Founder(last.name(), first.incarnation(), last.attributes())), good))
                .contains("n4 has a copy of another node's data directory");
        assertThat(problem(
                        with(founders, new Command.Founder(last.name(), last.incarnation(), first.attributes())), good))
                .contains("lists the address host1:7000 twice");
    }

    @Test
    void tablesThatDoNotFitAreRefused() {
        Command.Form good = form(4, 8, 3);
        assertThat(problem(good.slots(), List.of(0), good)).contains("voters [0]");
        assertThat(problem(good.slots(), List.of(2, 2), good)).contains("voters [2, 2]");
        assertThat(problem(good.slots(), List.of(), good)).contains("voters []");
        assertThat(problem(form(4, 16, 3).slots(), List.of(1), good)).contains("16 partitions of 3");
        int[] owners = good.slots().toArray();
        owners[4] = owners[3];
        assertThat(problem(SlotTable.of(3, owners), List.of(1), good)).contains("partition 1");
        owners[4] = 5;
        assertThat(problem(SlotTable.of(3, owners), List.of(1), good)).contains("to node 5, which does not exist");
    }

    private static List<Command.Founder> with(List<Command.Founder> founders, Command.Founder last) {
        List<Command.Founder> changed = new ArrayList<>(founders.subList(0, founders.size() - 1));
        changed.add(last);
        return changed;
    }

    private static String problem(List<Command.Founder> founders, Command.Form good) {
        return problem(new Command.Form(good.cluster(), good.settings(), founders, good.slots(), good.voters()));
    }

    private static String problem(SlotTable slots, List<Integer> voters, Command.Form good) {
        return problem(new Command.Form(good.cluster(), good.settings(), good.founders(), slots, voters));
    }

    private static String problem(Command.Form form) {
        CommandResult result = StateMachine.apply(Optional.empty(), form);
        assertThat(result).isInstanceOf(CommandResult.Refused.class);
        return ((CommandResult.Refused) result).reason();
    }
}
