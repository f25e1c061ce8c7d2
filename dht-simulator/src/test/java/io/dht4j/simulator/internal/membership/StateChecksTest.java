package io.dht4j.simulator.internal.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.NodeId;
import io.dht4j.core.internal.membership.command.Command;
import io.dht4j.core.internal.membership.command.CommandResult;
import io.dht4j.core.internal.membership.command.StateMachine;
import io.dht4j.core.internal.membership.state.AgreedSettings;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.MemberAttributes;
import io.dht4j.core.internal.membership.state.SlotTable;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.view.Phase;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The checks of agreed states find wrong states, made by hand. */
class StateChecksTest {

    private static final PartitionSet BOTH = PartitionSet.of(Set.of(0, 1));

    /** Three members with two partitions of three slots. */
    private static final ClusterState FORMED = form(1, 2, 3, 1, 2, 3);

    private static final ClusterState JOINED = joined(FORMED);
    private static final ClusterState COPY = accepted(JOINED, new Command.StartBatch(JOINED.epoch(), 1, 4, BOTH));
    private static final ClusterState READ_FROM_HEIR = accepted(
            COPY, new Command.AdvanceBatch(COPY.epoch(), COPY.batches().get(0).id(), Phase.BOTH));

    private static ClusterState form(int... owners) {
        List<Command.Founder> founders = IntStream.rangeClosed(1, 3)
                .mapToObj(number -> new Command.Founder(name(number), incarnation(number), attributes(number)))
                .toList();
        return accepted(
                Optional.empty(),
                new Command.Form(
                        new UUID(1, 1),
                        new AgreedSettings(2, "rendezvous", "xxh3", 0, 3, 1000),
                        founders,
                        SlotTable.of(3, owners),
                        List.of(1, 2, 3)));
    }

    private static ClusterState joined(ClusterState state) {
        ClusterState admitted = accepted(state, new Command.Admit(state.epoch(), name(4)));
        return accepted(admitted, new Command.Join(admitted.epoch(), name(4), incarnation(4), attributes(4), Map.of()));
    }

    private static NodeId name(int number) {
        return new NodeId("n" + number);
    }

    private static UUID incarnation(int number) {
        return UUID.nameUUIDFromBytes(("n" + number).getBytes(StandardCharsets.US_ASCII));
    }

    private static MemberAttributes attributes(int number) {
        return MemberAttributes.of("host" + number + ":1");
    }

    private static ClusterState accepted(ClusterState state, Command command) {
        return accepted(Optional.of(state), command);
    }

    private static ClusterState accepted(Optional<ClusterState> state, Command command) {
        return ((CommandResult.Accepted) StateMachine.apply(state, command)).state();
    }

    private static String slots(ClusterState state, Set<Integer> holders, Set<Integer> lost) {
        Set<UUID> disks = holders.stream().map(StateChecksTest::incarnation).collect(Collectors.toSet());
        Set<UUID> gone = lost.stream().map(StateChecksTest::incarnation).collect(Collectors.toSet());
        return SlotCheck.violation(state, 0, 2, 3, new SlotCheck.Disks() {
            @Override
            public boolean hold(UUID incarnation) {
                return disks.contains(incarnation);
            }

            @Override
            public boolean isLost(UUID incarnation) {
                return gone.contains(incarnation);
            }
        });
    }

    @Test
    void aWriteIsInAsManySlotsAsHaveAcknowledgedIt() {
        assertThat(slots(FORMED, Set.of(1, 3), Set.of())).isEmpty();
        assertThat(slots(FORMED, Set.of(1), Set.of())).contains("is in 1 of 2 slots of partition 0");
        assertThat(slots(FORMED, Set.of(1), Set.of(2))).isEmpty();
        assertThat(slots(FORMED, Set.of(), Set.of(2))).contains("0 of 2", "1 of them lost");
    }

