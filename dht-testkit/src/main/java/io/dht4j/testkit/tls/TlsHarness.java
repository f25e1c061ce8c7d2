package io.dht4j.testkit.tls;

import static io.dht4j.testkit.transport.Calls.PATIENCE;
import static io.dht4j.testkit.transport.Calls.bytes;
import static io.dht4j.testkit.transport.Calls.reply;
import static io.dht4j.testkit.transport.Calls.within;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Node;
import io.dht4j.spi.Frame;
import io.dht4j.spi.FrameHandler;
import io.dht4j.spi.TlsFiles;
import io.dht4j.spi.Transport;
import io.dht4j.testkit.transport.TransportHarness;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The additional base of the suites of transports with TLS. */
interface TlsHarness extends TransportHarness {

    /** Accepts any port. */
    String ANY_PORT = "127.0.0.1:0";

    /** Creates a transport that has not been started, with TLS or with plaintext. */
    Transport newTransport(Optional<TlsFiles> tls, String address);

    /** Returns a request with an empty frame in wire format. */
    byte[] requestBytes();

    /** Returns the directory of the test. */
    Path directory();

    /** Returns the authority that nodes trust. */
    TestCertificates authority();

    /** Returns a handler that serves n1 and n2. */
    NamedCallers handler();

    default Started secure(TlsFiles files, FrameHandler frames) {
        return start(newTransport(Optional.of(files), ANY_PORT), frames);
    }

    default Started plaintext(FrameHandler frames) {
        return start(newTransport(Optional.empty(), ANY_PORT), frames);
    }

    static CompletableFuture<byte[]> call(Started caller, String name, Started callee, byte[] frame) {
        return caller.transport()
                .call(Node.of(name, callee.address()), Frame.of(frame), within(PATIENCE))
                .toCompletableFuture();
    }

    static void assertServes(Started caller, String name, Started callee) {
        assertThat(reply(call(caller, name, callee, bytes("good")))).isEqualTo(bytes("good"));
    }
}
