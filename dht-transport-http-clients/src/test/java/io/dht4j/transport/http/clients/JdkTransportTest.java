package io.dht4j.transport.http.clients;

import io.dht4j.transport.http.contract.HttpClientContract;
import org.junit.jupiter.api.Tag;

@Tag("variant")
@Tag("jdk")
class JdkTransportTest extends HttpClientContract {

    JdkTransportTest() {
        super(HttpClients.JDK);
    }

    /** Before JDK 21 its client cannot be closed, and goes when it is collected. */
    @Override
    public boolean closesFiles() {
        return Runtime.version().feature() >= 21;
    }
}
