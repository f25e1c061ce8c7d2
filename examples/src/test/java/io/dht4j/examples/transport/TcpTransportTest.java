package io.dht4j.examples.transport;

import io.dht4j.spi.Transport;
import io.dht4j.testkit.transport.SocketTransportContract;
import java.nio.ByteBuffer;
import java.util.function.Predicate;

// tag::contract[]
class TcpTransportTest extends SocketTransportContract {

    @Override
    public Transport newTransport() {
        return new TcpTransport("127.0.0.1", 0);
    }

    @Override
    public Transport newTransport(String address) {
        return new TcpTransport("127.0.0.1", Integer.parseInt(address.substring(address.indexOf(':') + 1)));
    }

    @Override
    public String address(Transport transport) {
        return "127.0.0.1:" + ((TcpTransport) transport).port();
    }

    @Override
    public int maxFrameBytes() {
        return TcpTransport.MAX_FRAME_BYTES;
    }

    @Override
    public Predicate<Thread> ownThreads() {
        return thread -> thread.getName().equals("tcp-transport");
    }

    @Override
    public Transport newNarrowTransport() {
        return new TcpTransport("127.0.0.1", 0, 50_000);
    }

    @Override
    public int requestsAtNarrowTransport() {
        return 50_000 / TcpConnection.OVERHEAD;
    }

    @Override
    public byte[] beginningOfReply() {
        ByteBuffer reply = ByteBuffer.allocate(40);
        reply.putInt(100).put((byte) TcpConnection.Kind.REPLY.code).putLong(1).putLong(0);
        return reply.array();
    }
}
// end::contract[]
