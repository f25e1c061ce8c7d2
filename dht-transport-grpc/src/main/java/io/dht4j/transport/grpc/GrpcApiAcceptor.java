package io.dht4j.transport.grpc;

import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioServerSocketChannel;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** A listening socket that closes connections beyond a number as it accepts them: gRPC itself takes any number. */
final class GrpcApiAcceptor extends NioServerSocketChannel {

    private final int maxConnections;
    private final AtomicInteger connections = new AtomicInteger();

    GrpcApiAcceptor(int maxConnections) {
        this.maxConnections = maxConnections;
    }

    @Override
    protected int doReadMessages(List<Object> accepted) throws Exception {
        int before = accepted.size();
        int count = super.doReadMessages(accepted);
        for (int i = accepted.size() - 1; i >= before; i--) {
            Channel connection = (Channel) accepted.get(i);
            if (connections.incrementAndGet() > maxConnections) {
                connections.decrementAndGet();
                accepted.remove(i);
                connection.unsafe().closeForcibly();
            } else {
                connection.closeFuture().addListener(closed -> connections.decrementAndGet());
            }
        }
        return count;
    }
}
