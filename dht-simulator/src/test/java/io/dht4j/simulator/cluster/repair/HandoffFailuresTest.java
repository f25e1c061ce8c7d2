package io.dht4j.simulator.cluster.repair;

import static io.dht4j.simulator.cluster.SimulatedCluster.id;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Version;
import io.dht4j.core.internal.admission.Admission;
import io.dht4j.core.internal.handoff.Handoff;
import io.dht4j.core.internal.handoff.HintSender;
import io.dht4j.core.internal.handoff.MemoryHintLog;
import io.dht4j.core.options.HintedHandoff;
import io.dht4j.spi.Entry;
import io.dht4j.spi.HintLog;
import io.dht4j.spi.StoreException;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Handoff to one node, over a log and to a node that can both be made to fail. */
class HandoffFailuresTest {

    private static final Node NODE = new Node(id(1), "host1:1", 1);
    private static final Duration WHILE = Duration.ofSeconds(15);
    private static final Duration MAX_AGE = Duration.ofMinutes(5);

    private final VirtualEnvironment env = VirtualEnvironment.seeded(1);
    private final FailingLog log = new FailingLog();
    private final Target target = new Target();
    private final Handoff handoff = new Handoff(
            env,
            List.of(NODE, new Node(id(2), "host2:1", 1)),
            log,
            new HintedHandoff(true, MAX_AGE, 1 << 20),
            false,
            new Admission("missed writes", 1000, 1 << 20),
            target,
            node -> target.suspected);

    /** Does what is planted next before it reads, forgets or expires. */
    private static final class FailingLog implements HintLog {

        private final HintLog log = new MemoryHintLog(16 << 20);
        private final Queue<Runnable> reading = new ArrayDeque<>();
        private final Queue<Runnable> forgetting = new ArrayDeque<>();
        private final Queue<Runnable> expiring = new ArrayDeque<>();
        private long lost;

        private static void fail(Queue<Runnable> planted) {
            Runnable next = planted.poll();
            if (next != null) {
                next.run();
            }
        }

        @Override
        public boolean add(NodeId target, List<Entry> entries, long nowMillis) {
            return log.add(target, entries, nowMillis);
        }

        @Override
        public Set<NodeId> targets() {
            return log.targets();
        }

        @Override
        public Batch oldest(NodeId target, int maxBytes) {
            fail(reading);
            return log.oldest(target, maxBytes);
        }

        @Override
        public void delivered(NodeId target, Batch batch) {
            fail(forgetting);
            log.delivered(target, batch);
        }

        @Override
        public long expire(long beforeMillis) {
            fail(expiring);
            return log.expire(beforeMillis);
        }

        @Override
        public long lostBytes() {
            return lost;
        }

        @Override
        public long bytes() {
            return log.bytes();
        }

        @Override
        public void close() {
            log.close();
        }
    }

    /** A node that takes what it is sent, unless it is made to do something else with the next batches. */
    private static final class Target implements HintSender {

        private final List<Entry> taken = new ArrayList<>();
        private final Queue<Consumer<Outcome>> planted = new ArrayDeque<>();
        private boolean suspected;

        @Override
        public void send(Node node, List<Entry> entries, Outcome outcome) {
            Consumer<Outcome> next = planted.poll();
            if (next != null) {
                next.accept(outcome);
            } else {
                taken.addAll(entries);
                outcome.taken();
            }
        }
    }

    private static void anError() {
        throw new AssertionError("planted");
    }

    private static void aFailure() {
        throw new StoreException("planted");
    }

    private static List<Entry> entries(int count, int bytes) {
        return IntStream.range(0, count)
                .mapToObj(i -> Entry.value(Key.of("key" + i), new Version(77), new byte[bytes], Entry.NEVER))
                .toList();
    }

    @AfterEach
    void close() {
        handoff.close();
    }

    @Test
    void anErrorInReadingTheLogIsTriedAgain() {
        log.reading.add(HandoffFailuresTest::anError);
        handoff.missed(NODE, entries(1, 1));
        env.advance(WHILE);

        assertThat(target.taken).isEqualTo(entries(1, 1));
        assertThat(log.bytes()).isZero();
    }

    @Test
    void anErrorInForgettingWhatWasTakenIsTriedAgain() {
        log.forgetting.add(HandoffFailuresTest::anError);
        handoff.missed(NODE, entries(1, 1));
        env.advance(WHILE);

        assertThat(target.taken).as("brought twice").hasSize(2);
        assertThat(log.bytes()).isZero();
    }

    @Test
    void hintsExpireThoughThatFailedBefore() {
        NodeId gone = id(7);
        log.add(gone, entries(1, 1), env.currentTimeMillis());
        handoff.start();
        env.advance(Duration.ofSeconds(10));
        log.expiring.add(HandoffFailuresTest::aFailure);
        env.advance(MAX_AGE.plusMinutes(2));

        assertThat(log.expiring).isEmpty();
        assertThat(log.bytes()).isZero();
        assertThat(handoff.droppedBytes()).isPositive();
    }

