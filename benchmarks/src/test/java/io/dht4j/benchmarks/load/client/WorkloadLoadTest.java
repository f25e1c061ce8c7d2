package io.dht4j.benchmarks.load.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.KeyValue;
import io.dht4j.Node;
import io.dht4j.Topology;
import io.dht4j.benchmarks.load.closed.Preload;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.lab.internal.load.LoadClient;
import io.dht4j.lab.internal.load.LoadResult;
import io.dht4j.lab.internal.load.LoadSpec;
import io.dht4j.lab.internal.load.Operation;
import io.dht4j.lab.internal.load.Outcome;
import io.dht4j.lab.internal.load.open.OpenLoad;
import io.dht4j.lab.workload.KeySpace;
import io.dht4j.lab.workload.ValueSizes;
import io.dht4j.lab.workload.Workload;
import io.dht4j.store.memory.MemoryStore;
import io.dht4j.testkit.network.FreePorts;
import io.dht4j.transport.grpc.api.GrpcApi;
import io.dht4j.transport.grpc.api.GrpcApiOptions;
import io.dht4j.transport.http.HttpApi;
import io.dht4j.transport.http.HttpApiOptions;
import io.dht4j.transport.tcp.TcpTransport;
import io.dht4j.transport.tcp.TcpTransportOptions;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Workloads on two real nodes that talk TCP to each other, through each of the clients. */
@Tag("full")
class WorkloadLoadTest {

    private static final ValueSizes SIZES = ValueSizes.parse("10:50,300:50");
    private static final CallOptions BOTH = CallOptions.defaults().withPolicy(2, 2);
    private static final int KEYS = 200;
    private static final int OPERATIONS = 1000;

    private final List<Cluster> nodes = new ArrayList<>();
    private final List<HttpApi> http = new ArrayList<>();
    private final List<GrpcApi> grpc = new ArrayList<>();
    /** Calls of the nodes' clusters by the name of the method. */
    private final Map<String, LongAdder> calls = new ConcurrentHashMap<>();

    /** The client of the load. */
    enum Kind {
        HTTP,
        GRPC,
        EMBEDDED
    }

    @BeforeEach
    void start() throws Exception {
        List<Integer> ports = FreePorts.find(2);
        Topology topology = Topology.of(IntStream.range(0, 2)
                .mapToObj(i -> Node.of("n" + i, "127.0.0.1:" + ports.get(i)))
                .toArray(Node[]::new));
        for (int i = 0; i < 2; i++) {
            Cluster node = ClusterBuilder.of(topology.nodes().get(i).id(), topology)
                    .transport(TcpTransport.create(TcpTransportOptions.at("127.0.0.1", ports.get(i))))
                    .store(new MemoryStore())
                    .start();
            nodes.add(node);
            Cluster counted = counting(node);
            http.add(HttpApi.listening("127.0.0.1", 0, counted, HttpApiOptions.defaults()));
            grpc.add(GrpcApi.listening("127.0.0.1", 0, counted, GrpcApiOptions.defaults()));
        }
    }

