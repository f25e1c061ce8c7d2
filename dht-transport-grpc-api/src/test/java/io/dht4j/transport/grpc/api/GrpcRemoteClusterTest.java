package io.dht4j.transport.grpc.api;

import static io.dht4j.transport.grpc.api.GrpcApiNodes.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.KeyValue;
import io.dht4j.ScanScope;
import io.dht4j.Value;
import io.dht4j.client.RemoteCluster;
import io.dht4j.client.RemoteOptions;
import io.dht4j.testkit.network.FreePorts;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A process that stores nothing, over gRPC, while the nodes' APIs go and come back. */
@Timeout(60)
@Tag("jdk")
class GrpcRemoteClusterTest {

    private static final CallOptions OPTIONS = CallOptions.defaults().withTimeout(PATIENCE);
    private static final int AT_A_TIME = 4;

    private static Cluster connect(GrpcApiNodes nodes) {
        return RemoteCluster.connect(
                GrpcRemote.create(GrpcRemoteOptions.defaults()),
                List.of(nodes.address(0), nodes.address(1), nodes.address(2)),
                RemoteOptions.defaults());
    }

    @Test
    void refusingAddressIsReportedOnceInPlainWords() {
        String address = "127.0.0.1:" + FreePorts.find();

        assertThatThrownBy(() -> connect(address))
                .hasMessage("no node answered: node at " + address + ": nothing listens there (connection refused)");
        assertThatThrownBy(() -> connect("node.invalid:80"))
                .hasMessage("no node answered: node at node.invalid:80: the name of the host cannot be resolved");
        assertThatThrownBy(() -> connect("127.0.0.1:99999")).hasMessageContaining("1 to 65535");
    }

    @Test
    void portWithoutGrpcIsReportedWithoutItsBytes() throws Exception {
        HttpServer other = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        other.start();
        try {
            assertThatThrownBy(() -> connect("127.0.0.1:" + other.getAddress().getPort()))
                    .hasMessageContaining("it does not speak gRPC; is this an HTTP port?")
                    .hasMessageNotContaining("485454502f");
        } finally {
            other.stop(0);
        }
    }

    private static void connect(String address) {
        RemoteCluster.connect(
                        GrpcRemote.create(GrpcRemoteOptions.defaults()), List.of(address), RemoteOptions.defaults())
                .close();
    }

    /** Writes a key and reads it, one after the other, until it is stopped. */
    private static final class Work {

        private final Cluster cluster;
        private final AtomicInteger writes = new AtomicInteger();
        private final Queue<String> unknown = new ConcurrentLinkedQueue<>();
        private final List<CompletableFuture<Void>> running = new ArrayList<>();
        private volatile boolean stopped;

        Work(Cluster cluster) {
            this.cluster = cluster;
            for (int i = 0; i < AT_A_TIME; i++) {
                running.add(go());
            }
        }

        private CompletableFuture<Void> go() {
            if (stopped) {
                return CompletableFuture.completedFuture(null);
            }
            int number = writes.incrementAndGet();
            Key key = Key.of("key " + number);
            return cluster.put(key, new byte[100], OPTIONS)
                    .handle((version, error) -> {
                        if (error == null) {
                            return true;
                        }
                        DhtException failure = (DhtException) DhtException.unwrap(error);
                        if (failure.code() != ErrorCode.INTERNAL) {
                            throw failure;
                        }
                        unknown.add(failure.getMessage());
                        return false;
                    })
                    .thenCompose(written -> cluster.get(key, OPTIONS).thenAccept(value -> {
                        if (written && value.isEmpty()) {
                            throw new IllegalStateException(key + " was written and is not there");
                        }
                    }))
                    // On another stack.
                    .thenComposeAsync(done -> go())
                    .toCompletableFuture();
        }

        /** Waits until some more work has been done. */
        void proceed() {
            int target = writes.get() + 50;
            await().atMost(PATIENCE)
                    .until(() -> writes.get() >= target
                            || running.stream().anyMatch(CompletableFuture::isCompletedExceptionally));
        }

        void finish() throws Exception {
            stopped = true;
            for (CompletableFuture<Void> each : running) {
                each.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            }
        }
    }

    private static void rollingRestart(GrpcApiNodes nodes, Work work) {
        for (int node = 0; node < 3; node++) {
            work.proceed();
            nodes.api(node).close();
            work.proceed();
            nodes.restartApi(node);
        }
        work.proceed();
    }

    @Test
    void apisThatCloseInTurnCostNoCall() throws Exception {
        try (GrpcApiNodes nodes = GrpcApiNodes.three();
                Cluster cluster = connect(nodes)) {
            Work work = new Work(cluster);
            rollingRestart(nodes, work);
            work.finish();
            assertThat(work.unknown).isEmpty();
        }
    }

    @Test
    @DisplayName("restarts without a drain fail no read and leave writes indeterminate at worst")
    void restartsWithoutDrainFailNoReads() throws Exception {
        try (GrpcApiNodes nodes = GrpcApiNodes.three(GrpcApiOptions.defaults().withDrainTimeout(Duration.ZERO));
                Cluster cluster = connect(nodes)) {
            Work work = new Work(cluster);
            rollingRestart(nodes, work);
            work.finish();
            assertThat(work.unknown).hasSizeLessThanOrEqualTo(3 * AT_A_TIME);
        }
    }

    @Test
    void remoteClusterServesAllOperations() throws Exception {
        try (GrpcApiNodes nodes = GrpcApiNodes.three();
                Cluster cluster = connect(nodes)) {
            Map<Key, byte[]> values = new LinkedHashMap<>();
            for (int i = 0; i < 3_000; i++) {
                values.put(Key.of("entry %05d".formatted(i)), new byte[1000]);
            }
            cluster.putAll(values, OPTIONS).toCompletableFuture().get(30, TimeUnit.SECONDS);
            Map<Key, Value> read = cluster.getAll(values.keySet(), OPTIONS)
                    .toCompletableFuture()
                    .get(30, TimeUnit.SECONDS);
            assertThat(read.keySet()).isEqualTo(values.keySet());
            List<KeyValue> scanned = new ArrayList<>();
            cluster.scan(KeyRange.all(), ScanScope.CLUSTER, OPTIONS)
                    .forEach(scanned::add)
                    .toCompletableFuture()
                    .get(30, TimeUnit.SECONDS);
            assertThat(scanned).extracting(KeyValue::key).containsExactlyElementsOf(values.keySet());
            Key key = Key.of("entry 00000");
            cluster.delete(key, OPTIONS).toCompletableFuture().get(30, TimeUnit.SECONDS);
            assertThat(nodes.cluster(1).get(key, OPTIONS).toCompletableFuture().get(30, TimeUnit.SECONDS))
                    .isEqualTo(Optional.empty());
            assertThat(cluster.locate(key).toCompletableFuture().get(30, TimeUnit.SECONDS))
                    .isEqualTo(
                            nodes.cluster(0).locate(key).toCompletableFuture().get(30, TimeUnit.SECONDS));
            assertThat(cluster.topology()).isEqualTo(nodes.topology());
        }
    }
}
