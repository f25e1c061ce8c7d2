package io.dht4j.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.read.ListAppender;
import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.client.RemoteCluster;
import io.dht4j.client.RemoteOptions;
import io.dht4j.server.cli.CommandLineRun;
import io.dht4j.server.config.ServerConfig;
import io.dht4j.server.config.Setting;
import io.dht4j.testkit.network.FreePorts;
import io.dht4j.testkit.tls.TestCertificates;
import io.dht4j.testkit.tls.TestCertificates.Issued;
import io.dht4j.transport.grpc.api.GrpcRemote;
import io.dht4j.transport.grpc.api.GrpcRemoteOptions;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

/** Tokens, TLS and plaintext of a single node, and the command line that talks to it. */
class ServerSecurityTest {

    private static final String READER = "token-of-a-reader";
    private static final String ADMIN = "token-of-an-admin";
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    private Path directory;

    @Test
    void tokensAreAskedForByScopeAndTheirFileMayChange() throws Exception {
        Path tokens = Files.writeString(directory.resolve("tokens"), "read " + READER + "\nadmin " + ADMIN + "\n");
        try (ServerNode node = TestNodes.start(1, FreePorts.find(1), Map.of(Setting.TOKENS, tokens.toString()))) {
            assertThat(run(node, "", "get", "k").err())
                    .contains("UNAUTHENTICATED", "HTTP 401", "--token-file")
                    .hasLineCount(1);
            assertThat(run(node, "token-of-nobody-here", "status").err())
                    .contains("HTTP 401")
                    .doesNotContain("nobody")
                    .hasLineCount(1);
            assertThat(run(node, READER, "put", "k", "v").err())
                    .contains("PERMISSION_DENIED", "HTTP 403")
                    .doesNotContain(READER)
                    .hasLineCount(1);
            assertThat(run(node, READER, "status").exitCode()).isZero();
            assertThat(run(node, READER, "scan").exitCode()).isZero();
            assertThat(run(node, READER, "scan", "--scope", "node").err()).contains("HTTP 403");
            Path file = Files.writeString(directory.resolve("admin"), ADMIN + "\n");
            assertThat(run(node, READER, "put", "k", "v", "--token-file", file.toString())
                            .exitCode())
                    .as("the file wins over the variable")
                    .isZero();
            assertThat(run(node, ADMIN, "scan", "--scope", "node").out()).isEqualTo("k\tv\n");

            TestCertificates.replace(
                    tokens, Files.writeString(directory.resolve("next"), "read,write token-of-the-next\n"));

            await().atMost(PATIENCE)
                    .until(() -> run(node, "token-of-the-next", "put", "k", "w").exitCode() == 0);
            assertThat(run(node, ADMIN, "get", "k").err()).contains("HTTP 401");
        }
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void aSecretThatOthersMayReadIsWarnedOfOnceAtTheStart() throws Exception {
        Issued files = TestCertificates.in(directory).issue("n1", "127.0.0.1");
        Path tokens = Files.writeString(directory.resolve("tokens"), "admin " + ADMIN + "\n");
        Path hashKey = Files.writeString(directory.resolve("hash"), "000102030405060708090a0b0c0d0e0f\n");
        Map<Setting, String> settings = Map.of(
                Setting.TLS_CERT, files.certificate().toString(),
                Setting.TLS_KEY, files.key().toString(),
                Setting.TOKENS, tokens.toString(),
                Setting.HASH, "siphash",
                Setting.HASH_KEY_FILE, hashKey.toString());
        List<Path> secrets = List.of(files.key(), tokens, hashKey);

        assertThat(warningsOfStart(settings, secrets, "rw-r--r--"))
                .satisfiesExactlyInAnyOrder(
                        line -> assertThat(line).startsWith("the private key in " + files.key()),
                        line -> assertThat(line).startsWith("the list of tokens in " + tokens),
                        line -> assertThat(line).startsWith("the key of the hash in " + hashKey))
                .allSatisfy(line -> assertThat(line).contains("chmod 600 "));
        assertThat(warningsOfStart(settings, secrets, "rw-------")).isEmpty();
    }

    private static List<String> warningsOfStart(Map<Setting, String> settings, List<Path> secrets, String permissions)
            throws Exception {
        for (Path secret : secrets) {
            Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString(permissions));
        }
        Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        root.addAppender(log);
        try {
            TestNodes.start(1, FreePorts.find(1), settings).close();
        } finally {
            root.detachAppender(log);
        }
        return List.copyOf(log.list).stream()
                .filter(event -> event.getLevel().equals(Level.WARN))
                .map(ILoggingEvent::getFormattedMessage)
                .filter(line -> line.contains("open to other users"))
                .toList();
    }

