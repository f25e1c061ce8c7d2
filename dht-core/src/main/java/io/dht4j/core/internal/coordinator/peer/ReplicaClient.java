package io.dht4j.core.internal.coordinator.peer;

import io.dht4j.ErrorCode;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.core.internal.admission.PeerLimit;
import io.dht4j.core.internal.admission.RetryBudget;
import io.dht4j.core.internal.coordinator.config.NodeComponents;
import io.dht4j.core.internal.coordinator.config.NodeConfig;
import io.dht4j.core.internal.replica.Replica;
import io.dht4j.core.internal.wire.FrameCodec;
import io.dht4j.core.internal.wire.OwnHeader;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.spi.CallContext;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks replicas: the local one by a plain call, the others through the transport, several requests in a frame under
 * load. A request whose connection broke is sent once more within the retry budget, which is safe because requests are
 * idempotent. So the next request reaches a peer that has restarted, even before its old connections are known to be
 * dead. A request that a node has no room for is refused as overloaded and not sent. Does not block; safe for use by
 * any number of threads.
 */
public final class ReplicaClient {

    /** The bytes that an admitted call may take in a frame besides those that it was admitted with. */
    private static final int BYTES_PER_CALL = 256;

    private final LongSupplier nanoTime;
    private final Replica replica;
    private final ReplicaOrder order;
    private final PeerMonitor monitor;
    private final RetryBudget budget;
    private final ReadHedging hedging;
    private final ConcurrencyLimits limits;
    private final FrameSender sender;
    private final Map<NodeId, Lanes> lanes = new HashMap<>();

    /** The two queues to a node: reads do not wait for writes, which may wait for a disk. */
    private record Lanes(Batcher reads, Batcher writes) {}

    /**
     * Creates a client of all nodes.
     *
     * @param components the components of this node
     * @param config the options of this node
     * @param replica this node's replica
     * @param own makes the headers of frames
     * @param order the order of replicas
     * @param monitor records what requests and replies show of the other nodes
     */
    public ReplicaClient(
            NodeComponents components,
            NodeConfig config,
            Replica replica,
            OwnHeader own,
            ReplicaOrder order,
            PeerMonitor monitor) {
        this.nanoTime = components.environment()::nanoTime;
        this.replica = replica;
        this.order = order;
        this.monitor = monitor;
        this.budget = new RetryBudget(config.overload().retries(), nanoTime);
        this.hedging = new ReadHedging(config.calls().hedging(), budget);
        this.limits = new ConcurrencyLimits(components, config);
        Cork cork = new Cork();
        ReplyReceiver receiver = new ReplyReceiver(nanoTime, components.names(), monitor, hedging, budget, this::send);
        this.sender = new FrameSender(components, config, own, cork, receiver);
        if (config.batching().enabled()) {
            int maxBytes = config.batching().maxBytes();
            // Neither a batch of reads nor its replies, values aside, outgrow a frame whatever the largest value is.
            int readBytes = Math.min(maxBytes, FrameCodec.FRAME_OVERHEAD / 2);
            int writeBytes = Math.min(maxBytes, config.limits().maxValueBytes() + FrameCodec.FRAME_OVERHEAD / 2);
            for (Node node : components.view().topology().nodes()) {
                if (!order.isLocal(node)) {
                    Batcher reads = batcher(components, config, cork, readBytes);
                    lanes.put(node.id(), new Lanes(reads, batcher(components, config, cork, writeBytes)));
                }
            }
        }
    }

    private Batcher batcher(NodeComponents components, NodeConfig config, Cork cork, int maxBytes) {
        return new Batcher(
                components.environment(),
                cork,
                config.batching(),
                maxBytes,
                config.limits().maxInFlight(),
                config.limits().writeBytes()
                        + (long) BYTES_PER_CALL * config.limits().maxInFlight(),
                sender::send);
    }

    /**
     * Returns the order in which replicas are asked.
     *
     * @return the order of this node
     */
    public ReplicaOrder order() {
        return order;
    }

    /**
     * Returns when reads ask one more replica.
     *
     * @return the hedging of this node
     */
    public ReadHedging hedging() {
        return hedging;
    }

    /**
     * Returns the limits of requests to each node.
     *
     * @return the limits of this node
     */
    public ConcurrencyLimits limits() {
        return limits;
    }

    /**
     * Returns the budget of retries and hedges.
     *
     * @return the budget of this node
     */
    public RetryBudget budget() {
        return budget;
    }

    /**
     * Returns a context for a request.
     *
     * @param timeout the time from now on
     * @return a context that nothing has cancelled
     */
    public CallContext context(Duration timeout) {
        return new CallContext(nanoTime, timeout.toNanos());
    }

    /**
     * Asks a replica. Throws nothing: an error on the way is a failure of the request.
     *
     * @param node the replica, which may be this node's
     * @param outbound the request
     * @param context the deadline, and whether the reply is still wanted
     * @param handler receives the outcome, perhaps before this returns
     */
    public void ask(Node node, OutboundRequest outbound, CallContext context, ReplyHandler handler) {
        PeerLimit limit = outbound.request instanceof Request.Ping ? null : limits.of(node.id());
        if (limit != null && !limit.tryEnter()) {
            handler.failed(new PeerFailure(
                    node.id(), true, ErrorCode.OVERLOADED, "overloaded: too many requests to it are outstanding"));
        } else if (order.isLocal(node)) {
            askLocal(node, outbound, context, handler, limit);
        } else {
            if (!handler.isRepeated()) {
                budget.asked();
            }
            send(new PendingRequest(node, outbound, context, handler, limit, now(), true));
        }
    }

    private void askLocal(
            Node node, OutboundRequest outbound, CallContext context, ReplyHandler handler, @Nullable PeerLimit limit) {
        if (limit == null) {
            LocalRequest request = new LocalRequest(node.id(), context, handler);
            replica.serve(outbound.request, request, request);
        } else {
            PendingRequest request = new PendingRequest(node, outbound, context, handler, limit, now(), true);
            replica.serve(outbound.request, request, reply -> request.deliver(reply, now()));
        }
    }

    private long now() {
        return nanoTime.getAsLong();
    }

    private void send(PendingRequest request) {
        monitor.sent(request.node(), request.since());
        OutboundRequest outbound = request.outbound();
        Lanes to = lanes.get(request.node().id());
        if (to == null || outbound.kind == OutboundRequest.Kind.ALONE) {
            sender.send(request, null);
            return;
        }
        Batcher batcher = outbound.kind == OutboundRequest.Kind.READ ? to.reads() : to.writes();
        if (batcher.isLarge(outbound)) {
            sender.send(request, null);
        } else {
            batcher.submit(request);
        }
    }
}
