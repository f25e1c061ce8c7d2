package io.dht4j.core.internal.coordinator.quorum;

import io.dht4j.ReplicationPolicy;
import io.dht4j.testkit.SearchEffort;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Answers that come at the same time: one of them learns of the outcome, as if they had come one after the other. */
@Tag("search")
class AckTrackerInterleavingsTest {

    @Test
    void answersAtTheSameTimeCountAsIfTheyTookTurns() {
        new ModelCheckingOptions()
                .iterations(SearchEffort.of(10))
                .invocationsPerIteration(200)
                .threads(3)
                .actorsPerThread(2)
                .check(TwoOfThree.class);
    }

    /** Whom three replicas answer. */
    public static class TwoOfThree {

        private final AckTracker tracker = new AckTracker(new ReplicationPolicy(2, 3));

        /** A replica has answered. */
        @Operation
        public boolean ack() {
            return tracker.ack();
        }

        /** A replica has failed. */
        @Operation
        public boolean fail() {
            return tracker.fail();
        }

        /** The entry is sent again by another table. */
        @Operation
        public boolean abandon() {
            return tracker.abandon();
        }
    }
}
