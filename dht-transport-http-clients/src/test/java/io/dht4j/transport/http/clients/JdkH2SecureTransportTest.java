package io.dht4j.transport.http.clients;

import io.dht4j.transport.http.contract.HttpSecureTransportContract;
import org.junit.jupiter.api.Tag;

@Tag("variant")
@Tag("full")
class JdkH2SecureTransportTest extends HttpSecureTransportContract {

    JdkH2SecureTransportTest() {
        super(HttpClients.JDK_H2);
    }

    /** Before JDK 21 its client cannot be closed, and goes when it is collected. */
    @Override
    public boolean closesFiles() {
        return Runtime.version().feature() >= 21;
    }
}
