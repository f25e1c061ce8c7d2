package io.dht4j.simulator;

import static net.bytebuddy.matcher.ElementMatchers.named;
import static net.bytebuddy.matcher.ElementMatchers.takesArguments;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.dht4j.core.internal.clock.HybridClock;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.spi.Entry;
import io.dht4j.testkit.SearchEffort;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.implementation.FixedValue;
import net.bytebuddy.implementation.StubMethod;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Bugs that others have had, planted one at a time: the simulator finds each. */
@Tag("search")
class PlantedBugsTest {

    /** How many seeds it may take. */
    private static final int SEEDS = 3000;

    /**
     * How many it may take to find the bug that is planted together with ties: as many show that ties alone break
     * nothing.
     */
    private static final int SEEDS_OF_TIES = SearchEffort.of(300);

    private static final long FIRST_SEED_OF_TIES = shortlyBefore(180);

    /** How many show that nothing is found where no bug is. */
    private static final int SEEDS_WITHOUT_BUGS = SearchEffort.of(50);

    private static final String INTERNAL = "io.dht4j.core.internal.";

    /** How a bug shows that makes the simulation itself fail: by an exception, or by never coming to an end. */
    private static final Pattern CRASH =
            Pattern.compile("^(the simulation failed|a task threw|still busy)|java\\.lang\\.");

    /** A quorum read or a scan does not show what was acknowledged, or what a read has shown. */
    private static final String LOST =
            " (READ|SCAN) .* (does not show|shows .* older than|shows .* seen deleted or expired)";

    private static final String NOT_ON_DISK = " was acknowledged, and is on [0-9]+ of [0-9]+ disks";
    private static final String LOST_FROM_A_SNAPSHOT = " SNAPSHOT .* (does not show|shows .* older than)";
    private static final String UNEQUAL = "^[a-z ]+, when all was healed, the replicas of .* hold ";
    private static final String NOT_HANDED_OVER = "nor handed over what others missed: |keeps hints of ";

    /** Where a search for a bug that few seeds find begins: at 0 if it is whole, else shortly before one of them. */
    private static long shortlyBefore(long seed) {
        return SearchEffort.isWhole() ? 0 : seed;
    }

    /** The one change of a class. */
    private static Map<String, UnaryOperator<DynamicType.Builder<?>>> in(
            String className, UnaryOperator<DynamicType.Builder<?>> change) {
        return Map.of(className, change);
    }

    /**
     * Requires that a seed finds what a bug breaks, and that it is a promise which the bug breaks and not the
     * simulation.
     *
     * @param promise what one of the complaints must contain
     */
    private static void assertBreaks(String promise, Map<String, UnaryOperator<DynamicType.Builder<?>>> changes) {
        assertBreaks(promise, changes, 0, SEEDS);
    }

    private static void assertBreaks(
            String promise, Map<String, UnaryOperator<DynamicType.Builder<?>>> changes, long first, int seeds) {
        Pattern wanted = Pattern.compile(promise);
        PlantedBug bug = new PlantedBug(changes);
        List<String> others = new ArrayList<>();
        for (long seed = first; seed < first + seeds; seed++) {
            List<String> found = violations(bug, seed);
            assertThat(found).as("seed %d", seed).noneMatch(CRASH.asPredicate());
            if (found.stream().anyMatch(wanted.asPredicate())) {
                return;
            }
            others.addAll(found);
        }
        fail("%d seeds did not find it, only: %s", seeds, others.subList(0, Math.min(10, others.size())));
    }

