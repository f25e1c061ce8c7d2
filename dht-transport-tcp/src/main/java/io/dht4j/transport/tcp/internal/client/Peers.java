package io.dht4j.transport.tcp.internal.client;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.PeerConnections;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Frame;
import io.dht4j.transport.common.RateLimitedLog;
import io.dht4j.transport.common.calls.CallBudget;
import io.dht4j.transport.common.calls.PeerCalls;
import io.dht4j.transport.common.options.PeerTransportOptions;
import io.dht4j.transport.common.options.PeerTransportOptions.Limits;
import io.dht4j.transport.tcp.internal.loop.EventLoop;
import io.dht4j.transport.tcp.internal.loop.EventLoops;
import io.dht4j.transport.tcp.internal.loop.PlainWire;
import io.dht4j.transport.tcp.internal.loop.Wire;
import io.dht4j.transport.tcp.internal.tls.TlsWire;
import io.dht4j.transport.tcp.internal.tls.TransportTls;
import io.dht4j.transport.tcp.internal.wire.Hello;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Holds the peers that this node calls. Safe for use by any number of threads; only {@link #close} blocks. */
public final class Peers {

    private static final Logger LOG = LoggerFactory.getLogger(Peers.class);

    /** A peer that is busy accepts connections, which its system does, long before it answers. */
    private static final int GREETING_TIMES = 5;

    private final PeerTransportOptions<?> options;
    private final long keepAliveNanos;
    private final Optional<NodeId> self;
    private final @Nullable TransportTls tls;
    private final Resolver resolver = new Resolver("dht4j-tcp-lookup");
    private final PeerCalls calls;
    private final RateLimitedLog malformed = new RateLimitedLog(LOG::warn);

    public Peers(
            EventLoops loops,
            PeerTransportOptions<?> options,
            int connectionsPerPeer,
            Optional<NodeId> self,
            @Nullable TransportTls tls) {
        this.options = options;
        this.keepAliveNanos = options.keepAlive().toNanos();
        this.self = self;
        this.tls = tls;
        this.calls = new PeerCalls(
                () -> new CallBudget(options.limits()),
                (node, budget) -> Stream.generate(() -> new Lane(node, loops.next(), this, budget))
                        .limit(connectionsPerPeer)
                        .toList());
    }

    /** Calls a node; the remaining time is positive, and the frame within the limit. */
    public CompletableFuture<byte[]> call(Node node, Frame request, CallContext context, long remainingNanos) {
        return calls.call(node, request, context, remainingNanos);
    }

    /** Returns the connections to each node. */
    public Map<NodeId, PeerConnections> connections() {
        return calls.connections();
    }

    /** Ends the calls and connections to a node. Does not block. */
    public void forget(Node node) {
        calls.forget(node);
    }

    Limits limits() {
        return options.limits();
    }

    Resolver resolver() {
        return resolver;
    }

    long connectNanos() {
        return options.connectTimeout().toNanos();
    }

    long greetingNanos() {
        return options.connectTimeout().multipliedBy(GREETING_TIMES).toNanos();
    }

    long keepAliveNanos() {
        return keepAliveNanos;
    }

    byte[] hello(Node node) {
        return Hello.ofCaller(self, node.id()).encode();
    }

    /** Logs that an answer of a peer violates the protocol. */
    void logMalformed(Node node, String why) {
        malformed.log(() -> "closing the connection to " + node.id() + " at " + node.address() + ": it sent " + why);
    }

    /** Returns the wire of a connection to a node. */
    Wire wire(SelectionKey key, EventLoop loop, Node node) {
        SocketChannel channel = (SocketChannel) key.channel();
        return tls == null ? new PlainWire(channel) : new TlsWire(channel, tls.calling(node), loop);
    }

    /**
     * Ends all calls and connections, and starts no others. Blocks until {@code end}, by {@link System#nanoTime()}, at
     * most. Returns false if some have not ended by then.
     */
    public boolean close(long end) {
        boolean ended = calls.end(end);
        return resolver.close(end) && ended;
    }
}
