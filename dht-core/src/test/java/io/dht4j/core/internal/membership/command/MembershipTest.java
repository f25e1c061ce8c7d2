package io.dht4j.core.internal.membership.command;

import static io.dht4j.core.internal.membership.Clusters.accepted;
import static io.dht4j.core.internal.membership.Clusters.attributes;
import static io.dht4j.core.internal.membership.Clusters.formed;
import static io.dht4j.core.internal.membership.Clusters.incarnation;
import static io.dht4j.core.internal.membership.Clusters.joined;
import static io.dht4j.core.internal.membership.Clusters.left;
import static io.dht4j.core.internal.membership.Clusters.movable;
import static io.dht4j.core.internal.membership.Clusters.moved;
import static io.dht4j.core.internal.membership.Clusters.name;
import static io.dht4j.core.internal.membership.Clusters.refused;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.NodeId;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.Lifecycle;
import io.dht4j.core.internal.membership.state.Member;
import io.dht4j.core.internal.membership.state.MemberAttributes;
import io.dht4j.core.internal.view.Epoch;
import io.dht4j.core.internal.view.RebalanceSettings;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

final class MembershipTest {

    private final ClusterState three = formed(3, 16, 2);

    private static Command.Join join(ClusterState state, int number) {
        return new Command.Join(state.epoch(), name(number), incarnation(number), attributes(number), Map.of());
    }

    @Test
    void admittedNodeJoinsAndServes() {
        ClusterState admitted = accepted(three, new Command.Admit(three.epoch(), name(4)));
        assertThat(admitted.members().get(4).lifecycle()).isEqualTo(Lifecycle.ADMITTED);
        ClusterState joining = accepted(admitted, join(admitted, 4));
        Member member = joining.members().get(4);
        assertThat(member.lifecycle()).isEqualTo(Lifecycle.JOINING);
        assertThat(member.is(incarnation(4))).isTrue();
        assertThat(member.details()).isEqualTo(attributes(4));
        assertThat(member.versionSlot()).isEqualTo(3);
        ClusterState serving = accepted(joining, new Command.Serve(joining.epoch(), 4));
        assertThat(serving.members().get(4).lifecycle()).isEqualTo(Lifecycle.SERVING);
        assertThat(serving.epoch()).isEqualTo(Epoch.of(1, 4));
        assertThat(serving.loads()[4]).isZero();
        assertThat(serving.rowVersion(0)).isEqualTo(three.rowVersion(0));
    }

    @Test
    void commandForAnotherEpochIsStale() {
        CommandResult result = StateMachine.apply(Optional.of(three), new Command.Admit(Epoch.of(1, 7), name(4)));
        assertThat(result).isInstanceOfSatisfying(CommandResult.Refused.class, refusal -> {
            assertThat(refusal.stale()).isTrue();
            assertThat(refusal.reason()).contains("planned at epoch 1.7", "is at 1.1");
        });
    }

    @Test
    void unknownNameDoesNotJoin() {
        assertThat(refused(three, join(three, 4)))
                .isEqualTo("n4 is not admitted: call membership().add(new NodeId(\"n4\")) before it joins");
    }

    @Test
    void knownNameWithAnUnknownIncarnationIsReferredToReplace() {
        Command.Join impostor = new Command.Join(three.epoch(), name(2), incarnation(99), attributes(99), Map.of());
        assertThat(refused(three, impostor))
                .contains(
                        "n2 (number 2, SERVING) at host2:7000 has another data directory",
                        "membership().replace(new NodeId(\"n2\"))");
    }

    @Test
    void nodeThatJoinsTwiceAtOnceIsRefused() {
        ClusterState joining = joined(three);
        assertThat(refused(joining, join(joining, 4))).contains("n4 (number 4, JOINING) has joined already");
        Command.Join twin = new Command.Join(joining.epoch(), name(4), incarnation(99), attributes(99), Map.of());
        assertThat(refused(joining, twin)).contains("n4 at host4:7000 is joining with another data directory");
    }

