package io.dht4j.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.testkit.network.FreePorts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.annotation.AnnotationAwareOrderComparator;
import org.springframework.core.io.support.SpringFactoriesLoader;

/** Each failure reaches the user as one line that names the property and the allowed range. */
class StartFailureTest {

    private final ApplicationContextRunner runner = Contexts.runner();

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "dht4j.node-id=-1 | dht4j.node-id: a node id is 1 to 64 letters",
                "dht4j.nodes=n2=127.0.0.1:7001 | dht4j.node-id must be one of dht4j.nodes (n2), not n1",
                "dht4j.nodes=n1=127.0.0.1:7001,n2=127.0.0.1:7002 "
                        + "| dht4j.node-id must name this node, since dht4j.nodes lists other nodes",
                "dht4j.membership.bootstrap=n1=127.0.0.1:7001,n2=127.0.0.1:7002;dht4j.store.directory=none "
                        + "| dht4j.node-id must name this node, since dht4j.membership.bootstrap lists other nodes",
                "dht4j.membership.join=n2=127.0.0.1:7002;dht4j.store.directory=none;"
                        + "dht4j.membership.address=127.0.0.1:7001 "
                        + "| dht4j.node-id must name this node, since dht4j.membership.join lists other nodes",
                "dht4j.nodes=n1 | dht4j.nodes: expected entries of the form ID=HOST:PORT, not \"n1\"",
                "dht4j.nodes=n1=127.0.0.1:99999 | dht4j.nodes: node n1: the port of its address must be 1 to 65535",
                "dht4j.replication-factor=2 | dht4j.replication-factor must be 1, since there is one node, not 2",
                "dht4j.calls.ack=1 | dht4j.calls.ack and dht4j.calls.from must be set together",
                "dht4j.calls.ack=3;dht4j.calls.from=2 | dht4j.calls.ack must be 1 to 2, not 3",
                "dht4j.nodes=n1=127.0.0.1:7001;dht4j.calls.ack=1;dht4j.calls.from=2 "
                        + "| dht4j.calls.from must be 1, since there is one node, not 2",
                "dht4j.calls.timeout=2h | dht4j.calls.timeout must be 1ms to 1h, not 2h",
                "dht4j.transport.port=0 | dht4j.transport.port must be 1 to 65535, not 0",
                "dht4j.transport.port=7001;dht4j.transport.host=0.0.0.0 | by dht4j.transport.allow-plaintext",
                "dht4j.transport.public-hosts=kv.example "
                        + "| dht4j.transport.public-hosts needs dht4j.transport.type http",
                "dht4j.transport.type=http;dht4j.transport.public-hosts=kv.example:80 "
                        + "| dht4j.transport.public-hosts: publicHost must be a name or an address, without a port",
                "dht4j.tls.certificate=n1.pem | dht4j.tls: a certificate needs its key",
                "dht4j.tls.authorities=ca.pem "
                        + "| a node needs dht4j.tls.certificate, dht4j.tls.key and dht4j.tls.authorities",
                "dht4j.membership.join=n2=127.0.0.1:7002 | dht4j.membership needs dht4j.store.directory",
                "dht4j.node-id=n1;dht4j.membership.join=n2=127.0.0.1:7002;dht4j.store.directory=none "
                        + "| dht4j.membership.join needs dht4j.membership.address",
                "dht4j.membership.bootstrap=n2=127.0.0.1:7002;dht4j.store.directory=none "
                        + "| dht4j.node-id must be one of dht4j.membership.bootstrap (n2), not n1",
                "dht4j.membership.bootstrap=n1=127.0.0.1:7002;dht4j.nodes=n1=127.0.0.1:7002 | contradict each other",
                "dht4j.membership.bootstrap=n1=127.0.0.1:7002;dht4j.store.directory=none;"
                        + "dht4j.membership.join-token=short | dht4j.membership.join-token must have 16 bytes or more",
                "dht4j.remote.addresses=127.0.0.1 | dht4j.remote.addresses: an address is host:port",
                "dht4j.remote.addresses=127.0.0.1:7001;dht4j.nodes=n1=127.0.0.1:7002 | makes it a node: set one of",
                "dht4j.remote.addresses=127.0.0.1:7001;dht4j.remote.token=short | dht4j.remote: token must be 16 to",
                "dht4j.remote.token=0123456789abcdef | dht4j.remote.token needs dht4j.remote.addresses",
                "dht4j.remote.addresses=127.0.0.1:7001;dht4j.health.quorum=true "
                        + "| dht4j.health.quorum needs a node, and dht4j.remote.addresses makes this",
                "dht4j.membership.zone=a | dht4j.membership.zone needs dht4j.membership.bootstrap or",
                "dht4j.tls.certificate=pom.xml;dht4j.tls.key=pom.xml;dht4j.tls.authorities=pom.xml "
                        + "| dht4j.tls: pom.xml",
                "dht4j.store.durability=fsync | dht4j.store.durability needs dht4j.store.directory",
                "dht4j.health.timeout=0s | dht4j.health.timeout must be 1ms to 1m, not 0s"
            })
    void invalidPropertiesAreNamedWithTheirRange(String properties, String message) {
        runner.withPropertyValues(properties.strip().split(";")).run(context -> {
            FailureAnalysis shown = analysis(context.getStartupFailure());
            assertThat(shown.getDescription()).contains(message.strip()).doesNotContain("\n");
            assertThat(shown.getAction()).isNotBlank();
        });
    }

    @Test
    void aNumberThatIsNoneIsNamedWithItsProperty() {
        runner.withPropertyValues("dht4j.replication-factor=many")
                .run(context -> assertThat(analysis(context.getStartupFailure()).getDescription())
                        .contains("dht4j.replication-factor", "many"));
    }

    @Test
    void aTakenPortIsNamed() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            runner.withPropertyValues("dht4j.transport.port=" + taken.getLocalPort())
                    .run(context -> {
                        FailureAnalysis shown = analysis(context.getStartupFailure());
                        assertThat(shown.getDescription()).contains(":" + taken.getLocalPort());
                        assertThat(shown.getAction()).contains("dht4j.transport.port");
                    });
        }
    }

    @Test
    void aDirectoryThatIsAFileIsNamed(@TempDir Path directory) throws IOException {
        Path file = Files.createFile(directory.resolve("file"));
        runner.withPropertyValues("dht4j.store.directory=" + file).run(context -> {
            FailureAnalysis shown = analysis(context.getStartupFailure());
            assertThat(shown.getDescription()).contains(file.toString());
            assertThat(shown.getAction()).contains("dht4j.store.directory", "rebuild");
        });
    }

    @Test
    void anAtomicCacheOfAFixedListOfNodesIsRefused() {
        runner.withConfiguration(AutoConfigurations.of(DhtCacheAutoConfiguration.class))
                .withPropertyValues("dht4j.cache.caches.books.atomic=true")
                .run(context -> assertThat(analysis(context.getStartupFailure()).getDescription())
                        .isEqualTo("dht4j.cache.caches.books.atomic needs dht4j.membership.bootstrap or"
                                + " dht4j.membership.join, in place of dht4j.nodes"));
    }

    @Test
    void aTopologyLogThatIsAFileIsNamed(@TempDir Path directory) throws IOException {
        Path file = Files.createFile(directory.resolve("meta"));
        runner.withPropertyValues(
                        "dht4j.membership.bootstrap=n1=127.0.0.1:" + FreePorts.find(),
                        "dht4j.store.directory=" + directory)
                .run(context -> {
                    FailureAnalysis shown = analysis(context.getStartupFailure());
                    assertThat(shown.getDescription()).contains(file + " cannot be", "(it is a file)");
                    assertThat(shown.getAction()).contains("dht4j.store.directory");
                });
    }

    @Test
    void aClusterThatDoesNotAnswerIsNamed() {
        int port = FreePorts.find();
        runner.withPropertyValues("dht4j.remote.addresses=127.0.0.1:" + port)
                .run(context -> assertThat(analysis(context.getStartupFailure()).getDescription())
                        .contains("dht4j.remote.addresses: cannot connect", ":" + port));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "dht4j.transport.type=http | io.dht4j.transport.http | dht-transport-http",
                "dht4j.transport.type=grpc | io.dht4j.transport.grpc | dht-transport-grpc",
                "dht4j.remote.addresses=127.0.0.1:7001;dht4j.remote.api=http | io.dht4j.transport.http "
                        + "| dht-transport-http",
                "dht4j.remote.addresses=127.0.0.1:7001;dht4j.remote.api=grpc | io.dht4j.transport.grpc "
                        + "| dht-transport-grpc-api",
                "dht4j.membership.bootstrap=n1=127.0.0.1:7001;dht4j.store.directory=none | io.dht4j.topology "
                        + "| dht-topology-microraft"
            })
    void aModuleThatIsMissingIsNamed(String properties, String missing, String module) {
        runner.withClassLoader(new FilteredClassLoader(missing.strip()))
                .withPropertyValues(properties.strip().split(";"))
                .run(context -> {
                    FailureAnalysis shown = analysis(context.getStartupFailure());
                    assertThat(shown.getDescription())
                            .contains("needs the module io.dht4j:" + module.strip() + ", which is not on the class");
                    assertThat(shown.getAction()).isEqualTo("Add the dependency io.dht4j:" + module.strip() + ".");
                });
    }

    @Test
    void aClientTakesTheApiThatIsOnTheClassPath() {
        runner.withClassLoader(new FilteredClassLoader("io.dht4j.transport.http"))
                .withPropertyValues(
                        "dht4j.remote.addresses=127.0.0.1:" + FreePorts.find(), "dht4j.remote.connect-timeout=1s")
                .run(context -> assertThat(analysis(context.getStartupFailure()).getDescription())
                        .contains("dht4j.remote.addresses: cannot connect"));
    }

    /** Returns what the first analyzer shows, as Spring Boot asks them. */
    static FailureAnalysis analysis(Throwable failure) {
        assertThat(failure).isNotNull();
        List<FailureAnalyzer> analyzers = SpringFactoriesLoader.forDefaultResourceLocation()
                .load(FailureAnalyzer.class, (type, name, error) -> {});
        AnnotationAwareOrderComparator.sort(analyzers);
        return analyzers.stream()
                .map(analyzer -> analyzer.analyze(failure))
                .filter(Objects::nonNull)
                .findFirst()
                .orElseThrow();
    }
}
