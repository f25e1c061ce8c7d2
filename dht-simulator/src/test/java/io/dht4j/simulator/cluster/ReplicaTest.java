package io.dht4j.simulator.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Topology;
import io.dht4j.Version;
import io.dht4j.core.HashFunctions;
import io.dht4j.core.Placements;
import io.dht4j.core.internal.clock.HybridClock;
import io.dht4j.core.internal.observation.HotKeyCounter;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.refill.PartitionReadBarrier;
import io.dht4j.core.internal.repair.purge.PurgeWatermarks;
import io.dht4j.core.internal.repair.rollback.RollbackDetector;
import io.dht4j.core.internal.repair.tree.LocalReplica;
import io.dht4j.core.internal.replica.EntryWriter;
import io.dht4j.core.internal.replica.Replica;
import io.dht4j.core.internal.replica.RowGuard;
import io.dht4j.core.internal.replica.promise.Promises;
import io.dht4j.core.internal.snapshot.Snapshots;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.view.IncomingReplicas;
import io.dht4j.core.internal.view.Views;
import io.dht4j.core.internal.wire.Answer;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.core.options.NodeOptions.Limits;
import io.dht4j.core.options.OverloadProtection.QueueAges;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Entry;
import io.dht4j.spi.MemoryBudget;
import io.dht4j.spi.StoreException;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One replica by itself: what several requests that come together do to each other. */
class ReplicaTest {

    private static final long SECOND = Duration.ofSeconds(1).toNanos();
    private static final int MAX_VALUE_BYTES = 1 << 20;
    private static final int STORE_READS = 4;
    private static final int MAX_WAITING = 100;

    private static final Topology ALONE = Topology.of(Node.of("n0", "host:1"));

    private final VirtualEnvironment env = VirtualEnvironment.seeded(1);
    private final List<Reply> replies = new ArrayList<>();

    private Replica over(BlockingStore store) {
        return over(store, STORE_READS);
    }

    private Replica over(BlockingStore store, int storeReads) {
        Views views = new Views(ClusterView.fixed(
                new NodeId("n0"),
                ALONE,
                HashFunctions.xxh3(),
                Placements.rendezvous().assign(ALONE, 1),
                1));
        PurgeWatermarks watermarks = new PurgeWatermarks(store, 1, key -> 0);
        watermarks.load();
        HybridClock clock = new HybridClock(env::currentTimeMillis, 1000);
        Snapshots snapshots = new Snapshots(store, env, clock, views, 1 << 20);
        RowGuard rows = new RowGuard(views, new IncomingReplicas(views));
        PartitionReadBarrier barrier = new PartitionReadBarrier();
        Promises promises = new Promises(1, 1 << 10, store, env);
        EntryWriter writer =
                new EntryWriter(store, snapshots, watermarks, rows, barrier, clock::isTooFarAhead, promises);
        return new Replica(
                store,
                writer,
                new LocalReplica(
                        store,
                        watermarks,
                        new RollbackDetector(watermarks, barrier, clock::isTooFarAhead, () -> {}),
                        1,
                        key -> 0,
                        writer::purge,
                        writer::drop,
                        env::currentTimeMillis,
                        Duration.ofHours(1)),
                env,
                clock,
                snapshots,
                rows,
                limits(storeReads),
                new QueueAges(Duration.ofSeconds(1), Duration.ofSeconds(1)),
                barrier,
                new HotKeyCounter(new NodeId("n0"), Optional.empty(), env),
                watermarks,
                promises);
    }

    private static Limits limits(int storeReads) {
        // Of such a heap, an eighth is so many of the largest values.
        MemoryBudget memory = new MemoryBudget(8L * storeReads * MAX_VALUE_BYTES, MAX_VALUE_BYTES);
        assertThat(memory.storeReads()).isEqualTo(storeReads);
        return new Limits(memory, 0, MAX_WAITING, OptionalLong.of(1 << 20), 1, OptionalLong.empty());
    }

    private static Request write(Entry... entries) {
        return new Request.ApplyEntries(List.of(entries));
    }

    private static Entry entry(String key, long version) {
        return Entry.value(Key.of(key), new Version(version), new byte[] {1}, Entry.NEVER);
    }

