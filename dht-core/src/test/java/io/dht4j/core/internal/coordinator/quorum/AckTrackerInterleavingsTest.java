package io.dht4j.core.internal.coordinator.quorum;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.ReplicationPolicy;
import io.dht4j.core.internal.view.Phase;
import io.dht4j.core.internal.view.ReplicaSlot;
import io.dht4j.testkit.SearchEffort;
import java.util.Optional;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Answers that come at the same time: one of them learns of the outcome, as if they had come one after the other. */
@Tag("search")
@Tag("full")
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

    @Test
    void answersOfTwoNodesOfASlotAtTheSameTimeAreOne() {
        new ModelCheckingOptions()
                .iterations(SearchEffort.of(10))
                .invocationsPerIteration(200)
                .threads(2)
                .actorsPerThread(2)
                .actorsBefore(0)
                .actorsAfter(0)
                .check(PairAndTwo.class);
    }

    /** Whom two nodes of a slot and two other replicas answer, each once. */
    public static class PairAndTwo {

        private static final Node OWNER = Node.of("owner", "host:1");
        private static final Node HEIR = Node.of("heir", "host:2");
        private static final NodeId SECOND = new NodeId("second");
        private static final NodeId THIRD = new NodeId("third");

        private final AckTracker tracker =
                AckTracker.of(new ReplicationPolicy(2, 3), Optional.of(new ReplicaSlot(Phase.BOTH, OWNER, HEIR)));

        /** The owner of the slot has answered. */
        @Operation(runOnce = true)
        public boolean owner() {
            return tracker.ack(OWNER.id());
        }

        /** The heir of the slot has answered. */
        @Operation(runOnce = true)
        public boolean heir() {
            return tracker.ack(HEIR.id());
        }

        /** Another replica has answered. */
        @Operation(runOnce = true)
        public boolean second() {
            return tracker.ack(SECOND);
        }

        /** Another replica has failed. */
        @Operation(runOnce = true)
        public boolean third() {
            return tracker.fail(THIRD);
        }
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
