package io.dht4j.simulator.cluster.membership;

import static io.dht4j.simulator.cluster.membership.FormedCluster.BOUND;
import static io.dht4j.simulator.cluster.membership.FormedCluster.list;
import static io.dht4j.simulator.cluster.membership.FormedCluster.node;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.AtomicChange;
import io.dht4j.AtomicCounter;
import io.dht4j.AtomicMap;
import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.InvalidRequestException;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.NodeGauges;
import io.dht4j.NodeId;
import io.dht4j.Scan;
import io.dht4j.ScanScope;
import io.dht4j.SlowCall;
import io.dht4j.Snapshot;
import io.dht4j.Topology;
import io.dht4j.UnavailableException;
import io.dht4j.Version;
import io.dht4j.core.internal.atomic.AtomicSpace;
import io.dht4j.core.internal.coordinator.node.NodeCluster;
import io.dht4j.core.internal.wire.RegisterReply;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Entry;
import io.dht4j.spi.Store;
import io.dht4j.spi.StoreException;
import io.dht4j.testkit.network.Fault;
import io.dht4j.testkit.store.ForwardingStore;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Atomic operations through the nodes of a cluster, and what refuses them. */
@Tag("jdk")
class AtomicCallsTest {

    private static final Key COUNTER = AtomicSpace.key("counters", Key.of("c"));
    private static final byte[] VALUE = {1};

    private final FormedCluster cluster = new FormedCluster(1);

    @AfterEach
    void close() {
        cluster.close();
    }

    private CompletableFuture<RegisterReply.Outcome> execute(int at, AtomicChange change) {
        return execute(at, COUNTER, change);
    }

    private CompletableFuture<RegisterReply.Outcome> execute(int at, Key key, AtomicChange change) {
        return ((NodeCluster) cluster.cluster(at))
                .registers()
                .execute(
                        key,
                        change,
                        Optional.empty(),
                        new CallContext(
                                cluster.nodes.get(at).env::nanoTime,
                                Duration.ofSeconds(3).toNanos()),
                        null);
    }

    private long number(CompletionStage<RegisterReply.Outcome> outcome) {
        return cluster.env.await(outcome, BOUND).executed().number();
    }

    private DhtException failure(CompletionStage<?> call) {
        try {
            cluster.env.await(call, BOUND);
            throw new AssertionError("the call has succeeded");
        } catch (RuntimeException e) {
            return (DhtException) DhtException.unwrap(e);
        }
    }

