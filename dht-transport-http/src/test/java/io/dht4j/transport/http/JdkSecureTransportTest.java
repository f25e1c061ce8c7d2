package io.dht4j.transport.http;

import org.junit.jupiter.api.Tag;

@Tag("variant")
class JdkSecureTransportTest extends HttpSecureTransportContract {

    JdkSecureTransportTest() {
        super(HttpClientKind.JDK);
    }
}
