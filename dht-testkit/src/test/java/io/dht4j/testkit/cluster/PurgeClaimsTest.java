package io.dht4j.testkit.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.Node;
import io.dht4j.RefillStatus;
import io.dht4j.ScanScope;
import io.dht4j.Topology;
import io.dht4j.UnavailableException;
import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Entry;
import io.dht4j.spi.Transport;
import io.dht4j.testkit.LoopbackNetwork;
import io.dht4j.testkit.ModelStore;
import io.dht4j.testkit.VirtualEnvironment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A node whose only peer answers by itself how far it has purged, as no node does whose clock is right. */
class PurgeClaimsTest {

    private static final Duration SKEW = Duration.ofSeconds(60);
    private static final CallOptions OWN = CallOptions.defaults().withPolicy(1, 2);
    private static final Key KEY = Key.of("key");
    private static final int HEADER_BYTES = 26;
    private static final int ASKS_HOW_FAR_PURGED = 10;
    private static final int HOW_FAR_PURGED = 138;

    private final VirtualEnvironment env = VirtualEnvironment.seeded(5, 100_000_000);
    private final LoopbackNetwork network = LoopbackNetwork.on(env);
    private final Node node = Node.of("n0", "node");
    private final Transport peer = network.transport("peer");
    private final ModelStore store = new ModelStore();
    private Version claim = new Version(0);
    private int asked;
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
        cluster = ClusterBuilder.of("n0", Topology.of(node, Node.of("n1", "peer")))
                .transport(network.transport("node"))
                .store(store)
                .environment(env.newNode())
                .maxClockSkew(SKEW)
                .drainTimeout(Duration.ZERO)
                .start();
    }

    private CompletionStage<byte[]> answer(byte[] request, CallContext context) {
        if (request[1] != ASKS_HOW_FAR_PURGED) {
            return new CompletableFuture<>();
        }
        asked++;
        int partitions = partitionsOf(request);
        ByteBuffer reply = ByteBuffer.allocate(HEADER_BYTES + Integer.BYTES + Long.BYTES * partitions);
        reply.put(request, 0, HEADER_BYTES).put(1, (byte) HOW_FAR_PURGED).putInt(partitions);
        for (int i = 0; i < partitions; i++) {
            reply.putLong(claim.packed());
        }
        return CompletableFuture.completedFuture(reply.array());
    }

    /** Of how many partitions it is asked: their count stands behind the name and the bits. */
    private static int partitionsOf(byte[] request) {
        ByteBuffer body = ByteBuffer.wrap(request).position(HEADER_BYTES);
        int name = body.getShort();
        body.position(body.position() + name);
        int bits = body.getInt();
        body.position(body.position() + bits);
        return body.getInt();
    }

    private void put(String value) {
        env.await(cluster.put(KEY, value.getBytes(StandardCharsets.UTF_8), OWN), Duration.ofSeconds(10));
    }

    private Optional<String> read() {
        return env.await(cluster.get(KEY, OWN), Duration.ofSeconds(10)).map(Value::text);
    }

    private void assertClosed() {
        assertThatThrownBy(this::read).isInstanceOf(UnavailableException.class);
        assertThatThrownBy(() -> env.await(
                        cluster.scan(KeyRange.all(), ScanScope.NODE, CallOptions.defaults())
                                .next(),
                        Duration.ofSeconds(10)))
                .hasMessageContaining("set back");
        assertThat(refill().partitions()).isPositive();
    }

    private RefillStatus refill() {
        return env.await(cluster.status(), Duration.ofSeconds(1)).refill();
    }

    private Version now(Duration later) {
        return Version.of(env.currentTimeMillis() + later.toMillis(), 0);
    }

    @Test
    void aClaimThatLiesTooFarAheadIsNotBelievedAndCostsNeitherReadsNorWrites() {
        claim = now(SKEW.plusMinutes(5));
        start();
        put("second");
        env.advance(Duration.ofSeconds(10));

        assertThat(asked).as("it is asked again and again").isGreaterThan(1);
        assertThat(read()).contains("second");
        put("third");
        assertThat(read()).contains("third");
        assertThat(refill()).isEqualTo(RefillStatus.NONE);
    }

    @Test
    void aClaimThatMayBeTrueClosesWhatItConcernsToReads() {
        claim = now(Duration.ZERO);
        start();
        env.advance(Duration.ofSeconds(10));

        assertClosed();
        put("second");
        assertClosed();
    }

    @Test
    void onceItIsTrueAClaimThatWasNotBelievedIs() {
        claim = now(SKEW.plusMinutes(5));
        start();
        env.advance(Duration.ofSeconds(10));
        assertThat(read()).contains("first");

        env.advance(Duration.ofMinutes(5).plusSeconds(10));
        assertClosed();
    }
}
