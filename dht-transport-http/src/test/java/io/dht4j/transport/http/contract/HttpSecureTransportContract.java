package io.dht4j.transport.http.contract;

import static io.dht4j.testkit.transport.Calls.PATIENCE;
import static io.dht4j.testkit.transport.Calls.bytes;

import io.dht4j.spi.TlsFiles;
import io.dht4j.spi.Transport;
import io.dht4j.testkit.tls.SecureTransportContract;
import io.dht4j.transport.http.HttpClientKind;
import io.dht4j.transport.http.HttpTransport;
import io.dht4j.transport.http.HttpTransportOptions;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Predicate;

/** What the HTTP transport must do with TLS whichever client calls the peers. */
public abstract class HttpSecureTransportContract extends SecureTransportContract {

    private final HttpClientKind kind;

    protected HttpSecureTransportContract(HttpClientKind kind) {
        this.kind = kind;
    }

    @Override
    public Transport newTransport(Optional<TlsFiles> tls, String address) {
        int port = Integer.parseInt(address.substring(address.indexOf(':') + 1));
        // On a busy machine certificates are not checked on both sides within the default two seconds.
        HttpTransportOptions options = HttpTransportOptions.at("127.0.0.1", port)
                .withClient(kind)
                .withConnectTimeout(PATIENCE)
                .withDrainTimeout(Duration.ofMillis(100));
        return HttpTransport.create(tls.map(options::withTls).orElse(options));
    }

    @Override
    public String address(Transport transport) {
        return "127.0.0.1:" + ((HttpTransport) transport).port();
    }

    @Override
    public Predicate<Thread> ownThreads() {
        return thread -> thread.getName().startsWith("vert") || thread.getName().startsWith("dht4j-");
    }

    @Override
    public byte[] requestBytes() {
        return bytes(
                "POST /peer/v1/frame HTTP/1.1\r\nHost: localhost\r\nDht-Deadline-Micros: 30000000\r\nContent-Length: "
                        + "0\r\n\r\n");
    }
}