    @Test
    void additionsThroughAllNodesAreCountedOnce() {
        cluster.form(3);
        List<CompletableFuture<RegisterReply.Outcome>> calls = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            calls.add(execute(i % 3, AtomicChange.add(1)));
            cluster.env.advance(Duration.ofMillis(i % 7 == 0 ? 1 : 0));
        }
        assertThat(calls.stream().map(this::number).toList())
                .containsExactlyInAnyOrderElementsOf(
                        LongStream.rangeClosed(1, 300).boxed().toList());
        assertThat(number(execute(1, AtomicChange.read()))).isEqualTo(300);
    }

    /** Each needs longer than a silent proposer is waited for. */
    @Test
    void aSlowProposerKeepsItsOperations() {
        cluster.form(3);
        number(execute(0, AtomicChange.add(1)));
        cluster.nodes.values().forEach(node -> node.link.towardAll(Fault.delay(Duration.ofMillis(150), Duration.ZERO)));
        long begin = cluster.env.nanoTime();
        List<CompletableFuture<RegisterReply.Outcome>> calls = IntStream.range(0, 150)
                .mapToObj(i -> execute(i % 3, AtomicChange.add(1)))
                .toList();
        assertThat(calls.stream().map(this::number).toList())
                .containsExactlyInAnyOrderElementsOf(
                        LongStream.rangeClosed(2, 151).boxed().toList());
        assertThat(Duration.ofNanos(cluster.env.nanoTime() - begin)).isLessThan(Duration.ofMillis(1_500));
    }

    @Test
    void aSilentProposerIsLeft() {
        cluster.form(3);
        number(execute(0, AtomicChange.add(1)));
        for (int silent = 0; silent < 3; silent++) {
            NodeId cut = node(silent).id();
            cluster.nodes.values().forEach(node -> node.link.toward(cut, Fault.loseRequest()));
            cluster.nodes.get(silent).link.towardAll(Fault.loseRequest());
            for (int at : new int[] {(silent + 1) % 3, (silent + 2) % 3}) {
                long begin = cluster.env.nanoTime();
                number(execute(at, AtomicChange.add(1)));
                assertThat(Duration.ofNanos(cluster.env.nanoTime() - begin)).isLessThan(Duration.ofMillis(750));
            }
            cluster.nodes.values().forEach(node -> node.link.heal());
        }
    }

    /** The ballot of the second addition was promised with the first one. */
    @Test
    void aSnapshotShowsNoOperationThatFollowsIt() {
        cluster.form(3);
        Cluster any = cluster.cluster(0);
        number(execute(0, AtomicChange.add(1)));
        try (Snapshot snapshot =
                cluster.env.await(any.openSnapshot(Duration.ofMinutes(1), CallOptions.defaults()), BOUND)) {
            assertThat(number(execute(0, AtomicChange.add(1)))).isEqualTo(2);
            assertThat(values(snapshot.scan(KeyRange.from(AtomicMap.KEYS.start()), CallOptions.defaults())))
                    .containsExactly("+1");
        }
    }

    /** A proposer that the snapshot has left out still has the promise of a ballot from before. */
    @Test
    void aSnapshotShowsNoOperationOfANodeThatItHasLeftOut() {
        cluster.form(3);
        cluster.env.advance(Duration.ofSeconds(10));
        for (int proposer = 0; proposer < 3; proposer++) {
            number(execute(proposer, AtomicChange.add(1)));
        }
        int proposer = IntStream.range(0, 3)
                .filter(node -> atomicOperations(node).rounds() > 0)
                .findFirst()
                .orElseThrow();
        Cluster other = cluster.cluster((proposer + 1) % 3);
        cutOff(proposer, Fault.loseRequest());
        cluster.env.advance(Duration.ofSeconds(10));
        try (Snapshot snapshot =
                cluster.env.await(other.openSnapshot(Duration.ofMinutes(1), CallOptions.defaults()), BOUND)) {
            cluster.nodes.values().forEach(node -> node.link.heal());
            NodeGauges.AtomicOperations before = atomicOperations(proposer);
            assertThat(number(execute(proposer, AtomicChange.add(1)))).isEqualTo(4);
            assertThat(atomicOperations(proposer).shortRounds() - before.shortRounds())
                    .as("begins with the promised ballot")
                    .isOne();
            assertThat(atomicOperations(proposer).repeatedRounds() - before.repeatedRounds())
                    .as("and is refused")
                    .isOne();
            assertThat(values(snapshot.scan(KeyRange.from(AtomicMap.KEYS.start()), CallOptions.defaults())))
                    .containsExactly("+3");
        }
    }

    private void cutOff(int node, Fault fault) {
        cluster.nodes.get(node).link.towardAll(fault);
        cluster.nodes.forEach((other, running) -> {
            if (other != node) {
                running.link.toward(node(node).id(), fault);
            }
        });
    }

    private NodeGauges.AtomicOperations atomicOperations(int node) {
        return cluster.cluster(node)
                .operations()
                .diagnostics()
                .orElseThrow()
                .gauges()
                .atomicOperations();
    }

    @Test
    void aKeyThatChangesEachMinuteCostsOneRoundTripAtBusyNodes() {
        cluster.form(3);
        cluster.env.advance(Duration.ofSeconds(10));
        Key busy = AtomicSpace.key("counters", Key.of("busy"));
        for (int second = 0; second < 300; second++) {
            number(execute(0, busy, AtomicChange.add(1)));
            if (second % 60 == 0) {
                number(execute(0, AtomicChange.add(1)));
            }
            cluster.env.advance(Duration.ofSeconds(1));
        }
        assertThat(IntStream.range(0, 3)
                        .mapToObj(this::atomicOperations)
                        .mapToLong(counts -> counts.rounds() - counts.shortRounds())
                        .sum())
                .as("the first round of each key, and one before the bound of promises was raised")
                .isLessThanOrEqualTo(3);
    }

    @Test
    void valuesThatDoNotFitIntoASharedReplyAreRead() {
        cluster.form(3);
        List<Key> keys = IntStream.range(0, 8)
                .mapToObj(i -> AtomicSpace.key("values", Key.of("v" + i)))
                .toList();
        byte[] large = new byte[AtomicChange.MAX_VALUE_BYTES];
        keys.forEach(key -> cluster.env.await(execute(0, key, AtomicChange.put(large, 0)), BOUND));
        List<CompletableFuture<RegisterReply.Outcome>> reads =
                keys.stream().map(key -> execute(1, key, AtomicChange.read())).toList();
        assertThat(reads)
                .allSatisfy(read -> assertThat(
                                cluster.env.await(read, BOUND).register().value())
                        .hasSize(large.length));
    }

    @Test
    void aNodeWhoseClockWasFarAheadExecutesOperations() {
        cluster.form(3);
        VirtualEnvironment first = cluster.nodes.get(0).env;
        first.setClockOffset(Duration.ofMinutes(10));
        for (int i = 0; i < 20; i++) {
            failure(cluster.cluster(0).put(Key.of("k" + i), VALUE));
        }
        first.setClockOffset(Duration.ZERO);
        assertThat(number(execute(0, AtomicChange.add(1)))).isEqualTo(1);
        assertThat(number(execute(0, AtomicChange.add(1)))).isEqualTo(2);
        assertThat(number(execute(1, AtomicChange.read()))).isEqualTo(2);
    }

    /** Its operations seem old, so that a register that many change may have forgotten them. */
    @Test
    void aNodeWhoseClockIsBehindDrivesNoClockAhead() {
        cluster.form(3);
        for (int round = 0; round < 10; round++) {
            cluster.nodes.get(1).env.setClockOffset(Duration.ofSeconds(-3));
            List<CompletableFuture<RegisterReply.Outcome>> calls = IntStream.range(0, 1_200)
                    .mapToObj(i -> {
                        if (i % 64 == 0) {
                            cluster.env.advance(Duration.ofMillis(5));
                        }
                        return execute(0, AtomicChange.add(1));
                    })
                    .toList();
            calls.forEach(this::number);
            number(execute(1, AtomicChange.add(1)));
        }
        assertThat(number(execute(0, AtomicChange.read()))).isEqualTo(12_010);
        Version ballot = cluster.disk(0).get(COUNTER).orElseThrow().version();
        assertThat(ballot.millis()).isLessThan(cluster.env.currentTimeMillis() + 100);
    }

    @Test
    void aFixedListOfNodesRefusesAtomicOperations() {
        try (Cluster fixed = cluster.startStatic(0, Topology.of(node(0)))) {
            CompletableFuture<RegisterReply.Outcome> call = ((NodeCluster) fixed)
                    .registers()
                    .execute(
                            COUNTER,
                            AtomicChange.add(1),
                            Optional.empty(),
                            new CallContext(cluster.env::nanoTime, BOUND.toNanos()),
                            null);
            assertThat(failure(call))
                    .isInstanceOf(InvalidRequestException.class)
                    .hasMessageContaining("Membership.bootstrap");
        }
    }

    @Test
    void plainWritesOfKeysOfRegistersAreRefused() {
        Cluster any = cluster.form(1).cluster(0);
        for (CompletionStage<?> write : List.of(
                any.put(COUNTER, VALUE), any.putAll(Map.of(Key.of("k"), VALUE, COUNTER, VALUE)), any.delete(COUNTER))) {
            assertThat(failure(write))
                    .hasMessageContaining("begins with \\0atomic/")
                    .extracting(DhtException::code)
                    .isEqualTo(ErrorCode.ATOMIC_KEY);
        }
    }

    @Test
    void scansShowNoRegisters() {
        Cluster any = cluster.form(3).cluster(0);
        List<Key> plain = new ArrayList<>(List.of(Key.of("\0atom"), Key.of("\0atomic0"), Key.of("k")));
        plain.forEach(key -> cluster.env.await(any.put(key, VALUE), BOUND));
        // Several pages.
        for (int i = 0; i < 2_500; i++) {
            cluster.env.await(execute(i % 3, AtomicSpace.key("counters", Key.of("c" + i)), AtomicChange.add(1)), BOUND);
        }
        Scan all = any.scan(KeyRange.all());
        assertThat(keys(all)).containsExactlyElementsOf(plain);
        assertThat(keys(any.scan(KeyRange.between(plain.get(0), plain.get(1))))).containsExactly(plain.get(0));
        assertThat(keys(any.scan(KeyRange.all(), ScanScope.NODE, CallOptions.defaults())))
                .containsExactlyElementsOf(plain);
        cluster.env.await(any.execute("counters", Key.of("c7"), AtomicChange.remove(), CallOptions.defaults()), BOUND);
        cluster.env.await(
                any.execute("values", Key.of("v"), AtomicChange.put(VALUE, 0), CallOptions.defaults()), BOUND);
        assertThat(keys(any.scan(AtomicMap.KEYS))).hasSize(2_500);
        assertThat(values(any.scan(KeyRange.from(AtomicMap.KEYS.start()))))
                .containsOnly("+1", "=\u0001", "\u0001")
                .hasSize(2_502);
        any.scan(KeyRange.all()).close();
    }

    private List<String> values(Scan scan) {
        List<String> values = new ArrayList<>();
        cluster.env.await(scan.forEach(entry -> values.add(entry.value().text())), BOUND);
        return values;
    }

    private List<Key> keys(Scan scan) {
        List<Key> keys = new ArrayList<>();
        cluster.env.await(scan.forEach(entry -> keys.add(entry.key())), BOUND);
        return keys;
    }

    @Test
    void aMemberOfAnEarlierReleaseIsNamed() {
        cluster.ofEarlierRelease.add(2);
        cluster.form(3);
        assertThat(failure(execute(0, AtomicChange.add(1))))
                .isInstanceOf(UnavailableException.class)
                .hasMessageContaining("node n2 runs an earlier version");
    }

    @Test
    void onlyTheFirstOperationNeedsAllMembers() {
        cluster.form(3);
        cluster.crash(2);
        assertThat(failure(execute(0, AtomicChange.add(1))))
                .isInstanceOf(UnavailableException.class)
                .hasMessageContaining("when all members have announced them")
                .hasMessageContaining("n2");
        cluster.bootstrap(2, list(0, 1, 2));
        cluster.cluster(2);
        assertThat(number(execute(0, AtomicChange.add(1)))).isEqualTo(1);
        cluster.crash(2);
        cluster.crash(1);
        cluster.bootstrap(1, list(0, 1, 2));
        cluster.cluster(1);
        assertThat(number(execute(1, AtomicChange.add(1)))).isEqualTo(2);
    }

    @Test
    void aStoreWithPlainEntriesInTheSpaceOfRegistersIsRefused() {
        Store disk = cluster.disk(0);
        disk.apply(List.of(
                Entry.value(COUNTER, new Version(5), VALUE, Entry.NEVER),
                Entry.value(Key.of("other"), new Version(6), VALUE, Entry.NEVER)));
        cluster.bootstrap(0, list(0));
        assertThat(cluster.failure(0)).contains("1 keys in the store begin with \\0atomic/");
    }

    @Test
    void aDeletedPlainEntryIsAnAbsentRegister() {
        Store disk = cluster.disk(0);
        disk.apply(List.of(Entry.tombstone(COUNTER, new Version(5))));
        cluster.form(1);
        assertThat(number(execute(0, AtomicChange.add(3)))).isEqualTo(3);
    }

    /** A store that fails to write the counter when told so, perhaps after it has. */
    private static final class FailingStore extends ForwardingStore {
        boolean fails;

        FailingStore(Store store) {
            super(store);
        }

        @Override
        public List<Version> applyAndGetVersions(List<Entry> entries) {
            List<Version> versions = super.applyAndGetVersions(entries);
            if (fails && entries.stream().anyMatch(entry -> entry.key().equals(COUNTER))) {
                throw new StoreException("no space left");
            }
            return versions;
        }
    }

    @Test
    void aReplicaThatFailedToWriteIsReadAfterItsNextWrite() {
        FailingStore failing = new FailingStore(cluster.disk(0));
        cluster.bootstrap(0, list(0, 1, 2), builder -> builder.store(failing));
        cluster.bootstrap(1, list(0, 1, 2));
        cluster.bootstrap(2, list(0, 1, 2));
        cluster.awaitStarts();
        failing.fails = true;
        assertThat(number(execute(1, AtomicChange.add(1)))).isEqualTo(1);
        cluster.crash(2);
        // Of two replicas that answer, one must not be read, and cannot be written.
        assertThat(failure(execute(1, AtomicChange.read()))).isInstanceOf(UnavailableException.class);
        failing.fails = false;
        assertThat(number(execute(1, AtomicChange.read()))).isEqualTo(1);
        assertThat(number(execute(1, AtomicChange.add(1)))).isEqualTo(2);
    }

    @Test
    void aSlowOperationIsKeptWithItsRequests() {
        for (int i = 0; i < 3; i++) {
            cluster.bootstrap(i, list(0, 1, 2), builder -> builder.slowCalls(Duration.ofMillis(50)));
        }
        cluster.awaitStarts();
        cluster.env.advance(Duration.ofSeconds(10));
        Duration hop = Duration.ofMillis(40);
        for (int i = 0; i < 3; i++) {
            cluster.nodes.get(i).link.towardAll(Fault.delay(hop, hop));
        }
        // One of these nodes proposes itself, the others forward.
        for (int i = 0; i < 3; i++) {
            Cluster node = cluster.cluster(i);
            for (String map : List.of("one", "other")) {
                cluster.env.await(node.atomicCounter(map, Key.of("c")).add(1), BOUND);
                cluster.env.await(node.atomicCounter(map, Key.of("c")).get(), BOUND);
            }
            List<SlowCall> slow = node.operations().diagnostics().orElseThrow().slowCalls();
            assertThat(slow)
                    .extracting(SlowCall::kind)
                    .containsExactly("ATOMIC_GET", "ATOMIC_CHANGE", "ATOMIC_GET", "ATOMIC_CHANGE");
            assertThat(slow)
                    .allSatisfy(call -> assertThat(call.requests())
                            .as(call.toString())
                            .anySatisfy(
                                    request -> assertThat(request.took()).isGreaterThanOrEqualTo(hop.multipliedBy(2))));
            assertThat(slow.stream().map(SlowCall::keyHash).distinct())
                    .as("a key of another map is another key")
                    .hasSize(2);
        }
    }

    @Test
    void whatOperationsCostIsCounted() {
        cluster.form(3);
        // Nodes that formed it at different times do not suspect one another any more.
        cluster.env.advance(Duration.ofSeconds(10));
        for (int node = 0; node < 3; node++) {
            AtomicCounter counter = cluster.cluster(node).atomicCounter("counters", Key.of("c"));
            for (int i = 0; i < 4; i++) {
                cluster.env.await(counter.add(1), BOUND);
            }
        }
        List<NodeGauges.AtomicOperations> nodes =
                IntStream.range(0, 3).mapToObj(this::atomicOperations).toList();
        assertThat(nodes).extracting(NodeGauges.AtomicOperations::forwarded).containsExactlyInAnyOrder(0L, 4L, 4L);
        assertThat(nodes).extracting(NodeGauges.AtomicOperations::proposed).containsExactlyInAnyOrder(12L, 0L, 0L);
        assertThat(nodes).extracting(NodeGauges.AtomicOperations::rounds).containsExactlyInAnyOrder(12L, 0L, 0L);
        assertThat(nodes).extracting(NodeGauges.AtomicOperations::shortRounds).containsExactlyInAnyOrder(11L, 0L, 0L);
        assertThat(nodes)
                .extracting(NodeGauges.AtomicOperations::repeatedRounds)
                .containsOnly(0L);
    }
}
