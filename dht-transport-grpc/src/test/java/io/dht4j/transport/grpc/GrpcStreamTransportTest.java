package io.dht4j.transport.grpc;

import static io.dht4j.testkit.transport.Calls.bytes;
import static io.dht4j.testkit.transport.Calls.echo;
import static io.dht4j.testkit.transport.Calls.failure;
import static io.dht4j.testkit.transport.Calls.within;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Node;
import io.dht4j.spi.Frame;
import io.dht4j.spi.TransportException.Outcome;
import io.dht4j.transport.grpc.internal.wire.FlowControl;
import io.dht4j.transport.grpc.internal.wire.RecordHead;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("variant")
class GrpcStreamTransportTest extends GrpcTransportContract {

    GrpcStreamTransportTest() {
        super(GrpcMode.STREAM);
    }

    @Test
    void whatAPeerDoesNotReadStaysWithTheCallerAndWasNotSent() throws IOException {
        options = options.withMaxQueuedBytesPerPeer(8 << 20);
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Started client = start(echo());
            Node peer = Node.of("peer", "127.0.0.1:" + server.getLocalPort());
            byte[] frame = new byte[40_000];
            List<CompletableFuture<byte[]>> calls = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                calls.add(client.transport()
                        .call(peer, Frame.of(frame), within(Duration.ofSeconds(3)))
                        .toCompletableFuture());
            }
            // More than the bound fails at once.
            assertThat(calls.subList(210, 300))
                    .allSatisfy(call -> assertThat(call).isCompletedExceptionally());
            try (Socket socket = server.accept()) {
                // It says that it is there, and never reads.
                socket.getOutputStream().write(new byte[] {0, 0, 0, 4, 0, 0, 0, 0, 0});
                socket.getOutputStream().flush();
                long unknown = calls.stream()
                        .filter(call -> failure(call).outcome() == Outcome.UNKNOWN)
                        .count();
                // A message or two beyond what gRPC takes: the rest was never given to it.
                assertThat(unknown * frame.length)
                        .isPositive()
                        .isLessThan(FlowControl.READY_THRESHOLD + 3L * RecordHead.MAX_MESSAGE);
            }
        }
    }

    @Test
    void peerThatAcceptsAndDoesNotGreetTimesOutAsNotSent() throws IOException {
        options = options.withConnectTimeout(Duration.ofMillis(300));
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Started client = start(echo());
            Node peer = Node.of("peer", "127.0.0.1:" + server.getLocalPort());
            // An hour: only an answer that does not wait for the deadline passes.
            assertThat(failure(client.transport()
                                    .call(peer, Frame.of(bytes("a")), within(Duration.ofHours(1)))
                                    .toCompletableFuture())
                            .outcome())
                    .isEqualTo(Outcome.NOT_SENT);
        }
    }
}
