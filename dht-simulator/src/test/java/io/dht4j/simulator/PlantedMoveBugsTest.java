package io.dht4j.simulator;

import static io.dht4j.simulator.PlantedBugs.INTERNAL;
import static io.dht4j.simulator.PlantedBugs.LOST;
import static io.dht4j.simulator.PlantedBugs.advised;
import static io.dht4j.simulator.PlantedBugs.fixed;
import static io.dht4j.simulator.PlantedBugs.in;
import static io.dht4j.simulator.PlantedBugs.stubbed;
import static net.bytebuddy.matcher.ElementMatchers.named;
import static net.bytebuddy.matcher.ElementMatchers.takesArguments;

import io.dht4j.core.internal.view.Batch;
import io.dht4j.core.internal.view.Phase;
import io.dht4j.simulator.SimulationOptions.Mode;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.asm.MemberSubstitution;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.implementation.StubMethod;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Bugs in the moves of slots, planted one at a time: the simulator finds each while nodes join, leave and die. See
 * {@link PlantedRareBugsTest} for bugs that need a rare order of events.
 */
@Tag("full")
class PlantedMoveBugsTest {

    /** How many seeds it may take from the first one. The rarest of these bugs shows in one of sixty. */
    private static final int SEEDS = 300;

    /** A slot lacks what it must have, or a read shows it. */
    private static final String MISSING = "^acknowledged .* slots of partition |" + LOST;

    private static void assertBreaks(
            String promise, Map<String, UnaryOperator<DynamicType.Builder<?>>> changes, long first) {
        PlantedBugs.assertBreaks(promise, changes, Mode.CHANGING, first, SEEDS);
    }

    @Test
    void switchedBeforeTheHeirIsComplete() {
        assertBreaks(MISSING, fixed("view.IncomingReplicas", "isComplete", true), 0);
    }

    /** A pair has acknowledged when its owner has. */
    static final class OwnerAlone {

        private OwnerAlone() {}

        @Advice.OnMethodExit
        static void exit(
                @Advice.Argument(0) int answers,
                @Advice.Argument(1) int bit,
                @Advice.Return(readOnly = false) boolean result) {
            result = (answers & bit) != 0;
        }
    }

    @Test
    void countedByTheOldOwnerAlone() {
        assertBreaks(MISSING, advised("coordinator.quorum.PairTracker", OwnerAlone.class, "haveBoth"), 0);
    }

    @Test
    void countedByTheHeirAlone() {
        assertBreaks(
                MISSING, advised("coordinator.quorum.PairTracker", PlantedRareBugsTest.HeirAlone.class, "haveBoth"), 0);
    }

    /** The heir of a batch that adds slots has reported all partitions. */
    static final class AllReported {

        private AllReported() {}

        @Advice.OnMethodExit
        static void exit(@Advice.Argument(0) Batch batch, @Advice.Return(readOnly = false) Optional<?> result) {
            if (batch.phase() == Phase.GROW) {
                result = Optional.of(batch.partitions());
            }
        }
    }

    @Test
    void furtherReplicaThatCountsBeforeItIsComplete() {
        assertBreaks(MISSING, advised("membership.driver.BatchDecisions", AllReported.class, "part"), 0);
    }

    @Test
    void noCheckOfRows() {
        assertBreaks(MISSING, stubbed("replica.RowGuard$Found", "refusal"), 0);
    }

    @Test
    void copiedBeforeTheSourceHasInstalledTheMove() {
        assertBreaks(
                MISSING,
                in(
                        INTERNAL + "replica.RowGuard",
                        guard -> guard.method(
                                        named("refusal").and(takesArguments(2).or(takesArguments(3))))
                                .intercept(StubMethod.INSTANCE)),
                0);
    }

    @Test
    void filledFromOneOfTheOthersOnly() {
        assertBreaks(MISSING, advised("move.Source", PlantedRareBugsTest.AllDone.class, "done"), 0);
    }

    @Test
    void leftoversThatAreNotDropped() {
        assertBreaks(
                " is no replica of .* and holds |owns no slot of partition", stubbed("move.Leftovers", "dropNow"), 0);
    }

    @Test
    void commandsThatExpectNoEpoch() {
        assertBreaks(
                "the cluster has not come to rest|breaks an invariant|^two states",
                in(
                        INTERNAL + "membership.command.StateMachine",
                        machine -> machine.visit(MemberSubstitution.relaxed()
                                .method(named("expectedEpoch").or(named("epoch")))
                                .stub()
                                .on(named("apply").and(takesArguments(2))))),
                0);
    }
}
