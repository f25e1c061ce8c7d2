package io.dht4j.transport.http.clients;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.transport.http.HttpClientKind;
import io.dht4j.transport.http.HttpTransportOptions;
import io.dht4j.transport.http.contract.HttpClientKindContract;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The further clients. */
class HttpClientsTest extends HttpClientKindContract {

    static List<HttpClientKind> kinds() {
        return List.of(HttpClients.WEBCLIENT, HttpClients.JDK, HttpClients.JDK_H2, HttpClients.ONE_NIO);
    }

    @Test
    void aConnectionBoundThatDoesNotSuitTheClientIsNamed() {
        assertThatThrownBy(() -> HttpTransportOptions.callingOnly()
                        .withConnectionsPerPeer(17)
                        .withClient(HttpClients.JDK_H2))
                .hasMessage("connectionsPerPeer must be 1 to 16, not 17");
    }
}
