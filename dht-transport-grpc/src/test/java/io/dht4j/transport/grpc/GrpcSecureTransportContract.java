package io.dht4j.transport.grpc;

import io.dht4j.spi.TlsFiles;
import io.dht4j.spi.Transport;
import io.dht4j.testkit.tls.SecureTransportContract;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Predicate;

/** What the two modes share with TLS. */
abstract class GrpcSecureTransportContract extends SecureTransportContract {

    private final GrpcMode mode;

    GrpcSecureTransportContract(GrpcMode mode) {
        this.mode = mode;
    }

    @Override
    public Transport newTransport(Optional<TlsFiles> tls, String address) {
        int port = Integer.parseInt(address.substring(address.indexOf(':') + 1));
        GrpcTransportOptions options =
                GrpcTransportOptions.at("127.0.0.1", port).withMode(mode).withDrainTimeout(Duration.ofMillis(100));
        return GrpcTransport.create(tls.map(options::withTls).orElse(options));
    }

    @Override
    public String address(Transport transport) {
        return "127.0.0.1:" + ((GrpcTransport) transport).port();
    }

    @Override
    public Predicate<Thread> ownThreads() {
        return thread ->
                thread.getName().startsWith("dht4j-grpc") || thread.getName().startsWith("dht4j-tls");
    }
}
