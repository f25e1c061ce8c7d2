package io.dht4j.transport.http.internal.vertx;

import io.dht4j.transport.http.HttpClientKind;
import io.dht4j.transport.http.contract.HttpClientContract;
import org.junit.jupiter.api.Tag;

@Tag("variant")
@Tag("full")
public class VertxPipelinedTransportTest extends HttpClientContract {

    VertxPipelinedTransportTest() {
        super(HttpClientKind.VERTX_PIPELINED);
        // A peer handles the requests of one connection one after the other, and the contract has fifty with it at a
        // time of
        // which some are never answered. Calls share connections where the contract makes thousands.
        options = options.withConnectionsPerPeer(128);
    }

    /** A refusal waits for the answers to earlier requests of its connection. */
    @Override
    public int requestsAtNarrowTransport() {
        return 10_000;
    }
}
