package io.dht4j.testkit.simulator;

import static net.bytebuddy.matcher.ElementMatchers.named;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.core.internal.clock.HybridClock;
import io.dht4j.spi.Entry;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.implementation.FixedValue;
import net.bytebuddy.implementation.StubMethod;
import org.junit.jupiter.api.Test;

/** Bugs that others have had, planted one at a time: the simulator finds each. */
class PlantedBugsTest {

    /** How many seeds it may take. */
    private static final int SEEDS = 300;

    private static final String INTERNAL = "io.dht4j.core.internal.";

    /** What the first seed that finds something finds. */
    private static Optional<String> found(Map<String, UnaryOperator<DynamicType.Builder<?>>> changes) {
        PlantedBug bug = new PlantedBug(changes);
        return LongStream.range(0, SEEDS)
                .mapToObj(seed -> {
                    try {
                        return bug.violations(seed);
                    } catch (ReflectiveOperationException e) {
                        throw new AssertionError(e);
                    }
                })
                .filter(violations -> !violations.isEmpty())
                .map(violations -> String.valueOf(violations.get(0)))
                .findFirst();
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

        assertThat(LongStream.range(0, 50).mapToObj(seed -> {
                    try {
                        return none.violations(seed);
                    } catch (ReflectiveOperationException e) {
                        throw new AssertionError(e);
                    }
                }))
                .allMatch(List::isEmpty);
    }

    @Test
    void aLostHint() {
        assertThat(found(Map.of(
                        INTERNAL + "handoff.Handoff",
                        handoff -> handoff.method(named("missed")).intercept(StubMethod.INSTANCE))))
                .hasValueSatisfying(what -> assertThat(what).contains("by hints alone"));
    }

    @Test
    void tiesAloneBreakNothing() {
        assertThat(found(Map.of(HybridClock.class.getName(), PlantedBugsTest::withoutSlots)))
                .isEmpty();
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
        assertThat(found(Map.of(
                        HybridClock.class.getName(),
                        PlantedBugsTest::withoutSlots,
                        Entry.class.getName(),
                        entry -> entry.visit(Advice.to(LastOneWins.class).on(named("supersedes"))))))
                .isPresent();
    }

    /** Every answer counts for two. */
    static final class CountedTwice {

        private CountedTwice() {}

        @Advice.OnMethodEnter
        static void enter(@Advice.FieldValue("acks") AtomicInteger acks) {
            acks.incrementAndGet();
        }
    }

    @Test
    void anAckThatIsCountedTwice() {
        assertThat(found(Map.of(
                        INTERNAL + "coordinator.AckTracker",
                        tracker -> tracker.visit(Advice.to(CountedTwice.class).on(named("ack"))))))
                .isPresent();
    }

    @Test
    void acknowledgedBeforeLogged() {
        assertThat(found(Map.of(
                        "io.dht4j.testkit.simulator.SimulatedDisk",
                        disk -> disk.method(named("sync")).intercept(StubMethod.INSTANCE))))
                .isPresent();
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
        assertThat(found(Map.of(
                        INTERNAL + "repair.Fence",
                        fence -> fence.visit(Advice.to(AnyTombstone.class).on(named("isOver"))))))
                .isPresent();
    }

    /** Nobody is taken to be behind, so that nobody is repaired. */
    @Test
    void aReadThatRepairsNobody() {
        assertThat(found(Map.of(
                        INTERNAL + "coordinator.Sighting",
                        sighting -> sighting.method(named("isBehind")).intercept(FixedValue.value(false)))))
                .isPresent();
    }

    /** What a node has lost is taken for what nobody wrote. */
    @Test
    void aReplicaThatIsReadBeforeItIsRefilled() {
        assertThat(found(Map.of(
                        INTERNAL + "refill.Unfilled",
                        unfilled -> unfilled.method(named("isEmpty")).intercept(FixedValue.value(true)))))
                .isPresent();
    }

    /** One of the other replicas is thought to have everything. */
    @Test
    void aRefillFromOneReplicaOnly() {
        assertThat(found(Map.of(
                        INTERNAL + "refill.Pull",
                        pull -> pull.method(named("isDone")).intercept(FixedValue.value(true)))))
                .isPresent();
    }

    @Test
    void aSnapshotThatKeepsNothing() {
        assertThat(found(Map.of(
                        INTERNAL + "snapshot.Cut",
                        cut -> cut.method(named("merging")).intercept(FixedValue.value(0L)))))
                .isPresent();
    }

    @Test
    void aSnapshotThatWaitsForNoWrite() {
        assertThat(found(Map.of(
                        INTERNAL + "snapshot.Cuts",
                        cuts -> cuts.method(named("writesSoFar"))
                                .intercept(FixedValue.value(CompletableFuture.completedFuture(null))))))
                .isPresent();
    }

    @Test
    void hintsThatStay() {
        assertThat(found(Map.of(
                        INTERNAL + "handoff.MemoryHintLog",
                        log -> log.method(named("delivered")).intercept(StubMethod.INSTANCE))))
                .isPresent();
    }
}