    @Test
    void aSlotThatIsCopiedIsAtItsOwner() {
        assertThat(slots(COPY, Set.of(1, 2), Set.of())).isEmpty();
        assertThat(slots(COPY, Set.of(4, 2), Set.of())).contains("1 of 2");
    }

    @Test
    void aSlotOfTwoCompleteMembersIsAtBoth() {
        assertThat(slots(READ_FROM_HEIR, Set.of(1, 4, 2), Set.of())).isEmpty();
        assertThat(slots(READ_FROM_HEIR, Set.of(1, 2), Set.of())).contains("1 of 2");
        assertThat(slots(READ_FROM_HEIR, Set.of(4, 2), Set.of())).contains("1 of 2");
        assertThat(slots(READ_FROM_HEIR, Set.of(4, 2), Set.of(1))).isEmpty();
    }

    @Test
    void aSlotThatIsFilledIsMissing() {
        ClusterState dead = accepted(COPY, new Command.MarkDead(COPY.epoch(), 1, false));
        assertThat(dead.batches().get(0).phase()).isEqualTo(Phase.FILL);
        assertThat(slots(dead, Set.of(2), Set.of(1))).isEmpty();
        assertThat(slots(dead, Set.of(4), Set.of(1))).contains("0 of 2");
    }

    @Test
    void anEpochHasOneState() {
        InstalledStates states = new InstalledStates();
        states.stored("n1", FORMED);
        states.stored("n2", FORMED);
        assertThat(states.violations()).isEmpty();
        states.stored("n3", form(2, 1, 3, 1, 2, 3));
        assertThat(states.violations()).singleElement().asString().contains("two states have one epoch", "on n3");
    }

    @Test
    void aRowVersionHasOneRow() {
        InstalledStates states = new InstalledStates();
        states.stored("n1", FORMED);
        states.stored("n2", joined(form(2, 1, 3, 1, 2, 3)));
        assertThat(states.violations()).singleElement().asString().contains("partition 0 has two rows");
    }

    @Test
    void aNodeNeverGoesBack() {
        InstalledStates states = new InstalledStates();
        states.stored("n1", JOINED);
        states.stored("n2", FORMED);
        assertThat(states.violations()).isEmpty();
        assertThat(states.newest()).contains(JOINED);
        states.stored("n1", FORMED);
        assertThat(states.violations()).singleElement().asString().contains("n1 has gone back from epoch");
    }

    @Test
    void aNodeNeverInstallsAnOlderState() {
        InstalledStates states = new InstalledStates();
        states.installed("n1", 5);
        states.installed("n2", 4);
        states.installed("n1", 5);
        assertThat(states.violations()).isEmpty();
        states.installed("n1", 4);
        assertThat(states.violations()).singleElement().asString().contains("n1 has gone back from the installed");
    }

    @Test
    void aStateThatCannotBeReadIsFound() {
        InstalledStates states = new InstalledStates();
        states.stored("n1", new byte[20]);
        assertThat(states.violations()).singleElement().asString().contains("n1 has stored a malformed state");
    }

    @Test
    void aClusterAtRestMovesNothingAndHasFairLoads() {
        assertThat(BalanceCheck.violation(FORMED)).isEmpty();
        assertThat(BalanceCheck.violation(COPY)).contains("moves are under way");
        assertThat(BalanceCheck.violation(JOINED)).contains("n4 (number 4, JOINING) has 0 slots");
        ClusterState serving = accepted(JOINED, new Command.Serve(JOINED.epoch(), 4));
        assertThat(BalanceCheck.violation(serving)).isEmpty();
    }

    @Test
    void onlyMembersWithASlotAreInvolved() {
        assertThat(BalanceCheck.involves(FORMED, 0, incarnation(1))).isTrue();
        assertThat(BalanceCheck.involves(JOINED, 0, incarnation(4))).isFalse();
        assertThat(BalanceCheck.involves(COPY, 0, incarnation(4))).isTrue();
        assertThat(BalanceCheck.involves(FORMED, 0, new UUID(9, 9))).isFalse();
    }
}
