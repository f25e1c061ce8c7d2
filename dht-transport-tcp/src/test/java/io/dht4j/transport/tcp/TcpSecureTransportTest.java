package io.dht4j.transport.tcp;

import static io.dht4j.testkit.transport.Calls.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.spi.Frame;
import io.dht4j.spi.TlsFiles;
import io.dht4j.spi.Transport;
import io.dht4j.testkit.tls.SecureTransportContract;
import io.dht4j.testkit.transport.Calls;
import io.dht4j.transport.tcp.internal.wire.Hello;
import io.dht4j.transport.tcp.internal.wire.RecordType;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

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

    @Test
    void framesOfAllSizesPassInBothDirections() {
        Started one = start(newTransport(Optional.of(authority().mutual("n1")), "127.0.0.1:0"), handler());
        Started two = start(newTransport(Optional.of(authority().mutual("n2")), "127.0.0.1:0"), handler());
        SplittableRandom random = new SplittableRandom(1);
        List<byte[]> frames = new ArrayList<>();
        List<CompletableFuture<byte[]>> calls = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            byte[] frame = new byte[i % 4 == 0 ? random.nextInt(1 << 18) : random.nextInt(1_000)];
            random.nextBytes(frame);
            frames.add(frame);
            Started caller = i % 3 == 0 ? two : one;
            Node callee = i % 3 == 0 ? Node.of("n1", one.address()) : Node.of("n2", two.address());
            calls.add(caller.transport()
                    .call(callee, Frame.of(frame), Calls.within(PATIENCE))
                    .toCompletableFuture());
        }
        for (int i = 0; i < calls.size(); i++) {
            assertThat(Arrays.equals(Calls.reply(calls.get(i)), frames.get(i)))
                    .as("frame %d", i)
                    .isTrue();
        }
    }
}
