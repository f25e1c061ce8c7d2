package io.dht4j.simulator;

import static io.dht4j.simulator.PlantedBugs.INTERNAL;
import static io.dht4j.simulator.PlantedBugs.advised;
import static io.dht4j.simulator.PlantedBugs.fixed;
import static io.dht4j.simulator.PlantedBugs.in;
import static io.dht4j.simulator.PlantedBugs.stubbed;
import static io.dht4j.simulator.PlantedTests.assertFinds;
import static net.bytebuddy.matcher.ElementMatchers.any;
import static net.bytebuddy.matcher.ElementMatchers.named;
import static net.bytebuddy.matcher.ElementMatchers.takesArgument;
import static net.bytebuddy.matcher.ElementMatchers.takesArguments;

import io.dht4j.core.internal.placement.PartitionSet;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Optional;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.asm.MemberSubstitution;
import net.bytebuddy.implementation.StubMethod;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Bugs in the moves of slots that need a rare order of events, planted one at a time: a test of its own finds each. */
@Tag("full")
class PlantedRareBugsTest {

    private static final String TESTS = "io.dht4j.simulator.cluster.membership.";

    /** What changed methods call. Public, since classes of the product do. */
    public static final class Reach {

        private Reach() {}

        /** For {@link #aDropBeforeTheSlotIsTheHeirsAlone}: in BOTH, the slot is taken for the heir's alone. */
        public static boolean ownsLater(Object view, int partition) {
            try {
                Method owns = view.getClass().getMethod("owns", int.class);
                Method row = view.getClass().getMethod("row", int.class);
                return (boolean) owns.invoke(view, partition)
                        && !row.invoke(view, partition).toString().contains("BOTH");
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }

        /** For {@link #aHintToAFormerOwner}. */
        public static boolean always(Object view, Object member, Object key) {
            return true;
        }

        static Method method(String name, Class<?>... parameters) {
            try {
                return Reach.class.getMethod(name, parameters);
            } catch (NoSuchMethodException e) {
                throw new AssertionError(e);
            }
        }
    }

    @Test
    void copiedBeforeTheSourceHasInstalledTheMove() {
        assertFinds(
                TESTS + "SlotFaultsTest",
                "copyWaitsUntilTheOwnerHasInstalledItsPhase",
                in(
                        INTERNAL + "replica.RowGuard",
                        guard -> guard.method(
                                        named("refusal").and(takesArguments(2).or(takesArguments(3))))
                                .intercept(StubMethod.INSTANCE)));
    }

    /** The old owner's report is not waited for. */
    static final class Installed {

        private Installed() {}

        @Advice.OnMethodExit
        static void exit(@Advice.Argument(2) Object then, @Advice.Return(readOnly = false) Optional<?> result) {
            result = Optional.of(then);
        }
    }

    @Test
    void finishedWithoutTheSource() {
        assertFinds(
                TESTS + "DrivenMovesTest",
                "moveDoesNotEndWhileItsOwnerIsDown",
                advised("membership.driver.BatchDecisions", Installed.class, "installed"));
    }

    /** A pair has acknowledged when its heir has. */
    static final class HeirAlone {

        private HeirAlone() {}

        @Advice.OnMethodExit
        static void exit(
                @Advice.Argument(0) int answers,
                @Advice.Argument(1) int bit,
                @Advice.Return(readOnly = false) boolean result) {
            result = (answers & (bit << 4)) != 0;
        }
    }

    @Test
    void countedByTheHeirAlone() {
        assertFinds(
                TESTS + "MovingSlotWritesTest",
                "slotThatOneNodeLacksDoesNotCount",
                advised("coordinator.quorum.PairTracker", HeirAlone.class, "haveBoth"));
    }

    @Test
    void thirdReplicaBeforeAllNodesKnowTheSecond() {
        assertFinds(
                TESTS + "GrowingReplicasTest",
                "thirdReplicaWaitsUntilAllNodesOfTheRowKnowTheSecond",
                fixed("membership.driver.GrowthFence", "mayGrow", true));
    }

