package io.dht4j.transport.http;

class JdkSecureTransportTest extends HttpSecureTransportContract {

    JdkSecureTransportTest() {
        super(HttpClientKind.JDK);
    }
}
