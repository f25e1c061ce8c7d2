package io.dht4j.transport.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.spi.TransportException;
import io.dht4j.spi.TransportException.Outcome;
import io.dht4j.transport.http.contract.HttpClientKindContract;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The clients of Vert.x, and what does not depend on the client. */
@Tag("full")
class HttpClientKindTest extends HttpClientKindContract {

    static List<HttpClientKind> kinds() {
        return List.of(HttpClientKind.VERTX, HttpClientKind.VERTX_PIPELINED, HttpClientKind.VERTX_H2);
    }

    @Test
    void aKindOfAnotherProjectIsRefused() {
        assertThatThrownBy(() -> HttpTransportOptions.callingOnly().withClient(() -> "mine"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("client must be a constant of HttpClientKind or HttpClients, not mine of ");
    }

    @Test
    void plaintextBeyondLoopbackNeedsPermission() throws Exception {
        HttpTransport client = started(HttpTransportOptions.callingOnly(), ECHO);
        for (String address : List.of("192.0.2.1:80", "node.invalid:80", "[2001:db8::1]:80", "127.0.0.1.invalid:80")) {
            assertThat(failure(client, address))
                    .hasMessageContaining("withPlaintextAllowed()")
                    .extracting(TransportException::outcome)
                    .isEqualTo(Outcome.NOT_SENT);
        }
        HttpTransport allowed = started(HttpTransportOptions.callingOnly().withPlaintextAllowed(), ECHO);
        assertThat(failure(allowed, "node.invalid:80")).hasMessageContaining("cannot connect");
        assertThat(failure(client, "localhost:1")).hasMessageContaining("cannot connect");
    }

    private static TransportException failure(HttpTransport from, String address)
            throws InterruptedException, TimeoutException {
        return failure(call(from, address, new byte[0]));
    }
}
