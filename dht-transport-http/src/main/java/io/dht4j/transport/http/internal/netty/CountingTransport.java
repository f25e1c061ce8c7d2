package io.dht4j.transport.http.internal.netty;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.InternetProtocolFamily;
import io.vertx.core.datagram.DatagramSocketOptions;
import io.vertx.core.net.TcpConfig;
import io.vertx.core.spi.transport.Transport;
import java.net.SocketAddress;
import java.util.concurrent.ThreadFactory;

/** Delegates to the usual network access, and observes each connection as it is accepted. */
final class CountingTransport implements io.vertx.core.transport.Transport {

    private final io.vertx.core.transport.Transport base;
    private final Counting counting;

    CountingTransport(io.vertx.core.transport.Transport base, AcceptedConnections connections) {
        this.base = base;
        this.counting = new Counting(base.implementation(), connections);
    }

    @Override
    public String name() {
        return base.name();
    }

    @Override
    public boolean available() {
        return base.available();
    }

    @Override
    public Throwable unavailabilityCause() {
        return base.unavailabilityCause();
    }

    @Override
    public Transport implementation() {
        return counting;
    }

    /** A handler in front of the one that assigns connections to the event loops. */
    @Sharable
    private static final class AtTheDoor extends ChannelInboundHandlerAdapter {

        private final AcceptedConnections connections;

        AtTheDoor(AcceptedConnections connections) {
            this.connections = connections;
        }

        @Override
        public void handlerAdded(ChannelHandlerContext ctx) {
            // On the channel's own thread, before the port is bound.
            connections.acceptedBy(Thread.currentThread());
        }

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            connections.door(ctx.channel());
            ctx.fireChannelActive();
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object accepted) {
            Channel channel = (Channel) accepted;
            boolean admitted = false;
            try {
                admitted = connections.admit(channel);
            } finally {
                if (!admitted) {
                    channel.unsafe().closeForcibly();
                }
            }
            if (admitted) {
                ctx.fireChannelRead(accepted);
            }
        }
    }

    private static final class Counting implements Transport {

        private final Transport base;
        private final AtTheDoor door;

        Counting(Transport base, AcceptedConnections connections) {
            this.base = base;
            this.door = new AtTheDoor(connections);
        }

        @Override
        public void configure(TcpConfig config, boolean domainSocket, ServerBootstrap bootstrap) {
            base.configure(config, domainSocket, bootstrap);
            bootstrap.handler(door);
        }

        @Override
        public boolean supportsDomainSockets() {
            return base.supportsDomainSockets();
        }

        @Override
        public boolean supportFileRegion() {
            return base.supportFileRegion();
        }

        @Override
        public boolean isAvailable() {
            return base.isAvailable();
        }

        @Override
        public Throwable unavailabilityCause() {
            return base.unavailabilityCause();
        }

        @Override
        public SocketAddress convert(io.vertx.core.net.SocketAddress address) {
            return base.convert(address);
        }

        @Override
        public io.vertx.core.net.SocketAddress convert(SocketAddress address) {
            return base.convert(address);
        }

        @Override
        public IoHandlerFactory ioHandlerFactory() {
            return base.ioHandlerFactory();
        }

        @Override
        public EventLoopGroup eventLoopGroup(int type, int threads, ThreadFactory factory, int ioRatio) {
            return base.eventLoopGroup(type, threads, factory, ioRatio);
        }

        @Override
        @SuppressWarnings("deprecation") // the interface has it
        public DatagramChannel datagramChannel(InternetProtocolFamily family) {
            return base.datagramChannel(family);
        }

        @Override
        public ChannelFactory<? extends DatagramChannel> datagramChannelFactory() {
            return base.datagramChannelFactory();
        }

        @Override
        public ChannelFactory<? extends Channel> channelFactory(boolean domainSocket) {
            return base.channelFactory(domainSocket);
        }

        @Override
        public ChannelFactory<? extends ServerChannel> serverChannelFactory(boolean domainSocket) {
            return base.serverChannelFactory(domainSocket);
        }

        @Override
        public void configure(DatagramChannel channel, DatagramSocketOptions options) {
            base.configure(channel, options);
        }

        @Override
        public void configure(TcpConfig config, boolean domainSocket, Bootstrap bootstrap) {
            base.configure(config, domainSocket, bootstrap);
        }
    }
}
