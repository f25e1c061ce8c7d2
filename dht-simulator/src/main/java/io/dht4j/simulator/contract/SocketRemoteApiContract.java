package io.dht4j.simulator.contract;

import static io.dht4j.simulator.contract.Results.failure;
import static io.dht4j.simulator.contract.Results.result;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.spi.RemoteApi;
import io.dht4j.testkit.network.SilencedLink;
import java.io.IOException;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** What every {@link RemoteApi} over a network must do besides: its servers listen on ports of 127.0.0.1. */
public abstract class SocketRemoteApiContract extends RemoteApiContract {

    /** Whatever connections there were have cost a call its deadline by then. */
    private static final int CALLS_AFTER = 15;

    /** Constructor for subclasses. */
    protected SocketRemoteApiContract() {}

    @Test
    void aLinkThatWentSilentIsUsedAgainSoonAfterItHeals() throws IOException {
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