    @Test
    void directoryOfAnotherMemberIsRefused() {
        ClusterState admitted = accepted(three, new Command.Admit(three.epoch(), name(4)));
        Command.Join copied = new Command.Join(admitted.epoch(), name(4), incarnation(1), attributes(4), Map.of());
        assertThat(refused(admitted, copied)).contains("belongs to n1 (number 1, SERVING), not to n4");
    }

    @Test
    void removedIncarnationNeverReturns() {
        ClusterState state = accepted(three, new Command.Admit(three.epoch(), name(4)));
        state = accepted(state, join(state, 4));
        state = left(state, 4);
        state = accepted(state, new Command.Remove(state.epoch(), 4));
        assertThat(state.members().get(4).attributes()).isEmpty();
        assertThat(refused(state, join(state, 4)))
                .contains("n4 (number 4, REMOVED), which never returns", "empty directory");
        Command.Join returning = new Command.Join(state.epoch(), name(4), incarnation(5), attributes(4), Map.of());
        assertThat(refused(state, returning)).contains("n4 was removed: call membership().add(new NodeId(\"n4\"))");
        state = accepted(state, new Command.Admit(state.epoch(), name(4)));
        state = accepted(state, new Command.Join(state.epoch(), name(4), incarnation(5), attributes(4), Map.of()));
        assertThat(state.members().named(name(4)))
                .get()
                .extracting(Member::number)
                .isEqualTo(5);
        assertThat(refused(state, new Command.Remove(state.epoch(), 4))).contains("removed already");
    }

    @Test
    void usedAddressIsRefused() {
        ClusterState admitted = accepted(three, new Command.Admit(three.epoch(), name(4)));
        Command.Join there = new Command.Join(admitted.epoch(), name(4), incarnation(4), attributes(2), Map.of());
        assertThat(refused(admitted, there)).contains("host2:7000 belongs to n2", "MembershipChange.Update");
        Command.ChangeAttributes moved = new Command.ChangeAttributes(three.epoch(), 1, attributes(2));
        assertThat(refused(three, moved)).contains("host2:7000 belongs to n2");
    }

    @Test
    void contradictingSettingsAreNamedWithBothValues() {
        ClusterState admitted = accepted(three, new Command.Admit(three.epoch(), name(4)));
        Map<String, String> claims = Map.of("partitions", "1024", "hash", "xxh3");
        Command.Join join = new Command.Join(admitted.epoch(), name(4), incarnation(4), attributes(4), claims);
        assertThat(refused(admitted, join))
                .isEqualTo("n4 contradicts the cluster's settings: partitions is 16 in the cluster, 1024 at n4."
                        + " Start it with the cluster's values");
        Command.Join agreeing = new Command.Join(
                admitted.epoch(),
                name(4),
                incarnation(4),
                attributes(4),
                admitted.settings().values());
        assertThat(accepted(admitted, agreeing).members().get(4).lifecycle()).isEqualTo(Lifecycle.JOINING);
    }

    @Test
    void takenNameIsNotAdmitted() {
        assertThat(refused(three, new Command.Admit(three.epoch(), name(2)))).contains("n2", "choose another name");
    }

    @Test
    void attributesChangeWithoutTouchingRows() {
        MemberAttributes changed = new MemberAttributes("elsewhere:1", List.of(), 7, "z");
        ClusterState state = accepted(three, new Command.ChangeAttributes(three.epoch(), 2, changed));
        assertThat(state.members().get(2).details()).isEqualTo(changed);
        assertThat(state.slots()).isSameAs(three.slots());
        assertThat(state.rowVersion(0)).isEqualTo(three.rowVersion(0));
        assertThat(refused(state, new Command.ChangeAttributes(state.epoch(), 9, changed)))
                .contains("number 9");
    }

    @Test
    void leaveBelowTheReplicationFactorIsRefused() {
        ClusterState two = left(three, 3);
        assertThat(refused(two, new Command.Leave(two.epoch(), 2)))
                .isEqualTo("without n2 only 1 node would remain for the replication factor 2: add a node first,"
                        + " or, if n2 is lost, call membership().replace(new NodeId(\"n2\"))");
    }

