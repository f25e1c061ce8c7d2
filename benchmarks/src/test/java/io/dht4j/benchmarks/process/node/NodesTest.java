package io.dht4j.benchmarks.process.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.benchmarks.process.ChildDiedException;
import io.dht4j.benchmarks.process.ChildException;
import io.dht4j.benchmarks.profile.Attribution;
import io.dht4j.benchmarks.profile.CollapsedStacks;
import io.dht4j.benchmarks.profile.Layer;
import io.dht4j.benchmarks.profile.ProfileEvent;
import io.dht4j.lab.internal.counters.Cost;
import io.dht4j.lab.internal.counters.Counters;
import io.dht4j.server.config.Setting;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(240)
@Tag("full")
class NodesTest {

    private static final List<String> SMALL = List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

    @TempDir
    Path directory;

    private final HttpClient http = HttpClient.newBuilder()
            .connectTimeout(Duration.ofSeconds(20))
            .version(HttpClient.Version.HTTP_1_1)
            .build();

    private NodesSpec spec(int count) {
        return NodesSpec.of(count, directory, Map.of(Setting.TIMEOUT, "20000")).withJvm(160, SMALL);
    }

    private int put(String address, String key) throws Exception {
        return http.send(
                        HttpRequest.newBuilder(URI.create("http://" + address + "/v0/entity?id=" + key))
                                .timeout(Duration.ofSeconds(30))
                                .PUT(BodyPublishers.ofString("value of " + key))
                                .build(),
                        BodyHandlers.discarding())
                .statusCode();
    }

    private String get(String address, String key) throws Exception {
        return http.send(
                        HttpRequest.newBuilder(URI.create("http://" + address + "/v0/entity?id=" + key))
                                .timeout(Duration.ofSeconds(30))
                                .build(),
                        BodyHandlers.ofString())
                .body();
    }

    @Test
    void nodeProcessesFormAClusterAndReportCosts() throws Exception {
        try (Nodes nodes = Nodes.start(spec(3))) {
            List<String> addresses = nodes.httpAddresses();
            assertThat(addresses).hasSize(3).doesNotHaveDuplicates();
            assertThat(put(addresses.get(0), "a")).isEqualTo(201);
            Counters before = nodes.counters();
            for (int i = 0; i < 50; i++) {
                assertThat(put(addresses.get(i % 3), "k" + i)).isEqualTo(201);
                assertThat(get(addresses.get((i + 1) % 3), "k" + i)).isEqualTo("value of k" + i);
            }
            Counters spent = nodes.counters().since(before);
            assertThat(spent.values()).containsKeys(Cost.BYTES_ALLOCATED, Cost.CPU_MICROS);
            assertThat(spent.values().values()).allMatch(value -> value > 0);
            assertThat(directory.resolve("n1")).isNotEmptyDirectory();
            nodes.ping();
        }
    }

    @Test
    @Tag("full")
    void aNodeJoinsAndGetsItsShare() throws Exception {
        try (Nodes nodes = Nodes.start(spec(3).with(Setting.TRANSPORT, "tcp")
                .with(Setting.PARTITIONS, "16")
                .whoseNodesMayChange())) {
            assertThat(put(nodes.httpAddresses().get(0), "a")).isEqualTo(201);
            NodeProcess first = nodes.all().get(0);
            assertThat(first.membership().atRest()).isTrue();
            first.rebalance(true, 1 << 20);
            first.admit(nodes.nextName());
            NodeProcess joined = nodes.startJoining();

            assertThat(joined.id()).isEqualTo("n4");
            assertThat(joined.membership().members()).hasSize(4);
            assertThat(joined.membership().atRest()).isFalse();
            first.rebalance(false, 1 << 20);
            MembershipReading reading = joined.membership();
            while (!reading.atRest()) {
                reading = joined.membership();
            }
            assertThat(reading.members().get(3).partitions()).isPositive();
            assertThat(get(nodes.httpAddresses().get(3), "a")).isEqualTo("value of a");
        }
    }

