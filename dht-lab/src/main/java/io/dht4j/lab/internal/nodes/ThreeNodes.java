package io.dht4j.lab.internal.nodes;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.Topology;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.SystemEnvironment;
import io.dht4j.lab.TransportCandidate;
import io.dht4j.spi.MemoryBudget;
import io.dht4j.spi.Transport;
import io.dht4j.store.memory.MemoryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;

/** This library's nodes, with memory stores, over a transport. */
public final class ThreeNodes implements PutCluster {

    private static final int NODES = 3;

    private static final int LEAST_MAX_VALUE_BYTES = 1 << 20;

    private final SystemEnvironment environment = SystemEnvironment.create("bench");
    private final List<Cluster> members = new ArrayList<>();
    private final CallOptions options;
    private final Key[] keys;
    private final byte[] value;

    /**
     * Starts the nodes. Blocks.
     *
     * @param transport creates the transports
     * @param ports three free ports of loopback
     * @param settings applies the run's settings
     * @param ack number of replicas that must have a put
     * @param keys names of the keys
     * @param value of each put
     * @throws Exception if a transport cannot be created or a node does not start; the others are stopped then
     */
    public ThreeNodes(
            TransportCandidate transport,
            List<Integer> ports,
            UnaryOperator<ClusterBuilder> settings,
            int ack,
            String[] keys,
            byte[] value)
            throws Exception {
        this.options = CallOptions.defaults().withPolicy(ack, NODES);
        this.value = value;
        this.keys = new Key[keys.length];
        for (int i = 0; i < keys.length; i++) {
            this.keys[i] = Key.of(keys[i]);
        }
        Node[] nodes = new Node[NODES];
        for (int i = 0; i < NODES; i++) {
            nodes[i] = Node.of("n" + (i + 1), "127.0.0.1:" + ports.get(i));
        }
        Topology topology = Topology.of(nodes);
        try {
            for (Node node : nodes) {
                members.add(start(node, topology, transport.at(node.address()), settings));
            }
        } catch (Exception e) {
            close();
            throw e;
        }
    }

    private Cluster start(Node node, Topology topology, Transport transport, UnaryOperator<ClusterBuilder> settings) {
        MemoryBudget share =
                MemoryBudget.ofHeap().part(NODES).withMaxValueBytes(Math.max(LEAST_MAX_VALUE_BYTES, value.length));
        try {
            return settings.apply(ClusterBuilder.of(node.id(), topology)
                            .environment(environment)
                            .memory(share)
                            .maxValueBytes(share.maxValueBytes())
                            .transport(transport)
                            .store(new MemoryStore(share.memoryStoreBytes()))
                            .timeout(Duration.ofSeconds(10)))
                    .start();
        } catch (RuntimeException e) {
            transport.close();
            throw e;
        }
    }

    @Override
    public CompletionStage<?> put(int member, int key) {
        return members.get(member).put(keys[key], value, options);
    }

    /**
     * Reads a value.
     *
     * @param member the coordinator, 0 to 2
     * @param key the number of one of the keys
     * @return completes with the answer
     */
    public CompletionStage<?> get(int member, int key) {
        return members.get(member).get(keys[key], options);
    }

    @Override
    public void close() {
        members.forEach(Cluster::close);
        environment.close();
    }
}
