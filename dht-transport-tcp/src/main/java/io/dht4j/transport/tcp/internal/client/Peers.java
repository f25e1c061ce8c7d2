package io.dht4j.transport.tcp.internal.client;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Frame;
import io.dht4j.transport.common.RateLimitedLog;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The peers that this node calls. Safe for use by any number of threads; only {@link #close} blocks. */
public final class Peers {

    private static final Logger LOG = LoggerFactory.getLogger(Peers.class);

    /** A peer that is busy accepts connections, which its system does, long before it answers. */
    private static final int GREETING_TIMES = 5;

    private final EventLoops loops;
    private final PeerTransportOptions<?> options;
    private final int connectionsPerPeer;
    private final Optional<NodeId> self;
    private final @Nullable TransportTls tls;
    private final Resolver resolver = new Resolver("dht4j-tcp-lookup");
    private final Map<Node, Peer> peers = new ConcurrentHashMap<>();
    private final RateLimitedLog malformed = new RateLimitedLog(LOG::warn);
    private volatile boolean closed;

    public Peers(
            EventLoops loops,
            PeerTransportOptions<?> options,
            int connectionsPerPeer,
            Optional<NodeId> self,
            @Nullable TransportTls tls) {
        this.loops = loops;
        this.options = options;
        this.connectionsPerPeer = connectionsPerPeer;
        this.self = self;
        this.tls = tls;
    }

    /** The lanes to one node at one address, in a common budget. */
    private record Peer(PeerBudget budget, List<Lane> lanes) {

        /** Returns the lane on the caller's own event loop, which saves a hop; any lane if the caller is on no loop. */
        Lane choose() {
            if (lanes.size() == 1) {
                return lanes.get(0);
            }
            for (Lane lane : lanes) {
                if (lane.isCurrent()) {
                    return lane;
                }
            }
            return lanes.get(ThreadLocalRandom.current().nextInt(lanes.size()));
        }
    }

    /** Calls a node; the remaining time is positive, and the frame within the limit. */
    public CompletableFuture<byte[]> call(Node node, Frame request, CallContext context, long remainingNanos) {
        Peer peer = peers.get(node);
        if (peer == null) {
            peer = peers.computeIfAbsent(node, this::newPeer);
        }
        Lane lane = peer.choose();
        // Before it is counted: there may be no memory for it.
        TcpCall call = new TcpCall(lane, request, System.nanoTime() + remainingNanos);
        boolean fits = peer.budget.enter(request.length());
        // Closing sets its mark first and then waits for the counted calls. This method counts first and then checks
        // the mark.
        if (closed) {
            call.abandon("the transport is closed");
        } else if (!fits) {
            call.noRoom(peer.budget.exceeded());
        } else {
            lane.offer(call, context);
        }
        return call;
    }

    private Peer newPeer(Node node) {
        PeerBudget budget = new PeerBudget(options.limits());
        List<Lane> lanes = new ArrayList<>();
        for (int i = 0; i < connectionsPerPeer; i++) {
            lanes.add(new Lane(node, loops.next(), this, budget));
        }
        return new Peer(budget, List.copyOf(lanes));
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
        return options.keepAlive().toNanos();
    }

    byte[] hello(Node node) {
        return Hello.ofCaller(self, node.id()).encode();
    }

    /** Logs that a peer answers what the protocol does not allow. */
    void logMalformed(Node node, String why) {
        malformed.log(() -> "closing the connection to " + node.id() + " at " + node.address() + ": it sent " + why);
    }

    /** Returns what carries the bytes of a connection to a node. */
    Wire wire(SelectionKey key, EventLoop loop, Node node) {
        SocketChannel channel = (SocketChannel) key.channel();
        return tls == null ? new PlainWire(channel) : new TlsWire(channel, tls.calling(node), loop);
    }

    /**
     * Ends all calls and connections, and starts no others. Blocks until {@code end}, by {@link System#nanoTime()}, at
     * most. Returns false if some have not ended by then.
     */
    public boolean close(long end) {
        closed = true;
        boolean ended = endCalls(end);
        return resolver.close(end) && ended;
    }

    private boolean endCalls(long end) {
        while (true) {
            // Repeated: a call that began before the mark was set may have come to a new peer or lane.
            boolean unused = true;
            for (Peer peer : peers.values()) {
                peer.lanes.forEach(Lane::close);
                unused &= peer.budget.isUnused();
            }
            if (unused) {
                return true;
            }
            if (System.nanoTime() - end > 0) {
                return false;
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
    }
}