    private static Request read(String key) {
        return new Request.ReadKeys(List.of(new Request.Query(Key.of(key), true)), MAX_VALUE_BYTES);
    }

    private void serve(Replica replica, Request request, Consumer<Reply> reply) {
        replica.serve(request, 0, new CallContext(env::nanoTime, SECOND), reply);
    }

    @Test
    void entriesInMemoryAreAnsweredAtOnce() {
        BlockingStore store = new BlockingStore();
        Replica replica = over(store);
        serve(replica, write(entry("k", 1)), replies::add);
        env.runUntilIdle();
        store.remembers = true;

        serve(replica, read("k"), replies::add);
        serve(replica, read("absent"), replies::add);

        assertThat(replies.subList(1, 3))
                .containsExactly(
                        new Reply.Found(List.of(new Answer.Whole(entry("k", 1)))),
                        new Reply.Found(List.of(new Answer.Absent())));
        assertThat(store.gets).hasValue(0);
    }

    @Test
    void aStoreThatFailsToLookIntoItsMemoryIsReadAsAnyOther() {
        BlockingStore store = new BlockingStore();
        Replica replica = over(store);
        store.remembers = true;
        store.broken = true;

        serve(replica, read("k"), replies::add);
        assertThat(replies).isEmpty();
        env.runUntilIdle();

        assertThat(replies).singleElement().isInstanceOf(Reply.Failed.class);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void throwingReplyHandlerBlocksNoOtherReply(boolean memoryFast) {
        Replica replica = over(memoryFast ? BlockingStore.memoryFast() : new BlockingStore());
        for (int i = 0; i < 6; i++) {
            boolean throwing = i % 3 == 1;
            Consumer<Reply> reply = given -> {
                if (throwing) {
                    throw new IllegalStateException("as this test wants it");
                }
                replies.add(given);
            };
            serve(replica, i < 3 ? write(entry("key" + i, 1)) : read("key" + i), reply);
        }
        env.advance(Duration.ofSeconds(1));

        assertThat(replies).hasSize(4);
        // And the next ones are served.
        serve(replica, write(entry("key", 2)), replies::add);
        serve(replica, read("key"), replies::add);
        env.advance(Duration.ofSeconds(1));
        assertThat(replies).hasSize(6).noneMatch(Reply.Failed.class::isInstance);
    }

    private static Request batch(Request... requests) {
        return new Request.Batch(
                Stream.of(requests)
                        .map(request -> new Request.Part(request, SECOND))
                        .toList(),
                MAX_VALUE_BYTES,
                MAX_VALUE_BYTES);
    }

    @Test
    void theWritesOfAFrameReachAMemoryStoreTogether() {
        BlockingStore store = BlockingStore.memoryFast();
        Replica replica = over(store);

        serve(replica, batch(write(entry("a", 1)), read("a"), write(entry("b", 1), entry("c", 1))), replies::add);

        assertThat(store.applied).containsExactly(3);
        assertThat(replies)
                .containsExactly(new Reply.Batch(List.of(
                        Reply.Applied.AS_NEWEST,
                        new Reply.Found(List.of(new Answer.Whole(entry("a", 1)))),
                        Reply.Applied.AS_NEWEST)));
    }

    @Test
    void aWriteOfAFrameThatAMemoryStoreRefusesFailsAlone() {
        BlockingStore store = BlockingStore.memoryFast();
        Replica replica = over(store);
        serve(replica, write(entry("c", 2)), replies::add);
        List<Integer> calls = new ArrayList<>();
        store.beforeApply = entries -> {
            calls.add(entries);
            // All together, and then the second one.
            if (entries == 3 || calls.size() == 3) {
                throw new StoreException("full");
            }
        };

        serve(replica, batch(write(entry("a", 1)), write(entry("b", 1)), write(entry("c", 1))), replies::add);

        assertThat(calls).containsExactly(3, 1, 1, 1);
        assertThat(replies.get(1))
                .isEqualTo(new Reply.Batch(List.of(
                        Reply.Applied.AS_NEWEST,
                        new Reply.Failed(ErrorCode.STORE_FAILED, "full"),
                        new Reply.Applied(List.of(new Reply.Newer(0, new Version(2)))))));
    }

    @Test
    void aClientsReadPassesTheRefillsThatCameBeforeIt() {
        Replica replica = over(new BlockingStore(), 1);
        int refills = 20;
        for (int i = 0; i < refills; i++) {
            replica.refill(new Request.ApplyEntries(List.of(entry("refilled" + i, 1))), 0, replies::add);
        }
        serve(replica, read("k"), replies::add);
        env.runUntilIdle();

        assertThat(replies).hasSize(refills + 1);
        assertThat(replies.subList(0, refills / 2)).anyMatch(Reply.Found.class::isInstance);
    }

    @Test
    void refillsHaveALimitApartFromClients() {
        Replica replica = over(new BlockingStore());
        for (int i = 0; i < 2 * MAX_WAITING; i++) {
            replica.refill(new Request.ApplyEntries(List.of(entry("refilled" + i, 1))), 0, replies::add);
        }
        assertThat(replies)
                .as("refused")
                .hasSizeGreaterThanOrEqualTo(MAX_WAITING)
                .allSatisfy(reply -> assertThat(((Reply.Failed) reply).code()).isEqualTo(ErrorCode.OVERLOADED));
        List<Reply> ofClients = new ArrayList<>();
        for (int i = 0; i < MAX_WAITING; i++) {
            serve(replica, read("k"), ofClients::add);
        }
        env.runUntilIdle();
        assertThat(ofClients).hasSize(MAX_WAITING).allMatch(Reply.Found.class::isInstance);
        assertThat(replies).hasSize(2 * MAX_WAITING).anyMatch(Reply.Applied.class::isInstance);
    }

    @Test
    void refillPagesTakeNoPlacesOfClients() {
        Replica replica = over(new BlockingStore());
        Request page = new Request.RefillPage(new Request.ScanPage(KeyRange.all(), PartitionSet.empty(), 10, 1000));
        for (int i = 0; i < 2 * MAX_WAITING; i++) {
            serve(replica, page, replies::add);
        }
        List<Reply> ofClients = new ArrayList<>();
        for (int i = 0; i < MAX_WAITING; i++) {
            serve(replica, read("k"), ofClients::add);
        }
        env.runUntilIdle();
        assertThat(ofClients).hasSize(MAX_WAITING).allMatch(Reply.Found.class::isInstance);
        assertThat(replies).hasSize(2 * MAX_WAITING).anyMatch(Reply.Page.class::isInstance);
    }

    /** What is older than version 100 is refused: so the store remembers it. */
    private static BlockingStore fencedAt100() {
        BlockingStore store = new BlockingStore();
        store.keepNote(
                "fence",
                ByteBuffer.allocate(2 * Long.BYTES).putLong(100).putLong(0).array());
        return store;
    }

    @Test
    void writesBelowAFenceLeaveTheirGroupAndTheRestIsWritten() {
        BlockingStore store = fencedAt100();
        Replica replica = over(store);
        for (int i = 0; i < 8; i++) {
            boolean behind = i == 2 || i == 3 || i == 6;
            serve(replica, write(entry("key" + i, 200), entry("other" + i, behind ? 50 : 200)), replies::add);
        }
        env.advance(Duration.ofSeconds(1));

        assertThat(replies).hasSize(8);
        for (int i = 0; i < 8; i++) {
            boolean behind = i == 2 || i == 3 || i == 6;
            assertThat(replies.get(i))
                    .isEqualTo(
                            behind
                                    ? new Reply.Failed(
                                            ErrorCode.VERSION_TOO_OLD,
                                            "version " + new Version(50) + " of key other" + i
                                                    + " is older than what all replicas have agreed on")
                                    : Reply.Applied.AS_NEWEST);
            assertThat(store.get(Key.of("key" + i)).isPresent()).isNotEqualTo(behind);
        }
        assertThat(store.applied).containsExactly(10);
    }

    @Test
    void aGroupOfWhichAllIsBehindAFenceNeverReachesTheStore() {
        BlockingStore store = fencedAt100();
        Replica replica = over(store);
        for (int i = 0; i < 3; i++) {
            serve(replica, write(entry("key" + i, 50)), replies::add);
        }
        env.advance(Duration.ofSeconds(1));

        assertThat(replies).hasSize(3).allMatch(reply -> ((Reply.Failed) reply).code() == ErrorCode.VERSION_TOO_OLD);
        assertThat(store.applied).isEmpty();
    }
}
