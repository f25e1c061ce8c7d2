package io.dht4j.simulator.cluster.repair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.Node;
import io.dht4j.RefillStatus;
import io.dht4j.RepairStatus;
import io.dht4j.ScanScope;
import io.dht4j.Topology;
import io.dht4j.UnavailableException;
import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Entry;
import io.dht4j.spi.Transport;
import io.dht4j.testkit.network.LoopbackNetwork;
import io.dht4j.testkit.store.ModelStore;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A node whose only peer answers by itself how far it has purged: up to what may be, and up to a time that is far ahead
 * of the node's clock.
 */
class PurgeClaimsTest {

    private static final Duration SKEW = Duration.ofSeconds(60);
    private static final CallOptions OWN = CallOptions.defaults().withPolicy(1, 2);
    private static final Key KEY = Key.of("key");
    private static final int HEADER_BYTES = 3 + 2 * 3 + 4 * 8;
    private static final int SUMS = 6;
    private static final int HOW_FAR_PURGED = 10;
    private static final int REPLY = 128;

    private final VirtualEnvironment env = VirtualEnvironment.seeded(5, 100_000_000);
    private final LoopbackNetwork network = LoopbackNetwork.on(env);
    private final Node node = Node.of("n0", "node:1");
    private final Transport peer = network.transport("peer:1");
    private final ModelStore store = new ModelStore();
    private Version claim = new Version(0);
    private Version claimInSums = new Version(0);
    private int asked;
    private boolean toldOn;
    private Cluster cluster;

    /** A node that holds nothing can show nothing that was deleted. */
    @BeforeEach
    void startPeerAndHoldAnEntry() {
        env.await(peer.start(this::answer), Duration.ofSeconds(1));
        store.apply(
                List.of(Entry.value(KEY, now(Duration.ZERO), "first".getBytes(StandardCharsets.UTF_8), Entry.NEVER)));
    }

    @AfterEach
    void close() {
        cluster.close();
        peer.close();
    }

    private void start() {
        cluster = ClusterBuilder.of("n0", Topology.of(node, Node.of("n1", "peer:1")))
                .transport(network.transport("node:1"))
                .store(store)
                .environment(env.newNode())
                .maxClockSkew(SKEW)
                .drainTimeout(Duration.ZERO)
                .start();
    }

    private CompletionStage<byte[]> answer(byte[] request, CallContext context) {
        ByteBuffer body = ByteBuffer.wrap(request).position(HEADER_BYTES);
        return switch (request[1]) {
            case HOW_FAR_PURGED -> CompletableFuture.completedFuture(howFarPurged(request, body));
            case SUMS -> CompletableFuture.completedFuture(sums(request, body));
            default -> new CompletableFuture<>();
        };
    }

    private byte[] howFarPurged(byte[] request, ByteBuffer body) {
        asked++;
        body.position(body.position() + Short.BYTES + body.getShort(body.position()));
        int partitions = partitions(body);
        body.getInt();
        for (int i = 0; i < partitions; i++) {
            toldOn |= body.getLong() != 0;
        }
        ByteBuffer reply = reply(request, Integer.BYTES + Long.BYTES * partitions);
        list(reply, partitions, claim);
        return reply.array();
    }

    /** The peer holds nothing. */
    private byte[] sums(byte[] request, ByteBuffer body) {
        int partitions = partitions(body);
        ByteBuffer reply = reply(request, 1 + 3 * (Integer.BYTES + Long.BYTES * partitions));
        reply.put((byte) 1);
        list(reply, partitions, new Version(0));
        list(reply, partitions, claimInSums);
        list(reply, partitions, claimInSums);
        return reply.array();
    }

    /** How many are asked about. */
    private static int partitions(ByteBuffer body) {
        byte[] bits = new byte[body.getInt()];
        body.get(bits);
        return BitSet.valueOf(bits).cardinality();
    }

    private static ByteBuffer reply(byte[] request, int bytes) {
        return ByteBuffer.allocate(HEADER_BYTES + bytes)
                .put(request, 0, HEADER_BYTES)
                .put(1, (byte) (request[1] | REPLY))
                // Sender and recipient, n0 and n1, the other way round.
                .put(5, (byte) '1')
                .put(8, (byte) '0');
    }

    private static void list(ByteBuffer reply, int count, Version each) {
        reply.putInt(count);
        for (int i = 0; i < count; i++) {
            reply.putLong(each.packed());
        }
    }

    private void put(String value) {
        env.await(cluster.put(KEY, value.getBytes(StandardCharsets.UTF_8), OWN), Duration.ofSeconds(10));
    }

    private Optional<String> read() {
        return env.await(cluster.get(KEY, OWN), Duration.ofSeconds(10)).map(Value::text);
    }

    private void assertClosed(String why) {
        assertThatThrownBy(this::read).isInstanceOf(UnavailableException.class);
        assertThatThrownBy(() -> env.await(
                        cluster.scan(KeyRange.all(), ScanScope.NODE, CallOptions.defaults())
                                .next(),
                        Duration.ofSeconds(10)))
                .hasMessageContaining(why);
        assertThat(refill().partitions()).isPositive();
    }

    private RefillStatus refill() {
        return env.await(cluster.operations().status(), Duration.ofSeconds(1)).refill();
    }

    private Version now(Duration later) {
        return Version.of(env.currentTimeMillis() + later.toMillis(), 0);
    }

    @Test
    void claimTooFarAheadStopsReadsAndIsNotPassedOn() {
        claim = now(SKEW.plusMinutes(5));
        start();
        env.advance(Duration.ofSeconds(10));
        assertClosed("check both clocks");
        put("second");
        env.advance(Duration.ofSeconds(10));
        assertClosed("check both clocks");

        assertThat(asked).as("it is asked again and again").isGreaterThan(2);
        assertThat(toldOn).as("the claim was passed on").isFalse();
        claim = new Version(0);
        env.advance(Duration.ofSeconds(30));
        assertThat(read()).contains("second");
        assertThat(refill()).isEqualTo(RefillStatus.NONE);
    }

    @Test
    void aClaimThatMayBeTrueClosesWhatItConcernsToReads() {
        claim = now(Duration.ZERO);
        start();
        env.advance(Duration.ofSeconds(10));

        assertClosed("rolled back");
        put("second");
        assertClosed("rolled back");
    }

    @Test
    void claimIsAcceptedOnceTheClockReachesIt() {
        claim = now(SKEW.plusMinutes(5));
        start();
        env.advance(Duration.ofSeconds(10));
        assertClosed("check both clocks");

        env.advance(Duration.ofMinutes(5).plusSeconds(30));
        assertClosed("rolled back");
    }

    @Test
    void repairSessionFailsOnAClaimTooFarAhead() {
        start();
        env.advance(Duration.ofSeconds(10));
        assertThat(read()).contains("first");
        claimInSums = now(SKEW.plusMinutes(5));
        claim = claimInSums;

        env.await(cluster.operations().repair(Set.of()), Duration.ofSeconds(1));
        env.runUntil(
                () -> cluster.operations()
                        .repairStatus()
                        .toCompletableFuture()
                        .join()
                        .lastError()
                        .isPresent(),
                Duration.ofMinutes(1));

        assertThat(repair().lastError().orElseThrow()).contains("n1", "clock is far from");
        assertClosed("check both clocks");
        put("second");
        assertThat(toldOn).as("the claim was passed on").isFalse();
        claim = new Version(0);
        env.advance(Duration.ofSeconds(30));
        assertThat(read()).contains("second");
    }

    private RepairStatus repair() {
        return env.await(cluster.operations().repairStatus(), Duration.ofSeconds(1));
    }
}
