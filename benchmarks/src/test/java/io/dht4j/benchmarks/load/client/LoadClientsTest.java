package io.dht4j.benchmarks.load.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.Topology;
import io.dht4j.benchmarks.load.closed.Preload;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.SystemEnvironment;
import io.dht4j.lab.internal.load.LoadClient;
import io.dht4j.lab.internal.load.LoadException;
import io.dht4j.lab.internal.load.LoadResult;
import io.dht4j.lab.internal.load.LoadSpec;
import io.dht4j.lab.internal.load.Operation;
import io.dht4j.lab.internal.load.Outcome;
import io.dht4j.lab.internal.load.open.OpenLoad;
import io.dht4j.lab.workload.ValueSizes;
import io.dht4j.store.memory.MemoryStore;
import io.dht4j.testkit.network.LoopbackNetwork;
import io.dht4j.transport.grpc.api.GrpcApi;
import io.dht4j.transport.grpc.api.GrpcApiOptions;
import io.dht4j.transport.http.HttpApi;
import io.dht4j.transport.http.HttpApiOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class LoadClientsTest {

    private static final int VALUE_BYTES = 300;
    private static final int KEYS = 200;

    private final SystemEnvironment environment = SystemEnvironment.create("clients");
    private final List<Cluster> nodes = new ArrayList<>();
    private final List<HttpApi> http = new ArrayList<>();
    private final List<GrpcApi> grpc = new ArrayList<>();

    /** The API that drives the two nodes. */
    enum Kind {
        HTTP,
        GRPC,
        EMBEDDED
    }

    @BeforeEach
    void start() {
        LoopbackNetwork network = LoopbackNetwork.on(environment);
        Topology topology = Topology.of(Node.of("n1", "n1:1"), Node.of("n2", "n2:1"));
        for (Node node : topology.nodes()) {
            Cluster cluster = ClusterBuilder.of(node.id(), topology)
                    .environment(environment)
                    .transport(network.transport(node.address()))
                    .store(new MemoryStore())
                    .start();
            nodes.add(cluster);
            http.add(HttpApi.listening("127.0.0.1", 0, cluster, HttpApiOptions.defaults()));
            grpc.add(GrpcApi.listening("127.0.0.1", 0, cluster, GrpcApiOptions.defaults()));
        }
    }

    @AfterEach
    void stop() {
        http.forEach(HttpApi::close);
        grpc.forEach(GrpcApi::close);
        nodes.forEach(Cluster::close);
        environment.close();
    }

    private LoadClient open(Kind kind) {
        return switch (kind) {
            case HTTP -> LoadClients.open(spec(http.stream().map(HttpApi::port).toList(), ClientSpec::http));
            case GRPC -> LoadClients.open(spec(grpc.stream().map(GrpcApi::port).toList(), ClientSpec::grpc));
            case EMBEDDED ->
                LoadClients.embedded(nodes, CallOptions.defaults().withPolicy(2, 2), new ValueSizes.Fixed(VALUE_BYTES));
        };
    }

    private static ClientSpec spec(List<Integer> ports, Function<List<String>, ClientSpec> api) {
        return api.apply(ports.stream().map(port -> "127.0.0.1:" + port).toList())
                .withConnections(4, 2)
                .withPolicy(2, 2)
                .withValueBytes(VALUE_BYTES);
    }

    @ParameterizedTest
    @EnumSource
    void fillingWritesEveryKeyWithItsValue(Kind kind) throws Exception {
        try (LoadClient client = open(kind)) {
            assertThat(Preload.fill(client, 0, KEYS, 16).keys()).isEqualTo(KEYS);
        }

        Values values = new Values(VALUE_BYTES);
        for (long key = 0; key < KEYS; key++) {
            long number = key;
            for (Cluster node : nodes) {
                assertThat(node.get(
                                        Key.of(KeyNames.of(key)),
                                        CallOptions.defaults().withPolicy(1, 2))
                                .toCompletableFuture()
                                .get(20, TimeUnit.SECONDS))
                        .hasValueSatisfying(value -> assertThat(value.bytes()).isEqualTo(values.of(number)));
            }
        }
        assertThat(read(nodes.get(0), KEYS)).isFalse();
    }

    private static boolean read(Cluster node, long key) throws Exception {
        return node.get(Key.of(KeyNames.of(key)))
                .toCompletableFuture()
                .get(20, TimeUnit.SECONDS)
                .isPresent();
    }

    @ParameterizedTest
    @EnumSource
    void anAbsentKeyIsToldFromOneThatIsThere(Kind kind) throws Exception {
        try (LoadClient client = open(kind)) {
            assertThat(result(client.get(5))).isEqualTo(Outcome.ABSENT);
            assertThat(result(client.put(5, VALUE_BYTES))).isEqualTo(Outcome.DONE);
            assertThat(result(client.get(5))).isEqualTo(Outcome.DONE);
            assertThat(result(client.get(6))).isEqualTo(Outcome.ABSENT);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aLoadOfEitherOperationIsServed(Kind kind) throws Exception {
        try (LoadClient client = open(kind)) {
            Preload.fill(client, 0, KEYS, 16);
            for (Operation operation : List.of(Operation.PUT, Operation.GET)) {
                LoadResult result = OpenLoad.on(client)
                        .givingUpAfter(Duration.ofMinutes(1))
                        .run(new LoadSpec(operation, 500, 0.2, 0.5, KEYS, 200, 2, 1));

                assertThat(result.errors()).isEmpty();
                // The generator may omit some on a busy machine.
                assertThat(result.served()).isPositive();
                assertThat(result.served() + result.notSent()).isEqualTo(250);
                assertThat(result.conditions().doubts()).noneMatch(doubt -> doubt.contains("found nothing"));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"HTTP", "GRPC"})
    void requestsGoToEveryNodeInTurn(Kind kind) throws Exception {
        try (LoadClient client = open(kind)) {
            result(client.put(1, VALUE_BYTES));
            if (kind == Kind.HTTP) {
                http.get(0).close();
            } else {
                grpc.get(0).close();
            }

            List<Boolean> served = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                served.add(succeeds(client.get(1)));
            }

            assertThat(served).containsOnly(true, false);
            assertThat(served.subList(0, 4)).isEqualTo(served.subList(4, 8));
        }
    }

    @Test
    void anErrorIsNamedAsTheNodeNamesIt() {
        ClientSpec spec = spec(http.stream().map(HttpApi::port).toList(), ClientSpec::http);
        try (LoadClient client = LoadClients.open(spec.withPolicy(3, 3))) {
            assertThatThrownBy(() -> result(client.put(1, VALUE_BYTES)))
                    .extracting(LoadException::nameOf)
                    .isEqualTo("HTTP 400 POLICY_INVALID");
        }
        spec = spec(grpc.stream().map(GrpcApi::port).toList(), ClientSpec::grpc);
        try (LoadClient client = LoadClients.open(spec.withPolicy(3, 3))) {
            assertThatThrownBy(() -> result(client.put(1, VALUE_BYTES)))
                    .extracting(LoadException::nameOf)
                    .isEqualTo("POLICY_INVALID");
        }
    }

    @Test
    void aNodeThatIsNotThereIsAnErrorWithAName() {
        int port = http.get(0).port();
        http.get(0).close();
        try (LoadClient client = LoadClients.open(ClientSpec.http(List.of("127.0.0.1:" + port)))) {
            assertThatThrownBy(() -> result(client.get(1)))
                    .extracting(LoadException::nameOf)
                    .isEqualTo("not connected");
        }
    }

    @Test
    void fillingEndsWithAnErrorIfAKeyCannotBeWritten() {
        LoadClient broken = new FailingTarget();

        assertThatThrownBy(() -> Preload.fill(broken, 0, 10, 2))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("could not be written in 6 attempts: HTTP 507: full");
    }

    @Test
    void fillingCanGoOnWhereItStopped() throws Exception {
        try (LoadClient client = open(Kind.EMBEDDED)) {
            Preload.fill(client, 0, 3, 16);
            assertThat(Preload.fill(client, 3, KEYS - 3, 16).keys()).isEqualTo(KEYS - 3);
        }

        for (long key = 0; key < KEYS; key++) {
            assertThat(read(nodes.get(0), key)).isTrue();
        }
    }

    @Test
    void fillingTriesAgainWhatHasFailed() throws Exception {
        AtomicInteger left = new AtomicInteger(3);
        try (LoadClient client = open(Kind.EMBEDDED)) {
            LoadClient failingAtFirst = new FailingTarget() {
                @Override
                public CompletionStage<Outcome> put(long key, int valueBytes) {
                    return left.getAndDecrement() > 0 ? super.put(key, valueBytes) : client.put(key, valueBytes);
                }
            };

            Preload.fill(failingAtFirst, 0, KEYS, 16);
        }

        for (long key = 0; key < KEYS; key++) {
            assertThat(read(nodes.get(0), key)).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"HTTP 403 PERMISSION_DENIED", "VALUE_TOO_LARGE"})
    void fillingDoesNotRepeatWhatCanNeverSucceed(String name) {
        AtomicInteger puts = new AtomicInteger();
        LoadClient refusing = new FailingTarget() {
            @Override
            public CompletionStage<Outcome> put(long key, int valueBytes) {
                puts.incrementAndGet();
                return CompletableFuture.failedFuture(new LoadException(name, "never"));
            }
        };

        assertThatThrownBy(() -> Preload.fill(refusing, 0, 1, 1))
                .hasMessage("filling stopped: key number 0 could not be written in 1 attempt: " + name + ": never");
        assertThat(puts).hasValue(1);
    }

    @Test
    void aClosedTargetFailsWhatItIsAsked() {
        for (Kind kind : List.of(Kind.HTTP, Kind.GRPC)) {
            LoadClient client = open(kind);
            client.close();

            assertThatThrownBy(() -> result(client.get(1))).isInstanceOf(ExecutionException.class);
        }
    }

    @Test
    void aSpecificationSurvivesJson() throws Exception {
        ClientSpec spec = ClientSpec.grpc(List.of("127.0.0.1:1", "[::1]:2"))
                .withConnections(3, 2)
                .withPolicy(2, 3)
                .withTimeoutMillis(1234)
                .withValueBytes(77);
        ObjectMapper json = new ObjectMapper();

        assertThat(json.readValue(json.writeValueAsString(spec), ClientSpec.class))
                .isEqualTo(spec);
    }

    @Test
    void aSpecificationOutOfRangeIsRefused() {
        ClientSpec spec = ClientSpec.http(List.of("127.0.0.1:1"));

        assertThatThrownBy(() -> ClientSpec.http(List.of())).hasMessageContaining("addresses of a client");
        assertThatThrownBy(() -> ClientSpec.http(List.of("127.0.0.1"))).hasMessageContaining("is not HOST:PORT");
        assertThatThrownBy(() -> spec.withPolicy(3, 2)).hasMessageContaining("3 is not 1 to from, 2");
        assertThatThrownBy(() -> spec.withPolicy(0, 2)).hasMessageContaining("0 is not 1 to from, 2");
        assertThatThrownBy(() -> spec.withPolicy(1, 0)).hasMessageContaining("ack");
        assertThatThrownBy(() -> spec.withConnections(0, 1)).hasMessageContaining("connections");
        assertThatThrownBy(() -> spec.withConnections(1, 0)).hasMessageContaining("event loops");
        assertThatThrownBy(() -> spec.withTimeoutMillis(0)).hasMessageContaining("timeout");
        assertThatThrownBy(() -> spec.withValueBytes(-1)).hasMessageContaining("value");
    }

    private static boolean succeeds(CompletionStage<Outcome> operation) throws Exception {
        return operation
                .handle((outcome, error) -> error == null)
                .toCompletableFuture()
                .get(20, TimeUnit.SECONDS);
    }

    private static Outcome result(CompletionStage<Outcome> operation) throws Exception {
        return operation.toCompletableFuture().get(20, TimeUnit.SECONDS);
    }

    /** Fails everything. */
    private static class FailingTarget implements LoadClient {

        @Override
        public CompletionStage<Outcome> get(long key) {
            return CompletableFuture.failedFuture(new LoadException("HTTP 507", "full"));
        }

        @Override
        public CompletionStage<Outcome> put(long key, int valueBytes) {
            return get(key);
        }

        @Override
        public ValueSizes valueSizes() {
            return new ValueSizes.Fixed(VALUE_BYTES);
        }

        @Override
        public void close() {}
    }
}
