package io.dht4j.server.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.client.RemoteCluster;
import io.dht4j.client.RemoteOptions;
import io.dht4j.server.ServerProcess;
import io.dht4j.server.TestNodes;
import io.dht4j.spi.RemoteApi;
import io.dht4j.testkit.network.FreePorts;
import io.dht4j.transport.grpc.api.GrpcRemote;
import io.dht4j.transport.grpc.api.GrpcRemoteOptions;
import io.dht4j.transport.http.HttpRemote;
import io.dht4j.transport.http.HttpRemoteOptions;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Three servers in processes of their own are stopped by SIGTERM and started again, one after the other, while clients
 * call them: remote clusters over both public APIs, and a client of plain HTTP/1.1 that asks {@code /readyz} and
 * honours {@code Connection: close}. No call fails.
 */
@Tag("full")
class RollingRestartTest {

    private static final int NODES = 3;
    private static final int CALLERS = 4;
    private static final int CALLS = 100;
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final Duration PROBE_TIMEOUT = Duration.ofSeconds(2);
    private static final long PROBE_MILLIS = 100;

    @TempDir
    private Path directory;

    private final List<Integer> ports = FreePorts.find(NODES * 3);
    private final List<ServerProcess> servers = new ArrayList<>();
    private final Queue<String> failures = new ConcurrentLinkedQueue<>();
    private final List<Caller> callers = new ArrayList<>();
    private final List<Cluster> remotes = new ArrayList<>();
    private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(3 * CALLERS + NODES);
    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(PROBE_TIMEOUT)
            .build();
    private final boolean[] ready = new boolean[NODES];

    /** Calls one after the other, each at another key or node. */
    @FunctionalInterface
    private interface Call {
        void run(int number) throws Exception;
    }

    private final class Caller {
        private final String name;
        private final Call call;
        private final AtomicInteger calls = new AtomicInteger();

        Caller(String name, Call call) {
            this.name = name;
            this.call = call;
        }

        void run() {
            try {
                call.run(calls.get());
            } catch (Exception e) {
                failures.add(name + ": " + e);
            }
            calls.incrementAndGet();
        }
    }

    @AfterEach
    void closeAll() throws Exception {
        threads.shutdown();
        threads.awaitTermination(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        remotes.forEach(Cluster::close);
        servers.forEach(ServerProcess::close);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--peers", "--bootstrap"})
    void noCallFails(String membership) throws Exception {
        for (int node = 0; node < NODES; node++) {
            servers.add(launch(node, membership));
        }
        for (ServerProcess server : servers) {
            server.awaitReady();
        }
        callAll();
        for (int node = 0; node < NODES; node++) {
            awaitCalls();
            servers.get(node).terminate();
            assertThat(servers.get(node).exitCode()).as(servers.get(node).err()).isZero();
            awaitCalls();
            servers.set(node, launch(node, membership));
            servers.get(node).awaitReady();
            int started = node;
            await().atMost(PATIENCE).until(() -> isReady(started));
        }
        awaitCalls();

        assertThat(failures).isEmpty();
    }

    private void callAll() {
        for (int node = 0; node < NODES; node++) {
            int probed = node;
            threads.scheduleWithFixedDelay(() -> probe(probed), 0, PROBE_MILLIS, TimeUnit.MILLISECONDS);
            await().atMost(PATIENCE).until(() -> isReady(probed));
        }
        for (int i = 0; i < CALLERS; i++) {
            Cluster overHttp = remote(HttpRemote.create(HttpRemoteOptions.defaults()), 0);
            Cluster overGrpc = remote(GrpcRemote.create(GrpcRemoteOptions.defaults()), 1);
            begin("HTTP" + i, number -> callRemote(overHttp, number));
            begin("gRPC" + i, number -> callRemote(overGrpc, number));
            begin("plain" + i, this::callPlain);
        }
    }

    private void begin(String name, Call call) {
        Caller caller = new Caller(name, call);
        callers.add(caller);
        threads.scheduleWithFixedDelay(caller::run, 0, 5, TimeUnit.MILLISECONDS);
    }

    private Cluster remote(RemoteApi api, int which) {
        List<String> addresses = new ArrayList<>();
        for (int node = 0; node < NODES; node++) {
            addresses.add("127.0.0.1:" + port(node, which));
        }
        Cluster remote =
                RemoteCluster.connect(api, addresses, RemoteOptions.defaults().withConnectTimeout(PATIENCE));
        remotes.add(remote);
        return remote;
    }

    private static void callRemote(Cluster remote, int number) throws Exception {
        Key key = Key.of("key/" + number % CALLS);
        if (number % 2 == 0) {
            remote.put(key, new byte[100]).toCompletableFuture().get();
        } else {
            remote.get(key).toCompletableFuture().get();
        }
    }

    private void callPlain(int number) throws Exception {
        int node = number % NODES;
        for (int i = 0; i < NODES && !isReady(node); i++) {
            node = (node + 1) % NODES;
        }
        URI uri = URI.create("http://127.0.0.1:" + port(node, 0) + "/v0/entity?id=plain/" + number % CALLS);
        HttpRequest.Builder request = HttpRequest.newBuilder(uri).timeout(PATIENCE);
        int status = http.send(
                        number % 2 == 0
                                ? request.PUT(BodyPublishers.ofByteArray(new byte[100]))
                                        .build()
                                : request.GET().build(),
                        BodyHandlers.discarding())
                .statusCode();
        if (status >= 500) {
            throw new IOException("n" + (node + 1) + " answers " + status);
        }
    }

    private void probe(int node) {
        URI uri = URI.create("http://127.0.0.1:" + port(node, 0) + "/readyz");
        boolean answers = false;
        try {
            HttpRequest request =
                    HttpRequest.newBuilder(uri).timeout(PROBE_TIMEOUT).build();
            answers = http.send(request, BodyHandlers.ofString(StandardCharsets.UTF_8))
                            .statusCode()
                    == 200;
        } catch (IOException e) {
            // It does not run.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        synchronized (ready) {
            ready[node] = answers;
        }
    }

    private boolean isReady(int node) {
        synchronized (ready) {
            return ready[node];
        }
    }

    /** Waits for calls of each caller that have begun after this. */
    private void awaitCalls() {
        List<Integer> before =
                callers.stream().map(caller -> caller.calls.get()).toList();
        await().atMost(PATIENCE).until(() -> {
            for (int i = 0; i < callers.size(); i++) {
                if (callers.get(i).calls.get() <= before.get(i) + CALLS) {
                    return false;
                }
            }
            return true;
        });
    }

    private int port(int node, int which) {
        return ports.get(NODES * which + node);
    }

    private ServerProcess launch(int node, String membership) throws IOException {
        return ServerProcess.start(
                directory,
                "--id",
                "n" + (node + 1),
                "--listen",
                "127.0.0.1:" + port(node, 0),
                "--grpc-listen",
                "127.0.0.1:" + port(node, 1),
                membership,
                TestNodes.peers(ports.subList(2 * NODES, 3 * NODES)),
                "--transport",
                "tcp",
                "--shutdown-delay",
                "2000",
                "--data",
                directory.resolve("n" + (node + 1)).toString());
    }
}
