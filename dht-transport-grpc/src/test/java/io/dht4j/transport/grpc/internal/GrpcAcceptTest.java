package io.dht4j.transport.grpc.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.grpc.netty.shaded.io.netty.bootstrap.ServerBootstrap;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelInboundHandlerAdapter;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioServerSocketChannel;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class GrpcAcceptTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @Test
    void connectionThatCannotBePreparedIsClosedAndGivesItsPlaceBack() throws Exception {
        GrpcConnectionLimit limit = new GrpcConnectionLimit(2, 2);
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        try {
            Channel listener = new ServerBootstrap()
                    .group(loops)
                    .channelFactory(() -> GrpcAccept.limiting(new NioServerSocketChannel(), limit, connection -> {
                        throw new OutOfMemoryError("for this test");
                    }))
                    .childHandler(new ChannelInboundHandlerAdapter())
                    .bind(InetAddress.getLoopbackAddress(), 0)
                    .sync()
                    .channel();
            try (Socket socket = new Socket()) {
                socket.setSoTimeout((int) PATIENCE.toMillis());
                socket.connect(listener.localAddress(), (int) PATIENCE.toMillis());
                assertThat(socket.getInputStream().read()).isNegative();
            }
            await().atMost(PATIENCE).until(() -> limit.open() == 0);
            assertThat(limit.callers()).isZero();
        } finally {
            loops.shutdownGracefully(0, 0, TimeUnit.SECONDS).sync();
        }
    }
}
