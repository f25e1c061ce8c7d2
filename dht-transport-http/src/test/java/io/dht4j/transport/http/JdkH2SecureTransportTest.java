package io.dht4j.transport.http;

import org.junit.jupiter.api.Tag;

@Tag("variant")
class JdkH2SecureTransportTest extends HttpSecureTransportContract {

    JdkH2SecureTransportTest() {
        super(HttpClientKind.JDK_H2);
    }
}