    /** A slot that grows is copied from its owner, whatever the others have. */
    static final class OwnerHasAll {

        private OwnerHasAll() {}

        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) boolean result) {
            result = true;
        }
    }

    @Test
    void fourthReplicaCopiedFromOneOfThree() {
        assertFinds(
                TESTS + "GrowingReplicasTest",
                "writeOfTwoOfThreeIsReadFromThreeOfFive",
                advised("move.BatchCopy", OwnerHasAll.class, "hasAllAtOwner"));
    }

    @Test
    void noCheckOfRows() {
        assertFinds(
                TESTS + "FencedRowsTest",
                "putByAnOldTableReachesOnlyTheNewReplicas",
                stubbed("replica.RowGuard$Found", "refusal"));
    }

    @Test
    void heldByHalfAPair() {
        assertFinds(
                TESTS + "MovingSlotReadsTest",
                "readRepairsAHalfHeldSlotBeforeItReturns",
                fixed("coordinator.read.KeyRead", "isHeldByHalf", false));
    }

    /** A source that has failed counts as copied. */
    static final class AllDone {

        private AllDone() {}

        @Advice.OnMethodExit
        static void exit(
                @Advice.FieldValue("partitions") PartitionSet partitions,
                @Advice.Return(readOnly = false) PartitionSet result) {
            result = partitions;
        }
    }

    @Test
    void filledFromOneOfTheOthersOnly() {
        assertFinds(
                TESTS + "SlotFillTest",
                "heirAcceptsWritesWhileItWaitsForReplicas",
                // An heir asks all its sources for their promises too, and would wait for the one that has failed.
                in(
                        INTERNAL + "move.Source",
                        source -> source.visit(Advice.to(AllDone.class).on(named("done")))
                                .visit(Advice.to(PlantedAtomicBugsTest.NoPromises.class)
                                        .on(named("askForPromises")))));
    }

    @Test
    void writeNotCheckedAgainstRows() {
        assertFinds(
                TESTS + "RacingViewsTest",
                "newViewRefusesAWriteThatWaitsForTheStore",
                in(
                        INTERNAL + "replica.RowGuard",
                        guard -> guard.method(named("refusal").and(takesArgument(0, List.class)))
                                .intercept(StubMethod.INSTANCE)));
    }

    /** What a full disk has refused is installed. */
    static final class Swallowed {

        private Swallowed() {}

        @Advice.OnMethodExit(onThrowable = Throwable.class)
        static void exit(@Advice.Thrown(readOnly = false) Throwable thrown) {
            thrown = null;
        }
    }

    @Test
    void installedBeforeItIsStored() {
        assertFinds(
                TESTS + "AgreedStateTest",
                "aStateThatCannotBeStoredIsNotInstalled",
                advised("membership.agreed.formation.NodeNotes", Swallowed.class, "keepState"));
    }

    /** Writes never wait for the source's watermarks. */
    static final class OpenToWrites {

        private OpenToWrites() {}

        @Advice.OnMethodExit
        static void exit(@Advice.Argument(2) Object access, @Advice.Return(readOnly = false) boolean result) {
            result &= !access.toString().equals("WRITE");
        }
    }

    @Test
    void writesBeforeTheFenceOfTheSource() {
        assertFinds(
                TESTS + "SlotCopyTest",
                "heirRefusesWritesUntilItKnowsWhatTheOwnerRefuses",
                advised("view.IncomingReplicas", OpenToWrites.class, "refuses"));
    }

    /** The heir answers reads, though it is not complete. */
    static final class OpenToReads {

        private OpenToReads() {}

        @Advice.OnMethodExit
        static void exit(@Advice.Argument(2) Object access, @Advice.Return(readOnly = false) boolean result) {
            result &= access.toString().equals("WRITE");
        }
    }

    @Test
    void aJoinerThatIsReadAtOnce() {
        assertFinds(
                TESTS + "SlotCopyTest",
                "heirShowsNothingUntilTheCopyIsComplete",
                advised("view.IncomingReplicas", OpenToReads.class, "refuses"));
    }

    @Test
    void aPurgeAmongThreeOfFour() {
        assertFinds(
                TESTS + "PurgeOfMovingRowsTest",
                "movingPartitionIsNotSealed",
                in(
                        INTERNAL + "repair.purge.PurgeWatermarks",
                        watermarks -> watermarks.visit(MemberSubstitution.relaxed()
                                .method(named("isMoving"))
                                .stub()
                                .on(any()))));
    }

    @Test
    void aHintToAFormerOwner() {
        assertFinds(
                TESTS + "ChangingNodesTest",
                "hintsForAFormerReplicaReachTheNewReplicas",
                in(
                        INTERNAL + "coordinator.node.HintTargets",
                        targets -> targets.visit(MemberSubstitution.relaxed()
                                .method(named("isReplica"))
                                .replaceWith(Reach.method("always", Object.class, Object.class, Object.class))
                                .on(any()))));
    }

    @Test
    void aHintForTheSourceOfACopyAlone() {
        assertFinds(
                TESTS + "HintsOfChangedRowsTest",
                "newReplicaGetsAWriteMissedByItsCopy",
                stubbed("coordinator.node.HintTargets", "remember"));
    }

    @Test
    void noCheckOfIncarnations() {
        assertFinds(
                TESTS + "FencedMembersTest",
                "anotherIncarnationAtTheSameAddressTakesNothing",
                fixed("view.NodeIdentity", "equals", true));
    }

    @Test
    void aDropBeforeTheSlotIsTheHeirsAlone() {
        assertFinds(
                TESTS + "SlotCopyTest",
                "formerOwnerDropsItsCopyOnceTheSlotIsTheHeirsAlone",
                in(
                        INTERNAL + "move.Leftovers",
                        leftovers -> leftovers.visit(MemberSubstitution.relaxed()
                                .method(named("owns"))
                                .replaceWith(Reach.method("ownsLater", Object.class, int.class))
                                .on(any()))));
    }

    /** A snapshot shows what the node has now, whenever it got it. */
    static final class NothingLacks {

        private NothingLacks() {}

        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) PartitionSet result) {
            result = PartitionSet.empty();
        }
    }

    @Test
    void aSnapshotAcrossTheEndOfAMove() {
        assertFinds(
                TESTS + "MovingSnapshotsTest",
                "snapshotOpenedDuringACopyIsNotReadFromHeir",
                advised("snapshot.Snapshot", NothingLacks.class, "lacking"));
    }

    @Test
    void aLaterStateThanTheOneThatWasRecoveredIsNotNoticed() {
        assertFinds(
                TESTS + "LostSideTest",
                "returningLostNodeRegainsWhatItHadDropped",
                fixed("membership.state.ClusterState", "partedFrom", Optional.empty()));
    }

    /** The marks are stored after the state, if the process lives so long. */
    static final class StoredLater {

        private StoredLater() {}

        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter() {
            return true;
        }
    }

    @Test
    void divergedPartitionsThatAreMarkedAfterTheStateIsStored() {
        assertFinds(
                TESTS + "LostSideTest",
                "whatHasDivergedIsStoredBeforeTheRecoveredState",
                advised("membership.agreed.formation.NodeNotes", StoredLater.class, "keepDiverged"));
    }

    @Test
    void droppedBeforeTheOthersHaveIt() {
        assertFinds(
                TESTS + "LostSideTest",
                "heirOnTheLostSideKeepsEntriesThatOthersLack",
                in(
                        INTERNAL + "move.Leftovers",
                        leftovers -> leftovers.visit(MemberSubstitution.relaxed()
                                .method(named("contains"))
                                .stub()
                                .on(named("isLeft")))));
    }
}
