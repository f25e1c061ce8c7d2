package io.dht4j.simulator;

import static io.dht4j.simulator.PlantedBugs.INTERNAL;
import static io.dht4j.simulator.PlantedBugs.UNEQUAL;
import static io.dht4j.simulator.PlantedBugs.advised;
import static io.dht4j.simulator.PlantedBugs.assertBreaks;
import static io.dht4j.simulator.PlantedBugs.in;
import static io.dht4j.simulator.PlantedBugs.shortlyBefore;
import static io.dht4j.simulator.PlantedBugs.violations;
import static net.bytebuddy.matcher.ElementMatchers.named;
import static net.bytebuddy.matcher.ElementMatchers.takesArguments;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.core.internal.clock.HybridClock;
import io.dht4j.simulator.SimulationOptions.Mode;
import io.dht4j.spi.Entry;
import io.dht4j.testkit.SearchEffort;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.dynamic.DynamicType;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Bugs in the order of writes, planted one at a time: the simulator finds each, or a test of its own does. */
@Tag("search")
@Tag("variant")
@Tag("full")
class PlantedOrderBugsTest {

    /**
     * How many it may take to find the bug that is planted together with ties: as many show that ties alone break
     * nothing.
     */
    private static final int SEEDS_OF_TIES = SearchEffort.isWhole() ? 300 : 15;

    private static final long FIRST_SEED_OF_TIES = shortlyBefore(188);

    /** Versions that differ by node no longer do, so that writes of one moment tie. */
    private static DynamicType.Builder<?> withoutSlots(DynamicType.Builder<?> clock) {
        return clock.visit(Advice.to(NoSlot.class).on(named("inSlot")));
    }

    /** See {@link #withoutSlots}. */
    static final class NoSlot {

        private NoSlot() {}

        @Advice.OnMethodExit
        static void exit(@Advice.Argument(0) long version, @Advice.Return(readOnly = false) long result) {
            result = version;
        }
    }

    @Test
    @Tag("core")
    void tiesBreakNothingButTheOrderOfWrites() {
        PlantedBug ties = new PlantedBug(in(HybridClock.class.getName(), PlantedOrderBugsTest::withoutSlots));

        assertThat(LongStream.range(FIRST_SEED_OF_TIES, FIRST_SEED_OF_TIES + SEEDS_OF_TIES)
                        .mapToObj(seed -> violations(ties, seed, Mode.STATIC)))
                .allMatch(found -> found.stream()
                        .allMatch(each ->
                                Pattern.compile(SUPERSEDED).matcher(each).find()));
    }

    /** Of two entries of one version, the one that comes last wins. */
    static final class LastOneWins {

        private LastOneWins() {}

        @Advice.OnMethodExit
        static void exit(
                @Advice.FieldValue("version") Object mine,
                @Advice.Argument(0) Object other,
                @Advice.Return(readOnly = false) boolean result) {
            result |= other.toString().contains("@" + mine + " ");
        }
    }

    @Test
    void aTieBreakThatIsNotSymmetric() {
        assertBreaks(
                UNEQUAL,
                Map.of(
                        HybridClock.class.getName(),
                        PlantedOrderBugsTest::withoutSlots,
                        Entry.class.getName(),
                        entry -> entry.visit(Advice.to(LastOneWins.class).on(named("supersedes")))),
                Mode.STATIC,
                FIRST_SEED_OF_TIES,
                SEEDS_OF_TIES);
    }

    private static final String SUPERSEDED = " is superseded by .*, which was acknowledged before it began";

    private static final String NOT_LINEARIZABLE = "^no order of the operations on ";

    /** No replica reports newer versions. */
    static final class NothingNewer {

        private NothingNewer() {}

        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) List<?> result) {
            result = List.of();
        }
    }

    @Test
    void aWriteWithoutASecondStamp() {
        assertBreaks(SUPERSEDED, advised("wire.Reply$Applied", NothingNewer.class, "newer"), shortlyBefore(12));
    }

    /** Acknowledges what has just been stamped again and sent. */
    static final class NoSecondRound {

        private NoSecondRound() {}

        @Advice.OnMethodExit
        static void exit(@Advice.This Object operation, @Advice.Argument(0) Object stamp) {
            PlantedBugs.Reach.acknowledge(operation, stamp);
        }
    }

    @Test
    void aSecondStampWithoutASecondRound() {
        assertBreaks(
                " was acknowledged, and is on ",
                advised("coordinator.write.WriteOperation", NoSecondRound.class, "lost"));
    }

    /** No replica is waited for. */
    static final class AllAreSilent {

        private AllAreSilent() {}

        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(value = 1, readOnly = false) long waitedNanos) {
            waitedNanos = Long.MAX_VALUE;
        }
    }

    @Test
    void aSecondStampBeforeAReplicaIsSilent() {
        PlantedTests.assertFinds(
                "io.dht4j.simulator.cluster.order.SupersededWritesTest",
                "replicaAnsweringInTimeNeedsNoSecondVersion",
                advised("coordinator.write.WriteOperation", AllAreSilent.class, "supersedeIfSilent"));
    }

    /** Nobody is asked for the newest version. */
    static final class NoQuery {

        private NoQuery() {}

        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) CompletableFuture<?> result) {
            result = CompletableFuture.completedFuture(PlantedBugs.Reach.zero());
        }
    }

    @Test
    @Tag("core")
    void aLinearizableWriteThatDoesNotAsk() {
        assertBreaks(
                SUPERSEDED + "|" + NOT_LINEARIZABLE,
                advised("coordinator.write.VersionQuery", NoQuery.class, "start"),
                shortlyBefore(20));
    }

    /** The first answer is enough. */
    static final class FirstAnswer {

        private FirstAnswer() {}

        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) boolean result) {
            result = result || PlantedBugs.Reach.isCalledByQuery();
        }
    }

    @Test
    void aLinearizableWriteThatAsksTooFew() {
        assertBreaks(
                SUPERSEDED + "|" + NOT_LINEARIZABLE,
                advised("coordinator.quorum.AckTracker", FirstAnswer.class, "ack"),
                shortlyBefore(105));
    }

    /** The node's own store is written before its clock is judged. */
    static final class OwnStoreFirst {

        private OwnStoreFirst() {}

        @Advice.OnMethodEnter
        static void enter(@Advice.This Object writes, @Advice.Argument(1) Function<Object, Object> entriesOf) {
            PlantedBugs.Reach.writeOwnStore(writes, entriesOf);
        }
    }

    @Test
    void aRefusedWriteThatIsInTheOwnStore() {
        assertBreaks(
                "certainly failed: ",
                in(
                        INTERNAL + "coordinator.node.WriteCalls",
                        writes -> writes.visit(
                                Advice.to(OwnStoreFirst.class).on(named("write").and(takesArguments(4))))));
    }
}
