package io.dht4j.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dht4j.security.Tls;
import io.dht4j.server.cli.CommandLineRun;
import io.dht4j.server.config.TransportChoice.Protocol;
import io.dht4j.spi.PrivateFiles;
import io.dht4j.testkit.network.FreePorts;
import io.dht4j.testkit.tls.TestCertificates;
import io.dht4j.testkit.tls.TestCertificates.Issued;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Five servers in processes of their own with TLS and tokens, three of which should not be let in. */
@Tag("full")
class SecureClusterTest {

    private static final int NODES = 5;
    private static final String READER = "token-of-a-reader";
    private static final String WRITER = "token-of-a-writer";
    private static final String ADMIN = "token-of-an-admin";

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    private Path directory;

    private final List<ServerProcess> servers = new ArrayList<>();
    private TestCertificates authority;
    private Path tokens;
    private List<Integer> listen;
    private List<Integer> peers;

    @BeforeEach
    void makeFiles() throws Exception {
        authority = TestCertificates.in(directory);
        tokens = directory.resolve("tokens");
        PrivateFiles.create(tokens);
        Files.writeString(tokens, "read " + READER + "\nread,write " + WRITER + "\nadmin " + ADMIN + "\n");
        List<Integer> ports = FreePorts.find(2 * NODES);
        listen = ports.subList(0, NODES);
        peers = ports.subList(NODES, 2 * NODES);
    }

    @AfterEach
    void stopServers() {
        servers.forEach(ServerProcess::close);
    }

    @Test
    void onlyNodesWithCertificatesFormAClusterOverHttp() throws Exception {
        formAClusterAndRefuseOthers(Protocol.HTTP);
    }

    @Test
    @Tag("full")
    void onlyNodesWithCertificatesFormAClusterOverGrpc() throws Exception {
        formAClusterAndRefuseOthers(Protocol.GRPC);
    }

    @Test
    @Tag("full")
    void onlyNodesWithCertificatesFormAClusterOverTcp() throws Exception {
        formAClusterAndRefuseOthers(Protocol.TCP);
    }

    private void formAClusterAndRefuseOthers(Protocol protocol) throws Exception {
        TestCertificates foreign = TestCertificates.in(directory.resolve("foreign"));
        start(1, protocol, tls(authority.issue("n1", "localhost", "127.0.0.1")));
        servers.get(0).awaitReady();
        // That the others have not started yet is nothing to warn of.
        assertThat(servers.get(0).err()).doesNotContain("WARN");
        start(2, protocol, tls(authority.issue("n2", "localhost", "127.0.0.1")));
        // Trusts the right authority, but is certified by another one.
        Issued stranger = foreign.issue("n3", "localhost", "127.0.0.1");
        start(3, protocol, tls(new Issued(stranger.certificate(), stranger.key(), authority.authority())));
        start(4, protocol, tls(authority.issue("n9", "localhost", "127.0.0.1")));
        start(5, protocol, List.of());
        for (int i = 0; i < NODES; i++) {
            String scheme = i == 4 ? "http" : "https";
            assertThat(servers.get(i).awaitReady())
                    .startsWith("ready n" + (i + 1) + " " + scheme + "://127.0.0.1:" + listen.get(i) + " ")
                    .endsWith("tls=" + (i == 4 ? "off" : "on") + " tokens=on");
        }

        // Two of five answer to each other, once they have met: while five servers start at once that may take longer
        // than a call.
        await().atMost(PATIENCE)
                .untilAsserted(() -> succeed(run(1, WRITER, "put", "k", "v", "--ack", "2", "--from", "5")));
        // So may a server's first handshake, and the command waits for a connection for some seconds only.
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(succeed(run(2, READER, "get", "k", "--ack", "2", "--from", "5")))
                        .isEqualTo("v"));
        // None of the others finds a second one, nor is it one. The call ends once four of five have failed:
        // whether its own store has answered by then is chance.
        for (int i = 3; i <= NODES; i++) {
            int number = i;
            await().atMost(PATIENCE).untilAsserted(() -> {
                CommandLineRun refused = run(number, WRITER, "put", "k", "w", "--ack", "2", "--from", "5");
                assertThat(refused.exitCode()).as("n" + number).isEqualTo(1);
                assertThat(refused.err())
                        .contains("HTTP 504")
                        .containsPattern("[01] of 2 needed replicas answered")
                        .doesNotContain(WRITER)
                        .hasLineCount(1);
            });
        }
        CommandLineRun atThree = run(1, WRITER, "put", "k", "w", "--ack", "3", "--from", "5");
        assertThat(atThree.exitCode()).isEqualTo(1);
        // Three of five are refused: whether the two good ones answered before is chance.
        assertThat(atThree.err())
                .containsPattern("[012] of 3 needed replicas answered")
                .hasLineCount(1);
        assertThat(succeed(run(2, READER, "get", "k", "--ack", "1", "--from", "5")))
                .isIn("v", "w");

