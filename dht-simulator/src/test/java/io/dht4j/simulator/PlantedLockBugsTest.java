package io.dht4j.simulator;

import static io.dht4j.simulator.PlantedBugs.advised;
import static io.dht4j.simulator.PlantedBugs.assertBreaks;
import static io.dht4j.simulator.PlantedBugs.fixed;
import static io.dht4j.simulator.PlantedTests.assertFinds;

import io.dht4j.Version;
import io.dht4j.simulator.SimulationOptions.Mode;
import java.util.Map;
import java.util.function.UnaryOperator;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.dynamic.DynamicType;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Bugs of locks, planted one at a time: the simulator finds each, or a test of locks. */
@Tag("search")
@Tag("full")
class PlantedLockBugsTest {

    private static final String LOCKS = "io.dht4j.simulator.cluster.membership.LockTest";

    private static void assertBreaksLocks(int seeds, Map<String, UnaryOperator<DynamicType.Builder<?>>> bug) {
        assertBreaks(" while .* holds lock ", bug, Mode.ATOMIC, 0, seeds);
    }

    @Test
    void aContenderThatDoesNotWait() {
        assertBreaksLocks(10, fixed("lock.LeasedLock", "untilFree", 0L));
    }

    /** The version that was seen stands for all later ones. */
    static final class AnyVersion {

        private AnyVersion() {}

        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(value = 0, readOnly = false) Version version) {
            version = new Version(1);
        }
    }

    @Test
    void aContenderThatDoesNotSeeRenewals() {
        assertBreaksLocks(30, advised("lock.LeasedLock", AnyVersion.class, "untilFree"));
    }

    /** A holder that stops when others have begun. */
    static final class Late {

        private Late() {}

        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) long nanos) {
            nanos += nanos;
        }
    }

    @Test
    void aHolderThatStopsLate() {
        assertBreaksLocks(90, advised("lock.LeaseValue", Late.class, "nanosOfHolder"));
    }

    @Test
    void aHolderThatTakesAnotherOneForItself() {
        assertFinds(LOCKS, "aHolderThatIsCutOffStopsBeforeAnotherOneBegins", fixed("lock.Lease", "isMine", true));
    }

    @Test
    void aHolderThatDoesNotKnowItself() {
        assertFinds(LOCKS, "aRenewalWithoutAnAnswerIsNotTheEnd", fixed("lock.Lease", "isMine", false));
    }
}
