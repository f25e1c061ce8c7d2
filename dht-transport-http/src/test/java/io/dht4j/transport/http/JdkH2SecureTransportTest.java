package io.dht4j.transport.http;

class JdkH2SecureTransportTest extends HttpSecureTransportContract {

    JdkH2SecureTransportTest() {
        super(HttpClientKind.JDK_H2);
    }
}
