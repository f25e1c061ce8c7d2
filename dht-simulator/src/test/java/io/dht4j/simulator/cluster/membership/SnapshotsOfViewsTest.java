package io.dht4j.simulator.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Topology;
import io.dht4j.Version;
import io.dht4j.core.HashFunctions;
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
import io.dht4j.core.internal.view.Moves;
import io.dht4j.core.internal.view.Phase;
import io.dht4j.core.internal.view.ReplicaSlot;
import io.dht4j.core.internal.view.Row;
import io.dht4j.core.internal.view.Views;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.core.options.NodeOptions.Limits;
import io.dht4j.core.options.OverloadProtection.QueueAges;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Entry;
import io.dht4j.spi.MemoryBudget;
import io.dht4j.testkit.store.ForwardingStore;
import io.dht4j.testkit.store.ModelStore;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What one node answers about snapshots while the first of its two partitions comes to it. */
class SnapshotsOfViewsTest {

    private static final long SECOND = 1_000_000_000L;
    private static final Version ID = new Version(7 << 16);
    private static final PartitionSet COMING = PartitionSet.of(0);
    private static final PartitionSet STABLE = PartitionSet.of(1);
    private static final Node HERE = Node.of("n0", "host:1");
    private static final Node OTHER = Node.of("n1", "host:2");

    private final VirtualEnvironment env = VirtualEnvironment.seeded(1);
    private final MergingStore store = new MergingStore();
    private final HybridClock clock = new HybridClock(env::currentTimeMillis, 1000);
    private final Views views = new Views(view(2, Phase.COPY));
    private final IncomingReplicas incoming = new IncomingReplicas(views);
    private final PartitionReadBarrier barrier = new PartitionReadBarrier();
    private final Snapshots snapshots = new Snapshots(store, env, clock, views, 1 << 20);
    private final Replica replica = replica();

    /** Lets something happen while entries are merged. */
    private static final class MergingStore extends ForwardingStore {

        private Runnable meanwhile = () -> {};

        MergingStore() {
            super(new ModelStore());
        }

        @Override
        public List<Version> applyAndGetVersions(List<Entry> entries) {
            meanwhile.run();
            return super.applyAndGetVersions(entries);
        }
    }

    private static ClusterView view(long epoch, Phase phase) {
        Node owner = phase.isOfTwo() ? OTHER : HERE;
        return ClusterView.agreed(
                new UUID(7, 7),
                HERE.id(),
                new Topology(epoch, List.of(HERE, OTHER)),
                HashFunctions.xxh3(),
                List.of(Row.of(epoch, List.of(new ReplicaSlot(phase, owner, HERE))), Row.stable(1, List.of(HERE))),
                Map.of(),
                Moves.NONE);
    }

    private Replica replica() {
        PurgeWatermarks watermarks = new PurgeWatermarks(store, 2, key -> 0);
        watermarks.load();
        barrier.checked().complete(null);
        MemoryBudget memory = new MemoryBudget(32 << 20, 1 << 20);
        RowGuard rows = new RowGuard(views, incoming);
        Promises promises = new Promises(2, 1 << 10, store, env);
        EntryWriter writer =
                new EntryWriter(store, snapshots, watermarks, rows, barrier, clock::isTooFarAhead, promises);
        return new Replica(
                store,
                writer,
                new LocalReplica(
                        store,
                        watermarks,
                        new RollbackDetector(watermarks, barrier, clock::isTooFarAhead, () -> {}),
                        2,
                        key -> 0,
                        writer::purge,
                        writer::drop,
                        env::currentTimeMillis,
                        Duration.ofHours(1)),
                env,
                clock,
                snapshots,
                rows,
                new Limits(memory, 0, 100, OptionalLong.of(1 << 20), 1, OptionalLong.empty()),
                new QueueAges(Duration.ofSeconds(1), Duration.ofSeconds(1)),
                barrier,
                new HotKeyCounter(new NodeId("n0"), Optional.empty(), env),
                watermarks,
                promises);
    }

