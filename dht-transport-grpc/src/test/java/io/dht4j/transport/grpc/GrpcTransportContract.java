package io.dht4j.transport.grpc;

import io.dht4j.spi.Transport;
import io.dht4j.testkit.SocketTransportContract;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.function.Predicate;

/** What the two modes share. */
abstract class GrpcTransportContract extends SocketTransportContract {

    GrpcTransportOptions options;

    GrpcTransportContract(GrpcMode mode) {
        options = GrpcTransportOptions.at("127.0.0.1", 0).withMode(mode).withDrainTimeout(Duration.ofMillis(100));
    }

    @Override
    protected Transport newTransport() {
        return GrpcTransport.create(options);
    }

    @Override
    protected Transport newTransport(String address) {
        int port = Integer.parseInt(address.substring(address.indexOf(':') + 1));
        return GrpcTransport.create(GrpcTransportOptions.at("127.0.0.1", port)
                .withMode(options.mode())
                .withDrainTimeout(Duration.ofMillis(100)));
    }

    @Override
    protected String address(Transport transport) {
        return "127.0.0.1:" + ((GrpcTransport) transport).port();
    }

    @Override
    protected int maxFrameBytes() {
        return options.maxFrameBytes();
    }

    @Override
    protected Predicate<Thread> ownThreads() {
        return thread -> thread.getName().startsWith("dht4j-grpc");
    }

    @Override
    protected boolean greets() {
        return true;
    }

    /** Settings, headers of an answer to the first call, and a frame of data that is longer than what comes of it. */
    @Override
    protected byte[] beginningOfReply() {
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
}
