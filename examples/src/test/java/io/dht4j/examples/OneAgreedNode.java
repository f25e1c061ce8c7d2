package io.dht4j.examples;

import io.dht4j.Cluster;
import io.dht4j.Node;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.SystemEnvironment;
import io.dht4j.core.options.Membership;
import io.dht4j.testkit.network.LoopbackNetwork;
import io.dht4j.testkit.store.ModelStore;
import io.dht4j.testkit.topology.ModelTopologyGroup;
import io.dht4j.testkit.topology.ModelTopologyLog;
import java.util.List;

/** A cluster of one node that may have atomic keys, in memory. */
final class OneAgreedNode implements AutoCloseable {

    private final SystemEnvironment environment = SystemEnvironment.create("example");
    private final Node self = Node.of("n1", "host1:1");
    final Cluster cluster = ClusterBuilder.of(Membership.bootstrap(
                    self.id(),
                    List.of(self),
                    (ref, founders, any) ->
                            new ModelTopologyLog(new ModelTopologyGroup(founders, 20), ref, environment)))
            .transport(LoopbackNetwork.on(environment).transport(self.address()))
            .store(new ModelStore())
            .environment(environment)
            .start();

    @Override
    public void close() {
        cluster.close();
        environment.close();
    }
}
