package io.dht4j.examples;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Topology;
import io.dht4j.Value;
import io.dht4j.client.RemoteCluster;
import io.dht4j.client.RemoteOptions;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.spi.Transport;
import io.dht4j.store.memory.MemoryStore;
import io.dht4j.testkit.network.FreePorts;
import io.dht4j.transport.grpc.GrpcTransport;
import io.dht4j.transport.grpc.GrpcTransportOptions;
import io.dht4j.transport.http.HttpClientKind;
import io.dht4j.transport.http.HttpRemote;
import io.dht4j.transport.http.HttpRemoteOptions;
import io.dht4j.transport.http.HttpTransport;
import io.dht4j.transport.http.HttpTransportOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks that the Java of README and guide is code that runs. */
class ReadmeTest {

    @ParameterizedTest
    @CsvSource({
        "README.md, embed, examples/src/main/java/io/dht4j/examples/EmbeddingExample.java",
        "docs/guide/choose-a-transport.md, transports, examples/src/test/java/io/dht4j/examples/ReadmeTest.java",
        "docs/guide/change-nodes-in-java.md, agreed, examples/src/main/java/io/dht4j/examples/ChangingNodes.java",
        "docs/guide/choose-a-write.md, atomic, examples/src/main/java/io/dht4j/examples/AtomicExample.java",
        "docs/guide/choose-a-write.md, lock, examples/src/main/java/io/dht4j/examples/LockExample.java",
        "docs/guide/getting-started.md, server, examples/src/main/java/io/dht4j/examples/StandaloneServer.java",
        "docs/guide/getting-started.md, calls, examples/src/main/java/io/dht4j/examples/RemoteCaller.java",
        "docs/guide/secure.md, secure, examples/src/main/java/io/dht4j/examples/SecureNode.java",
        "docs/guide/spring-boot.md, cluster, "
                + "examples/spring-boot/src/main/java/io/dht4j/examples/library/NoteController.java",
        "docs/guide/spring-boot.md, application, "
                + "examples/spring-boot/src/main/java/io/dht4j/examples/library/LibraryApplication.java",
        "docs/guide/spring-boot.md, cacheable, "
                + "examples/spring-boot/src/main/java/io/dht4j/examples/library/Catalogue.java",
        "docs/guide/spring-boot.md, book, examples/spring-boot/src/main/java/io/dht4j/examples/library/Book.java",
        "docs/guide/quarkus.md, producer, "
                + "compat/frameworks/quarkus-3/src/main/java/io/dht4j/compat/ClusterProducer.java",
        "docs/guide/quarkus.md, resource, compat/frameworks/quarkus-3/src/main/java/io/dht4j/compat/Notes.java",
        "docs/guide/micronaut.md, factory, "
                + "compat/frameworks/micronaut-4/src/main/java/io/dht4j/compat/ClusterFactory.java",
        "docs/guide/micronaut.md, controller, "
                + "compat/frameworks/micronaut-4/src/main/java/io/dht4j/compat/Notes.java",
        "docs/guide/test-your-own-code.md, network, examples/src/test/java/io/dht4j/examples/SilentReplicaTest.java",
        "docs/guide/test-your-own-code.md, atomic, examples/src/test/java/io/dht4j/examples/ClaimTest.java",
        "docs/guide/test-your-own-code.md, simulate, examples/src/test/java/io/dht4j/examples/SimulationTest.java",
        "docs/guide/test-your-own-code.md, contract, examples/src/test/java/io/dht4j/examples/MemoryStoreTest.java"
    })
    void thePagesShowCodeAsItIs(String page, String tag, String file) throws Exception {
        String source = read(file);
        String shown = read(page);

        String code = between(source, "// tag::" + tag + "[]\n", "// end::" + tag + "[]");
        String quoted = between(shown, "<!-- tag::" + tag + "[] -->\n", "<!-- end::" + tag + "[] -->");

        assertThat(quoted).isEqualTo("```java\n" + code.stripIndent().stripTrailing() + "\n```\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"README.md", "docs/guide/getting-started.md"})
    void theDependenciesThatAPageShowsAreModulesOfThisVersion(String page) throws Exception {
        String shown = between(read(page), "<!-- tag::pom[] -->\n", "<!-- end::pom[] -->");
        String version = tagged("version", read("pom.xml")).get(0);

        assertThat(tagged("artifactId", shown).stream()
                        .filter(name -> name.startsWith("dht-"))
                        .toList())
                .containsExactly("dht-bom", "dht-core", "dht-store", "dht-transport-http")
                .allSatisfy(name -> assertThat(tagged("artifactId", read(name + "/pom.xml")))
                        .contains(name));
        assertThat(tagged("version", shown)).contains(version);
    }

    private static String read(String file) throws IOException {
        return Files.readString(Checkout.root().resolve(file));
    }

    private static List<String> tagged(String tag, String xml) {
        return Pattern.compile("<" + tag + ">([^<]*)</" + tag + ">")
                .matcher(xml)
                .results()
                .map(found -> found.group(1))
                .toList();
    }

    @Test
    void aTransportIsOneLine() throws Exception {
        int port = FreePorts.find();
        // tag::transports[]
        Transport streams = GrpcTransport.create(GrpcTransportOptions.at("127.0.0.1", port));
        Transport http2 =
                HttpTransport.create(HttpTransportOptions.at("127.0.0.1", port).withClient(HttpClientKind.VERTX_H2));
        // end::transports[]
        for (Transport transport : List.of(streams, http2)) {
            Topology topology = Topology.of(Node.of("n1", "127.0.0.1:" + port));
            try (Cluster cluster = ClusterBuilder.of("n1", topology)
                    .transport(transport)
                    .store(new MemoryStore())
                    .start()) {
                assertThat(greet(cluster)).isEqualTo("hello");
            }
        }
    }

    @Test
    void clientsThatStoreNothing(@TempDir Path directory) throws Exception {
        List<Integer> ports = FreePorts.find(3);
        Topology topology = Topology.of(
                Node.of("n1", "127.0.0.1:" + ports.get(0)),
                Node.of("n2", "127.0.0.1:" + ports.get(1)),
                Node.of("n3", "127.0.0.1:" + ports.get(2)));
        List<String> addresses = List.of("127.0.0.1:" + ports.get(0), "127.0.0.1:" + ports.get(1));
        try (StandaloneServer first = new StandaloneServer(new NodeId("n1"), topology, directory.resolve("n1"));
                StandaloneServer second = new StandaloneServer(new NodeId("n2"), topology, directory.resolve("n2"));
                StandaloneServer third = new StandaloneServer(new NodeId("n3"), topology, directory.resolve("n3"))) {
            List<String> shown = new ArrayList<>();
            try (Cluster remote = RemoteCluster.connect(
                            HttpRemote.create(HttpRemoteOptions.defaults()), addresses, RemoteOptions.defaults());
                    Cluster member = ClusterBuilder.withoutStore("web-1", topology)
                            .transport(HttpTransport.create(HttpTransportOptions.callingOnly()))
                            .start()) {
                RemoteCaller.addUser(remote, shown::add).toCompletableFuture().join();
                assertThat(shown).containsExactly("user:7=Ada");
                assertThat(greet(member)).isEqualTo("hello");
            }
            assertThat(List.of(first, second, third)).doesNotContainNull();
        }
    }

    private static String greet(Cluster cluster) {
        cluster.put(Key.of("greeting"), "hello".getBytes(UTF_8))
                .toCompletableFuture()
                .join();
        return cluster.get(Key.of("greeting"))
                .toCompletableFuture()
                .join()
                .map(Value::text)
                .orElse("absent");
    }

    private static String between(String text, String start, String end) {
        int from = text.indexOf(start);
        int to = text.indexOf(end, Math.max(from, 0));
        assertThat(from).as("\"%s\" is there", start).isNotNegative();
        assertThat(to).as("\"%s\" follows", end).isGreaterThan(from);
        return text.substring(from + start.length(), to);
    }
}