    private static List<String> violations(PlantedBug bug, long seed) {
        try {
            return bug.violations(seed).stream().map(String::valueOf).toList();
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

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
    void nothingIsFoundWhereNothingIsPlanted() {
        PlantedBug none = new PlantedBug(Map.of());

        assertThat(LongStream.range(0, SEEDS_WITHOUT_BUGS).mapToObj(seed -> violations(none, seed)))
                .allMatch(List::isEmpty);
    }

    @Test
    void aLostHint() {
        assertBreaks(
                "^by hints alone",
                in(
                        INTERNAL + "handoff.Handoff",
                        handoff -> handoff.method(named("missed")).intercept(StubMethod.INSTANCE)),
                shortlyBefore(66),
                SEEDS);
    }

    @Test
    void tiesBreakNothingButTheOrderOfWrites() {
        PlantedBug ties = new PlantedBug(in(HybridClock.class.getName(), PlantedBugsTest::withoutSlots));

        assertThat(LongStream.range(FIRST_SEED_OF_TIES, FIRST_SEED_OF_TIES + SEEDS_OF_TIES)
                        .mapToObj(seed -> violations(ties, seed)))
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
                        PlantedBugsTest::withoutSlots,
                        Entry.class.getName(),
                        entry -> entry.visit(Advice.to(LastOneWins.class).on(named("supersedes")))),
                FIRST_SEED_OF_TIES,
                SEEDS_OF_TIES);
    }

    /** Every answer counts for two. */
    static final class CountedTwice {

