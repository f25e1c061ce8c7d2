package io.dht4j.simulator.remote;

import static io.dht4j.simulator.remote.ScriptedApi.failing;
import static io.dht4j.simulator.remote.ScriptedCluster.ADDRESSES;
import static io.dht4j.simulator.remote.ScriptedCluster.KEY;
import static io.dht4j.simulator.remote.ScriptedCluster.OPTIONS;
import static io.dht4j.simulator.remote.ScriptedCluster.READS;
import static io.dht4j.simulator.remote.ScriptedCluster.WRITES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.InvalidRequestException;
import io.dht4j.KeyPlacement;
import io.dht4j.KeyRange;
import io.dht4j.Node;
import io.dht4j.ReplicationPolicy;
import io.dht4j.UnavailableException;
import io.dht4j.client.RemoteCluster;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** A remote cluster connects, learns its topology, and is closed. */
class RemoteConnectionTest {

    private final ScriptedCluster scripted = new ScriptedCluster();
    private final VirtualEnvironment env = scripted.env;
    private final ScriptedApi api = scripted.api;
    private final RemoteCluster cluster = scripted.cluster;

    @Test
    void statusRefreshesTopologyAndPolicy() {
        assertThat(cluster.topology()).isEqualTo(api.status.topology());
        assertThat(cluster.defaultPolicy()).isEqualTo(new ReplicationPolicy(2, 3));
        api.status = ScriptedApi.status(1, Node.of("n7", "z:1"));
        assertThat(scripted.await(cluster.operations().status())).isEqualTo(api.status);
        assertThat(cluster.topology()).isEqualTo(api.status.topology());
        assertThat(cluster.defaultPolicy()).isEqualTo(new ReplicationPolicy(1, 1));
    }

    @Test
    void aPlacementNamesTheNodesOfTheTopology() {
        assertThat(scripted.await(cluster.locate(KEY)))
                .isEqualTo(new KeyPlacement(3, api.status.topology().nodes()));
        // A node that is new is looked up.
        api.status = ScriptedApi.status(1, Node.of("n7", "z:1"));
        assertThat(scripted.await(cluster.locate(KEY))).isEqualTo(new KeyPlacement(3, List.of(Node.of("n7", "z:1"))));
    }

    @Test
    void connectingTakesTheFirstNodeThatAnswers() {
        for (ErrorCode code : ErrorCode.values()) {
            api.at("a:1", failing(code));
            api.at("b:1", failing(code));
            assertThat(scripted.connect(OPTIONS).topology()).isEqualTo(api.status.topology());
        }
    }

    @Test
    void connectingFailsWithEachAddressAndWhy() {
        api.at("a:1", failing(ErrorCode.NOT_SENT));
        api.at("b:1", api.hanging());
        api.at("c:1", failing(ErrorCode.UNAUTHENTICATED));
        DhtException failure = scripted.failureOf(RemoteCluster.connecting(api, ADDRESSES, OPTIONS, env));
        assertThat(failure).isInstanceOf(UnavailableException.class);
        assertThat(failure)
                .hasMessageContaining("a:1: scripted NOT_SENT")
                .hasMessageContaining("b:1: no answer in time")
                .hasMessageContaining("c:1: scripted UNAUTHENTICATED");
    }

    @Test
    void connectingFailsForGoodIfEveryNodeRefusesTheClient() {
        api.at("a:1", failing(ErrorCode.PERMISSION_DENIED));
        api.at("b:1", failing(ErrorCode.UNAUTHENTICATED));
        api.at("c:1", failing(ErrorCode.UNAUTHENTICATED));
        DhtException failure = scripted.failureOf(RemoteCluster.connecting(api, List.of("b:1", "c:1"), OPTIONS, env));
        assertThat(failure).isInstanceOf(InvalidRequestException.class);
        assertThat(failure.code()).isEqualTo(ErrorCode.UNAUTHENTICATED);
        assertThat(failure)
                .hasMessageStartingWith("every node refused this client: ")
                .hasMessageContaining("b:1: scripted UNAUTHENTICATED")
                .hasMessageContaining("c:1: scripted UNAUTHENTICATED");
        assertThat(scripted.failureOf(RemoteCluster.connecting(api, ADDRESSES, OPTIONS, env)))
                .isInstanceOf(InvalidRequestException.class);
    }

