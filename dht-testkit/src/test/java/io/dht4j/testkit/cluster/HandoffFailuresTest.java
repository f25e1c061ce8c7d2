package io.dht4j.testkit.cluster;

import static io.dht4j.testkit.cluster.SimulatedCluster.id;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Version;
import io.dht4j.core.internal.handoff.Handoff;
import io.dht4j.core.internal.handoff.HandoffLimits;
import io.dht4j.core.internal.handoff.HintSender;
import io.dht4j.core.internal.handoff.MemoryHintLog;
import io.dht4j.spi.Entry;
import io.dht4j.spi.HintLog;
import io.dht4j.spi.StoreException;
import io.dht4j.testkit.VirtualEnvironment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Handoff to one node, over a log and to a node that can both be made to fail. */
class HandoffFailuresTest {

    private static final Node NODE = new Node(id(1), "host1", 1);
    private static final Duration WHILE = Duration.ofSeconds(15);
    private static final Duration MAX_AGE = Duration.ofMinutes(5);

    private final VirtualEnvironment env = VirtualEnvironment.seeded(1);
    private final FailingLog log = new FailingLog();
    private final List<Entry> taken = new ArrayList<>();
    private final Handoff handoff = new Handoff(
            env, List.of(NODE), log, new HandoffLimits(true, MAX_AGE, 1 << 20, 1000, 1 << 20), this::send);

    /** Does what is planted next before it reads, forgets or expires. */
    private static final class FailingLog implements HintLog {

        private final HintLog log = new MemoryHintLog(16 << 20);
        private final Queue<Runnable> reading = new ArrayDeque<>();
        private final Queue<Runnable> forgetting = new ArrayDeque<>();
        private final Queue<Runnable> expiring = new ArrayDeque<>();

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
        public long bytes() {
            return log.bytes();
        }

        @Override
        public void close() {
            log.close();
        }
    }

    private void send(Node node, List<Entry> entries, HintSender.Outcome outcome) {
        taken.addAll(entries);
        outcome.taken();
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

        assertThat(taken).isEqualTo(entries(1, 1));
        assertThat(log.bytes()).isZero();
    }

    @Test
    void anErrorInForgettingWhatWasTakenIsTriedAgain() {
        log.forgetting.add(HandoffFailuresTest::anError);
        handoff.missed(NODE, entries(1, 1));
        env.advance(WHILE);

        assertThat(taken).as("brought twice").hasSize(2);
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

        assertThat(taken).isEqualTo(entries(1, 1));
    }
}
