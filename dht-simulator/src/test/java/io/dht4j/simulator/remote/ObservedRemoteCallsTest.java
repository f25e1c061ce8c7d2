package io.dht4j.simulator.remote;

import static io.dht4j.simulator.remote.ScriptedApi.failing;
import static io.dht4j.simulator.remote.ScriptedCluster.ADDRESSES;
import static io.dht4j.simulator.remote.ScriptedCluster.KEY;
import static io.dht4j.simulator.remote.ScriptedCluster.OPTIONS;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.ErrorCode;
import io.dht4j.KeyRange;
import io.dht4j.ScanScope;
import io.dht4j.client.RemoteCluster;
import io.dht4j.simulator.observation.RecordingObserver;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Each call of a remote cluster is reported once; those about the cluster itself are not. */
class ObservedRemoteCallsTest {

    private final ScriptedCluster scripted = new ScriptedCluster();
    private final RecordingObserver observer = new RecordingObserver();
    private final RemoteCluster cluster =
            scripted.connect(OPTIONS.withMaxInFlight(1).withObserver(observer));

    @Test
    void eachKindOfCallIsReportedOnce() {
        scripted.await(cluster.get(KEY));
        scripted.await(cluster.put(KEY, new byte[1]));
        scripted.await(cluster.delete(KEY));
        scripted.await(cluster.getAll(List.of(KEY)));
        scripted.await(cluster.putAll(Map.of(KEY, new byte[1])));
        scripted.await(cluster.scan(KeyRange.all()).next());
        scripted.await(cluster.scan(KeyRange.all(), ScanScope.NODE, CallOptions.defaults())
                .next());
        scripted.await(cluster.locate(KEY));
        scripted.await(cluster.operations().status());
        assertThat(observer.takeCalls())
                .containsExactly(
                        "GET SUCCESS",
                        "PUT SUCCESS",
                        "DELETE SUCCESS",
                        "GET_ALL SUCCESS",
                        "PUT_ALL SUCCESS",
                        "SCAN_PAGE SUCCESS",
                        "SCAN_PAGE SUCCESS");
        assertThat(observer.requests).isEmpty();
    }

    @Test
    void aCallThatTriesSeveralNodesIsReportedOnce() {
        ADDRESSES.forEach(address -> scripted.api.at(address, failing(ErrorCode.NOT_SERVING)));
        scripted.failureOf(cluster.get(KEY));
        assertThat(observer.takeCalls()).containsExactly("GET NOT_SERVING");
    }

    @Test
    void refusedAndAbandonedCallsAreReportedOnce() {
        ADDRESSES.forEach(address -> scripted.api.at(address, scripted.api.slow(Duration.ofMillis(10))));
        CompletableFuture<?> read = cluster.get(KEY).toCompletableFuture();
        read.cancel(false);
        scripted.failureOf(cluster.delete(KEY));
        scripted.failureOf(cluster.get(KEY, CallOptions.defaults().withTimeToLive(Duration.ofSeconds(1))));
        scripted.env.advance(Duration.ofSeconds(1));
        assertThat(observer.takeCalls()).containsExactly("DELETE OVERLOADED", "GET TTL_INVALID", "GET SUCCESS");
    }
}
