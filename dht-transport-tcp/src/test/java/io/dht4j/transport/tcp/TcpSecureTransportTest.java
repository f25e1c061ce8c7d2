package io.dht4j.transport.tcp;

import static io.dht4j.testkit.transport.Calls.PATIENCE;

import io.dht4j.NodeId;
import io.dht4j.spi.TlsFiles;
import io.dht4j.spi.Transport;
import io.dht4j.testkit.tls.SecureTransportContract;
import io.dht4j.transport.tcp.internal.wire.Hello;
import io.dht4j.transport.tcp.internal.wire.RecordType;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Predicate;

class TcpSecureTransportTest extends SecureTransportContract {

    @Override
    public Transport newTransport(Optional<TlsFiles> tls, String address) {
        int port = Integer.parseInt(address.substring(address.indexOf(':') + 1));
        TcpTransportOptions options = TcpTransportOptions.at("127.0.0.1", port)
                .withConnectTimeout(PATIENCE)
                .withDrainTimeout(Duration.ofMillis(100));
        return TcpTransport.create(tls.map(options::withTls).orElse(options));
    }

    @Override
    public String address(Transport transport) {
        return "127.0.0.1:" + ((TcpTransport) transport).port();
    }

    @Override
    public Predicate<Thread> ownThreads() {
        return thread ->
                thread.getName().startsWith("dht4j-tcp") || thread.getName().startsWith("dht4j-tls");
    }

    @Override
    public byte[] requestBytes() {
        byte[] hello = Hello.ofCaller(Optional.empty(), new NodeId("n2")).encode();
        return ByteBuffer.allocate(hello.length + 21)
                .put(hello)
                .putInt(8)
                .put((byte) RecordType.REQUEST)
                .putLong(1)
                .putLong(30_000_000)
                .array();
    }
}
