package io.dht4j.transport.http;

import org.junit.jupiter.api.Tag;

@Tag("variant")
class JdkTransportTest extends HttpClientContract {

    JdkTransportTest() {
        super(HttpClientKind.JDK);
    }

    /** Before JDK 21 its client cannot be closed, and goes when it is collected. */
    @Override
    public boolean closesFiles() {
        return Runtime.version().feature() >= 21;
    }
}
