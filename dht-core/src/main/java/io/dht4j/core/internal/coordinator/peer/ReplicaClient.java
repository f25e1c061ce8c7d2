package io.dht4j.core.internal.coordinator.peer;

import io.dht4j.ErrorCode;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.TraceContext;
import io.dht4j.core.internal.admission.PeerLimit;
import io.dht4j.core.internal.admission.RetryBudget;
import io.dht4j.core.internal.coordinator.config.NodeComponents;
import io.dht4j.core.internal.coordinator.config.NodeConfig;
import io.dht4j.core.internal.membership.ViewRefresh;
import io.dht4j.core.internal.observation.Observations;
import io.dht4j.core.internal.observation.ObservedRequest;
import io.dht4j.core.internal.observation.RequestKinds;
import io.dht4j.core.internal.replica.Replica;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.view.NodeIdentity;
import io.dht4j.core.internal.view.Views;
import io.dht4j.core.internal.wire.OwnHeader;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.core.internal.wire.codec.FrameCodec;
import io.dht4j.spi.CallContext;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests to replicas: to the local one by a plain call, to the others through the transport, under load several
 * in a frame. A request whose connection broke is sent once more within the retry budget, which is safe because
 * requests are idempotent. So the next request reaches a peer that has restarted, even before its old connections are
 * known to be dead. A request that a node refuses because of an older view is sent again in a frame of its own, at most
 * twice: by then the node has fetched a newer view. A request that exceeds a node's concurrency limit is refused as
 * overloaded and not sent. Does not block; safe for use by any number of threads.
 */
public final class ReplicaClient {

    /** The bytes that an admitted call may take in a frame in addition to its admitted bytes. */
    private static final int BYTES_PER_CALL = 256;

    private static final Duration FEATURES_TIMEOUT = Duration.ofSeconds(2);

    private final LongSupplier nanoTime;
    private final Replica replica;
    private final ReplicaOrder order;
    private final PeerMonitor monitor;
    private final Observations observations;
    private final RetryBudget budget;
    private final ReadHedging hedging;
    private final ConcurrencyLimits limits;
    private final FrameExchange frames;
    private final PeerFeatures features;
    private final Views views;
    private final ViewRefresh refresh;
    private final Supplier<Batcher> readBatchers;
    private final Supplier<Batcher> writeBatchers;
    private final boolean batches;
    /** Replaced as a whole with each view that changes it. */
    private volatile Map<NodeId, Lanes> lanes;

    /**
     * The two queues to an incarnation of a node: reads do not wait for writes, which may wait for a disk. All requests
     * of a frame go to one incarnation.
     */
    private record Lanes(@Nullable NodeIdentity identity, Batcher reads, Batcher writes) {}

    /**
     * Creates a client of all nodes.
     *
     * @param components the components of this node
     * @param config the options of this node
     * @param replica this node's replica
     * @param own makes the headers of frames
     * @param order the order of replicas
     * @param monitor records the observations of requests and replies about the other nodes
     * @param observations receives the ends of requests to other nodes
     */
    public ReplicaClient(
            NodeComponents components,
            NodeConfig config,
            Replica replica,
            OwnHeader own,
            ReplicaOrder order,
            PeerMonitor monitor,
            Observations observations) {
        this.nanoTime = components.environment()::nanoTime;
        this.replica = replica;
        this.order = order;
        this.monitor = monitor;
        this.observations = observations;
        this.budget = new RetryBudget(config.overload().retries(), nanoTime);
        this.hedging = new ReadHedging(config.calls().hedging(), budget);
        this.limits = new ConcurrencyLimits(components, config);
        RequestCoalescer coalescer = new RequestCoalescer();
        this.features = new PeerFeatures(nanoTime, this::askFeatures);
        this.frames = new FrameExchange(components, config, own, coalescer, monitor, features, hedging, budget);
        this.views = components.views();
        this.refresh = new ViewRefresh(views, components.environment());
        monitor.follow(refresh);
        int maxBytes = config.batching().maxBytes();
        // A batch of reads, and its replies without values, fit into a frame for any largest value.
        int readBytes = Math.min(maxBytes, FrameCodec.FRAME_OVERHEAD / 2);
        int writeBytes = Math.min(maxBytes, config.limits().maxValueBytes() + FrameCodec.FRAME_OVERHEAD / 2);
        this.readBatchers = () -> batcher(components, config, coalescer, readBytes);
        this.writeBatchers = () -> batcher(components, config, coalescer, writeBytes);
        this.batches = config.batching().enabled();
        this.lanes = lanes(components.view(), Map.of());
    }

    /** Returns the lanes of a view: those of nodes that stay the same, and new ones. */
    private Map<NodeId, Lanes> lanes(ClusterView view, Map<NodeId, Lanes> before) {
        Map<NodeId, Lanes> all = new HashMap<>();
        for (Node node : batches ? view.topology().nodes() : List.<Node>of()) {
            NodeIdentity identity = view.identity(node.id());
            Lanes known = before.get(node.id());
            if (known != null && Objects.equals(known.identity(), identity)) {
                all.put(node.id(), known);
            } else if (!order.isLocal(node)) {
                all.put(node.id(), new Lanes(identity, readBatchers.get(), writeBatchers.get()));
            }
        }
        return all;
    }

