package io.dht4j.transport.grpc;

import static io.dht4j.testkit.transport.Calls.PATIENCE;
import static io.dht4j.testkit.transport.Calls.bytes;
import static io.dht4j.testkit.transport.Calls.echo;
import static io.dht4j.testkit.transport.Calls.reply;
import static io.dht4j.testkit.transport.Calls.within;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.spi.Transport;
import io.dht4j.testkit.transport.SocketTransportContract;
import io.dht4j.transport.common.contract.ConnectionsSuite;
import io.dht4j.transport.common.contract.ListenersSuite;
import io.dht4j.transport.common.contract.MultiplexedCallsSuite;
import io.dht4j.transport.common.contract.RefusedRequestsSuite;
import io.dht4j.transport.grpc.internal.server.PeerServer;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** What the two modes share. */
abstract class GrpcTransportContract extends SocketTransportContract
        implements MultiplexedCallsSuite<GrpcTransportOptions>,
                RefusedRequestsSuite<GrpcTransportOptions>,
                ListenersSuite<GrpcTransportOptions>,
                ConnectionsSuite<GrpcTransportOptions> {

    GrpcTransportOptions options;

    GrpcTransportContract(GrpcMode mode) {
        options = GrpcTransportOptions.at("127.0.0.1", 0).withMode(mode).withDrainTimeout(Duration.ofMillis(100));
    }

    @Override
    public void with(UnaryOperator<GrpcTransportOptions> change) {
        options = change.apply(options);
    }

    @Override
    public void withConnectionsPerPeer(int connections) {
        options = options.withConnectionsPerPeer(connections);
    }

    @Override
    public GrpcTransportOptions at(String host, int port) {
        return GrpcTransportOptions.at(host, port).withMode(options.mode());
    }

    @Override
    public GrpcTransportOptions callingOnly() {
        return GrpcTransportOptions.callingOnly().withMode(options.mode());
    }

    @Override
    public Transport create(GrpcTransportOptions own) {
        return GrpcTransport.create(own);
    }

    @Override
    public int inFlight(Transport transport) {
        return server(transport).inFlight();
    }

    @Override
    public long inFlightBytes(Transport transport) {
        return server(transport).inFlightBytes();
    }

    @Override
    public int connections(Transport transport) {
        return server(transport).connections();
    }

    private static PeerServer server(Transport transport) {
        return Objects.requireNonNull(((GrpcTransport) transport).server());
    }

    @Override
    public Transport newTransport() {
        return GrpcTransport.create(options);
    }

    @Override
    public Transport newTransport(String address) {
        int port = Integer.parseInt(address.substring(address.indexOf(':') + 1));
        return GrpcTransport.create(GrpcTransportOptions.at("127.0.0.1", port)
                .withMode(options.mode())
                .withDrainTimeout(Duration.ofMillis(100)));
    }

    @Override
    public String address(Transport transport) {
        return "127.0.0.1:" + ((GrpcTransport) transport).port();
    }

    @Override
    public int maxFrameBytes() {
        return options.limits().maxFrameBytes();
    }

    @Override
    public Predicate<Thread> ownThreads() {
        return thread -> thread.getName().startsWith("dht4j-grpc");
    }

    @Override
    public Transport newNarrowTransport() {
        return GrpcTransport.create(options.withMaxQueuedPerPeer(20).withMaxInFlight(10));
    }

    @Override
    public int requestsAtNarrowTransport() {
        return 10;
    }

    @Override
    public boolean greets() {
        return true;
    }

    /** Settings, headers of an answer to the first call, and a frame of data that is longer than what comes of it. */
    @Override
    public byte[] beginningOfReply() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes(new byte[] {0, 0, 0, 4, 0, 0, 0, 0, 0});
        // ":status: 200" from the static table, "content-type: application/grpc" as a literal.
        byte[] type = bytes("application/grpc");
        bytes.writeBytes(new byte[] {0, 0, (byte) (4 + type.length), 1, 4, 0, 0, 0, 3, (byte) 0x88, 0x0f, 0x10});
        bytes.write(type.length);
        bytes.writeBytes(type);
        bytes.writeBytes(new byte[] {0, 0, 100, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 95});
        bytes.writeBytes(bytes("the first few"));
        return bytes.toByteArray();
    }

    @Test
    void nodesOfBothModesCallEachOther() {
        Started one = start(echo());
        options = options.withMode(options.mode() == GrpcMode.UNARY ? GrpcMode.STREAM : GrpcMode.UNARY);
        Started two = start(echo());
        assertThat(reply(one.call(two, bytes("a"), within(PATIENCE)))).isEqualTo(bytes("a"));
        assertThat(reply(two.call(one, bytes("b"), within(PATIENCE)))).isEqualTo(bytes("b"));
    }
}
