package io.dht4j.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dht4j.Key;
import io.dht4j.server.cli.CommandLineRun;
import io.dht4j.server.client.Access;
import io.dht4j.server.client.AskedPolicy;
import io.dht4j.server.client.DhtClient;
import io.dht4j.spi.TlsFiles;
import io.dht4j.testkit.network.FreePorts;
import io.dht4j.testkit.tls.TestCertificates;
import io.dht4j.testkit.tls.TestCertificates.Issued;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A restart of one node is everyday life: no log of the cluster says that anything is wrong. */
@Tag("full")
class QuietRestartTest {

    private static final Pattern WARNING = Pattern.compile("\\b(WARN|ERROR)\\b");
    /** What others say of a node that is away for too long, and what it says of them when it starts as slowly. */
    private static final Pattern OF_SLOW_STARTS = Pattern.compile("ReachabilityLog|PurgeWatermarkExchange");

    private static final int WRITERS = 4;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Of each call: on busy processors a reply may take seconds, a lost one fails its call all the same. */
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    /** A node that others cannot call for longer is one that they warn of, rightly. */
    private static final long WARNED_NANOS = TimeUnit.SECONDS.toNanos(10);

    @TempDir
    private Path directory;

    /** The authority of the servers' certificates. */
    private Optional<Path> trusted = Optional.empty();

    @ParameterizedTest
    @CsvSource({"http, false", "grpc, false", "http, true", "grpc, true"})
    void nothingIsWarnedOfWhenANodeIsRestarted(String transport, boolean isSecret) throws Exception {
        Optional<TestCertificates> authority =
                isSecret ? Optional.of(TestCertificates.in(directory)) : Optional.empty();
        trusted = authority.map(TestCertificates::authority);
        List<Integer> ports = FreePorts.find(6);
        List<ServerProcess> servers = new ArrayList<>();
        ExecutorService writers = null;
        try {
            long begun = System.nanoTime();
            for (int i = 1; i <= 3; i++) {
                servers.add(start(i, ports, transport, authority));
                servers.get(i - 1).awaitReady();
            }
            long away = System.nanoTime() - begun;
            write(ports, "before");
            ServerProcess first = servers.get(1);
            writers = Executors.newFixedThreadPool(WRITERS);
            AtomicBoolean isOver = new AtomicBoolean();
            List<Future<Integer>> written = new ArrayList<>();
            for (int i = 0; i < WRITERS; i++) {
                written.add(writers.submit(() -> writeUntil(isOver, ports)));
            }

            begun = System.nanoTime();
            first.terminate();
            assertThat(first.exitCode()).isZero();
            write(ports, "meanwhile");
            servers.add(start(2, ports, transport, authority));
            servers.get(3).awaitReady();
            boolean isWarnedRightly = Math.max(away, System.nanoTime() - begun) > WARNED_NANOS;
            write(ports, "after");

            await().atMost(PATIENCE)
                    .until(() -> client(ports, 2, "scan", "--scope", "node", "--prefix", "key")
                                    .out()
                                    .lines()
                                    .count()
                            == 60);
            await().atMost(PATIENCE)
                    .until(() -> !client(ports, 1, "status").out().contains("does not answer"));
            isOver.set(true);
            for (Future<Integer> each : written) {
                assertThat(each.get(60, TimeUnit.SECONDS)).isPositive();
            }
            assertThat(client(ports, 2, "repair").exitCode()).isZero();
            for (ServerProcess server : List.of(servers.get(0), servers.get(2), servers.get(3))) {
                server.terminate();
                assertThat(server.exitCode()).isZero();
            }
            // So that what is not said is left out for its level, not for want of a log.
            assertThat(servers.get(0).err()).contains("INFO", "n2");
            for (ServerProcess server : servers) {
                // Of the machine, restart or not: few files may be open, or its processors are busy.
                assertThat(server.err()
                                .lines()
                                .filter(WARNING.asPredicate())
                                .filter(line -> !line.contains("ulimit -n") && !line.contains("BlockedThreadChecker"))
                                .filter(line -> !isWarnedRightly
                                        || !OF_SLOW_STARTS.matcher(line).find()))
                        .isEmpty();
            }
        } catch (Exception | Error e) {
            for (ServerProcess server : servers) {
                e.addSuppressed(new AssertionError("a server wrote:\n" + server.err()));
            }
            throw e;
        } finally {
            if (writers != null) {
                writers.shutdownNow();
            }
            servers.forEach(ServerProcess::close);
        }
    }

    private ServerProcess start(int number, List<Integer> ports, String transport, Optional<TestCertificates> authority)
            throws Exception {
        List<String> options = new ArrayList<>(List.of(
                "--id=n" + number,
                "--listen=127.0.0.1:" + ports.get(number + 2),
                "--peers=" + TestNodes.peers(ports.subList(0, 3)),
                "--data=" + directory.resolve("n" + number),
                "--transport=" + transport,
                "--timeout=" + TIMEOUT.toMillis(),
                // On busy processors calls are slow without a restart too.
                "--slow-calls=0",
                "--verbose"));
        if (authority.isPresent()) {
            Issued files = authority.get().issue("n" + number, "127.0.0.1");
            options.add("--tls-cert=" + files.certificate());
            options.add("--tls-key=" + files.key());
            options.add("--tls-ca=" + authority.get().authority());
        }
        return ServerProcess.start(directory, options.toArray(String[]::new));
    }

    /** Through the nodes that stay: none of these writes may fail. */
    private int writeUntil(AtomicBoolean isOver, List<Integer> ports) throws Exception {
        DhtClient client = new DhtClient(
                List.of(URI.create(url(ports, 1)), URI.create(url(ports, 3))),
                PATIENCE,
                trusted.isEmpty()
                        ? Access.ofAnyone()
                        : Access.of(trusted.map(TlsFiles::trusting), Optional.empty(), line -> {}));
        int count = 0;
        while (!isOver.get()) {
            Key key = Key.of("of the writer " + count % 1_000);
            DhtClient.await(client.put(key, new byte[100], AskedPolicy.DEFAULT, OptionalLong.empty()));
            DhtClient.await(client.get(key, AskedPolicy.DEFAULT));
            count++;
        }
        return count;
    }

    private void write(List<Integer> ports, String prefix) {
        for (int i = 0; i < 20; i++) {
            int node = i % 2 == 0 ? 1 : 3;
            assertThat(client(ports, node, "put", "key of " + prefix + i, "v").err())
                    .isEmpty();
        }
    }

    private CommandLineRun client(List<Integer> ports, int node, String... args) {
        List<String> all = new ArrayList<>(List.of(args));
        all.add("--node=" + url(ports, node));
        trusted.ifPresent(authority -> all.add("--tls-ca=" + authority));
        return CommandLineRun.of(all.toArray(String[]::new));
    }

    private String url(List<Integer> ports, int node) {
        return (trusted.isPresent() ? "https" : "http") + "://127.0.0.1:" + ports.get(node + 2);
    }
}
