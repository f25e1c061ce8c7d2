package io.dht4j.simulator.remote;

import static io.dht4j.simulator.remote.ScriptedApi.failing;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.ErrorCode;
import io.dht4j.NodeId;
import io.dht4j.client.RemoteCluster;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A remote cluster learns where further nodes are, and keeps the addresses that it was given. */
class LearnedNodesTest {

    private final ScriptedCluster scripted = new ScriptedCluster();
    private final ScriptedApi api = scripted.api;

    private void publish(String... addresses) {
        api.status = api.status.withPublicAddresses(Map.of(new NodeId("n9"), List.of(addresses)));
        scripted.await(scripted.cluster.operations().status());
    }

    private List<String> triedWhenAllFail() {
        scripted.env.advance(Duration.ofSeconds(2));
        api.calls.clear();
        for (String address : List.of("new:1", "newer:1")) {
            api.at(address, failing(ErrorCode.NOT_SERVING));
        }
        scripted.order.forEach(address -> api.at(address, failing(ErrorCode.NOT_SERVING)));
        scripted.failureOf(scripted.cluster.get(ScriptedCluster.KEY));
        scripted.order.forEach(api::healthy);
        return api.askedOf("get");
    }

    @Test
    void learnedAddressesChangeAndGivenOnesStay() {
        publish("scripted://new:1", "other://elsewhere:1", "scripted://malformed");
        assertThat(new HashSet<>(triedWhenAllFail()))
                .contains("new:1")
                .containsAll(scripted.order)
                .hasSize(4);
        publish("scripted://newer:1");
        assertThat(new HashSet<>(triedWhenAllFail()))
                .contains("newer:1")
                .containsAll(scripted.order)
                .hasSize(4);
    }

    @Test
    void aClusterThatPublishesAddressesIsAskedAgain() {
        api.status = api.status.withPublicAddresses(Map.of(new NodeId("n9"), List.of("scripted://new:1")));
        RemoteCluster client = scripted.connect(ScriptedCluster.OPTIONS);
        api.calls.clear();
        scripted.env.advance(Duration.ofMinutes(2));
        assertThat(api.askedOf("status")).hasSizeBetween(3, 4);
        client.close();
        api.calls.clear();
        scripted.env.advance(Duration.ofMinutes(2));
        assertThat(api.calls).isEmpty();
    }

    @Test
    void aStaticClusterIsNotAskedAgain() {
        api.calls.clear();
        scripted.env.advance(Duration.ofMinutes(2));
        assertThat(api.calls).isEmpty();
    }
}
