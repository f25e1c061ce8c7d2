package io.dht4j.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.NodeId;
import io.dht4j.security.Tls;
import io.dht4j.testkit.tls.TestCertificates;
import io.dht4j.transport.tcp.internal.wire.Hello;
import io.dht4j.transport.tcp.internal.wire.RecordType;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A caller shakes hands once: a further handshake of TLS 1.2 costs the callee's loop as much as a first one. */
class RefusedRenegotiationTest {

    @TempDir
    private Path directory;

    @Test
    void aFurtherHandshakeOnAConnectionEndsIt() throws Exception {
        TestCertificates authority = TestCertificates.in(directory);
        TcpTransport callee = TcpTransport.create(TcpTransportOptions.at("127.0.0.1", 0)
                .withTls(authority.mutual("n1"))
                .withDrainTimeout(Duration.ofMillis(100)));
        try (Tls files = Tls.load(authority.mutual("n2"), warning -> {})) {
            callee.start((request, context) -> CompletableFuture.completedFuture(request))
                    .toCompletableFuture()
                    .get(30, TimeUnit.SECONDS);
            SSLContext context = SSLContext.getInstance("TLS");
            TrustManager trust = files.trustManager((host, port) -> Optional.of(new NodeId("n1")));
            context.init(new KeyManager[] {files.keyManager()}, new TrustManager[] {trust}, null);
            try (SSLSocket socket = (SSLSocket)
                            context.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), callee.port());
                    RawConnection caller = new RawConnection(socket)) {
                socket.setEnabledProtocols(new String[] {"TLSv1.2"});
                caller.send(RawConnection.callerHello());
                assertThat(caller.readHello().kind()).isEqualTo(Hello.Kind.CALLEE);
                assertThatThrownBy(() -> {
                            socket.startHandshake();
                            caller.send(RawConnection.record(RecordType.PING, 1, 0));
                            caller.read();
                        })
                        .isInstanceOf(IOException.class);
            }
        } finally {
            callee.close();
        }
    }
}
