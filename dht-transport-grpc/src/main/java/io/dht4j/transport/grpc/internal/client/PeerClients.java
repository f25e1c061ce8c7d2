package io.dht4j.transport.grpc.internal.client;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Frame;
import io.dht4j.transport.grpc.internal.client.PeerChannels.Target;
import io.dht4j.transport.grpc.internal.loops.EventLoops;
import io.dht4j.transport.grpc.internal.tls.PeerTls;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The clients of all peers, made at the first call to each. Safe for use by any number of threads. */
public final class PeerClients {

    private final PeerOptions options;
    private final EventLoops loops;
    private final PeerChannels channels;
    private final ConcurrentHashMap<Peer, PeerClient> peers = new ConcurrentHashMap<>();
    private volatile boolean closed;

    /** Creates clients whose connections live on these event loops. */
    public PeerClients(PeerOptions options, EventLoops loops) {
        this.options = options;
        this.loops = loops;
        this.channels = new PeerChannels(options);
    }

    /** Connects with TLS from now on. */
    public void secure(PeerTls tls) {
        channels.secure(tls);
    }

    /**
     * Calls a peer. Neither blocks nor throws.
     *
     * @param remainingNanos the time until the deadline
     * @return completes with the reply, or with an exception that states whether the request was sent
     */
    public CompletionStage<byte[]> call(Node node, Frame request, CallContext context, long remainingNanos) {
        String address = node.address();
        Peer key = new Peer(address, node.id());
        PeerClient peer = peers.get(key);
        if (peer == null) {
            peer = peers.computeIfAbsent(key, ignored -> newClient(Target.of(node)));
        }
        CallBudget budget = peer.budget();
        boolean fits = budget.enter(request.length());
        PeerCall call = new PeerCall(address, request, context, System.nanoTime() + remainingNanos, budget);
        // Closing sets its mark first and then waits for the counted calls. This method counts first and then checks
        // the mark.
        if (closed) {
            call.abandon("the transport is closed");
        } else if (!fits) {
            call.noRoom(budget.exceeded());
        } else {
            peer.offer(call);
        }
        return call;
    }

    private PeerClient newClient(Target target) {
        return options.streams()
                ? new StreamPeerClient(target, loops, channels, options)
                : new UnaryPeerClient(target, loops, channels, options);
    }

    /**
     * Ends all calls and those that come later, and waits for them; without event loops, none would end. Blocks until
     * {@code end} at most, a moment of {@link System#nanoTime()}. Returns false if some have not ended then.
     */
    public boolean endCalls(long end) {
        closed = true;
        while (true) {
            // Repeated: a call that began before the mark was set may have come to a new peer or connection.
            boolean unused = true;
            for (PeerClient peer : peers.values()) {
                peer.close();
                unused &= peer.budget().isUnused();
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

    /**
     * Ends all connections. Blocks until {@code end} at most, a moment of {@link System#nanoTime()}. Returns false if
     * some are still open then.
     */
    public boolean close(long end) {
        return channels.close(end);
    }

    /** The key of a client; the same address may become another node's. */
    private record Peer(String address, NodeId id) {}
}
