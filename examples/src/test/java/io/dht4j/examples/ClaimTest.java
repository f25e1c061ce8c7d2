package io.dht4j.examples;

// tag::atomic[]
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.AtomicMap;
import io.dht4j.Cluster;
import io.dht4j.Codec;
import io.dht4j.Node;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.SystemEnvironment;
import io.dht4j.core.options.Membership;
import io.dht4j.testkit.network.LoopbackNetwork;
import io.dht4j.testkit.store.ModelStore;
import io.dht4j.testkit.topology.ModelTopologyGroup;
import io.dht4j.testkit.topology.ModelTopologyLog;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ClaimTest {

    private final SystemEnvironment environment = SystemEnvironment.create("test");
    private final Node self = Node.of("n1", "host1:1");
    private final Membership alone = Membership.bootstrap(
            self.id(),
            List.of(self),
            (ref, founders, any) -> new ModelTopologyLog(new ModelTopologyGroup(founders, 20), ref, environment));
    private final Cluster cluster = ClusterBuilder.of(alone)
            .transport(LoopbackNetwork.on(environment).transport(self.address()))
            .store(new ModelStore())
            .environment(environment)
            .start();

    @AfterEach
    void close() {
        cluster.close();
        environment.close();
    }

    @Test
    void aRequestIsClaimedOnce() {
        AtomicMap.Sync<String, String> requests =
                cluster.atomicMap("requests", Codec.text(), Codec.text()).sync();
        assertThat(requests.putIfAbsent("7", "claimed").isDone()).isTrue();
        assertThat(requests.putIfAbsent("7", "claimed").isDone()).isFalse();
    }
}
// end::atomic[]
