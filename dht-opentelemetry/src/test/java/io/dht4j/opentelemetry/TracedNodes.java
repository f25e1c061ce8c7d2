package io.dht4j.opentelemetry;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.Topology;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.spi.Transport;
import io.dht4j.testkit.network.FreePorts;
import io.dht4j.testkit.store.ModelStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/** Three nodes with a tracer, which know of each other that they read trace contexts. */
final class TracedNodes implements AutoCloseable {

    static final CallOptions ALL_OF_THREE = CallOptions.defaults().withPolicy(3, 3);

    private final List<Cluster> nodes = new ArrayList<>();

    TracedNodes(Spans spans, IntFunction<Transport> transports) throws Exception {
        List<Integer> ports = FreePorts.find(3);
        Topology topology = Topology.of(
                Node.of("n1", "127.0.0.1:" + ports.get(0)),
                Node.of("n2", "127.0.0.1:" + ports.get(1)),
                Node.of("n3", "127.0.0.1:" + ports.get(2)));
        try {
            for (int i = 0; i < 3; i++) {
                nodes.add(ClusterBuilder.of("n" + (i + 1), topology)
                        .transport(transports.apply(ports.get(i)))
                        .store(new ModelStore())
                        .tracer(OpenTelemetryTracer.of(spans.api()))
                        .start());
            }
            Spans.await(() -> {
                spans.clear();
                await(node(0).put(Key.of("first"), new byte[1], ALL_OF_THREE));
                return spans.ended().stream()
                                .filter(span -> span.getName().equals("serve write"))
                                .count()
                        == 2;
            });
            spans.clear();
        } catch (Exception | Error e) {
            close();
            throw e;
        }
    }

    Cluster node(int i) {
        return nodes.get(i);
    }

    static <T> T await(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(20, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        nodes.forEach(Cluster::close);
    }
}