        private CountedTwice() {}

        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(value = 0, readOnly = false) long one) {
            // Of the kinds of answers, the smallest is that a replica has done as it was asked.
            one = one == 1 ? 2 : one;
        }
    }

    @Test
    void anAckThatIsCountedTwice() {
        assertBreaks(
                LOST,
                in(
                        INTERNAL + "coordinator.quorum.AckTracker",
                        tracker -> tracker.visit(Advice.to(CountedTwice.class).on(named("count")))));
    }

    /** A write is confirmed when it begins to wait for the store. */
    static final class ConfirmedAtOnce {

        private ConfirmedAtOnce() {}

        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(value = 2, readOnly = false) Consumer<Object> reply) {
            reply.accept(Reply.Applied.AS_NEWEST);
            reply = new Ignored();
        }
    }

    /** Takes what nobody waits for any more. Public, since a class of the product makes one. */
    public static final class Ignored implements Consumer<Object> {

        /** What is ignored. */
        public Ignored() {}

        @Override
        public void accept(Object reply) {
            // The one that counts has been given.
        }
    }

    @Test
    void acknowledgedBeforeTheStoreHasIt() {
        assertBreaks(
                NOT_ON_DISK,
                in(
                        INTERNAL + "replica.StoreGate",
                        gate -> gate.visit(Advice.to(ConfirmedAtOnce.class).on(named("write")))));
    }

    /** Not in the product but in the simulator's own store: loss of power loses what it must not have shown. */
    @Test
    void aStoreThatDoesNotSync() {
        assertBreaks(
                LOST,
                in(
                        "io.dht4j.simulator.SimulatedDisk",
                        disk -> disk.method(named("sync")).intercept(StubMethod.INSTANCE)));
    }

    /** Tombstones go with the next round, whether or not all replicas have had them. */
    static final class AnyTombstone {

        private AnyTombstone() {}

        @Advice.OnMethodExit
        static void exit(@Advice.Argument(0) Entry entry, @Advice.Return(readOnly = false) boolean result) {
            result = entry.isTombstone();
        }
    }

    @Test
    void aPurgeThatIsTooEarly() {
        assertBreaks(
                LOST,
                in(
                        INTERNAL + "repair.purge.PurgeWatermarks",
                        fence -> fence.visit(Advice.to(AnyTombstone.class).on(named("isOver")))));
    }

    /** Nobody is taken to be behind, so that nobody is repaired. */
    @Test
    void aReadThatRepairsNobody() {
        assertBreaks(
                LOST,
                in(
                        INTERNAL + "coordinator.quorum.ReplicaAnswer",
                        sighting -> sighting.method(named("isBehind")).intercept(FixedValue.value(false))));
    }

    /** What a node has lost is taken for what nobody wrote. */
    @Test
    void aReplicaThatIsReadBeforeItIsRefilled() {
        assertBreaks(
                LOST,
                in(
                        INTERNAL + "refill.PartitionReadBarrier",
                        unfilled -> unfilled.method(named("isEmpty")).intercept(FixedValue.value(true))),
                shortlyBefore(40),
                SEEDS);
    }

    /** One of the other replicas is thought to have everything. */
    @Test
    void aRefillFromOneReplicaOnly() {
        assertBreaks(
                LOST,
                in(
                        INTERNAL + "refill.Pull",
                        pull -> pull.method(named("isDone")).intercept(FixedValue.value(true))),
                shortlyBefore(40),
                SEEDS);
    }

    @Test
    void aSnapshotThatKeepsNothing() {
        assertBreaks(
                LOST_FROM_A_SNAPSHOT,
                in(
                        INTERNAL + "snapshot.Snapshot",
                        cut -> cut.method(named("merging")).intercept(FixedValue.value(0L))));
    }

    /** Nothing is under way, it is said. */
    static final class NothingUnderWay {

        private NothingUnderWay() {}

        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) CompletableFuture<Void> result) {
            result = CompletableFuture.completedFuture(null);
        }
    }

    @Test
    void aSnapshotThatWaitsForNoWrite() {
        assertBreaks(
                LOST_FROM_A_SNAPSHOT,
                in(
                        INTERNAL + "snapshot.Snapshots",
                        cuts -> cuts.visit(Advice.to(NothingUnderWay.class).on(named("writesSoFar")))),
                shortlyBefore(5150),
                6000);
    }

    @Test
    void hintsThatStay() {
        assertBreaks(
                NOT_HANDED_OVER,
                in(
                        INTERNAL + "handoff.MemoryHintLog",
                        log -> log.method(named("delivered")).intercept(StubMethod.INSTANCE)));
    }

    /** What could not be read to its end seems to have come to it. */
    static final class EndedByFailing {

        private EndedByFailing() {}

        @Advice.OnMethodEnter
        static void enter(
                @Advice.FieldValue("failure") Optional<Throwable> failure,
                @Advice.FieldValue(value = "over", readOnly = false) boolean over) {
            over |= failure.isPresent();
        }
    }

    @Test
    void aFailedScanThatTellsItsEnd() {
        assertBreaks(
                " SCAN .* failed with .*, and then went on with \\[]$",
                in(
                        INTERNAL + "coordinator.node.NodeCluster$Pages",
                        pages -> pages.visit(Advice.to(EndedByFailing.class).on(named("next")))));
    }

    /** What changed methods call; in the class loader of the product they may reach public classes only. */
    public static final class Reach {

        private Reach() {}

        /** For {@link NoSecondRound}: as if enough replicas had taken the latest stamp. */
        public static void acknowledge(Object operation, Object stamp) {
            try {
                Method latest = stamp.getClass().getDeclaredMethod("latest");
                latest.setAccessible(true);
                Object again = latest.invoke(stamp);
                if (!again.equals(stamp)) {
                    Method acknowledged = operation.getClass().getDeclaredMethod("acknowledged", stamp.getClass());
                    acknowledged.setAccessible(true);
                    acknowledged.invoke(operation, again);
                }
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }

        /** For {@link NoQuery}: a version older than all, of the class that the product under test has. */
        public static Object zero() {
            try {
                Class<?> caller = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE)
                        .walk(frames -> frames.skip(1).findFirst().orElseThrow().getDeclaringClass());
                return caller.getClassLoader()
                        .loadClass("io.dht4j.Version")
                        .getConstructor(long.class)
                        .newInstance(0L);
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }

        /** For {@link OwnStoreFirst}: what is refused for the node's clock is in its store already. */
        public static void writeOwnStore(Object cluster, Function<Object, Object> entriesOf) {
            try {
                Object machinery = field(cluster, "machinery");
                if (((Optional<?>) call(field(machinery, "clocks"), "problem")).isPresent()) {
                    Object version = call(field(machinery, "versions"), "next");
                    Object store = call(field(cluster, "parts"), "store");
                    Method apply = store.getClass().getMethod("apply", List.class);
                    apply.setAccessible(true);
                    apply.invoke(store, entriesOf.apply(version));
                }
            } catch (InvocationTargetException e) {
                // A store that fails has not written.
                Thread.onSpinWait();
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }

        private static Object field(Object of, String name) throws ReflectiveOperationException {
            Field field = of.getClass().getDeclaredField(name);
            field.setAccessible(true);
            return field.get(of);
        }

        private static Object call(Object of, String name) throws ReflectiveOperationException {
            Method method = of.getClass().getDeclaredMethod(name);
            method.setAccessible(true);
            return method.invoke(of);
        }

        /** For {@link FirstAnswer}. */
        public static boolean isCalledByQuery() {
            return StackWalker.getInstance()
                    .walk(frames -> frames.limit(4)
                            .anyMatch(frame -> frame.getClassName().endsWith(".VersionQuery")
                                    && frame.getMethodName().equals("answered")));
        }
    }

    private static final String SUPERSEDED = " is superseded by .*, which was acknowledged before it began";

    private static final String NOT_LINEARIZABLE = "^no order of the operations on ";

    /** Nobody tells of newer versions. */
    static final class NothingNewer {

        private NothingNewer() {}

        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) List<?> result) {
            result = List.of();
        }
    }

    @Test
    void aWriteWithoutASecondStamp() {
        assertBreaks(
                SUPERSEDED,
                in(
                        INTERNAL + "wire.Reply$Applied",
                        applied -> applied.visit(Advice.to(NothingNewer.class).on(named("newer")))));
    }

    /** Acknowledges what has just been stamped again and sent. */
    static final class NoSecondRound {

        private NoSecondRound() {}

        @Advice.OnMethodExit
        static void exit(@Advice.This Object operation, @Advice.Argument(0) Object stamp) {
            Reach.acknowledge(operation, stamp);
        }
    }

    @Test
    void aSecondStampWithoutASecondRound() {
        assertBreaks(
                " was acknowledged, and is on ",
                in(
                        INTERNAL + "coordinator.write.WriteOperation",
                        write -> write.visit(Advice.to(NoSecondRound.class).on(named("lost")))));
    }

    /** Nobody is asked for the newest version. */
    static final class NoQuery {

        private NoQuery() {}

        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) CompletableFuture<?> result) {
            result = CompletableFuture.completedFuture(Reach.zero());
        }
    }

    @Test
    void aLinearizableWriteThatDoesNotAsk() {
        assertBreaks(
                SUPERSEDED + "|" + NOT_LINEARIZABLE,
                in(
                        INTERNAL + "coordinator.write.VersionQuery",
                        query -> query.visit(Advice.to(NoQuery.class).on(named("start")))));
    }

    /** The first answer is enough. */
    static final class FirstAnswer {

        private FirstAnswer() {}

        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) boolean result) {
            result = result || Reach.isCalledByQuery();
        }
    }

    @Test
    void aLinearizableWriteThatAsksTooFew() {
        assertBreaks(
                SUPERSEDED + "|" + NOT_LINEARIZABLE,
                in(
                        INTERNAL + "coordinator.quorum.AckTracker",
                        tracker -> tracker.visit(Advice.to(FirstAnswer.class).on(named("ack")))));
    }

    /** The node's own store is written before its clock is judged. */
    static final class OwnStoreFirst {

        private OwnStoreFirst() {}

        @Advice.OnMethodEnter
        static void enter(@Advice.This Object cluster, @Advice.Argument(2) Function<Object, Object> entriesOf) {
            Reach.writeOwnStore(cluster, entriesOf);
        }
    }

    @Test
    void aRefusedWriteThatIsInTheOwnStore() {
        assertBreaks(
                "certainly failed: ",
                in(
                        INTERNAL + "coordinator.node.NodeCluster",
                        cluster -> cluster.visit(
                                Advice.to(OwnStoreFirst.class).on(named("write").and(takesArguments(3))))));
    }
}