    @Test
    void whatAPlaintextCallerSendsIsNotLoggedAtAnyLevel() throws Exception {
        Issued files = TestCertificates.in(directory).issue("n1", "127.0.0.1");
        Map<Setting, String> settings = Map.of(
                Setting.TLS_CERT, files.certificate().toString(),
                Setting.TLS_KEY, files.key().toString(),
                Setting.TLS_CA, files.authority().toString());
        String hex = HexFormat.of().formatHex(ADMIN.getBytes(UTF_8));
        Logger own = (Logger) LoggerFactory.getLogger("io.dht4j");
        Level before = own.getLevel();
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.list = new CopyOnWriteArrayList<>();
        log.start();
        own.addAppender(log);
        own.setLevel(Level.DEBUG);
        List<Integer> ports = FreePorts.find(1);
        try (ServerNode node = TestNodes.start(1, ports, settings);
                Socket plain = new Socket("127.0.0.1", ports.get(0))) {
            assertThat(node.toString()).isNotEmpty();
            plain.getOutputStream()
                    .write(("GET / HTTP/1.1\r\nAuthorization: Bearer " + ADMIN + "\r\n\r\n").getBytes(UTF_8));
            await().untilAsserted(() -> assertThat(text(log)).contains("it does not speak TLS"));
        } finally {
            own.detachAppender(log);
            own.setLevel(before);
        }
        assertThat(text(log)).doesNotContain(hex).doesNotContain(ADMIN);
    }

    /** Returns the messages and the exceptions of a log. */
    private static String text(ListAppender<ILoggingEvent> log) {
        return List.copyOf(log.list).stream()
                .map(event ->
                        event.getFormattedMessage() + " " + ThrowableProxyUtil.asString(event.getThrowableProxy()))
                .collect(Collectors.joining("\n"));
    }

