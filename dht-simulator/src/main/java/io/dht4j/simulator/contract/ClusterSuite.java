package io.dht4j.simulator.contract;

import static io.dht4j.simulator.contract.Results.result;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.KeyRange;
import io.dht4j.KeyValue;
import io.dht4j.Node;
import io.dht4j.ScanScope;
import io.dht4j.core.options.Batching;
import io.dht4j.spi.Transport;
import java.util.ArrayList;
import java.util.List;

/** The base of the suites of clusters over a transport. */
interface ClusterSuite {

    /** The options of calls to all replicas. */
    CallOptions ALL = CallOptions.defaults().withPolicy(3, 3);

    /** The options of calls to a majority. */
    CallOptions MAJORITY = CallOptions.defaults().withPolicy(2, 3);

    /** Creates a transport that has not been started. */
    Transport newTransport(Node self);

    /**
     * Creates a transport that has not been started. It carries frames of at least 5 MiB, and takes hardly more than
     * that of its peers at a time. For implementations with configurable limits.
     */
    default Transport newNarrowTransport(Node self) {
        return newTransport(self);
    }

    /** Returns distinct addresses without a listening process. */
    List<String> newAddresses(int count);

    default ThreeNodes cluster(boolean batching) {
        return cluster(batching, (name, builder) -> builder);
    }

    default ThreeNodes cluster(boolean batching, ThreeNodes.Tuning tuning) {
        return ThreeNodes.start(
                this::newTransport,
                newAddresses(3),
                (name, builder) -> tuning.tune(name, builder.batching(batching ? Batching.on() : Batching.off())));
    }

    static List<KeyValue> scan(Cluster node, ScanScope scope) {
        List<KeyValue> shown = new ArrayList<>();
        result(node.scan(KeyRange.all(), scope, CallOptions.defaults()).forEach(shown::add));
        return shown;
    }
}