        // Who finds that another is not whom it should be says so, with the reason and without a stack trace.
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(servers.get(0).err())
                        .containsPattern("WARN .* n3 cannot be called: .*(PKIX|certificat)")
                        .containsPattern("WARN .* n4 cannot be called: .*\\bn9\\b.*, not n4"));
        // And so does who is called by callers that are not what they should be, once for each reason.
        int port = protocol == Protocol.HTTP ? listen.get(0) : peers.get(0);
        knock(port, null);
        try (Tls strange = Tls.load(foreign.mutual("n3"), warning -> {})) {
            knock(port, new KeyManager[] {new Insistent(strange.keyManager())});
        }
        try (Socket plain = new Socket("127.0.0.1", port)) {
            plain.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(UTF_8));
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(servers.get(0).err())
                            .containsPattern("WARN .* refused .*127[.]0[.]0[.]1.*: it does not speak TLS"));
        }
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(servers.get(0).err())
                        .containsPattern(
                                "WARN .* refused 127[.]0[.]0[.]1: the certificate names \\[.*n3.*] and is not trusted")
                        .containsPattern(
                                "WARN .* refused 127[.]0[.]0[.]1: the .*certificate names \\[.*n9.*], which is no node")
                        .containsPattern("WARN .* refused 127[.]0[.]0[.]1: (peers must present a|.* no) certificate"));
        assertThat(servers.get(0).err().lines().filter(line -> line.contains(" refused 127.0.0.1")))
                .extracting(line -> line.substring(line.indexOf(" refused ")))
                .doesNotHaveDuplicates();
        for (ServerProcess server : servers) {
            server.terminate();
            assertThat(server.exitCode()).isZero();
        }
        String everything = String.join("", logs());
        assertThat(everything).doesNotContain(READER, WRITER, ADMIN).doesNotContain("\tat ");
    }

    /** Calls as a peer would that has no certificate, or the wrong one. */
    private void knock(int port, KeyManager @Nullable [] keys) throws Exception {
        try (Tls trusting = Tls.load(authority.trusting(), warning -> {})) {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys, new TrustManager[] {trusting.trustManager()}, new SecureRandom());
            try (Socket socket = context.getSocketFactory().createSocket("127.0.0.1", port)) {
                socket.setSoTimeout(30_000);
                String request = "POST /peer/v1/frame HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n";
                socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
                socket.getOutputStream().flush();
                socket.getInputStream().read();
            } catch (IOException e) {
                // Hung up on, as it may be: what matters is what the log says.
                return;
            }
        }
    }

    /** Presents its certificate although the server names other authorities. */
    private static final class Insistent extends X509ExtendedKeyManager {

        private final X509ExtendedKeyManager own;

        Insistent(X509ExtendedKeyManager own) {
            this.own = own;
        }

        @Override
        public String @Nullable [] getClientAliases(String keyType, Principal @Nullable [] issuers) {
            return own.getClientAliases(keyType, null);
        }

        @Override
        public @Nullable String chooseClientAlias(
                String[] keyTypes, Principal @Nullable [] issuers, @Nullable Socket socket) {
            return own.chooseClientAlias(keyTypes, null, socket);
        }

        @Override
        public String @Nullable [] getServerAliases(String keyType, Principal @Nullable [] issuers) {
            return null;
        }

        @Override
        public @Nullable String chooseServerAlias(
                String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
            return null;
        }

        @Override
        public X509Certificate @Nullable [] getCertificateChain(String alias) {
            return own.getCertificateChain(alias);
        }

        @Override
        public @Nullable PrivateKey getPrivateKey(String alias) {
            return own.getPrivateKey(alias);
        }
    }

    private List<String> logs() throws Exception {
        List<String> logs = new ArrayList<>();
        for (ServerProcess server : servers) {
            logs.add(server.err());
        }
        return logs;
    }

    private static List<String> tls(Issued files) {
        return List.of(
                "--tls-cert",
                files.certificate().toString(),
                "--tls-key",
                files.key().toString(),
                "--tls-ca",
                files.authority().toString());
    }

    private void start(int number, Protocol protocol, List<String> tls) throws Exception {
        List<String> fixed = List.of(
                "--id",
                "n" + number,
                "--listen",
                "127.0.0.1:" + listen.get(number - 1),
                "--peers",
                TestNodes.peers(protocol == Protocol.HTTP ? listen : peers),
                "--transport",
                TestNodes.nameOf(protocol),
                "--store",
                "memory",
                "--tokens",
                tokens.toString());
        servers.add(ServerProcess.start(
                directory, Stream.concat(fixed.stream(), tls.stream()).toArray(String[]::new)));
    }

    /** Runs a command at a node with a token. */
    private CommandLineRun run(int number, String token, String... args) throws Exception {
        List<String> all = new ArrayList<>(List.of(args));
        all.addAll(List.of("--node", (number == 5 ? "http" : "https") + "://127.0.0.1:" + listen.get(number - 1)));
        if (number != 5) {
            all.addAll(List.of("--tls-ca", trust(number).toString()));
        }
        return CommandLineRun.with(Map.of("DHT_TOKEN", token), new byte[0], all.toArray(String[]::new));
    }

    /** Clients trust each of the authorities. */
    private Path trust(int number) throws Exception {
        if (number != 3) {
            return authority.authority();
        }
        try (Stream<Path> files = Files.walk(directory.resolve("foreign"))) {
            return files.filter(file -> file.endsWith("authority.pem"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static String succeed(CommandLineRun run) {
        assertThat(run.exitCode()).as(run.err()).isZero();
        return run.out();
    }
}