    @Test
    void nodesThatAreFixedTakeInNoOther() throws Exception {
        try (Nodes nodes = Nodes.start(spec(1))) {
            assertThatThrownBy(nodes::startJoining).hasMessage("the nodes of this cluster are fixed");
        }
    }

    @Test
    @Tag("full")
    void nodesOverGrpcInMemoryHaveThePublicGrpcApiToo() throws Exception {
        NodesSpec spec = spec(2).with(Setting.TRANSPORT, "grpc")
                .with(Setting.STORE, "memory")
                .withGrpcApi();
        try (Nodes nodes = Nodes.start(spec)) {
            assertThat(nodes.grpcAddresses()).hasSize(2).doesNotContainAnyElementsOf(nodes.httpAddresses());
            assertThat(put(nodes.httpAddresses().get(0), "a")).isEqualTo(201);
            assertThat(get(nodes.httpAddresses().get(1), "a")).isEqualTo("value of a");
        }
    }

    @Test
    @Tag("full")
    void profilesOfAllNodesAreMergedAndDrawn() throws Exception {
        try (Nodes nodes = Nodes.start(spec(2))) {
            nodes.startProfile(ProfileEvent.CPU);
            assertThatThrownBy(() -> nodes.startProfile(ProfileEvent.ALLOC))
                    .isInstanceOf(ChildException.class)
                    .hasMessageContaining("a profile of cpu is being taken");
            for (int i = 0; i < 300; i++) {
                put(nodes.httpAddresses().get(i % 2), "k" + i);
            }
            CollapsedStacks stacks = nodes.stopProfile(directory, "cpu");
            assertThat(stacks.total()).isPositive();
            assertThat(Attribution.of(ProfileEvent.CPU, stacks).counts()).containsKey(Layer.GC_AND_JIT);
            assertThat(directory.resolve("cpu-n1.html")).content().contains("<html", "cpu, n1");
            assertThat(directory.resolve("cpu-n2.html")).exists();
            assertThatThrownBy(() -> nodes.stopProfile(directory, "cpu"))
                    .hasMessageContaining("no profile is being taken");
        }
    }

    @Test
    void aNodeThatDiesIsNamedWithItsExitCode() throws Exception {
        try (Nodes nodes = Nodes.start(spec(2))) {
            nodes.all().get(1).kill();
            assertThatThrownBy(nodes::ping)
                    .isInstanceOf(ChildDiedException.class)
                    .hasMessageStartingWith("n2 has ended with exit code 137");
        }
    }

    @Test
    void aSettingThatIsWrongIsToldAsTheServerTellsIt() {
        assertThatThrownBy(() -> Nodes.start(spec(1).with(Setting.STORE, "punch-cards")))
                .isInstanceOf(ChildException.class)
                .hasMessageStartingWith("n1: start: --store")
                .hasMessageContaining("punch-cards");
    }

    @Test
    void specificationsAreCheckedWhereTheyAreMade() {
        assertThatThrownBy(() -> NodesSpec.of(0, directory, Map.of())).hasMessageContaining("0 is not 1 to 64");
        assertThatThrownBy(() -> spec(1).withJvm(1, List.of())).hasMessageContaining("1 MB is not 32");
        assertThatThrownBy(() -> spec(1).with(Setting.LISTEN, "127.0.0.1:1")).hasMessageContaining("listen");
        assertThatThrownBy(() -> new NodeSpec(Map.of(), 64, List.of(), java.util.Optional.empty()))
                .hasMessageContaining("id is missing");
        assertThatThrownBy(() -> new NodeSpec(
                        Map.of(Setting.ID, "n1", Setting.LISTEN, "127.0.0.1:1"),
                        64,
                        List.of(),
                        java.util.Optional.empty()))
                .hasMessageContaining("the nodes of its cluster are missing");
    }

    @Test
    void logsAreKeptBesideTheData() throws Exception {
        try (Nodes nodes = Nodes.start(spec(1))) {
            nodes.all().get(0).close();
        }
        assertThat(Files.exists(directory.resolve("n1.log"))).isTrue();
    }
}
