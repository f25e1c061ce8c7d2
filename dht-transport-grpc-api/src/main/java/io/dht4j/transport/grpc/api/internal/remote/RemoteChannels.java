package io.dht4j.transport.grpc.api.internal.remote;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.InvalidRequestException;
import io.dht4j.security.Plaintext;
import io.dht4j.security.Tls;
import io.dht4j.transport.common.NodeAddress;
import io.dht4j.transport.common.RemoteAdmission;
import io.dht4j.transport.common.options.RemoteApiOptions;
import io.dht4j.transport.common.options.RemoteApiOptions.Limits;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioSocketChannel;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslProvider;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One channel per address, each with one connection while it is used. Safe for use by any number of threads. */
final class RemoteChannels implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(RemoteChannels.class);

    /** More than a client needs; the bound keeps a faulty client from collecting sockets. */
    private static final int MAX_ADDRESSES = 10_000;

    /** The bytes of a message without its values: keys, versions, the names and lengths of the fields. */
    private static final int MESSAGE_OVERHEAD = 8 << 20;

    private static final Duration CLOSE_BOUND = Duration.ofSeconds(5);
    private static final Duration KEEP_ALIVE = Duration.ofSeconds(20);

    private final RemoteApiOptions<?> options;
    private final Optional<Tls> tls;
    private final Optional<SslContext> ssl;
    private final EventLoopGroup loops;
    private final ThreadPoolExecutor lookups;
    private final Map<String, RemoteLink> links = new ConcurrentHashMap<>();
    /** The replaced channels, until their last calls have ended. */
    private final Set<ManagedChannel> leaving = ConcurrentHashMap.newKeySet();
    // Guarded by this.
    private boolean closed;

    RemoteChannels(RemoteApiOptions<?> options, int eventLoops) {
        this.options = options;
        this.tls = options.security().tls().map(files -> Tls.load(files, LOG::warn));
        this.ssl = tls.map(own -> clientContext(own, options));
        this.loops = new MultiThreadIoEventLoopGroup(
                eventLoops, new DefaultThreadFactory("dht4j-grpc-remote", true), NioIoHandler.newFactory());
        this.lookups = new ThreadPoolExecutor(
                2,
                2,
                10,
                TimeUnit.SECONDS,
                // One lookup per channel at a time.
                new LinkedBlockingQueue<>(2 * MAX_ADDRESSES),
                new DefaultThreadFactory("dht4j-grpc-remote-lookup", true));
        lookups.allowCoreThreadTimeOut(true);
    }

    private static SslContext clientContext(Tls tls, RemoteApiOptions<?> options) {
        SslContextBuilder builder = SslContextBuilder.forClient().trustManager(tls.trustManager());
        if (options.security().tls().orElseThrow().certificate().isPresent()) {
            builder.keyManager(tls.keyManager());
        }
        try {
            return GrpcSslContexts.configure(builder, SslProvider.JDK).build();
        } catch (SSLException e) {
            tls.close();
            throw new IllegalArgumentException("tls: " + e.getMessage(), e);
        }
    }

    /** Returns the size of the largest message that is taken from a node. */
    private static int maxMessageBytes(Limits limits) {
        return Math.max(limits.maxValueBytes(), limits.maxBatchBytes()) + MESSAGE_OVERHEAD;
    }

    /**
     * Returns the channel to an address.
     *
     * @throws DhtException if the address is malformed, plaintext is not allowed for it, or this is closed
     */
    RemoteLink at(String address) {
        RemoteLink link = links.get(address);
        if (link == null) {
            link = open(address);
        }
        ManagedChannel channel = link.channel();
        if (channel.getState(false) == ConnectivityState.TRANSIENT_FAILURE) {
            // Otherwise the channel would report the result of its last attempt for seconds.
            channel.enterIdle();
        }
        return link;
    }

    /** Returns the threads of the connections. */
    Executor loops() {
        return loops;
    }

    private synchronized RemoteLink open(String address) {
        if (closed) {
            throw RemoteAdmission.closed();
        }
        RemoteLink known = links.get(address);
        if (known != null) {
            return known;
        }
        NodeAddress node = NodeAddress.parse(address)
                .orElseThrow(() -> new InvalidRequestException(
                        ErrorCode.BAD_REQUEST,
                        "a node's address is " + NodeAddress.FORM + ", not \"" + address + "\""));
        if (links.size() >= MAX_ADDRESSES) {
            throw new InvalidRequestException(
                    ErrorCode.BAD_REQUEST, "a client calls at most " + MAX_ADDRESSES + " addresses; not " + address);
        }
        requireSecrecy(node);
        NettyChannelBuilder builder = NettyChannelBuilder.forAddress(node.host(), node.port())
                .eventLoopGroup(loops)
                .channelType(NioSocketChannel.class)
                .directExecutor()
                .offloadExecutor(lookups)
                .proxyDetector(target -> null)
                .disableRetry()
                .disableServiceConfigLookUp()
                .maxInboundMessageSize(maxMessageBytes(options.limits()))
                .keepAliveTime(KEEP_ALIVE.toMillis(), TimeUnit.MILLISECONDS)
                .withOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int)
                        options.connectTimeout().toMillis());
        ssl.ifPresentOrElse(builder::sslContext, builder::usePlaintext);
        RemoteLink opened = new RemoteLink(builder.build(), silent -> replace(address, silent));
        links.put(address, opened);
        return opened;
    }

    /** Discards a channel; the next call opens another one. */
    private synchronized void replace(String address, RemoteLink silent) {
        if (closed) {
            return;
        }
        LOG.debug("nothing comes over the connection to {} any more, the next call makes another one", address);
        links.remove(address, silent);
        leaving.removeIf(ManagedChannel::isTerminated);
        leaving.add(silent.channel());
        silent.channel().shutdown();
    }

    /**
     * Refuses plaintext to other machines, without a lookup, which would block: every name except {@code localhost}
     * counts as that of another machine.
     */
    private void requireSecrecy(NodeAddress node) {
        if (ssl.isPresent() || options.token().isEmpty()) {
            return;
        }
        String what = "the token for the gRPC API";
        String option = "withPlaintextAllowed()";
        try {
            if (node.needsNoLookup() || options.security().plaintextAllowed()) {
                if (node.needsNoLookup()) {
                    Plaintext.requireForToken(
                            what, node.host(), options.security().plaintextAllowed(), option, LOG::warn);
                } else {
                    LOG.warn("{} at {} is sent in plaintext, as {} allows", what, node.host(), option);
                }
                return;
            }
        } catch (IllegalArgumentException e) {
            throw new InvalidRequestException(ErrorCode.BAD_REQUEST, String.valueOf(e.getMessage()));
        }
        throw new InvalidRequestException(
                ErrorCode.BAD_REQUEST,
                what + " at " + node.host() + " would be plaintext beyond this machine: set up TLS, or ask for it by "
                        + option);
    }

    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        List<ManagedChannel> all = Stream.concat(links.values().stream().map(RemoteLink::channel), leaving.stream())
                .toList();
        all.forEach(ManagedChannel::shutdownNow);
        long end = System.nanoTime() + CLOSE_BOUND.toNanos();
        try {
            for (ManagedChannel channel : all) {
                if (!channel.awaitTermination(end - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                    LOG.warn("a channel did not close within {}", CLOSE_BOUND);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            loops.shutdownGracefully(0, 0, TimeUnit.SECONDS).awaitUninterruptibly(CLOSE_BOUND.toMillis());
            lookups.shutdown();
            tls.ifPresent(Tls::close);
        }
    }
}
