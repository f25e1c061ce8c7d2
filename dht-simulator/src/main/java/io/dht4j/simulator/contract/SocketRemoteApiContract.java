package io.dht4j.simulator.contract;

import static io.dht4j.simulator.contract.Results.failure;
import static io.dht4j.simulator.contract.Results.result;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.Cluster;
import io.dht4j.Version;
import io.dht4j.client.RemoteCluster;
import io.dht4j.client.RemoteOptions;
import io.dht4j.spi.RemoteApi;
import io.dht4j.testkit.network.SilencedLink;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/** The additional contract of every {@link RemoteApi} over a network: its servers listen on ports of 127.0.0.1. */
public abstract class SocketRemoteApiContract extends RemoteApiContract {

    /** By then, a call on each earlier connection has missed its deadline. */
    private static final int CALLS_AFTER = 15;

    private static final int CALLS_MEANWHILE = 200;
    private static final byte[] VALUE = {1};

    /** Constructor for subclasses. */
    protected SocketRemoteApiContract() {}

    @Test
    void stoppingNodeIsReportedWithEachAnswer() {
        Queue<String> stopping = new ConcurrentLinkedQueue<>();
        api().onStopping(stopping::add);
        result(api().put(address(0), KEY, VALUE, OPTIONS));
        result(api().put(address(1), KEY, VALUE, OPTIONS));
        assertThat(stopping).isEmpty();

        servers().get(0).announceStop();
        assertThat(result(api().get(address(0), KEY, OPTIONS))).isPresent();
        assertThat(stopping).containsOnly(address(0)).hasSize(1);
        result(api().put(address(0), KEY, VALUE, OPTIONS));
        assertThat(stopping).containsOnly(address(0)).hasSize(2);
        failure(api().put(address(0), KEY, VALUE, OPTIONS.withPolicy(4, 4)));
        assertThat(stopping).containsOnly(address(0)).hasSize(3);
        result(api().get(address(1), KEY, OPTIONS));
        assertThat(stopping).hasSize(3);
    }

    @Test
    void aClientIsOfOneCluster() {
        try (Cluster first = RemoteCluster.connect(api(), List.of(address(0)), RemoteOptions.defaults())) {
            assertThatThrownBy(() -> RemoteCluster.connect(api(), List.of(address(0)), RemoteOptions.defaults()))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageEndingWith(" is in use by a RemoteCluster already: create one for each");
            result(first.put(KEY, VALUE));
        }
    }

    @Test
    void noCallFailsWhenANodeAnnouncesThatItStopsUnderLoad() {
        List<CompletionStage<Version>> calls = new ArrayList<>();
        for (int i = 0; i < CALLS_MEANWHILE; i++) {
            calls.add(api().put(address(0), KEY, VALUE, OPTIONS));
            if (i == CALLS_MEANWHILE / 2) {
                servers().get(0).announceStop();
            }
        }
        calls.forEach(Results::result);
    }

    @Test
    void silentLinkRecoversSoonAfterItHeals() throws IOException {
        int port = Integer.parseInt(address(0).substring(address(0).lastIndexOf(':') + 1));
        try (SilencedLink link = new SilencedLink(port)) {
            result(api().get(link.address(), KEY, OPTIONS));
            link.silence(SilencedLink.Cut.BACK);
            for (int i = 0; i < CALLS_WHILE_SILENT; i++) {
                failure(api().get(link.address(), KEY, BRIEF));
            }
            link.heal();
            boolean answered = false;
            for (int i = 0; i < CALLS_AFTER && !answered; i++) {
                answered = isAnswered(api().get(link.address(), KEY, BRIEF));
            }
            assertThat(answered).as("a call after the link had healed").isTrue();
        }
    }

    private static boolean isAnswered(CompletionStage<?> call) {
        return call.handle((result, error) -> error == null)
                .toCompletableFuture()
                .join();
    }
}
