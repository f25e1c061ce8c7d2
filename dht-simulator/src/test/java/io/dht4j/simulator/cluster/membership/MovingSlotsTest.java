package io.dht4j.simulator.cluster.membership;

import static io.dht4j.simulator.cluster.membership.AgreedCluster.COORDINATOR;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.Ordering;
import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.core.internal.membership.state.Phase;
import io.dht4j.core.options.OverloadProtection;
import io.dht4j.simulator.cluster.SimulatedCluster;
import io.dht4j.spi.Entry;
import io.dht4j.testkit.network.Fault;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Reads and writes of a partition of which a slot moves, in each phase. All nodes agree on it. */
class MovingSlotsTest {

    private static final int MOVING = 0;
    private static final int OWNER = 0;
    private static final int SECOND = 1;
    private static final int THIRD = 2;
    private static final int HEIR = 3;
    private static final byte[] OLD = {1};
    private static final byte[] NEW = {2};
    private static final CallOptions ALONE = CallOptions.defaults().withPolicy(1, 1);
    private static final CallOptions ONE = CallOptions.defaults().withPolicy(1, 3);
    private static final CallOptions MAJORITY = CallOptions.defaults().withPolicy(2, 3);
    private static final CallOptions ALL = CallOptions.defaults().withPolicy(3, 3);

    private final AgreedCluster agreed = AgreedCluster.start();
    private final SimulatedCluster cluster = agreed.cluster;
    private final Key key = agreed.key(MOVING);

    /** Gives the slot a phase. The heir has copied what there is. */
    private void move(Phase phase) {
        agreed.move(MOVING, 0, phase, HEIR);
        agreed.installAtAll();
        if (phase == Phase.COPY || phase == Phase.FILL) {
            cluster.env.runUntil(this::isCopied, SimulatedCluster.BOUND);
        }
    }

    private boolean isCopied() {
        return agreed.node(HEIR).moves().progress().stream()
                .anyMatch(batch -> batch.complete().contains(MOVING));
    }

    private void refuse(int... nodes) {
        for (int node : nodes) {
            agreed.link(COORDINATOR).toward(SimulatedCluster.id(node), Fault.refuse());
        }
    }

    /** Brings an entry to the stores of some nodes, as another coordinator would that dies then. */
    private Version apply(byte[] value, int... nodes) {
        Version later = Version.of(cluster.env.currentTimeMillis() + 100, 0);
        for (int node : nodes) {
            agreed.stores.get(node).apply(List.of(Entry.value(key, later, value, Entry.NEVER)));
        }
        return later;
    }

    private boolean holds(int node, byte[] value) {
        return agreed.stores
                .get(node)
                .get(key)
                .filter(entry -> Arrays.equals(entry.value(), value))
                .isPresent();
    }

    private Optional<byte[]> get(int node, CallOptions options) {
        return cluster.await(cluster.node(node).get(key, options)).map(Value::bytes);
    }

    private static int reader(Phase phase) {
        return phase == Phase.BOTH ? HEIR : OWNER;
    }

    private static int other(int node) {
        return node == OWNER ? HEIR : OWNER;
    }

    @Nested
    class Writes {

        @ParameterizedTest
        @EnumSource(names = {"COPY", "BOTH", "UNDO"})
        void writeGoesToBothNodes(Phase phase) {
            try (agreed) {
                move(phase);
                cluster.await(agreed.coordinator().put(key, NEW, ALL));
                assertThat(List.of(OWNER, SECOND, THIRD, HEIR)).allMatch(node -> holds(node, NEW));
            }
        }

        @ParameterizedTest
        @CsvSource({"COPY, 0", "COPY, 3", "BOTH, 0", "BOTH, 3", "UNDO, 0", "UNDO, 3"})
        void majorityIsReachedWithoutOneNodeOfThePairAndThisOneGetsAHint(Phase phase, int down) {
            try (agreed) {
                move(phase);
                refuse(down);
                cluster.await(agreed.coordinator().put(key, NEW, MAJORITY));
                cluster.env.advance(Duration.ofMillis(100));
                assertThat(holds(down, NEW)).isFalse();
                agreed.link(COORDINATOR).heal();
                cluster.env.advance(Duration.ofSeconds(30));
                assertThat(holds(down, NEW)).isTrue();
            }
        }

