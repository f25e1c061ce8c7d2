package io.dht4j.transport.grpc.internal.client;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.PeerConnections;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Frame;
import io.dht4j.transport.common.calls.CallBudget;
import io.dht4j.transport.common.calls.PeerCalls;
import io.dht4j.transport.common.calls.PeerLane;
import io.dht4j.transport.grpc.internal.client.PeerChannels.Target;
import io.dht4j.transport.grpc.internal.loops.EventLoops;
import io.dht4j.transport.grpc.internal.loops.EventLoops.Loop;
import io.dht4j.transport.grpc.internal.tls.PeerTls;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

/** Calls the peers over gRPC. Safe for use by any number of threads. */
public final class PeerClients {

    private final PeerOptions options;
    private final EventLoops loops;
    private final PeerChannels channels;
    private final PeerCalls calls;

    /** Creates clients whose connections live on these event loops. */
    public PeerClients(PeerOptions options, EventLoops loops) {
        this.options = options;
        this.loops = loops;
        this.channels = new PeerChannels(options);
        this.calls = new PeerCalls(
                () -> new CallBudget(options.common().limits()),
                (node, budget) -> Stream.generate(() -> newLane(node, budget))
                        .limit(options.connectionsPerPeer())
                        .toList());
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

    private PeerLane newLane(Node node, CallBudget budget) {
        Target target = Target.of(node);
        Loop loop = loops.next();
        return options.streams()
                ? new StreamLane(target, loop, loops, channels, options, budget)
                : new UnaryLane(target, loop, loops, channels, options, budget);
    }

    /**
     * Ends all calls and those that come later, and waits for them; without event loops, none would end. Blocks until
     * {@code end} at most, a moment of {@link System#nanoTime()}. Returns false if some have not ended then.
     */
    public boolean endCalls(long end) {
        return calls.end(end);
    }

    /**
     * Ends all connections. Blocks until {@code end} at most, a moment of {@link System#nanoTime()}. Returns false if
     * some are still open then.
     */
    public boolean close(long end) {
        return channels.close(end);
    }
}
