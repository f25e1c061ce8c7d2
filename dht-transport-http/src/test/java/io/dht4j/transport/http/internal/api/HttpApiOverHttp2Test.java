package io.dht4j.transport.http.internal.api;

import java.net.http.HttpClient;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;

/** The contract of the public API, for a client that speaks HTTP/2 where the port does. */
@Timeout(120)
@Tag("full")
class HttpApiOverHttp2Test extends HttpApiTest {

    @Override
    protected HttpClient.Version version() {
        return HttpClient.Version.HTTP_2;
    }
}