    @Test
    void whatTheLogHoldsIsHandedOverThoughNothingExpires() {
        log.add(NODE.id(), entries(1, 1), env.currentTimeMillis());
        log.expiring.add(HandoffFailuresTest::aFailure);
        handoff.start();
        env.advance(WHILE);

        assertThat(target.taken).isEqualTo(entries(1, 1));
    }

    @Test
    void refusedEntryCountsOnceWhenItsBatchFailsLater() {
        for (int attempt = 0; attempt < 3; attempt++) {
            target.planted.add(outcome -> outcome.refused("of the batch"));
            target.planted.add(outcome -> outcome.refused("of the first entry"));
            target.planted.add(HandoffFailuresTest::overloaded);
        }
        target.planted.add(outcome -> outcome.refused("of the batch"));
        target.planted.add(outcome -> outcome.refused("of the first entry"));
        handoff.missed(NODE, entries(2, 100));
        env.advance(WHILE);

        assertThat(target.taken).isEqualTo(entries(2, 100).subList(1, 2));
        assertThat(log.bytes()).isZero();
        assertThat(handoff.droppedBytes()).isEqualTo(entries(1, 100).get(0).bytes());
    }

    @Test
    void whatTheLogLosesIsCounted() {
        log.lost = 100;
        assertThat(handoff.droppedBytes()).isEqualTo(100);

        log.add(NODE.id(), entries(1, 1), env.currentTimeMillis());
        env.advance(MAX_AGE.plusMinutes(1));
        handoff.start();
        env.advance(Duration.ofMillis(1));

        assertThat(handoff.droppedBytes()).as("with what has expired").isGreaterThan(100);
    }

    private static void overloaded(HintSender.Outcome outcome) {
        outcome.failed(true, "OVERLOADED: planted");
    }

    private static void reset(HintSender.Outcome outcome) {
        outcome.failed(false, "planted: connection reset");
    }

    static List<Consumer<HintSender.Outcome>> failures() {
        return List.of(HandoffFailuresTest::overloaded, HandoffFailuresTest::reset);
    }

    /** Several batches, so that something stands behind one that is not taken; kept, and not yet sent. */
    private List<Entry> missMuch() {
        List<Entry> entries = entries(1000, 100);
        handoff.missed(NODE, entries);
        env.advance(Duration.ofMillis(1));
        assertThat(log.bytes()).isPositive();
        assertThat(target.taken).isEmpty();
        return entries;
    }

    @ParameterizedTest
    @MethodSource("failures")
    void anOrderlyShutdownOutlivesABatchThatIsNotTaken(Consumer<HintSender.Outcome> failure) {
        List<Entry> missed = missMuch();
        target.planted.add(failure);
        target.planted.add(failure);

        env.await(handoff.drain(Duration.ofSeconds(5)), Duration.ofSeconds(5));

        assertThat(target.taken).isEqualTo(missed);
        assertThat(log.bytes()).isZero();
    }

    @Test
    void anOrderlyShutdownGivesUpANodeThatIsSuspectedAtOnce() {
        missMuch();
        target.planted.add(HandoffFailuresTest::reset);
        target.suspected = true;
        Duration before = env.elapsed();

        env.await(handoff.drain(Duration.ofSeconds(5)), Duration.ofSeconds(5));

        assertThat(env.elapsed()).isEqualTo(before);
        assertThat(target.taken).isEmpty();
        assertThat(log.bytes()).as("they stay in the log").isPositive();
    }

    @ParameterizedTest
    @MethodSource("failures")
    void anOrderlyShutdownEndsInTimeWhereNothingIsTaken(Consumer<HintSender.Outcome> failure) {
        missMuch();
        for (int i = 0; i < 100; i++) {
            target.planted.add(failure);
        }

        env.await(handoff.drain(Duration.ofSeconds(2)), Duration.ofSeconds(2));

        assertThat(target.planted).as("tried for as long as there was time").hasSizeBetween(85, 91);
        assertThat(log.bytes()).as("they stay in the log").isPositive();
    }

    @Test
    void closingEndsAShutdownThatIsNotDone() {
        missMuch();
        target.planted.add(outcome -> {});
        CompletableFuture<Void> drained = handoff.drain(Duration.ofSeconds(2));
        env.advance(Duration.ofSeconds(3));
        // What waits to be kept, like a batch without an outcome, is something that is not done.
        handoff.missed(NODE, entries(1, 1));
        assertThat(drained).isNotDone();

        handoff.close();

        assertThat(drained).isCompleted();
    }
}
