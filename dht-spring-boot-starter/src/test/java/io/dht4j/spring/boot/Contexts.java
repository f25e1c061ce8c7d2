package io.dht4j.spring.boot;

import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.Topology;
import io.dht4j.Value;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.store.memory.MemoryStore;
import io.dht4j.transport.tcp.TcpTransport;
import io.dht4j.transport.tcp.TcpTransportOptions;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.MapPropertySource;

/** Application contexts with the auto-configuration, and calls of their clusters. */
public final class Contexts {

    private Contexts() {}

    /** Returns a runner with the cluster's auto-configuration and without properties. */
    public static ApplicationContextRunner runner() {
        return new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(DhtAutoConfiguration.class));
    }

    /** Returns a runner with a property whose value keeps its spaces, as in a file. */
    public static ApplicationContextRunner withSpaces(ApplicationContextRunner runner, String name, String value) {
        return runner.withInitializer(context -> context.getEnvironment()
                .getPropertySources()
                .addFirst(new MapPropertySource(name, Map.of(name, value))));
    }

    /** Starts a node alone, {@code own}, whose entries are in memory. */
    public static Cluster node() {
        return ClusterBuilder.of("own", Topology.of(Node.of("own", "127.0.0.1:1")))
                .transport(TcpTransport.create(TcpTransportOptions.callingOnly()))
                .store(new MemoryStore())
                .start();
    }

    /** Waits for the end of a call. */
    public static <T> T await(CompletionStage<T> call) {
        return call.toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();
    }

    static void put(Cluster cluster, String key, String value) {
        await(cluster.put(Key.of(key), value.getBytes(StandardCharsets.UTF_8)));
    }

    static Optional<String> get(Cluster cluster, String key) {
        return await(cluster.get(Key.of(key))).map(Value::text);
    }
}
