package io.dht4j.transport.http.clients;

import io.dht4j.transport.http.contract.HttpClientContract;
import org.junit.jupiter.api.Tag;

@Tag("variant")
@Tag("full")
class JdkH2TransportTest extends HttpClientContract {

    JdkH2TransportTest() {
        super(HttpClients.JDK_H2);
    }

    /** HTTP/2 begins with an exchange of its own. */
    @Override
    public boolean greets() {
        return true;
    }

    /** Before JDK 21 its client cannot be closed, and goes when it is collected. */
    @Override
    public boolean closesFiles() {
        return Runtime.version().feature() >= 21;
    }
}