    @Test
    void aTokenThatOthersMayReadIsWarnedOfByTheCommandLine() throws Exception {
        Path file = Files.writeString(directory.resolve("token"), ADMIN);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));

        CommandLineRun run =
                CommandLineRun.of("get", "k", "--token-file", file.toString(), "--node", "http://127.0.0.1:1");

        assertThat(run.err().lines().findFirst().orElseThrow())
                .startsWith(
                        "dht get: warning: the token in " + file + " is open to other users (rw-r--r--): chmod 600");
    }

    @Test
    void httpsIsCheckedByTheCommandLine() throws Exception {
        TestCertificates authority = TestCertificates.in(directory);
        Issued files = authority.issue("n1", "127.0.0.1");
        Path foreign = TestCertificates.in(directory.resolve("foreign")).authority();
        Map<Setting, String> tls = Map.of(
                Setting.TLS_CERT, files.certificate().toString(),
                Setting.TLS_KEY, files.key().toString());
        try (ServerNode node = TestNodes.start(1, FreePorts.find(1), tls)) {
            String trust = authority.authority().toString();
            assertThat(node.url()).startsWith("https://127.0.0.1:");
            assertThat(run(node, "", "put", "k", "v", "--tls-ca", trust).exitCode())
                    .isZero();
            assertThat(run(node, "", "get", "k", "--tls-ca", trust).out()).isEqualTo("v");
            // A client may have a certificate too, which nobody here asks for.
            assertThat(run(
                                    node,
                                    "",
                                    "get",
                                    "k",
                                    "--tls-ca",
                                    trust,
                                    "--tls-cert",
                                    files.certificate().toString(),
                                    "--tls-key",
                                    files.key().toString())
                            .out())
                    .isEqualTo("v");
            assertThat(run(node, "", "get", "k").err())
                    .contains("no trustworthy connection: no trusted authority has signed the certificate", "--tls-ca")
                    .hasLineCount(1);
            assertThat(run(node, "", "get", "k", "--tls-ca", foreign.toString()).err())
                    .contains("no trustworthy connection", "no trusted authority has signed the certificate")
                    .doesNotContain("PKIX")
                    .hasLineCount(1);
            assertThat(run(node, "", "get", "k", "--tls-ca", foreign + ".none").err())
                    .contains(foreign + ".none")
                    .hasLineCount(1);
            CommandLineRun plain =
                    CommandLineRun.of("get", "k", "--node", node.url().replace("https", "http"));
            assertThat(plain.exitCode()).isEqualTo(1);
            assertThat(plain.err()).contains("is it https?").hasLineCount(1);
        }
    }

    @Test
    void grpcApiUsesTheNodesCertificateAndTokens() throws Exception {
        TestCertificates authority = TestCertificates.in(directory);
        Issued files = authority.issue("n1", "127.0.0.1");
        Path tokens = Files.writeString(directory.resolve("tokens"), "read " + READER + "\nadmin " + ADMIN + "\n");
        List<Integer> ports = FreePorts.find(2);
        String address = "127.0.0.1:" + ports.get(1);
        Map<Setting, String> settings = Map.of(
                Setting.PEERS, "n1=127.0.0.1:" + ports.get(0),
                Setting.GRPC_LISTEN, address,
                Setting.TLS_CERT, files.certificate().toString(),
                Setting.TLS_KEY, files.key().toString(),
                Setting.TOKENS, tokens.toString());
        try (ServerNode node = TestNodes.start(1, ports, settings);
                Cluster admin = remote(authority, ADMIN, address);
                Cluster reader = remote(authority, READER, address)) {
            assertThat(node.summary()).contains(" grpc=" + address + " ").endsWith("tls=on tokens=on");

            admin.put(Key.of("k"), new byte[] {1}).toCompletableFuture().join();

            assertThat(reader.get(Key.of("k")).toCompletableFuture().join()).isPresent();
            assertThat(reader.put(Key.of("k"), new byte[] {2}).toCompletableFuture())
                    .failsWithin(PATIENCE)
                    .withThrowableThat()
                    .withMessageContaining("a token of scope write is needed");
        }
    }

    private static Cluster remote(TestCertificates authority, String token, String address) {
        return RemoteCluster.connect(
                GrpcRemote.create(GrpcRemoteOptions.defaults()
                        .withTls(authority.trusting())
                        .withToken(token)),
                List.of(address),
                RemoteOptions.defaults());
    }

    @ParameterizedTest
    @CsvSource({
        "--listen 0.0.0.0:PORT,the public HTTP API",
        "--listen 127.0.0.1:PORT --peers n1=0.0.0.0:SECOND,the transport between the nodes",
        "--listen 127.0.0.1:PORT --grpc-listen 0.0.0.0:SECOND,the public gRPC API"
    })
    void plaintextBeyondLoopbackIsRefusedUnlessItIsAllowed(String options, String what) throws Exception {
        List<Integer> ports = FreePorts.find(2);
        List<String> args = new ArrayList<>(List.of(options.replace("PORT", String.valueOf(ports.get(0)))
                .replace("SECOND", String.valueOf(ports.get(1)))
                .split(" ")));
        args.addAll(0, List.of("server", "--store", "memory"));

        CommandLineRun run = CommandLineRun.of(args.toArray(String[]::new));

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err())
                .contains(what, "--allow-plaintext")
                .hasLineCount(2)
                .endsWith("--help\n");
    }

    @ParameterizedTest
    @CsvSource({
        "http,1", "grpc,3",
    })
    void allowedPlaintextIsWarnedOfOncePerPort(String transport, int listeners) throws Exception {
        List<Integer> ports = FreePorts.find(3);
        List<String> options = new ArrayList<>(
                List.of("--id", "n1", "--transport", transport, "--store", "memory", "--allow-plaintext", "--listen"));
        options.add("0.0.0.0:" + ports.get(0));
        if (listeners > 1) {
            options.addAll(List.of("--peers", "n1=0.0.0.0:" + ports.get(1)));
            options.addAll(List.of("--grpc-listen", "0.0.0.0:" + ports.get(2)));
        }
        try (ServerProcess server = ServerProcess.start(directory, options.toArray(String[]::new))) {
            server.awaitReady();
            assertThat(server.err().lines().filter(line -> line.contains(" WARN ")))
                    .hasSize(listeners)
                    .allSatisfy(line -> assertThat(line).contains("0.0.0.0", "as --allow-plaintext allows"));
            server.terminate();
            assertThat(server.exitCode()).isZero();
        }
    }

    @ParameterizedTest
    @CsvSource({"--tls-cert,cert.pem", "--tls-key,key.pem", "--tls-ca,ca.pem", "--tokens,tokens"})
    void aFileThatIsMissingOrBadIsOneLineThatNamesItsOption(String option, String name) throws Exception {
        Issued files = TestCertificates.in(directory).issue("n1", "127.0.0.1");
        Path bad = directory.resolve(name);
        List<String> args =
                new ArrayList<>(List.of("server", "--store", "memory", "--listen", "127.0.0.1:" + FreePorts.find()));
        Map<String, Path> all = Map.of(
                "--tls-cert", files.certificate(),
                "--tls-key", files.key(),
                "--tls-ca", files.authority(),
                "--tokens", Files.writeString(directory.resolve("good"), "admin " + ADMIN));
        for (Map.Entry<String, Path> each : all.entrySet()) {
            args.addAll(List.of(each.getKey(), (each.getKey().equals(option) ? bad : each.getValue()).toString()));
        }

        CommandLineRun missing = CommandLineRun.of(args.toArray(String[]::new));
        Files.writeString(bad, "rubbish rubbish rubbish");
        CommandLineRun unreadable = CommandLineRun.of(args.toArray(String[]::new));

        for (CommandLineRun run : List.of(missing, unreadable)) {
            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.err())
                    .startsWith("dht server: " + option + ": ")
                    .contains(" " + bad)
                    .doesNotContain("rubbish")
                    .hasLineCount(1);
        }
    }

    @Test
    void aFileThatHoldsNoSecretIsNotCalledOpen() throws Exception {
        Path certificate =
                TestCertificates.in(directory).issue("n1", "127.0.0.1").certificate();
        Path open = Files.createDirectory(directory.resolve("open"));
        Files.setPosixFilePermissions(certificate, PosixFilePermissions.fromString("rw-r--r--"));
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxr-xr-x"));

        try (ServerProcess server = ServerProcess.start(
                directory, "--store", "memory", "--listen", "127.0.0.1:" + FreePorts.find(), "--tokens", "" + open)) {
            assertThat(server.exitCode()).isEqualTo(1);
            assertThat(server.err()).contains(open + " is a directory").doesNotContain("chmod");
        }
        CommandLineRun get = CommandLineRun.of(
                "get",
                "k",
                "--node",
                "https://127.0.0.1:1",
                "--tls-cert",
                "" + certificate,
                "--tls-key",
                "" + certificate);
        assertThat(get.exitCode()).isEqualTo(1);
        assertThat(get.err()).contains(certificate + " holds no private key").doesNotContain("chmod");
    }

    @Test
    void aStartThatFailsLeavesTheDirectoryAndThePortFree() throws Exception {
        List<Integer> ports = FreePorts.find(1);
        Path data = directory.resolve("data");
        Map<Setting, String> settings =
                Map.of(Setting.LISTEN, "127.0.0.1:" + ports.get(0), Setting.DATA, data.toString());
        CommandLineRun failed = CommandLineRun.of(
                "server",
                "--listen",
                settings.get(Setting.LISTEN),
                "--data",
                data.toString(),
                "--tokens",
                directory.resolve("none").toString());
        assertThat(failed.exitCode()).isEqualTo(1);

        try (ServerNode node = ServerNode.start(ServerConfig.of(settings))) {
            assertThat(run(node, "", "put", "k", "v").exitCode()).isZero();
        }
    }

    private static CommandLineRun run(ServerNode node, String token, String... args) throws IOException {
        List<String> all = new ArrayList<>(List.of(args));
        all.addAll(List.of("--node", node.url()));
        return CommandLineRun.with(Map.of("DHT_TOKEN", token), new byte[0], all.toArray(String[]::new));
    }
}
