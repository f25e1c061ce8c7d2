package io.dht4j.transport.grpc.internal.connections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.grpc.netty.shaded.io.netty.bootstrap.ServerBootstrap;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelInitializer;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioServerSocketChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AcceptHandlerTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final ConnectionLimit limit = new ConnectionLimit(2, 2);
    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());

    @AfterEach
    void endLoops() throws InterruptedException {
        loops.shutdownGracefully(0, 0, TimeUnit.SECONDS).sync();
    }

    private SocketAddress listen(Consumer<Channel> prepare) throws InterruptedException {
        return new ServerBootstrap()
                .group(loops)
                .channelFactory(() -> AcceptHandler.limiting(new NioServerSocketChannel(), limit, () -> true, prepare))
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel connection) {}
                })
                .bind(InetAddress.getLoopbackAddress(), 0)
                .sync()
                .channel()
                .localAddress();
    }

    private static Socket connect(SocketAddress address) throws IOException {
        Socket socket = new Socket();
        socket.setSoTimeout((int) PATIENCE.toMillis());
        socket.connect(address, (int) PATIENCE.toMillis());
        return socket;
    }

    @Test
    void failedConnectionSetupFreesItsPlace() throws Exception {
        SocketAddress address = listen(connection -> {
            throw new OutOfMemoryError("for this test");
        });
        try (Socket socket = connect(address)) {
            assertThat(socket.getInputStream().read()).isNegative();
        }
        await().atMost(PATIENCE).until(() -> limit.open() == 0);
        assertThat(limit.callers()).isZero();
    }

    @Test
    void acceptanceWaitsWhileManyConnectionsLeave() throws Exception {
        Queue<Channel> accepted = new ConcurrentLinkedQueue<>();
        SocketAddress address = listen(accepted::add);
        List<Socket> sockets = new ArrayList<>();
        try {
            for (int i = 0; i < 100; i++) {
                sockets.add(connect(address));
            }
            await().atMost(PATIENCE).until(limit::isCrowded);
            for (int left = 0; left < 100; left++) {
                // Two places, 16 that leave, and those that the system has passed on already: 16 at most.
                assertThat(limit.open()).isLessThanOrEqualTo(2 + 16 + 16);
                await().atMost(PATIENCE).until(() -> accepted.stream().limit(1).anyMatch(Channel::isRegistered));
                accepted.remove().close().sync();
            }
            await().atMost(PATIENCE).until(() -> limit.open() == 0);
            assertThat(accepted).isEmpty();
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }
}
