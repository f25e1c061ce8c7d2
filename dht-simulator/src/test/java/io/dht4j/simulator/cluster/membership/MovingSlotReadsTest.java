package io.dht4j.simulator.cluster.membership;

import static io.dht4j.simulator.cluster.membership.AgreedCluster.COORDINATOR;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Ordering;
import io.dht4j.core.internal.view.Phase;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Reads of a partition of which a slot moves, in each phase. */
class MovingSlotReadsTest extends PhasesOfASlot {

    @ParameterizedTest
    @EnumSource(names = {"COPY", "BOTH", "UNDO", "GROW", "FILL"})
    void otherSlotsAreReadFirst(Phase phase) {
        try (agreed) {
            move(phase);
            agreed.apply(key, NEW, SECOND, THIRD);
            assertThat(get(COORDINATOR, MAJORITY)).hasValue(NEW);
            assertThat(get(COORDINATOR, ONE)).hasValue(NEW);
            // Also at a node that holds the slot.
            assertThat(get(HEIR, MAJORITY)).hasValue(NEW);
            assertThat(get(OWNER, MAJORITY)).hasValue(NEW);
            assertThat(agreed.stores.get(OWNER).gets).hasValue(0);
            assertThat(agreed.stores.get(HEIR).gets).hasValue(0);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"COPY", "BOTH", "UNDO", "GROW"})
    void readRepairsAHalfHeldSlotBeforeItReturns(Phase phase) {
        try (agreed) {
            move(phase);
            agreed.apply(key, NEW, reader(phase), SECOND);
            agreed.refuse(THIRD);
            assertThat(get(COORDINATOR, MAJORITY)).hasValue(NEW);
            assertThat(agreed.holds(other(reader(phase)), key, NEW)).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"COPY", "BOTH", "UNDO", "GROW"})
    void entryThatOnlyHalfASlotCanHoldIsNotReturned(Phase phase) {
        try (agreed) {
            move(phase);
            agreed.apply(key, NEW, reader(phase), SECOND);
            agreed.refuse(THIRD, other(reader(phase)));
            assertThat(cluster.failureOf(agreed.coordinator().get(key, MAJORITY))
                            .code())
                    .isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"COPY", "BOTH", "UNDO", "GROW"})
    void readRepairsBothNodesOfAMovingSlot(Phase phase) {
        try (agreed) {
            move(phase);
            agreed.apply(key, NEW, SECOND);
            agreed.refuse(THIRD);
            assertThat(get(COORDINATOR, MAJORITY)).hasValue(NEW);
            assertThat(agreed.holds(OWNER, key, NEW) && agreed.holds(HEIR, key, NEW))
                    .isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"COPY", "BOTH", "UNDO", "GROW"})
    void onlySlotOfAPolicyReturnsWhatBothNodesHold(Phase phase) {
        try (agreed) {
            move(phase);
            agreed.apply(key, NEW, reader(phase));
            assertThat(get(COORDINATOR, ALONE)).hasValue(NEW);
            assertThat(agreed.holds(other(reader(phase)), key, NEW)).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    void readEntryStaysReadableAfterAPhaseChange(PhaseChange change) {
        try (agreed) {
            change.before(agreed);
            agreed.installAtAll();
            // Only the node that is read has it.
            agreed.apply(key, NEW, change.from == Phase.BOTH ? HEIR : OWNER);
            agreed.refuse(THIRD);
            assertThat(get(COORDINATOR, MAJORITY)).hasValue(NEW);
            assertThat(get(COORDINATOR, ALONE)).hasValue(NEW);
            change.after(agreed);
            // A copy brings what is on the owner.
            if (change == PhaseChange.TO_COPY) {
                agreed.apply(key, NEW, HEIR);
            }
            agreed.install(OWNER, SECOND, THIRD, HEIR);
            agreed.link(COORDINATOR).heal();
            agreed.refuse(SECOND);
            assertThat(get(COORDINATOR, MAJORITY)).hasValue(NEW);
            assertThat(get(COORDINATOR, ALONE)).hasValue(NEW);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"COPY", "BOTH", "UNDO", "GROW"})
    void oneAnswerIsThatOfTheNodeThatIsRead(Phase phase) {
        try (agreed) {
            move(phase);
            agreed.apply(key, OLD, other(reader(phase)));
            agreed.apply(key, NEW, reader(phase));
            agreed.refuse(SECOND, THIRD, other(reader(phase)));
            assertThat(get(COORDINATOR, ONE)).hasValue(NEW);
            agreed.refuse(reader(phase));
            assertThat(cluster.failureOf(agreed.coordinator().get(key, ONE)).code())
                    .isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
        }
    }

    @Test
    void slotThatIsFilledIsNeverRead() {
        try (agreed) {
            agreed.apply(key, NEW, SECOND, THIRD);
            move(Phase.FILL);
            agreed.apply(key, OLD, HEIR);
            assertThat(get(COORDINATOR, MAJORITY)).hasValue(NEW);
            for (CallOptions tooMany : List.of(ALL, ALONE)) {
                DhtException failure = cluster.failureOf(agreed.coordinator().get(key, tooMany));
                assertThat(failure.code()).isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
                assertThat(failure).hasMessageContaining("receives the content of a dead one");
                assertThat(cluster.failureOf(
                                        agreed.coordinator().put(key, NEW, tooMany.withOrdering(Ordering.LINEARIZABLE)))
                                .code())
                        .isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
            }
            // Past the first moments, in which failed reads wait.
            cluster.await(agreed.coordinator().ready());
            agreed.refuse(THIRD);
            long before = cluster.env.nanoTime();
            assertThat(cluster.failureOf(agreed.coordinator().get(key, MAJORITY))
                            .code())
                    .isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
            // Not at the deadline: the outcome is certain.
            assertThat(cluster.env.nanoTime() - before)
                    .isLessThan(Duration.ofMillis(100).toNanos());
            assertThat(agreed.stores.get(HEIR).gets).hasValue(0);
        }
    }

    @Test
    void readRepairsAFillingSlotToo() {
        try (agreed) {
            move(Phase.FILL);
            agreed.apply(key, NEW, SECOND);
            agreed.stores.get(THIRD).readOnly = true;
            assertThat(get(COORDINATOR, MAJORITY)).hasValue(NEW);
            assertThat(agreed.holds(HEIR, key, NEW)).isTrue();
        }
    }

    @Nested
    class FromMemory {

        @ParameterizedTest
        @CsvSource({"COPY, 0, 3", "BOTH, 3, 0", "UNDO, 0, 3"})
        void onlyTheNodeThatIsReadAnswersAlone(Phase phase, int reader, int other) {
            try (agreed) {
                move(phase);
                agreed.stores.get(reader).remembers = true;
                agreed.stores.get(other).remembers = true;
                agreed.apply(key, OLD, other);
                agreed.apply(key, NEW, reader, SECOND, THIRD);
                int before = agreed.sent.size();
                assertThat(get(reader, ONE)).hasValue(NEW);
                assertThat(agreed.sent).hasSize(before);
                assertThat(get(other, ONE)).hasValue(NEW);
            }
        }

        @ParameterizedTest
        @CsvSource({"COPY, 0, 3", "BOTH, 3, 0", "UNDO, 0, 3"})
        void onlySlotOfAPolicyIsNotReadAlone(Phase phase, int reader, int other) {
            try (agreed) {
                move(phase);
                agreed.stores.get(reader).remembers = true;
                agreed.apply(key, NEW, reader);
                assertThat(get(reader, ALONE)).hasValue(NEW);
                assertThat(agreed.holds(other, key, NEW)).isTrue();
            }
        }

        @Test
        void heirOfADeadNodeDoesNotAnswerAlone() {
            try (agreed) {
                move(Phase.FILL);
                agreed.stores.get(HEIR).remembers = true;
                agreed.apply(key, OLD, HEIR);
                agreed.apply(key, NEW, SECOND, THIRD);
                assertThat(get(HEIR, ONE)).hasValue(NEW);
                // A replica of another slot does.
                agreed.stores.get(SECOND).remembers = true;
                int before = agreed.sent.size();
                assertThat(get(SECOND, ONE)).hasValue(NEW);
                assertThat(agreed.sent).hasSize(before);
            }
        }
    }
}
