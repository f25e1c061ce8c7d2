package io.dht4j.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.dht4j.NodeId;
import io.dht4j.spi.TlsFiles;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands of docs/guide/secure.md, run as a reader would. Where there is no OpenSSL they are left out. */
class SecurityGuideTest {

    private static final Pattern COMMANDS = Pattern.compile("```sh\n(.*?)```", Pattern.DOTALL);
    private static final Pattern TOKEN_FILE = Pattern.compile("```\n(# who.*?)```", Pattern.DOTALL);

    @TempDir
    Path directory;

    private String guide;

    @BeforeEach
    void read() throws IOException {
        guide = Files.readString(Path.of("../docs/guide/secure.md"));
    }

    @Test
    void itsCertificatesLetNodesMeet() throws Exception {
        assumeOpenSsl();
        run(commands().get(0));
        try (Tls n1 = Tls.load(files("n1"), line -> {});
                Tls n2 = Tls.load(files("n2"), line -> {})) {
            Handshake handshake = Handshake.of(
                    n1, true, n2, n2.trustManager((host, port) -> Optional.of(new NodeId("n1"))), "10.0.0.1", 1);
            X509Certificate certificate = (X509Certificate) handshake.run();
            assertThat(Tls.names(certificate)).containsExactlyInAnyOrder("n1", "localhost");
            Handshake.of(n1, false, n2, n2.trustManager(), "127.0.0.1", 1)
                    .checkingHostNames()
                    .run();
        }
    }

    @Test
    void itsCommandConvertsKeysOfOlderForms() throws Exception {
        assumeOpenSsl();
        run(commands().get(0));
        for (String old : List.of(
                "openssl ec -in n1-key.pem -out old.pem",
                "openssl pkcs8 -topk8 -in n1-key.pem -passout pass:secret -out old.pem")) {
            run(old);
            assertThat(Files.readString(directory.resolve("old.pem"))).doesNotContain("BEGIN PRIVATE KEY");
            assertThat(guide).contains("openssl pkey -in old.pem -out key.pem");
            run("openssl pkey -in old.pem -passin pass:secret -out key.pem");
            Tls.load(TlsFiles.server(directory.resolve("n1.pem"), directory.resolve("key.pem")), line -> {})
                    .close();
        }
    }

    @Test
    void itsTokenFileIsOne() throws Exception {
        Matcher file = TOKEN_FILE.matcher(guide);
        assertThat(file.find()).isTrue();
        Path tokens = Files.writeString(directory.resolve("tokens.txt"), file.group(1));
        try (Tokens loaded = Tokens.load(tokens, line -> {})) {
            assertThatNoException()
                    .isThrownBy(() -> loaded.require(Optional.of("dGhpcyBpcyBhbiBleGFtcGxl"), Scope.READ));
            assertThatNoException()
                    .isThrownBy(() -> loaded.require(Optional.of("YW5vdGhlciBleGFtcGxlIHRva2Vu"), Scope.ADMIN));
        }
    }

    @Test
    void itsTokenCommandMakesALineForTheToken() throws Exception {
        assumeOpenSsl();
        run(commands().get(1).replace("echo ", "printf %s \"$token\" > token.txt\necho ") + "\n");
        Path line = directory.resolve("output.txt");
        try (Tokens loaded = Tokens.load(line, text -> {})) {
            Optional<String> token = Optional.of(Files.readString(directory.resolve("token.txt")));
            assertThatNoException().isThrownBy(() -> loaded.require(token, Scope.READ));
            assertThatNoException().isThrownBy(() -> loaded.require(token, Scope.WRITE));
        }
    }

    private List<String> commands() {
        List<String> commands = new ArrayList<>();
        Matcher matcher = COMMANDS.matcher(guide);
        while (matcher.find()) {
            commands.add(matcher.group(1));
        }
        assertThat(commands).hasSize(4);
        return commands;
    }

    private TlsFiles files(String node) {
        return TlsFiles.mutual(
                directory.resolve(node + ".pem"),
                directory.resolve(node + "-key.pem"),
                directory.resolve("authority.pem"));
    }

    private void run(String commands) throws Exception {
        Process shell = new ProcessBuilder("sh", "-eu", "-c", commands)
                .directory(directory.toFile())
                .redirectOutput(directory.resolve("output.txt").toFile())
                .redirectError(directory.resolve("errors.txt").toFile())
                .start();
        shell.getOutputStream().close();
        try {
            assertThat(shell.waitFor(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            shell.destroy();
        }
        assertThat(shell.exitValue())
                .as(Files.readString(directory.resolve("errors.txt")))
                .isZero();
    }

    private static void assumeOpenSsl() {
        assumeTrue(
                Stream.of(System.getenv("PATH").split(File.pathSeparator, -1))
                        .anyMatch(entry -> Files.isExecutable(Path.of(entry, "openssl"))),
                "there is no openssl here");
    }
}
