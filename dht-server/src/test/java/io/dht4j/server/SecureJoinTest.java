package io.dht4j.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.MembershipStatus;
import io.dht4j.server.config.ConfigException;
import io.dht4j.server.config.ServerConfig;
import io.dht4j.server.config.Setting;
import io.dht4j.testkit.network.FreePorts;
import io.dht4j.testkit.tls.TestCertificates;
import io.dht4j.testkit.tls.TestCertificates.Issued;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Servers that join by a token, and prove their names with certificates. */
@Tag("full")
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class SecureJoinTest {

    @TempDir
    Path directory;

    private final List<ServerNode> nodes = new ArrayList<>();
    private TestCertificates authority;
    private List<Integer> ports;

    @BeforeEach
    void prepare() throws Exception {
        authority = TestCertificates.in(directory);
        ports = FreePorts.find(4);
    }

    @AfterEach
    void close() {
        nodes.forEach(ServerNode::close);
    }

    private Path token(String secret) throws Exception {
        return Files.writeString(directory.resolve("token-" + secret.hashCode()), secret);
    }

    private ServerNode start(int number, String name, Setting origin, Path token, StartWatch watch)
            throws ConfigException, ServerStartException {
        Issued files = authority.issue(name, "localhost", "127.0.0.1");
        Map<Setting, String> settings = new EnumMap<>(Setting.class);
        settings.put(Setting.ID, "n" + number);
        settings.put(Setting.LISTEN, "127.0.0.1:" + ports.get(number - 1));
        settings.put(Setting.DATA, directory.resolve("data" + number + name).toString());
        settings.put(Setting.TRANSPORT, "http");
        settings.put(Setting.TLS_CERT, files.certificate().toString());
        settings.put(Setting.TLS_KEY, files.key().toString());
        settings.put(Setting.TLS_CA, files.authority().toString());
        settings.put(origin, "n1=127.0.0.1:" + ports.get(0));
        settings.put(Setting.JOIN_TOKEN, token.toString());
        ServerNode node = ServerNode.start(ServerConfig.of(settings), watch);
        nodes.add(node);
        return node;
    }

    /** Starts a node that waits for something, and returns what it is. */
    private String wait(int number, String name, Path token, String expected) {
        try {
            start(number, name, Setting.JOIN, token, new StopOnWait(expected));
            throw new AssertionError("n" + number + " has joined");
        } catch (ConfigException | ServerStartException e) {
            return String.valueOf(e.getMessage());
        }
    }

    /** Stops a start that waits for something, and fails with it then. */
    private static final class StopOnWait implements StartWatch {
        private final String expected;
        private volatile boolean waits;

        StopOnWait(String expected) {
            this.expected = expected;
        }

        @Override
        public void waits(String what) {
            waits |= what.contains(expected);
        }

        @Override
        public boolean isStopAsked() {
            return waits;
        }
    }

    @Test
    void aTokenAdmitsANodeWhoseCertificateBearsItsName() throws Exception {
        Path token = token("a secret of this cluster");
        start(1, "n1", Setting.BOOTSTRAP, token, StartWatch.NONE);
        ServerNode joined = start(2, "n2", Setting.JOIN, token, StartWatch.NONE);
        MembershipStatus status =
                joined.cluster().membership().status().toCompletableFuture().join();
        assertThat(status.members()).extracting(member -> member.name().value()).containsExactly("n1", "n2");

        assertThat(wait(3, "n9", token, "the certificate names"))
                .as("the token, and the certificate of another name")
                .contains("the certificate names", "n9", "the frame says it is of n3");
        assertThat(wait(4, "n4", token("the secret of another cluster"), "join token"))
                .as("the certificate, and another token")
                .contains("the join token of n4 is not that of n1: start both with the same one");
    }
}