    @Test
    void leaveOfALastZoneNodeNeedsEnoughOtherZones() {
        ClusterState state = formed(5, 16, 3, "a", "b", "c");
        assertThat(refused(state, new Command.Leave(state.epoch(), 3)))
                .contains("n3 is the last node of zone \"c\", and 2 zones would remain", "add a node to this zone");
        assertThat(left(state, 1).members().get(1).lifecycle()).isEqualTo(Lifecycle.LEAVING);
        ClusterState fourZones = joined(state, "d", 1);
        ClusterState served = moved(fourZones, 1, 6, movable(fourZones, 1, 6));
        assertThat(left(served, 3).members().get(3).lifecycle()).isEqualTo(Lifecycle.LEAVING);
    }

    @Test
    void joinerOfANewZoneThatOwnsNothingMayLeave() {
        ClusterState state = joined(formed(4, 16, 3, "a", "b"), "c", 1);
        assertThat(left(state, 5).members().get(5).lifecycle()).isEqualTo(Lifecycle.LEAVING);
    }

    @Test
    void leavingMemberMayStayAfterAll() {
        ClusterState leaving = left(three, 3);
        assertThat(accepted(leaving, new Command.Serve(leaving.epoch(), 3))
                        .members()
                        .get(3)
                        .lifecycle())
                .isEqualTo(Lifecycle.SERVING);
        assertThat(refused(three, new Command.Serve(three.epoch(), 3))).contains("JOINING or LEAVING");
    }

    @Test
    void memberIsRemovedOnlyWhenItOwnsNothingAndVotesNowhere() {
        assertThat(refused(three, new Command.Remove(three.epoch(), 3))).contains("let it leave first");
        ClusterState leaving = left(three, 3);
        assertThat(refused(leaving, new Command.Remove(leaving.epoch(), 3))).contains("still has replicas of");
        ClusterState empty = moved(leaving, 3, 1, movable(leaving, 3, 1));
        empty = moved(empty, 3, 2, movable(empty, 3, 2));
        ClusterState voting = accepted(empty, new Command.SetVoters(empty.epoch(), List.of(1, 2)));
        assertThat(accepted(voting, new Command.Remove(voting.epoch(), 3))
                        .members()
                        .get(3)
                        .lifecycle())
                .isEqualTo(Lifecycle.REMOVED);
        ClusterState withoutFirst = left(joined(three), 1);
        assertThat(refused(withoutFirst, new Command.Remove(withoutFirst.epoch(), 1)))
                .contains("is a voter");
    }

    @Test
    void versionSlotIsReusedOnlyAfterItsRelease() {
        ClusterState state = left(joined(three), 4);
        state = accepted(state, new Command.Remove(state.epoch(), 4));
        assertThat(joined(state).members().get(5).versionSlot()).isEqualTo(4);
        ClusterState released = accepted(state, new Command.ReleaseVersionSlot(state.epoch(), 4));
        assertThat(joined(released).members().get(5).versionSlot()).isEqualTo(3);
        assertThat(refused(released, new Command.ReleaseVersionSlot(released.epoch(), 4)))
                .contains("no version slot to release");
    }

    @Test
    void membersShareVersionSlotsOnlyWhenAllAreHeld() {
        ClusterState state = formed(Member.VERSION_SLOTS, 1, 1);
        assertThat(joined(joined(state)).members().get(Member.VERSION_SLOTS + 2).versionSlot())
                .isEqualTo(1);
    }

    @Test
    void votersAreMembersThatTakeSlots() {
        ClusterState admitted = accepted(three, new Command.Admit(three.epoch(), new NodeId("n4")));
        assertThat(refused(admitted, new Command.SetVoters(admitted.epoch(), List.of(1, 4))))
                .contains("n4 (number 4, ADMITTED) cannot become a voter");
        ClusterState joining = joined(three);
        assertThat(accepted(joining, new Command.SetVoters(joining.epoch(), List.of(1, 4)))
                        .members()
                        .voters())
                .containsExactly(1, 4);
        assertThat(refused(three, new Command.SetVoters(three.epoch(), List.of())))
                .contains("voters []");
        assertThat(refused(three, new Command.SetVoters(three.epoch(), List.of(2, 1))))
                .contains("ascending");
        ClusterState state = accepted(three, new Command.SetVoters(three.epoch(), List.of(2, 3)));
        assertThat(state.members().voters()).containsExactly(2, 3);
    }