        @ParameterizedTest
        @EnumSource(names = {"COPY", "BOTH", "UNDO"})
        void bothNodesGetHints(Phase phase) {
            try (agreed) {
                move(phase);
                refuse(OWNER, HEIR);
                cluster.await(agreed.coordinator().put(key, NEW, MAJORITY));
                agreed.link(COORDINATOR).heal();
                cluster.env.advance(Duration.ofSeconds(30));
                assertThat(holds(OWNER, NEW)).isTrue();
                assertThat(holds(HEIR, NEW)).isTrue();
            }
        }

        @ParameterizedTest
        @CsvSource({"COPY, 0", "COPY, 3", "BOTH, 0", "BOTH, 3", "UNDO, 0", "UNDO, 3"})
        void slotThatOneNodeLacksDoesNotCount(Phase phase, int silent) {
            Fault lost = Fault.loseRequest();
            try (agreed) {
                move(phase);
                agreed.link(COORDINATOR).toward(SimulatedCluster.id(silent), lost);
                for (CallOptions all : List.of(ALL, ALONE)) {
                    assertThat(cluster.failureOf(agreed.coordinator().put(key, NEW, all))
                                    .code())
                            .isEqualTo(ErrorCode.WRITE_INDETERMINATE);
                }
                refuse(THIRD);
                assertThat(cluster.failureOf(agreed.coordinator().put(key, NEW, MAJORITY))
                                .code())
                        .isEqualTo(ErrorCode.WRITE_INDETERMINATE);
                assertThat(holds(silent, NEW)).isFalse();
                refuse(silent);
                assertThat(cluster.failureOf(agreed.coordinator().put(key, NEW, MAJORITY))
                                .code())
                        .isEqualTo(ErrorCode.WRITE_INDETERMINATE);
            }
        }

        @Test
        void oneDownNodeBesidesThePairFailsNoWrite() {
            try (agreed) {
                move(Phase.COPY);
                refuse(THIRD);
                cluster.await(agreed.coordinator().put(key, NEW, MAJORITY));
                assertThat(holds(OWNER, NEW) && holds(HEIR, NEW) && holds(SECOND, NEW))
                        .isTrue();
            }
        }

        @Test
        void nothingWasDoneOnlyIfBothNodesHaveFailed() {
            try (agreed) {
                move(Phase.COPY);
                refuse(OWNER, HEIR);
                DhtException failure = cluster.failureOf(agreed.coordinator().put(key, NEW, ALONE));
                // The heir has failed after the outcome was certain.
                assertThat(failure.code()).isEqualTo(ErrorCode.WRITE_INDETERMINATE);
                refuse(SECOND, THIRD);
                failure = cluster.failureOf(agreed.coordinator().put(key, NEW, ONE));
                assertThat(failure.code()).isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
                agreed.link(COORDINATOR)
                        .toward(SimulatedCluster.id(HEIR), Fault.delay(Duration.ofMillis(100), Duration.ZERO));
                failure = cluster.failureOf(agreed.coordinator().put(key, NEW, ONE));
                assertThat(failure.code()).isEqualTo(ErrorCode.WRITE_INDETERMINATE);
                cluster.env.advance(Duration.ofSeconds(1));
                assertThat(holds(HEIR, NEW)).isTrue();
            }
        }

        @ParameterizedTest
        @CsvSource({"COPY, 0", "COPY, 3", "BOTH, 0", "BOTH, 3", "UNDO, 0", "UNDO, 3"})
        void newerEntryOfEitherNodeIsSuperseded(Phase phase, int newer) {
            try (agreed) {
                move(phase);
                Version held = apply(OLD, newer);
                refuse(THIRD);
                Version written = cluster.await(agreed.coordinator().put(key, NEW, MAJORITY));
                assertThat(written).isGreaterThan(held);
                assertThat(List.of(OWNER, SECOND, HEIR)).allMatch(node -> holds(node, NEW));
            }
        }

        @Test
        void everyKeyOfABatchHasItsOwnSlots() {
            Key elsewhere = agreed.key(3);
            try (agreed) {
                move(Phase.COPY);
                // Partition 3 has the replicas 3, 0 and 1, of which one may be down.
                refuse(HEIR);
                cluster.await(agreed.coordinator().putAll(Map.of(key, NEW, elsewhere, NEW), MAJORITY));
                refuse(THIRD);
                assertThat(cluster.failureOf(agreed.coordinator().putAll(Map.of(key, OLD, elsewhere, OLD), MAJORITY))
                                .code())
                        .isEqualTo(ErrorCode.WRITE_INDETERMINATE);
                agreed.link(COORDINATOR).heal();
                cluster.await(agreed.coordinator().putAll(Map.of(key, NEW, elsewhere, NEW), ALL));
                assertThat(cluster.await(agreed.coordinator().getAll(List.of(key, elsewhere), ALL)))
                        .hasSize(2);
            }
        }

