package io.dht4j.simulator.cluster.repair;

import io.dht4j.CallOptions;
import io.dht4j.Key;
import io.dht4j.Value;
import io.dht4j.simulator.cluster.BlockingStore;
import io.dht4j.simulator.cluster.SimulatedCluster;
import io.dht4j.spi.Entry;
import io.dht4j.testkit.network.Fault;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Three nodes, the replicas of one key in their order. Node 0 coordinates; a test leaves others behind it. */
final class StaleReplicas extends SimulatedCluster {

    static final CallOptions ONE = CallOptions.defaults().withPolicy(1, 3);
    static final CallOptions TWO = CallOptions.defaults().withPolicy(2, 3);
    static final CallOptions ALL = CallOptions.defaults().withPolicy(3, 3);

    final Key key;

    private StaleReplicas(Setup setup) {
        super(setup);
        key = keyInTheOrderOfTheNodes();
    }

    static StaleReplicas start() {
        return start(UnaryOperator.identity());
    }

    static StaleReplicas start(UnaryOperator<Setup> setup) {
        return new StaleReplicas(setup.apply(SimulatedCluster.of(1, 3)));
    }

    private Key keyInTheOrderOfTheNodes() {
        for (int i = 0; ; i++) {
            Key candidate = Key.of("key" + i);
            if (replica(candidate, 0) == 0 && replica(candidate, 1) == 1) {
                return candidate;
            }
        }
    }

    void put(int node, String value, CallOptions options) {
        await(node(node).put(key, bytes(value), options));
    }

    /** Writes "old" at all nodes, then "new" while some cannot be reached. */
    void leaveBehind(int... nodes) {
        put(0, "old", ALL);
        cut(nodes);
        put(0, "new", ONE);
        heal();
    }

    void cut(int... nodes) {
        for (int node : nodes) {
            towardNode(node, Fault.refuse());
        }
    }

    void writesFail(int node) {
        ((BlockingStore) stores.get(node)).readOnly = true;
    }

    Optional<String> read(int node, CallOptions options) {
        return await(node(node).get(key, options)).map(Value::text);
    }

    Optional<Entry> held(int node) {
        return stores.get(node).get(key);
    }
}