    @Test
    void recoveryBeginsTheNextGenerationAndFencesEveryRow() {
        ClusterState recovered = accepted(three, new Command.Recover(three.epoch(), List.of(3)));
        assertThat(recovered.epoch()).isEqualTo(Epoch.of(2, 1));
        assertThat(recovered.members().voters()).containsExactly(3);
        for (int partition = 0; partition < recovered.partitions(); partition++) {
            assertThat(recovered.rowVersion(partition)).isEqualTo(recovered.epoch());
        }
        ClusterState dead = accepted(three, new Command.MarkDead(three.epoch(), 3, true));
        assertThat(refused(dead, new Command.Recover(dead.epoch(), List.of(3)))).contains("n3 (number 3, DEAD)");
    }

    @Test
    void recoveredSidesDivergeAtTheFirstDifferentBase() {
        ClusterState later = accepted(three, new Command.Admit(three.epoch(), name(7)));
        ClusterState lost = accepted(later, new Command.Recover(later.epoch(), List.of(3)));
        ClusterState recovered = accepted(three, new Command.Recover(three.epoch(), List.of(3)));
        ClusterState twice = accepted(recovered, new Command.Recover(recovered.epoch(), List.of(3)));
        assertThat(twice.partedFrom(lost)).contains(three.epoch());
        ClusterState lostTwice = accepted(lost, new Command.Recover(lost.epoch(), List.of(3)));
        assertThat(lostTwice.partedFrom(recovered)).contains(three.epoch());
    }

    @Test
    void recoveredStateKnowsTheBaseOfEachGeneration() {
        ClusterState after = accepted(three, new Command.Admit(three.epoch(), name(7)));
        ClusterState second = accepted(three, new Command.Recover(three.epoch(), List.of(3)));
        ClusterState third = accepted(second, new Command.Recover(second.epoch(), List.of(2)));
        assertThat(third.recoveredFrom()).containsExactly(three.epoch(), second.epoch());
        assertThat(third.partedFrom(three)).isEmpty();
        assertThat(third.partedFrom(after)).contains(three.epoch());
        assertThat(second.partedFrom(after)).contains(three.epoch());
        assertThat(third.partedFrom(second)).isEmpty();
        assertThat(third.partedFrom(accepted(second, new Command.Admit(second.epoch(), name(7)))))
                .contains(second.epoch());
        assertThat(second.withoutRecoveries().partedFrom(after)).isEmpty();
        assertThat(second.partedFrom(second)).isEmpty();
    }

    @Test
    void rateAndPauseOfMovesAreSet() {
        RebalanceSettings slow = new RebalanceSettings(1 << 20, true);
        ClusterState paused = joined(accepted(three, new Command.SetRebalance(three.epoch(), slow)));
        assertThat(paused.rebalance()).isEqualTo(slow);
        assertThat(refused(paused, new Command.StartBatch(paused.epoch(), 1, 4, movable(paused, 1, 4))))
                .contains("moves are paused", "Rebalance.resume()");
    }

    @Test
    void unknownMembersAreNamed() {
        UUID fresh = incarnation(50);
        for (Command command : List.of(
                new Command.Leave(three.epoch(), 9),
                new Command.Remove(three.epoch(), 9),
                new Command.Serve(three.epoch(), 0),
                new Command.MarkDead(three.epoch(), -1, false),
                new Command.ReleaseVersionSlot(three.epoch(), 9),
                new Command.Replace(three.epoch(), 9, fresh, attributes(50)))) {
            assertThat(refused(three, command)).contains("no member has the number");
        }
    }
}
