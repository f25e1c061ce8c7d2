package io.dht4j.transport.http.internal.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.transport.http.HttpApiOptions;
import io.dht4j.transport.http.fixture.ApiNodes;
import io.dht4j.transport.http.fixture.RawHttp2;
import io.dht4j.transport.http.fixture.RawHttp2.Frame;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Headers over the bound of HTTP/2, which Netty refuses before any handler sees the request. */
@Timeout(60)
class Http2HeadersTest {

    /** The index of the status 200 in HPACK's static table. */
    private static final byte STATUS_200 = (byte) 0x88;

    private static ApiNodes nodes;

    @BeforeAll
    static void startNode() {
        nodes = ApiNodes.of(1, builder -> builder, HttpApiOptions.defaults());
    }

    @AfterAll
    static void stopNode() {
        nodes.close();
    }

    @Test
    void oversizedHeadersFailTheirRequestOnly() throws IOException {
        try (RawHttp2 client = new RawHttp2(nodes.port(0))) {
            int large = client.requestWithLargeHeaders("/livez", 11);
            client.flush();
            Frame refusal = client.readUntil(RawHttp2.HEADERS);
            assertThat(refusal.stream()).isEqualTo(large);
            assertThat(new String(refusal.payload(), StandardCharsets.ISO_8859_1))
                    .contains("431");
            assertThat(refusal.endsStream()).isTrue();

            int next = client.request("GET", "/livez", true);
            client.flush();
            Frame answer = client.readUntil(RawHttp2.HEADERS);
            assertThat(answer.stream()).isEqualTo(next);
            assertThat(answer.payload()).contains(STATUS_200);
        }
    }
}
