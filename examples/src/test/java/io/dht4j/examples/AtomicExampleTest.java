package io.dht4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

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
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class AtomicExampleTest {

    private final SystemEnvironment environment = SystemEnvironment.create("atomic-example");
    private final Node self = Node.of("n1", "host1:1");
    private final Cluster cluster = ClusterBuilder.of(Membership.bootstrap(
                    self.id(),
                    List.of(self),
                    (ref, founders, any) ->
                            new ModelTopologyLog(new ModelTopologyGroup(founders, 20), ref, environment)))
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
        assertThat(AtomicExample.claim(cluster, "r")).isTrue();
        assertThat(AtomicExample.claim(cluster, "r")).isFalse();
        assertThat(AtomicExample.claim(cluster, "other")).isTrue();
    }

    @Test
    void onlyAPaidOrderIsShippedAndOnce() {
        assertThat(AtomicExample.ship(cluster, "o")).isFalse();
        cluster.atomicMap("orders", Codec.text(), Codec.text()).sync().put("o", "paid");
        assertThat(AtomicExample.ship(cluster, "o")).isTrue();
        assertThat(AtomicExample.ship(cluster, "o")).isFalse();
    }

    @Test
    void visitsAreCounted() {
        assertThat(AtomicExample.countVisit(cluster)).isEqualTo(1);
        assertThat(AtomicExample.countVisit(cluster)).isEqualTo(2);
    }
}
