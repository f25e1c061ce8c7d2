package io.dht4j.simulator;

import static io.dht4j.simulator.PlantedBugs.advised;
import static io.dht4j.simulator.PlantedBugs.assertBreaks;
import static io.dht4j.simulator.PlantedBugs.fixed;
import static io.dht4j.simulator.PlantedBugs.stubbed;
import static io.dht4j.simulator.PlantedTests.assertFinds;

import io.dht4j.core.internal.atomic.AtomicSpace;
import io.dht4j.core.internal.wire.RegisterReply;
import io.dht4j.simulator.SimulationOptions.Mode;
import io.dht4j.spi.Entry;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.implementation.bytecode.assign.Assigner;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Bugs of registers, planted one at a time: the simulator finds each, or a test of replicas whose rows change. */
@Tag("search")
@Tag("full")
class PlantedAtomicBugsTest {

    private static final String COUNTED = "which were not made, or twice|which are missing|although ";
    private static final String REPLICAS = "io.dht4j.simulator.cluster.membership.RegistersOfChangingRowsTest";

    /** Requires that the simulator finds a bug. */
    private static void assertBreaksCounters(int seeds, Map<String, UnaryOperator<DynamicType.Builder<?>>> bug) {
        assertBreaks(COUNTED, bug, Mode.ATOMIC, 0, seeds);
    }

    private static Map<String, UnaryOperator<DynamicType.Builder<?>>> both(
            Map<String, UnaryOperator<DynamicType.Builder<?>>> one,
            Map<String, UnaryOperator<DynamicType.Builder<?>>> other) {
        Map<String, UnaryOperator<DynamicType.Builder<?>>> both = new HashMap<>(one);
        both.putAll(other);
        return both;
    }

    @Test
    void aRestartThatForgetsWhatWasPromised() {
        assertFinds(
                REPLICAS,
                "aRestartedReplicaRefusesWhatItMayHaveRefusedBefore",
                stubbed("replica.promise.Promises", "resume"));
    }

    @Test
    void anEvictedPromiseThatIsForgotten() {
        assertFinds(
                REPLICAS,
                "aReplicaRefusesWhatItHasRefusedAlsoWithoutRoomForThePromise",
                stubbed("replica.promise.Promises", "raise"));
    }

    /** An accept is confirmed when it begins to wait for the store. */
    static final class ConfirmedAtOnce {

        private ConfirmedAtOnce() {}

        @Advice.OnMethodEnter
        static void enter(
                @Advice.Argument(0) List<Entry> entries,
                @Advice.Argument(value = 3, readOnly = false) Consumer<Object> reply) {
            if (AtomicSpace.contains(entries.get(0).key())) {
                reply.accept(new RegisterReply.Accepted(false));
                reply = new PlantedBugsTest.Ignored();
            }
        }
    }

    @Test
    void anAcceptThatIsConfirmedBeforeItIsStored() {
        assertFinds(
                REPLICAS,
                "anAcceptIsConfirmedOnceItIsStored",
                advised("replica.StoreGate", ConfirmedAtOnce.class, "write"));
    }

    @Test
    void aPrepareThatIsAnsweredBesideAnAccept() {
        assertFinds(
                REPLICAS,
                "aPrepareWaitsForTheAcceptThatIsBeingStored",
                fixed("replica.promise.Promises$Promise", "isBusy", false));
    }

    /** The row version of a promise is whatever one asks for. */
    static final class OfAnyRow {

        private OfAnyRow() {}

        @Advice.OnMethodExit
        static void exit(
                @Advice.Argument(0) Object promise,
                @Advice.Argument(1) long ballot,
                @Advice.Return(readOnly = false) boolean exact) {
            exact = PlantedBugs.Reach.number(promise, "ballot") == ballot;
        }
    }

    @Test
    void anAcceptOfABallotOfAnEarlierRow() {
        assertFinds(
                REPLICAS, "aPromiseCountsInOneRowOnly", advised("replica.promise.Promises", OfAnyRow.class, "isExact"));
    }

    /** The sources have promised nothing. */
    static final class NoPromises {