        @Test
        void slotOfWhichBothNodesHaveNoRoomIsOneSlotWithoutRoom() {
            agreed.close();
            AgreedCluster limited = AgreedCluster.with(SimulatedCluster.of(1, AgreedCluster.NODES)
                    .options(builder -> builder.partitions(AgreedCluster.PARTITIONS)
                            .overload(OverloadProtection.defaults().withPeerRequests(1, 1, Duration.ofMillis(100)))));
            try (limited) {
                limited.move(MOVING, 0, Phase.BOTH, HEIR);
                limited.installAtAll();
                for (int node : List.of(OWNER, HEIR)) {
                    limited.link(COORDINATOR).toward(SimulatedCluster.id(node), Fault.loseRequest());
                }
                // Both nodes still have these to answer.
                limited.cluster.await(limited.coordinator().put(key, OLD, MAJORITY));
                limited.cluster.await(limited.coordinator().put(key, NEW, MAJORITY));
                assertThat(limited.cluster
                                .failureOf(limited.coordinator().put(key, NEW, ALL))
                                .code())
                        .isEqualTo(ErrorCode.OVERLOADED);
            }
        }

        @ParameterizedTest
        @CsvSource({"COPY, 0", "BOTH, 3", "UNDO, 0"})
        void linearizableWriteLearnsTheNewestVersionFromTheNodeThatIsRead(Phase phase, int reader) {
            try (agreed) {
                move(phase);
                Version held = apply(OLD, reader);
                refuse(THIRD);
                Version written =
                        cluster.await(agreed.coordinator().put(key, NEW, MAJORITY.withOrdering(Ordering.LINEARIZABLE)));
                assertThat(written).isGreaterThan(held);
                assertThat(List.of(OWNER, SECOND, HEIR)).allMatch(node -> holds(node, NEW));
            }
        }

        @ParameterizedTest
        @EnumSource
        void writeThatBeginsBeforeAChangeOfThePhaseEndsByTheNextOne(Change change) {
            try (agreed) {
                change.before(agreed);
                agreed.installAtAll();
                change.after(agreed);
                agreed.install(OWNER, SECOND, THIRD, HEIR);
                cluster.await(agreed.coordinator().put(key, NEW, ALL));
                assertThat(agreed.refreshed).isNotEmpty().containsOnly(COORDINATOR);
                assertThat(agreed.view(COORDINATOR).replicas(key, 3))
                        .allMatch(
                                node -> holds(Integer.parseInt(node.id().value().substring(1)), NEW));
            }
        }

        @ParameterizedTest
        @EnumSource
        void writeCountsByOnePhaseOnly(Change change) {
            try (agreed) {
                change.before(agreed);
                agreed.installAtAll();
                change.after(agreed);
                // The third replica does not answer, and the second one is still of the former phase.
                agreed.install(OWNER, HEIR, COORDINATOR);
                agreed.mayRefresh = false;
                refuse(THIRD);
                assertThat(cluster.failureOf(agreed.coordinator().put(key, NEW, MAJORITY))
                                .code())
                        .isEqualTo(ErrorCode.WRITE_INDETERMINATE);
            }
        }
    }

    /** The heir does not know yet what the owner refuses as too old, and accepts nothing. */
    @Nested
    class BeforeTheHeirAccepts {

        private final Duration patience = Duration.ofSeconds(30);

        private void copyWithoutTheOwner() {
            agreed.link(HEIR).toward(SimulatedCluster.id(OWNER), Fault.refuse());
            agreed.move(MOVING, 0, Phase.COPY, HEIR);
            agreed.installAtAll();
        }

        @Test
        void writeThatNeedsTheSlotWaitsForIt() {
            Key elsewhere = agreed.key(3);
            try (agreed) {
                copyWithoutTheOwner();
                CompletionStage<?> put = agreed.coordinator().put(key, NEW, ALL.withTimeout(patience));
                CompletionStage<?> batch = agreed.coordinator()
                        .putAll(Map.of(agreed.keys(MOVING, 2).get(1), NEW, elsewhere, NEW), ALL.withTimeout(patience));
                cluster.env.advance(Duration.ofMillis(300));
                assertThat(holds(OWNER, NEW)).isTrue();
                assertThat(put.toCompletableFuture()).isNotDone();
                assertThat(batch.toCompletableFuture()).isNotDone();
                agreed.link(HEIR).heal();
                cluster.await(put);
                cluster.await(batch);
                assertThat(holds(HEIR, NEW)).isTrue();
            }
        }