    private Reply serve(Request request) {
        return serve(request, views.current().epoch());
    }

    private Reply serve(Request request, long rowVersion) {
        List<Reply> replies = new ArrayList<>();
        replica.serve(request, rowVersion, new CallContext(env::nanoTime, SECOND), replies::add);
        env.advance(Duration.ofMillis(1));
        assertThat(replies).hasSize(1);
        return replies.get(0);
    }

    private static Request.ScanPage page(PartitionSet partitions) {
        return new Request.ScanPage(KeyRange.all(), partitions, 10, 1000);
    }

    private static ErrorCode code(Reply reply) {
        return ((Reply.Failed) reply).code();
    }

    @Test
    void pageNamesItsPartitionsWhichAreOwnedHere() {
        assertThat(code(serve(page(PartitionSet.empty())))).isEqualTo(ErrorCode.BAD_REQUEST);
        assertThat(code(serve(new Request.SnapshotPage(ID, page(PartitionSet.empty())))))
                .isEqualTo(ErrorCode.SNAPSHOT_GONE);
        assertThat(code(serve(page(COMING)))).isEqualTo(ErrorCode.REPLICA_REFILLING);
        assertThat(serve(page(STABLE), 1)).isInstanceOf(Reply.Page.class);
    }

    @Test
    void heirTakesPartInSnapshotsOfItsOtherPartitions() {
        barrier.set(PartitionReadBarrier.Reason.LOST, COMING);
        assertThat(serve(new Request.OpenSnapshot(ID, SECOND))).isInstanceOf(Reply.SnapshotOpened.class);
        assertThat(serve(new Request.FixSnapshot(ID, ID))).isInstanceOf(Reply.SnapshotDone.class);
        barrier.set(PartitionReadBarrier.Reason.LOST, PartitionSet.empty());
        views.install(view(3, Phase.STABLE));
        assertThat(serve(new Request.SnapshotPage(ID, page(PartitionSet.of(0, 1)))))
                .isEqualTo(new Reply.SnapshotLacks(COMING));
        assertThat(serve(new Request.SnapshotPage(ID, page(STABLE)), 1)).isInstanceOf(Reply.Page.class);
    }

    @Test
    void nodeThatLacksEntriesOfItsOwnTakesNoPart() {
        barrier.set(PartitionReadBarrier.Reason.LOST, STABLE);
        assertThat(code(serve(new Request.OpenSnapshot(ID, SECOND)))).isEqualTo(ErrorCode.REPLICA_REFILLING);
    }

    /** Such a merge may have been admitted before the version was known, and change what the snapshot shows. */
    @Test
    void aSnapshotIsFixedOnceTheMergesHaveEndedThatHadBegun() {
        assertThat(serve(new Request.OpenSnapshot(ID, SECOND))).isInstanceOf(Reply.SnapshotOpened.class);
        Key key = IntStream.range(0, 100)
                .mapToObj(i -> Key.of("k" + i))
                .filter(each -> views.current().partitionOf(each) == 1)
                .findFirst()
                .orElseThrow();
        List<Reply> fixed = new ArrayList<>();
        List<Integer> repliesMeanwhile = new ArrayList<>();
        store.meanwhile = () -> {
            replica.serve(new Request.FixSnapshot(ID, ID), 2, new CallContext(env::nanoTime, SECOND), fixed::add);
            repliesMeanwhile.add(fixed.size());
        };
        Entry entry = Entry.value(key, new Version(1 << 16), new byte[1], Entry.NEVER);
        assertThat(serve(new Request.ApplyEntries(List.of(entry)), 1)).isInstanceOf(Reply.Applied.class);
        assertThat(repliesMeanwhile).containsExactly(0);
        assertThat(fixed).singleElement().isInstanceOf(Reply.SnapshotDone.class);
    }
}
