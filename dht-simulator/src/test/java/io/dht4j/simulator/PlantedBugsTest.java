package io.dht4j.simulator;

import static io.dht4j.simulator.PlantedBugs.LOST;
import static io.dht4j.simulator.PlantedBugs.NOT_ON_DISK;
import static io.dht4j.simulator.PlantedBugs.advised;
import static io.dht4j.simulator.PlantedBugs.assertBreaks;
import static io.dht4j.simulator.PlantedBugs.fixed;
import static io.dht4j.simulator.PlantedBugs.in;
import static io.dht4j.simulator.PlantedBugs.shortlyBefore;
import static io.dht4j.simulator.PlantedBugs.stubbed;
import static io.dht4j.simulator.PlantedBugs.violations;
import static net.bytebuddy.matcher.ElementMatchers.named;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.core.internal.wire.Reply;
import io.dht4j.simulator.SimulationOptions.Mode;
import io.dht4j.spi.Entry;
import io.dht4j.testkit.SearchEffort;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.StubMethod;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Bugs that others have had, planted one at a time: the simulator finds each. */
@Tag("search")
@Tag("variant")
@Tag("full")
class PlantedBugsTest {

    /** How many show that nothing is found where no bug is. */
    private static final int SEEDS_WITHOUT_BUGS = SearchEffort.of(20);

    /** Its clocks jump little, so that hints are waited for shortly. */
    private static final long SEED_OF_SMALL_JUMPS = 8;

    private static final String LOST_FROM_A_SNAPSHOT = " SNAPSHOT .* (does not show|shows .* older than)";

    private static final String NOT_HANDED_OVER = "nor handed over what others missed: |keeps hints of ";

    @Test
    @Tag("core")
    void nothingIsFoundWhereNothingIsPlanted() {
        PlantedBug none = new PlantedBug(Map.of());

        assertThat(LongStream.range(0, SEEDS_WITHOUT_BUGS).mapToObj(seed -> violations(none, seed, Mode.STATIC)))
                .allMatch(List::isEmpty);
    }

    @Test
    @Tag("core")
    void aLostHint() {
        assertBreaks("^by hints alone", stubbed("handoff.Handoff", "missed"), shortlyBefore(90));
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
        assertBreaks(LOST, advised("coordinator.quorum.AckTracker", CountedTwice.class, "count"), shortlyBefore(200));
    }

    /** A write is confirmed when it begins to wait for the store. */
    static final class ConfirmedAtOnce {

        private ConfirmedAtOnce() {}

        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(value = 3, readOnly = false) Consumer<Object> reply) {
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
    @Tag("core")
    void acknowledgedBeforeTheStoreHasIt() {
        assertBreaks(NOT_ON_DISK, advised("replica.StoreGate", ConfirmedAtOnce.class, "write"));
    }

    /** Not in the product but in the simulator's own store: loss of power loses what it must not have shown. */
    @Test
    void aStoreThatDoesNotSync() {
        assertBreaks(
                LOST,
                in(
                        "io.dht4j.simulator.internal.node.SimulatedDisk",
                        disk -> disk.method(named("sync")).intercept(StubMethod.INSTANCE)),
                shortlyBefore(30));
    }

    /** Tombstones go with the next session, whether or not all replicas have had them. */
    static final class AnyTombstone {

        private AnyTombstone() {}

        @Advice.OnMethodExit
        static void exit(@Advice.Argument(0) Entry entry, @Advice.Return(readOnly = false) boolean result) {
            result = entry.isTombstone();
        }
    }

    @Test
    @Tag("core")
    void aPurgeThatIsTooEarly() {
        assertBreaks(
                LOST, advised("repair.purge.PurgeWatermarks", AnyTombstone.class, "isPurgeable"), shortlyBefore(36));
    }

    /** Nobody is taken to be behind, so that nobody is repaired. */
    @Test
    void aReadThatRepairsNobody() {
        assertBreaks(LOST, fixed("coordinator.quorum.ReplicaAnswer", "isBehind", false), shortlyBefore(14));
    }

    /** What a node has lost is taken for what nobody wrote. */
    @Test
    void aReplicaThatIsReadBeforeItIsRefilled() {
        assertBreaks(LOST, fixed("refill.PartitionReadBarrier", "isEmpty", true), shortlyBefore(40));
    }

    /** One of the other replicas is thought to have everything. */
    @Test
    void aRefillFromOneReplicaOnly() {
        assertBreaks(LOST, fixed("copy.PageCopy", "isDone", true), shortlyBefore(54));
    }

    @Test
    void aSnapshotThatKeepsNothing() {
        assertBreaks(LOST_FROM_A_SNAPSHOT, fixed("snapshot.Snapshot", "merging", 0L), shortlyBefore(14));
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
                advised("snapshot.Snapshots", NothingUnderWay.class, "writesSoFar"),
                Mode.STATIC,
                shortlyBefore(5435),
                6000);
    }

    @Test
    void hintsThatStay() {
        assertBreaks(NOT_HANDED_OVER, stubbed("handoff.MemoryHintLog", "delivered"), SEED_OF_SMALL_JUMPS);
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
    void aFailedScanThatReportsItsEnd() {
        assertBreaks(
                " SCAN .* failed with .*, and then went on with \\[]$",
                advised("coordinator.node.ScanPages", EndedByFailing.class, "next"));
    }
}