    @Test
    void silentServerFailsTheConnectWithItsAddress() {
        api.at("a:1", timeout -> new CompletableFuture<>());
        DhtException failure = scripted.failureOf(
                RemoteCluster.connecting(api, List.of("a:1"), OPTIONS.withConnectTimeout(Duration.ofSeconds(7)), env));
        assertThat(failure).hasMessage("no node answered: a:1: no answer within 7000 ms");
    }

    @Test
    void connectingWaitsForANodeAndClosingEndsTheApi() {
        ScriptedApi own = new ScriptedApi(env);
        own.at("a:1", failing(ErrorCode.NOT_SENT));
        try (RemoteCluster blocking = RemoteCluster.connect(own, ADDRESSES, OPTIONS)) {
            assertThat(blocking.topology()).isEqualTo(own.status.topology());
            assertThat(blocking.get(KEY).toCompletableFuture().join()).isPresent();
        }
        assertThat(own.closed).isTrue();
    }

    @Test
    void connectingInVainClosesTheApi() {
        ScriptedApi own = new ScriptedApi(env);
        ADDRESSES.forEach(address -> own.at(address, failing(ErrorCode.NOT_SENT)));
        assertThatExceptionOfType(UnavailableException.class)
                .isThrownBy(() -> RemoteCluster.connect(own, ADDRESSES, OPTIONS))
                .satisfies(e -> assertThat(e.getStackTrace())
                        .anyMatch(frame -> frame.getClassName().equals(RemoteConnectionTest.class.getName())))
                .withMessageContaining("a:1")
                .withMessageContaining("b:1")
                .withMessageContaining("c:1");
        assertThat(own.closed).isTrue();
        ScriptedApi unused = new ScriptedApi(env);
        assertThatIllegalArgumentException().isThrownBy(() -> RemoteCluster.connect(unused, List.of(), OPTIONS));
        assertThat(unused.closed).isTrue();
        ScriptedApi withoutOptions = new ScriptedApi(env);
        assertThatNullPointerException()
                .isThrownBy(() -> RemoteCluster.connect(withoutOptions, ADDRESSES, null))
                .withMessage("options");
        assertThat(withoutOptions.closed).isTrue();
    }

    @Test
    void closingEndsTheCallsUnderWayAndRefusesLaterOnes() {
        ADDRESSES.forEach(address -> api.at(address, timeout -> new CompletableFuture<>()));
        List<CompletionStage<?>> underWay = new ArrayList<>();
        READS.values().forEach(call -> underWay.add(call.apply(cluster)));
        WRITES.values().forEach(call -> underWay.add(call.apply(cluster)));
        api.calls.clear();
        cluster.close();
        cluster.close();
        assertThat(underWay).allMatch(stage -> stage.toCompletableFuture().isCompletedExceptionally());
        assertThat(api.calls).as("no other node is asked").isEmpty();
        assertThat(scripted.failureOf(cluster.get(KEY)).code()).isEqualTo(ErrorCode.NOT_SERVING);
        assertThat(scripted.failureOf(cluster.put(KEY, new byte[1])).code()).isEqualTo(ErrorCode.NOT_SERVING);
        assertThat(scripted.failureOf(cluster.scan(KeyRange.all()).next()).code())
                .isEqualTo(ErrorCode.NOT_SERVING);
    }

    @Test
    void addressesAndOptionsAreChecked() {
        for (List<String> wrong : List.of(List.<String>of(), List.of("a:1", " "), List.of("a:1", "b:1", "a:1"))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> RemoteCluster.connecting(api, wrong, OPTIONS, env))
                    .withMessageContaining("address");
        }
        for (String wrong : List.of("http://127.0.0.1:7111", "a", "a:0", "a:65536", ":1", "a:1/", "::1:1", "[::1]")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> RemoteCluster.connecting(api, List.of("a:1", wrong), OPTIONS, env))
                    .withMessageContaining("host:port")
                    .withMessageContaining("\"" + wrong + "\"");
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> OPTIONS.withTimeout(Duration.ZERO))
                .withMessageContaining("timeout");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> OPTIONS.withConnectTimeout(Duration.ofHours(2)))
                .withMessageContaining("connectTimeout");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> OPTIONS.withScanPageSize(10_001))
                .withMessageContaining("scanPageSize");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> OPTIONS.withMaxInFlight(0))
                .withMessageContaining("maxInFlight");
    }
}