    /**
     * Follows a view: nodes that are new get queues and limits, those that have left lose theirs. Requests that wait in
     * their queues are sent.
     *
     * @param before the previous view
     * @param now the current view
     */
    public void follow(ClusterView before, ClusterView now) {
        lanes = lanes(now, lanes);
        limits.follow(before, now);
        features.retain(now.topology().nodes().stream().map(Node::id).collect(Collectors.toUnmodifiableSet()));
    }

    private Batcher batcher(NodeComponents components, NodeConfig config, RequestCoalescer coalescer, int maxBytes) {
        return new Batcher(
                components.environment(),
                coalescer,
                config.batching(),
                maxBytes,
                config.limits().maxInFlight(),
                config.limits().writeBytes()
                        + (long) BYTES_PER_CALL * config.limits().maxInFlight(),
                frames::send);
    }

    /**
     * Returns the source of newer views.
     *
     * @return the refresh of this node
     */
    public ViewRefresh refresh() {
        return refresh;
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
     * Returns the hedging of reads.
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
     * @return a context that is not cancelled
     */
    public CallContext context(Duration timeout) {
        return new CallContext(nanoTime, timeout.toNanos());
    }

    /**
     * Asks a replica. Does not throw: an error on the way is a failure of the request.
     *
     * @param node the replica, which may be this node's
     * @param outbound the request
     * @param context the deadline, and whether the reply is still wanted
     * @param outcome receives the outcome, perhaps before this returns
     */
    public void ask(Node node, OutboundRequest outbound, CallContext context, ReplyHandler outcome) {
        boolean isFree = outbound.request instanceof Request.Ping || outbound.request instanceof Request.Features;
        PeerLimit limit = isFree ? null : limits.of(node.id());
        boolean isLocal = order.isLocal(node);
        ReplyHandler handler = observed(node, isLocal, outbound, context, outcome);
        if (limit != null && !limit.tryEnter()) {
            handler.failed(new PeerFailure(
                    node.id(), true, ErrorCode.OVERLOADED, "overloaded: too many requests to it are outstanding"));
        } else if (isLocal) {
            askLocal(node, outbound, context, handler, limit);
        } else {
            if (!handler.isRepeated()) {
                budget.asked();
            }
            send(pending(node, outbound, context, handler, limit));
        }
    }

    private ReplyHandler observed(
            Node node, boolean isLocal, OutboundRequest outbound, CallContext context, ReplyHandler handler) {
        ObservedRequest observed = observations.begin(node, isLocal, RequestKinds.of(outbound.request), handler.call());
        return observed == null ? handler : new ObservedReply(observed, context, handler);
    }

    private void askLocal(
            Node node, OutboundRequest outbound, CallContext context, ReplyHandler handler, @Nullable PeerLimit limit) {
        if (limit == null) {
            LocalRequest request = new LocalRequest(node.id(), context, handler);
            replica.serve(outbound.request, outbound.rowVersion(), request, request);
        } else {
            PendingRequest request = pending(node, outbound, context, handler, limit);
            replica.serve(outbound.request, outbound.rowVersion(), request, reply -> request.deliver(reply, now()));
        }
    }

    private PendingRequest pending(
            Node node, OutboundRequest outbound, CallContext context, ReplyHandler handler, @Nullable PeerLimit limit) {
        ClusterView view = outbound.token == null ? views.current() : outbound.token.view();
        return new PendingRequest(node, outbound, view, context, handler, limit, now(), true, 0, trace(node, handler));
    }

    /** Returns the trace context of a request, if the node reads it. */
    private @Nullable TraceContext trace(Node node, ReplyHandler handler) {
        TraceContext trace = handler.traceContext();
        return trace != null && trace.isSampled() && features.readsTraces(node) ? trace : null;
    }

    private void askFeatures(Node node, ReplyHandler handler) {
        ask(node, OutboundRequest.alone(new Request.Features()), context(FEATURES_TIMEOUT), handler);
    }

    private long now() {
        return nanoTime.getAsLong();
    }

    private void send(PendingRequest request) {
        monitor.sent(request.node(), request.since());
        OutboundRequest outbound = request.outbound();
        Lanes to = lanes.get(request.node().id());
        boolean alone = outbound.kind == OutboundRequest.Kind.ALONE;
        if (to == null || alone || !Objects.equals(to.identity(), request.identity())) {
            frames.send(request);
            return;
        }
        Batcher batcher = outbound.kind == OutboundRequest.Kind.READ ? to.reads() : to.writes();
        if (batcher.isLarge(outbound)) {
            frames.send(request);
        } else {
            batcher.submit(request);
        }
    }
}
