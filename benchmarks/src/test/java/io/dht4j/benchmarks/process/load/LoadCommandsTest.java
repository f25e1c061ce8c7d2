package io.dht4j.benchmarks.process.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.dht4j.Cluster;
import io.dht4j.Node;
import io.dht4j.Topology;
import io.dht4j.benchmarks.load.client.ClientSpec;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.SystemEnvironment;
import io.dht4j.lab.internal.load.LoadResult;
import io.dht4j.lab.internal.load.LoadSpec;
import io.dht4j.lab.internal.load.Operation;
import io.dht4j.store.memory.MemoryStore;
import io.dht4j.testkit.network.LoopbackNetwork;
import io.dht4j.transport.http.HttpApi;
import io.dht4j.transport.http.HttpApiOptions;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LoadCommandsTest {

    private static final LoadSpec LOAD = new LoadSpec(Operation.GET, 200, 0.1, 0.5, 50, 100, 1, 1);

    private final ObjectMapper json = new ObjectMapper();
    private final SystemEnvironment environment = SystemEnvironment.create("node");
    private final LoadCommands commands = new LoadCommands(this::seeThreads);
    private long threadsOfLoads;
    private Cluster node;
    private HttpApi api;

    private void seeThreads() {
        threadsOfLoads += Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("load"))
                .count();
    }

    @BeforeEach
    void start() {
        node = ClusterBuilder.of("n1", Topology.of(Node.of("n1", "n1:1")))
                .environment(environment)
                .transport(LoopbackNetwork.on(environment).transport("n1:1"))
                .store(new MemoryStore())
                .start();
        api = HttpApi.listening("127.0.0.1", 0, node, HttpApiOptions.defaults());
    }

    @AfterEach
    void stop() {
        commands.close();
        api.close();
        node.close();
        environment.close();
    }

    @Test
    void fillsAndLoadsWhatItIsConnectedTo() throws Exception {
        commands.connect(copy(ClientSpec.http(List.of("127.0.0.1:" + api.port())), ClientSpec.class));
        assertThat(commands.fill(copy(new LoadCommands.Fill(0, 50, 8), LoadCommands.Fill.class))
                        .keys())
                .isEqualTo(50);

        LoadResult result = commands.run(copy(LOAD, LoadSpec.class));

        assertThat(result.errors()).isEmpty();
        assertThat(result.served() + result.notSent()).isEqualTo(100);
        assertThat(copy(result, LoadResult.class)).isEqualTo(result);
        assertThat(copy(result, LoadResult.class).latency().decode())
                .isEqualTo(result.latency().decode());
    }

    @Test
    void readsCountersWhileTheThreadsOfALoadExist() throws Exception {
        commands.connect(ClientSpec.http(List.of("127.0.0.1:" + api.port())));

        commands.run(LOAD);
        long ofOpenLoop = threadsOfLoads;
        assertThat(ofOpenLoop).isPositive();
        commands.run(LOAD.at(0).withMaxInFlight(1));
        assertThat(threadsOfLoads).isGreaterThan(ofOpenLoop);
    }

    @Test
    void doesNothingBeforeItIsConnectedAndAfterItIsClosed() {
        assertThatThrownBy(() -> commands.run(LOAD)).hasMessageContaining("not connected");
        commands.connect(ClientSpec.http(List.of("127.0.0.1:" + api.port())));
        commands.close();
        assertThatThrownBy(() -> commands.fill(new LoadCommands.Fill(0, 1, 1))).hasMessageContaining("not connected");
    }

    private <T> T copy(T value, Class<T> type) throws Exception {
        return json.readValue(json.writeValueAsString(value), type);
    }
}
