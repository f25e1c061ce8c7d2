package io.dht4j.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Cluster;
import io.dht4j.MembershipStatus;
import io.dht4j.client.RemoteCluster;
import io.dht4j.testkit.network.FreePorts;
import io.dht4j.testkit.tls.TestCertificates;
import io.dht4j.transport.grpc.api.GrpcApi;
import io.dht4j.transport.grpc.api.GrpcApiOptions;
import io.dht4j.transport.http.HttpApi;
import io.dht4j.transport.http.HttpApiOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Application contexts whose clusters talk to each other over sockets. */
class ClustersOfContextsTest {

    private static final String TOKEN = "dht4j.membership.join-token=0123456789abcdef";

    @Test
    void twoContextsAreTwoNodes() {
        putAndGet(DhtProperties.TransportType.TCP);
    }

    @ParameterizedTest
    @EnumSource(names = {"HTTP", "GRPC"})
    @Tag("full")
    void theNodesMayTalkOverAnotherTransport(DhtProperties.TransportType type) {
        putAndGet(type);
    }

    private static void putAndGet(DhtProperties.TransportType type) {
        List<Integer> ports = FreePorts.find(2);
        ApplicationContextRunner nodes = Contexts.runner()
                .withPropertyValues(
                        "dht4j.nodes=n1=127.0.0.1:" + ports.get(0) + ",n2=127.0.0.1:" + ports.get(1),
                        // The first one is started without the other.
                        "dht4j.ready-timeout=0",
                        "dht4j.transport.type=" + type);
        nodes.withPropertyValues("dht4j.node-id=n1")
                .run(one -> nodes.withPropertyValues("dht4j.node-id=n2").run(two -> {
                    Contexts.put(one.getBean(Cluster.class), "greeting", "hello");
                    assertThat(Contexts.get(two.getBean(Cluster.class), "greeting"))
                            .contains("hello");
                }));
    }

    @Test
    void aContextIsAClientOfAnother() {
        callRemotely(DhtProperties.RemoteApiType.HTTP);
    }

    @Test
    @Tag("full")
    void aClientMayCallOverGrpc() {
        callRemotely(DhtProperties.RemoteApiType.GRPC);
    }

    private static void callRemotely(DhtProperties.RemoteApiType api) {
        int port = FreePorts.find();
        Contexts.runner().run(node -> {
            Cluster cluster = node.getBean(Cluster.class);
            try (AutoCloseable served = serve(api, port, cluster)) {
                Contexts.runner()
                        .withPropertyValues("dht4j.remote.addresses=127.0.0.1:" + port, "dht4j.remote.api=" + api)
                        .run(client -> {
                            assertThat(client.getBean(Cluster.class)).isInstanceOf(RemoteCluster.class);
                            Contexts.put(client.getBean(Cluster.class), "greeting", "hello");
                        });
                assertThat(served).isNotNull();
            }
            assertThat(Contexts.get(cluster, "greeting")).contains("hello");
        });
    }

    @Test
    void nodesAndClientsProveThemselves(@TempDir Path directory) throws IOException {
        TestCertificates authority = TestCertificates.in(directory);
        Path tokens = Files.writeString(directory.resolve("tokens"), "read,write 0123456789abcdef\n");
        HttpApiOptions secured = HttpApiOptions.defaults()
                .withTls(authority.issue("api", "127.0.0.1").server())
                .withTokens(tokens);
        List<Integer> ports = FreePorts.find(3);
        ApplicationContextRunner trusting =
                Contexts.runner().withPropertyValues("dht4j.tls.authorities=" + authority.authority());
        ApplicationContextRunner nodes = trusting.withPropertyValues(
                "dht4j.nodes=n1=127.0.0.1:" + ports.get(0) + ",n2=127.0.0.1:" + ports.get(1), "dht4j.ready-timeout=0");
        ApplicationContextRunner client =
                trusting.withPropertyValues("dht4j.remote.addresses=127.0.0.1:" + ports.get(2));
        as("n1", nodes, authority)
                .run(one -> as("n2", nodes, authority).run(two -> {
                    Contexts.put(one.getBean(Cluster.class), "greeting", "hello");
                    try (HttpApi api =
                            HttpApi.listening("127.0.0.1", ports.get(2), two.getBean(Cluster.class), secured)) {
                        assertThat(api.port()).isEqualTo(ports.get(2));
                        client.withPropertyValues("dht4j.remote.token=0123456789abcdef")
                                .run(known -> assertThat(Contexts.get(known.getBean(Cluster.class), "greeting"))
                                        .contains("hello"));
                        client.withPropertyValues("dht4j.remote.token=fedcba9876543210")
                                .run(stranger -> assertThat(StartFailureTest.analysis(stranger.getStartupFailure())
                                                .getDescription())
                                        .contains("dht4j.remote.addresses: cannot connect", "token"));
                    }
                }));
    }

    private static ApplicationContextRunner as(String name, ApplicationContextRunner node, TestCertificates authority) {
        TestCertificates.Issued files = authority.issue(name, "localhost", "127.0.0.1");
        return node.withPropertyValues(
                "dht4j.node-id=" + name,
                "dht4j.tls.certificate=" + files.certificate(),
                "dht4j.tls.key=" + files.key());
    }

    private static AutoCloseable serve(DhtProperties.RemoteApiType api, int port, Cluster cluster) {
        return switch (api) {
            case HTTP -> HttpApi.listening("127.0.0.1", port, cluster, HttpApiOptions.defaults());
            case GRPC -> GrpcApi.listening("127.0.0.1", port, cluster, GrpcApiOptions.defaults());
        };
    }

    @Test
    @Tag("full")
    void aContextJoinsTheClusterOfAnother(@TempDir Path directory) {
        List<Integer> ports = FreePorts.find(2);
        String founder = "n1=127.0.0.1:" + ports.get(0);
        Contexts.runner()
                .withPropertyValues(
                        "dht4j.node-id=n1",
                        "dht4j.membership.bootstrap=" + founder,
                        "dht4j.store.directory=" + directory.resolve("n1"),
                        TOKEN)
                .run(one -> Contexts.runner()
                        .withPropertyValues(
                                "dht4j.node-id=n2",
                                "dht4j.membership.join=" + founder,
                                "dht4j.membership.address=127.0.0.1:" + ports.get(1),
                                "dht4j.store.directory=" + directory.resolve("n2"),
                                TOKEN)
                        .run(two -> assertThat(Contexts.await(two.getBean(Cluster.class)
                                                .membership()
                                                .status())
                                        .members())
                                .extracting(MembershipStatus.Member::name)
                                .extracting(Object::toString)
                                .containsExactly("n1", "n2")));
    }
}