        @Test
        void writeThatDoesNotNeedTheSlotLeavesAHint() {
            try (agreed) {
                copyWithoutTheOwner();
                cluster.await(agreed.coordinator().put(key, NEW, MAJORITY));
                cluster.env.advance(Duration.ofMillis(100));
                assertThat(cluster.await(agreed.coordinator().status()).hintBytes())
                        .isPositive();
            }
        }

        @Test
        void readThatNeedsTheSlotWaitsForIt() {
            try (agreed) {
                apply(NEW, OWNER);
                copyWithoutTheOwner();
                CompletionStage<?> alone = agreed.coordinator().get(key, ALONE.withTimeout(patience));
                CompletionStage<?> all = agreed.coordinator().get(key, ALL.withTimeout(patience));
                cluster.env.advance(Duration.ofMillis(300));
                assertThat(alone.toCompletableFuture()).isNotDone();
                assertThat(all.toCompletableFuture()).isNotDone();
                agreed.link(HEIR).heal();
                assertThat(cluster.await(alone)).isEqualTo(cluster.await(all)).isNotEqualTo(Optional.empty());
                assertThat(holds(HEIR, NEW)).isTrue();
            }
        }

        @Test
        void callsEndAtTheirDeadlinesAllTheSame() {
            try (agreed) {
                apply(NEW, OWNER);
                copyWithoutTheOwner();
                assertThat(cluster.failureOf(agreed.coordinator().get(key, ALONE))
                                .code())
                        .isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
                assertThat(cluster.failureOf(agreed.coordinator().put(key, NEW, ALL))
                                .code())
                        .isEqualTo(ErrorCode.WRITE_INDETERMINATE);
            }
        }
    }

    /** One change of the phase after the other. */
    enum Change {
        TO_COPY(Phase.STABLE, OWNER, Phase.COPY),
        TO_BOTH(Phase.COPY, HEIR, Phase.BOTH),
        TO_STABLE(Phase.BOTH, HEIR, Phase.STABLE),
        TO_UNDO(Phase.BOTH, HEIR, Phase.UNDO),
        UNDONE(Phase.UNDO, HEIR, Phase.STABLE);

        private final Phase from;
        private final int heir;
        private final Phase to;

        Change(Phase from, int heir, Phase to) {
            this.from = from;
            this.heir = heir;
            this.to = to;
        }

        void before(AgreedCluster agreed) {
            agreed.move(MOVING, 0, from, heir);
        }

        void after(AgreedCluster agreed) {
            agreed.move(MOVING, 0, to, this == UNDONE ? OWNER : HEIR);
        }
    }

    @Nested
    class Reads {