    private Cluster counting(Cluster node) {
        return (Cluster) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Cluster.class}, (proxy, method, arguments) -> {
                    calls.computeIfAbsent(method.getName(), name -> new LongAdder())
                            .increment();
                    try {
                        return method.invoke(node, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @AfterEach
    void stop() {
        http.forEach(HttpApi::close);
        grpc.forEach(GrpcApi::close);
        nodes.forEach(Cluster::close);
    }

    private LoadClient open(Kind kind) {
        return switch (kind) {
            case HTTP ->
                LoadClients.open(ready(ClientSpec.http(
                        addresses(http.stream().map(HttpApi::port).toList()))));
            case GRPC ->
                LoadClients.open(ready(ClientSpec.grpc(
                        addresses(grpc.stream().map(GrpcApi::port).toList()))));
            case EMBEDDED ->
                LoadClients.embedded(nodes.stream().map(this::counting).toList(), BOTH, SIZES);
        };
    }

    private static List<String> addresses(List<Integer> ports) {
        return ports.stream().map(port -> "127.0.0.1:" + port).toList();
    }

    private static ClientSpec ready(ClientSpec spec) {
        return spec.withConnections(4, 1).withPolicy(2, 2).withValueSizes(SIZES);
    }

    @ParameterizedTest
    @EnumSource
    void eachKindOfOperationReachesTheClusterWithItsShare(Kind kind) throws Exception {
        KeySpace space = new KeySpace(KEYS);
        try (LoadClient client = open(kind)) {
            Preload.fill(client, 0, KEYS, 16);
            calls.clear();

            LoadResult result =
                    run(client, space, new Operation("all", "get=30,update=20,insert=20,scan=20,rmw=10", "latest", 10));

            assertThat(result.errors()).isEmpty();
            assertThat(result.absent()).isZero();
            assertThat(result.served()).isEqualTo(OPERATIONS);
            assertThat(result.latencyByKind()).containsOnlyKeys("get", "update", "insert", "scan", "rmw");
            assertShare(served(result, "get"), 30);
            assertShare(served(result, "update"), 20);
            assertShare(served(result, "insert"), 20);
            assertShare(served(result, "scan"), 20);
            assertShare(served(result, "rmw"), 10);
            assertThat(calls("get")).isEqualTo(served(result, "get") + served(result, "rmw"));
            assertThat(calls("put"))
                    .isEqualTo(served(result, "update") + served(result, "insert") + served(result, "rmw"));
            assertThat(calls("scan")).isEqualTo(served(result, "scan"));
            assertThat(space.size()).isEqualTo(KEYS + served(result, "insert"));
        }
        List<Integer> lengths = lengthsOfAllValues();
        assertThat(lengths).hasSize((int) space.size()).containsOnly(10, 300);
        assertThat((double) lengths.stream().filter(length -> length == 10).count() / lengths.size())
                .isCloseTo(0.5, within(0.15));
    }

    @ParameterizedTest
    @EnumSource
    void aScanOrReadThatFindsNothingIsCounted(Kind kind) throws Exception {
        try (LoadClient client = open(kind)) {
            LoadResult result =
                    run(client, new KeySpace(KEYS), new Operation("reads", "get=50,scan=50", "uniform", 10));

            assertThat(result.errors()).isEmpty();
            assertThat(result.absent()).isEqualTo(OPERATIONS);
            assertThat(result.conditions().doubts()).anyMatch(doubt -> doubt.contains("reads found nothing"));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"HTTP", "GRPC"})
    void aScanReadsNoKeysBehindThoseOfItsPrefix(Kind kind) throws Exception {
        nodes.get(0)
                .put(Key.of("mine-0-later"), new byte[1], BOTH)
                .toCompletableFuture()
                .get(30, TimeUnit.SECONDS);
        ClientSpec spec = kind == Kind.HTTP
                ? ClientSpec.http(addresses(http.stream().map(HttpApi::port).toList()))
                : ClientSpec.grpc(addresses(grpc.stream().map(GrpcApi::port).toList()));
        try (LoadClient client = LoadClients.open(ready(spec).withKeyPrefix("mine-0-"))) {
            assertThat(client.scan(0, 10).toCompletableFuture().get(30, TimeUnit.SECONDS))
                    .isEqualTo(Outcome.ABSENT);

            client.put(0, 10).toCompletableFuture().get(30, TimeUnit.SECONDS);

            assertThat(client.scan(0, 10).toCompletableFuture().get(30, TimeUnit.SECONDS))
                    .isEqualTo(Outcome.DONE);
        }
    }

    @ParameterizedTest
    @EnumSource
    void theWorkloadsOfYcsbRunOneAfterTheOther(Kind kind) throws Exception {
        KeySpace space = new KeySpace(KEYS);
        try (LoadClient client = open(kind)) {
            Preload.fill(client, 0, KEYS, 16);
            for (Workload workload : Workload.ycsb()) {
                LoadResult result = run(client, space, Operation.of(workload));

                assertThat(result.errors()).as(workload.name()).isEmpty();
                assertThat(result.absent()).as(workload.name()).isZero();
                assertThat(result.served()).as(workload.name()).isEqualTo(OPERATIONS);
            }
        }
        assertThat(lengthsOfAllValues()).hasSize((int) space.size());
    }

    private static LoadResult run(LoadClient client, KeySpace space, Operation operation) throws InterruptedException {
        return OpenLoad.on(client)
                .over(space)
                .givingUpAfter(Duration.ofMinutes(1))
                .run(new LoadSpec(operation, 4000, 0, OPERATIONS / 4000.0, KEYS, OPERATIONS, 2, 1));
    }

    private static long served(LoadResult result, String kind) {
        return result.latencyByKind().get(kind).decode().getTotalCount();
    }

    private static void assertShare(long served, int percent) {
        assertThat(100.0 * served / OPERATIONS).isCloseTo(percent, within(5.0));
    }

    private long calls(String method) {
        return calls.getOrDefault(method, new LongAdder()).sum();
    }

    private List<Integer> lengthsOfAllValues() throws Exception {
        List<KeyValue> all = new ArrayList<>();
        nodes.get(0)
                .scan(KeyRange.all())
                .forEach(all::add)
                .toCompletableFuture()
                .get(30, TimeUnit.SECONDS);
        return all.stream().map(each -> each.value().bytes().length).toList();
    }
}
