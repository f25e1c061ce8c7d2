package io.dht4j.benchmarks.load.client;

import io.dht4j.lab.internal.load.LoadClient;
import io.dht4j.lab.internal.load.Outcome;
import io.dht4j.lab.workload.ValueSizes;
import io.dht4j.security.Plaintext;
import io.dht4j.server.client.Access;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Future;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/**
 * The public HTTP API over bare connections with Netty's codec. A fuller client takes processor time from the nodes on
 * the same machine, and its queues would count as theirs.
 */
final class HttpLoadClient implements LoadClient {

    private static final int CLOSE_SECONDS = 10;

    private final EventLoopGroup group;
    private final List<HttpAddress> addresses;
    private final List<HttpLoop> loops;
    private final String keyPrefix;
    private final Values values;
    private final long timeoutNanos;
    private final RoundRobin turns;

    private HttpLoadClient(ClientSpec spec) {
        keyPrefix = spec.keyPrefix();
        values = new Values(ValueSizes.parse(spec.valueSizes()));
        timeoutNanos = TimeUnit.MILLISECONDS.toNanos(spec.timeoutMillis());
        Access access = spec.access().access();
        requireSecret(spec, access);
        addresses = spec.addresses().stream()
                .map(address -> HttpAddress.of(address, spec, access.token()))
                .toList();
        boolean isNative = Epoll.isAvailable();
        IoHandlerFactory io = isNative ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
        Class<? extends SocketChannel> channel = isNative ? EpollSocketChannel.class : NioSocketChannel.class;
        group = new MultiThreadIoEventLoopGroup(spec.eventLoops(), new DefaultThreadFactory("load-client", true), io);
        Bootstrap bootstrap = new Bootstrap()
                .channel(channel)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, spec.timeoutMillis());
        loops = Stream.generate(() -> new HttpLoop(
                        group.next(), Math.max(1, spec.connections() / spec.eventLoops()), bootstrap, access.tls()))
                .limit(spec.eventLoops())
                .toList();
        turns = new RoundRobin(addresses.size() * loops.size());
    }

    /** A token beyond this machine needs TLS, unless the user allows it in plaintext. */
    private static void requireSecret(ClientSpec spec, Access access) {
        if (access.token().isPresent() && access.tls().isEmpty()) {
            spec.addresses()
                    .forEach(address -> Plaintext.require(
                            "the token for the node",
                            address.substring(0, address.lastIndexOf(':')),
                            spec.access().plaintextAllowed(),
                            "--allow-plaintext",
                            warning -> {}));
        }
    }

    static HttpLoadClient open(ClientSpec spec) {
        return new HttpLoadClient(spec);
    }

    @Override
    public CompletionStage<Outcome> get(long key) {
        return submit(HttpOperation.get(name(key)));
    }

    @Override
    public CompletionStage<Outcome> put(long key, int valueBytes) {
        return submit(HttpOperation.put(name(key), values.of(key, valueBytes)));
    }

    @Override
    public CompletionStage<Outcome> scan(long key, int entries) {
        return submit(HttpOperation.scan(name(key), keyPrefix + KeyNames.END, entries));
    }

    @Override
    public ValueSizes valueSizes() {
        return values.sizes();
    }

    private String name(long key) {
        return keyPrefix + KeyNames.of(key);
    }

    private CompletionStage<Outcome> submit(HttpOperation operation) {
        int turn = turns.next();
        HttpAddress address = addresses.get(turn % addresses.size());
        HttpCall call = new HttpCall(address, operation, System.nanoTime() + timeoutNanos);
        loops.get(turn / addresses.size()).submit(call);
        return call.result();
    }

    @Override
    public Histogram takeWaits() {
        Histogram sum = loops.get(0).takeWaits();
        loops.subList(1, loops.size()).forEach(loop -> sum.add(loop.takeWaits()));
        return sum;
    }

    @Override
    public Histogram takeConnectionWaits() {
        Histogram sum = loops.get(0).takeConnectionWaits();
        loops.subList(1, loops.size()).forEach(loop -> sum.add(loop.takeConnectionWaits()));
        return sum;
    }

    @Override
    public void close() {
        if (group.isShuttingDown()) {
            return;
        }
        try {
            loops.stream().map(HttpLoop::close).toList().forEach(Future::syncUninterruptibly);
        } finally {
            group.shutdownGracefully(0, CLOSE_SECONDS, TimeUnit.SECONDS);
        }
        if (!group.terminationFuture().awaitUninterruptibly(CLOSE_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException("the HTTP client did not close in " + CLOSE_SECONDS + " s");
        }
    }
}