        @ParameterizedTest
        @EnumSource(names = {"COPY", "BOTH", "UNDO", "FILL"})
        void otherSlotsAreReadFirst(Phase phase) {
            try (agreed) {
                move(phase);
                apply(NEW, SECOND, THIRD);
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
        @EnumSource(names = {"COPY", "BOTH", "UNDO"})
        void entryThatHalfASlotHoldsIsBroughtToTheOtherNodeBeforeItIsReturned(Phase phase) {
            try (agreed) {
                move(phase);
                apply(NEW, reader(phase), SECOND);
                refuse(THIRD);
                assertThat(get(COORDINATOR, MAJORITY)).hasValue(NEW);
                assertThat(holds(other(reader(phase)), NEW)).isTrue();
            }
        }

        @ParameterizedTest
        @EnumSource(names = {"COPY", "BOTH", "UNDO"})
        void entryThatOnlyHalfASlotCanHoldIsNotReturned(Phase phase) {
            try (agreed) {
                move(phase);
                apply(NEW, reader(phase), SECOND);
                refuse(THIRD, other(reader(phase)));
                assertThat(cluster.failureOf(agreed.coordinator().get(key, MAJORITY))
                                .code())
                        .isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
            }
        }

        @ParameterizedTest
        @EnumSource(names = {"COPY", "BOTH", "UNDO"})
        void entryThatNoPartOfASlotHoldsIsBroughtToBoth(Phase phase) {
            try (agreed) {
                move(phase);
                apply(NEW, SECOND);
                refuse(THIRD);
                assertThat(get(COORDINATOR, MAJORITY)).hasValue(NEW);
                assertThat(holds(OWNER, NEW) && holds(HEIR, NEW)).isTrue();
            }
        }

        @ParameterizedTest
        @EnumSource(names = {"COPY", "BOTH", "UNDO"})
        void onlySlotOfAPolicyReturnsWhatBothNodesHold(Phase phase) {
            try (agreed) {
                move(phase);
                apply(NEW, reader(phase));
                assertThat(get(COORDINATOR, ALONE)).hasValue(NEW);
                assertThat(holds(other(reader(phase)), NEW)).isTrue();
            }
        }

        @ParameterizedTest
        @EnumSource
        void whatWasReadBeforeAChangeOfThePhaseIsReadAfterIt(Change change) {
            try (agreed) {
                change.before(agreed);
                agreed.installAtAll();
                // Only the node that is read has it.
                apply(NEW, change.from == Phase.BOTH ? HEIR : OWNER);
                refuse(THIRD);
                assertThat(get(COORDINATOR, MAJORITY)).hasValue(NEW);
                assertThat(get(COORDINATOR, ALONE)).hasValue(NEW);
                change.after(agreed);
                // A copy brings what is on the owner.
                if (change == Change.TO_COPY) {
                    apply(NEW, HEIR);
                }
                agreed.install(OWNER, SECOND, THIRD, HEIR);
                agreed.link(COORDINATOR).heal();
                refuse(SECOND);
                assertThat(get(COORDINATOR, MAJORITY)).hasValue(NEW);
                assertThat(get(COORDINATOR, ALONE)).hasValue(NEW);
            }
        }

        @ParameterizedTest
        @EnumSource(names = {"COPY", "BOTH", "UNDO"})
        void oneAnswerIsThatOfTheNodeThatIsRead(Phase phase) {
            try (agreed) {
                move(phase);
                apply(OLD, other(reader(phase)));
                apply(NEW, reader(phase));
                refuse(SECOND, THIRD, other(reader(phase)));
                assertThat(get(COORDINATOR, ONE)).hasValue(NEW);
                refuse(reader(phase));
                assertThat(cluster.failureOf(agreed.coordinator().get(key, ONE)).code())
                        .isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
            }
        }

        @Test
        void slotThatIsFilledIsNeverRead() {
            try (agreed) {
                apply(NEW, SECOND, THIRD);
                move(Phase.FILL);
                apply(OLD, HEIR);
                assertThat(get(COORDINATOR, MAJORITY)).hasValue(NEW);
                for (CallOptions tooMany : List.of(ALL, ALONE)) {
                    DhtException failure =
                            cluster.failureOf(agreed.coordinator().get(key, tooMany));
                    assertThat(failure.code()).isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
                    assertThat(failure).hasMessageContaining("receives the content of a dead one");
                    assertThat(cluster.failureOf(agreed.coordinator()
                                            .put(key, NEW, tooMany.withOrdering(Ordering.LINEARIZABLE)))
                                    .code())
                            .isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
                }
                refuse(THIRD);
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
        void entryIsBroughtToTheSlotThatIsFilledToo() {
            try (agreed) {
                move(Phase.FILL);
                apply(NEW, SECOND);
                agreed.stores.get(THIRD).readOnly = true;
                assertThat(get(COORDINATOR, MAJORITY)).hasValue(NEW);
                assertThat(holds(HEIR, NEW)).isTrue();
            }
        }
    }

    @Nested
    class ReadsFromMemory {

        @ParameterizedTest
        @CsvSource({"COPY, 0, 3", "BOTH, 3, 0", "UNDO, 0, 3"})
        void onlyTheNodeThatIsReadAnswersAlone(Phase phase, int reader, int other) {
            try (agreed) {
                move(phase);
                agreed.stores.get(reader).remembers = true;
                agreed.stores.get(other).remembers = true;
                apply(OLD, other);
                apply(NEW, reader, SECOND, THIRD);
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
                apply(NEW, reader);
                assertThat(get(reader, ALONE)).hasValue(NEW);
                assertThat(holds(other, NEW)).isTrue();
            }
        }

        @Test
        void heirOfADeadNodeDoesNotAnswerAlone() {
            try (agreed) {
                move(Phase.FILL);
                agreed.stores.get(HEIR).remembers = true;
                apply(OLD, HEIR);
                apply(NEW, SECOND, THIRD);
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