        private NoPromises() {}

        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) CompletableFuture<?> found) {
            found = CompletableFuture.completedFuture(Map.of());
        }
    }

    @Test
    void anHeirThatForgetsWhatItsSourcesHavePromised() {
        assertFinds(
                REPLICAS,
                "anHeirRefusesWhatTheOwnerHasRefused",
                advised("move.Source", NoPromises.class, "askForPromises"));
    }

    @Test
    void anAcceptOfAnyBallot() {
        assertBreaksCounters(100, fixed("replica.promise.Promises", "isExact", true));
    }

    /** A lead is used again and again. */
    static final class UsedTwice {

        private UsedTwice() {}

        @Advice.OnMethodExit
        static void exit(@Advice.This Object leads, @Advice.Return Optional<?> taken) {
            PlantedBugs.Reach.giveBack(leads, taken);
        }
    }

    @Test
    void aBallotThatIsUsedTwice() {
        assertBreaksCounters(100, advised("coordinator.atomic.Leads", UsedTwice.class, "take"));
    }

    @Test
    void aLeadWithoutPromises() {
        assertBreaksCounters(100, fixed("replica.promise.Promises", "promisedNext", true));
    }

    @Test
    void anEmptyHeirThatIsRead() {
        assertFinds(
                REPLICAS,
                "anHeirOfADeadOwnerDoesNotPromise",
                fixed("coordinator.atomic.RowQuorum", "isReadable", true));
    }

    @Test
    void aReplicaWhoseDiskIsInDoubtThatVotes() {
        assertFinds(
                REPLICAS,
                "aRestartedReplicaVotesOnceOthersHaveConfirmedItsDisk",
                stubbed("replica.RegisterReplica", "refusal"));
    }

    @Test
    void anAcceptThatASnapshotShows() {
        assertFinds(
                "io.dht4j.simulator.cluster.membership.AtomicCallsTest",
                "aSnapshotShowsNoOperationOfANodeThatItHasLeftOut",
                advised("snapshot.Snapshots", NotFound.class, "fixedAtOrAbove"));
    }

    /** One of the two nodes of a slot is enough. */
    static final class HalfAPair {

        private HalfAPair() {}

        @Advice.OnMethodExit
        static void exit(
                @Advice.Argument(0) Object slot,
                @Advice.Argument(1) Predicate<Object> answers,
                @Advice.Return(readOnly = false) boolean all) {
            all = all || PlantedBugs.Reach.isAnyOf(slot, answers);
        }
    }

    @Test
    void halfAPairThatIsRead() {
        assertFinds(
                REPLICAS,
                "whatAReadHasShownIsOnAMajority",
                advised("coordinator.atomic.RowQuorum", HalfAPair.class, "hasAnswered"));
    }

    /** Whatever a node holds is chosen, once a majority has answered. */
    static final class AnyAnswer {

        private AnyAnswer() {}

        @Advice.OnMethodExit
        static void exit(
                @Advice.FieldValue("row") Object row,
                @Advice.FieldValue("ended") Collection<?> ended,
                @Advice.Return(readOnly = false) boolean chosen) {
            chosen = PlantedBugs.Reach.isReadQuorum(row, ended);
        }
    }

    @Test
    void aReadWithoutAgreement() {
        assertBreaksCounters(100, advised("coordinator.atomic.RegisterRead", AnyAnswer.class, "isChosen"));
    }

    @Test
    void repairThatMerges() {
        assertFinds(REPLICAS, "repairLetsReplicasAgree", fixed("repair.session.EntryReconciler", "takesOver", true));
    }

    /** Nothing is found: no operation that is remembered, no snapshot that shows a version. */
    static final class NotFound {

        private NotFound() {}

        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) Optional<?> found) {
            found = Optional.empty();
        }
    }

    @Test
    void aRequestThatIsExecutedTwice() {
        assertBreaksCounters(100, advised("atomic.Register", NotFound.class, "find"));
    }

    @Test
    void ballotsWithoutARecord() {
        assertFinds(
                "io.dht4j.simulator.cluster.order.VersionSourceTest",
                "aBallotFailsWhereAWriteGoesOnWithoutItsBound",
                fixed("clock.VersionSource", "keep", true));
    }

    /** Nothing was purged. */
    static final class NothingPurged {

        private NothingPurged() {}

        @Advice.OnMethodEnter
        static void enter(
                @Advice.Argument(value = 2, readOnly = false, typing = Assigner.Typing.DYNAMIC) Object watermark) {
            watermark = PlantedBugs.Reach.zero();
        }
    }

    @Test
    void aPurgeThatPromisesDoNotTell() {
        assertFinds(
                REPLICAS,
                "anOperationIsNotExecutedAgainAfterAPurge",
                advised("replica.RegisterReplica", NothingPurged.class, "promised"));
    }

    /** No operation was forgotten. */
    static final class NothingForgotten {

        private NothingForgotten() {}

        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false, typing = Assigner.Typing.DYNAMIC) Object forgotten) {
            forgotten = PlantedBugs.Reach.zero();
        }
    }

    @Test
    void aRequestThatIsForgottenWithoutAMark() {
        assertFinds(
                REPLICAS,
                "anOperationIsNotExecutedAgainAfterAPurge",
                advised("atomic.Register", NothingForgotten.class, "forgotten"));
    }
}
