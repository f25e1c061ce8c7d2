package io.dht4j.core.internal.clock;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.Version;
import io.dht4j.testkit.SearchEffort;
import java.util.concurrent.atomic.AtomicLong;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * All that may happen between the threads that use a clock: whatever they see could have happened one after the other.
 */
@Tag("search")
@Tag("full")
class HybridClockInterleavingsTest {

    private static final long NOW = 1_000;
    private static final int SKEW = 1;

    private static ModelCheckingOptions options(int iterations) {
        return new ModelCheckingOptions()
                .iterations(iterations)
                .invocationsPerIteration(200)
                .threads(3)
                .actorsPerThread(3);
    }

    @Test
    void aClockUsedBySeveralThreadsAnswersAsIfTheyTookTurns() {
        options(SearchEffort.of(10)).check(OfOneNode.class);
    }

    @Test
    void theClockOfASlotDoesToo() {
        options(SearchEffort.of(10)).check(OfASlot.class);
    }

    @Test
    void aClockThatForgetsToCompareIsFoundOut() {
        assertThatThrownBy(() -> options(10).check(Careless.class)).isInstanceOf(LincheckAssertionError.class);
    }

    /** The clock of a node that gives all versions. */
    public static class OfOneNode {

        private final HybridClock clock = new HybridClock(() -> NOW, SKEW);

        /** Gives a version. */
        @Operation
        public long next() {
            return clock.next().packed();
        }

        /** Sees a version of another node, which may be too far ahead. */
        @Operation
        public boolean observe(@Param(gen = IntGen.class, conf = "-1:3") int ahead) {
            return clock.observe(Version.of(NOW + ahead, 1));
        }

        /** Looks. */
        @Operation
        public long current() {
            return clock.current().packed();
        }
    }

    /** The clock of the second of two nodes. */
    public static class OfASlot {

        private final HybridClock clock = new HybridClock(() -> NOW, () -> 0, SKEW, 1, 2);

        /** Gives a version. */
        @Operation
        public long next() {
            return clock.next().packed();
        }

        /** Sees a version of another node. */
        @Operation
        public boolean observe(@Param(gen = IntGen.class, conf = "0:3") int counter) {
            return clock.observe(Version.of(NOW, counter));
        }
    }

    /** Shows that a mistake would be found. */
    public static class Careless {

        private final AtomicLong last = new AtomicLong();

        /** Gives a number, sometimes twice. */
        @Operation
        public long next() {
            long next = last.get() + 1;
            last.set(next);
            return next;
        }
    }
}
