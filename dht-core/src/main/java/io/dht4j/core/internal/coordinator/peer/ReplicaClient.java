package io.dht4j.core.internal.coordinator.peer;

import io.dht4j.CancellationPolicy;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Hedging;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.core.internal.admission.LatencyQuantile;
import io.dht4j.core.internal.admission.PeerLimit;
import io.dht4j.core.internal.admission.RetryBudget;
import io.dht4j.core.internal.clock.HybridClock;
import io.dht4j.core.internal.clock.PeerClocks;
import io.dht4j.core.internal.coordinator.config.NodeComponents;
import io.dht4j.core.internal.coordinator.config.NodeConfig;
import io.dht4j.core.internal.detection.Suspicion;
import io.dht4j.core.internal.replica.CallLiveness;
import io.dht4j.core.internal.replica.Replica;
import io.dht4j.core.internal.wire.BatchReader;
import io.dht4j.core.internal.wire.FrameCodec;
import io.dht4j.core.internal.wire.FrameCodec.Decoded;
import io.dht4j.core.internal.wire.FrameException;
import io.dht4j.core.internal.wire.FrameHeader;
import io.dht4j.core.internal.wire.NodeIds;
import io.dht4j.core.internal.wire.OwnHeader;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Frame;
import io.dht4j.spi.TransportException;
import io.dht4j.spi.TransportException.Outcome;
import io.dht4j.spi.TransportException.Reason;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks replicas: the local one by a plain call, the others through the transport, several requests in a frame when
 * there is much to ask. A request whose connection broke is sent once more, as long as there is a budget for that; it
 * is safe because requests are idempotent. So a peer that restarted is used by the next request even before its old
 * connections are known to be dead. What a node has no room for is refused as overloaded and not sent. Does not block;
 * safe for use by any number of threads.
 */
public final class ReplicaClient {

    /** No hedge delay. */
    public static final long NEVER = Long.MAX_VALUE;

    private static final Logger LOG = LoggerFactory.getLogger(ReplicaClient.class);

    /** What a call that was let in may take in a frame besides the bytes that it was let in for. */
    private static final int BYTES_PER_CALL = 256;

    private final NodeComponents parts;
    private final LongSupplier nanoTime;
    private final NodeConfig limits;
    private final Replica replica;
    private final OwnHeader own;
    private final NodeIds names;
    private final Disagreements disagreements;
    private final HybridClock clock;
    private final PeerClocks clocks;
    private final Suspicion suspicion;
    private final Heard heard;
    private final RetryBudget budget;
    private final Optional<LatencyQuantile> readLatency;
    private final ConcurrencyLimits room;
    private final Cork cork = new Cork();
    private final Map<NodeId, Lanes> lanes = new HashMap<>();

    /** The two ways to a node: reads do not wait for writes, which may wait for a disk. */
    private record Lanes(Batcher reads, Batcher writes) {}

    /** Told of each node that has sent a reply, with each of its frames. */
    @FunctionalInterface
    public interface Heard {
        void from(NodeId node, long nowNanos);
    }

    /**
     * Ways to all nodes.
     *
     * @param own makes the headers of frames
     * @param disagreements reports nodes that are not who or what they should be
     * @param clock follows the clocks of the others
     * @param clocks told what the wall clocks of the others show
     * @param suspicion told of requests to nodes, and of nodes that cannot be reached
     * @param heard told of replies
     */
    public ReplicaClient(
            NodeComponents parts,
            NodeConfig limits,
            Replica replica,
            OwnHeader own,
            Disagreements disagreements,
            HybridClock clock,
            PeerClocks clocks,
            Suspicion suspicion,
            Heard heard) {
        this.parts = parts;
        this.nanoTime = parts.environment()::nanoTime;
        this.limits = limits;
        this.replica = replica;
        this.own = own;
        this.names = parts.names();
        this.disagreements = disagreements;
        this.clock = clock;
        this.clocks = clocks;
        this.suspicion = suspicion;
        this.heard = heard;
        this.budget = new RetryBudget(limits.overload().retries(), nanoTime);
        this.readLatency = limits.hedging() instanceof Hedging.AtPercentile at
                ? Optional.of(new LatencyQuantile(at.percentile()))
                : Optional.empty();
        this.room = new ConcurrencyLimits(parts, limits);
        if (limits.batching().enabled()) {
            int maxBytes = limits.batching().maxBytes();
            // Neither a batch of reads nor its replies, values aside, outgrow a frame whatever the largest value is.
            int readBytes = Math.min(maxBytes, FrameCodec.FRAME_OVERHEAD / 2);
            int writeBytes = Math.min(maxBytes, limits.maxValueBytes() + FrameCodec.FRAME_OVERHEAD / 2);
            for (Node node : parts.topology().nodes()) {
                if (!isSelf(node)) {
                    lanes.put(node.id(), new Lanes(batcher(readBytes), batcher(writeBytes)));
                }
            }
        }
    }

    private Batcher batcher(int maxBytes) {
        return new Batcher(
                parts.environment(),
                cork,
                limits.batching(),
                maxBytes,
                limits.maxInFlight(),
                limits.maxInFlightBytes() + (long) BYTES_PER_CALL * limits.maxInFlight(),
                this::sendTogether);
    }

    public boolean isSelf(Node node) {
        return node.id().equals(parts.self());
    }

    /** Replicas in the order in which they should be asked: this node, then those that will most likely answer. */
    public List<Node> byPreference(List<Node> replicas) {
        Set<NodeId> suspects = suspicion.suspects();
        if (suspects.isEmpty()) {
            return localFirst(replicas);
        }
        List<Node> order = new ArrayList<>(replicas);
        order.sort(Comparator.comparingInt(node -> isSelf(node) ? 0 : suspects.contains(node.id()) ? 2 : 1));
        return order;
    }

    private List<Node> localFirst(List<Node> replicas) {
        for (int i = 1; i < replicas.size(); i++) {
            if (isSelf(replicas.get(i))) {
                List<Node> order = new ArrayList<>(replicas);
                order.add(0, order.remove(i));
                return order;
            }
        }
        return replicas;
    }

    public boolean isSuspected(Node node) {
        return !isSelf(node) && suspicion.isSuspected(node.id());
    }

    /** How long a node may be silent before it is suspected. */
    public long patienceNanos() {
        return suspicion.patienceNanos();
    }

    /** How long a read waits before it asks one more replica, in nanoseconds. */
    public long hedgeNanos() {
        if (limits.hedging() instanceof Hedging.After after) {
            return after.delay().toNanos();
        }
        long usual = readLatency.map(LatencyQuantile::nanos).orElse(0L);
        return usual == 0 ? NEVER : usual;
    }

    /** Spends from the budget for a request that would not be sent if all replicas answered in time. */
    public boolean mayHedge() {
        return budget.mayHedge();
    }

    /**
     * A first request of a read was cancelled before its answer came: how long it would have taken nobody will know,
     * but not less than until now. If it did not count, the slow ones would be missing from the percentile, which would
     * fall with each hedge that wins and so make more of them.
     *
     * @param since the monotonic clock when it was made
     */
    public void gaveUpFirst(long since) {
        if (readLatency.isPresent()) {
            readLatency.get().addAtLeast(now() - since);
        }
    }

    public RetryBudget budget() {
        return budget;
    }

    public ConcurrencyLimits room() {
        return room;
    }

    /**
     * Asks a replica. What goes wrong on the way ends the request as a failure; nothing is thrown.
     *
     * @param node the replica, this node included
     * @param context until when, and whether the reply is still wanted
     * @param handler takes the outcome, perhaps before this returns
     */
    public void ask(Node node, Outgoing outgoing, CallContext context, ReplyHandler handler) {
        ask(node, outgoing, context, handler, false);
    }

    /**
     * Asks a replica once more for what it has refused, as {@link #ask}. It pays nothing into the retry budget: the
     * first request has paid.
     */
    public void askAgain(Node node, Outgoing outgoing, CallContext context, ReplyHandler handler) {
        ask(node, outgoing, context, handler, true);
    }

    private void ask(Node node, Outgoing outgoing, CallContext context, ReplyHandler handler, boolean again) {
        PeerLimit limit = outgoing.request instanceof Request.Ping ? null : room.of(node.id());
        if (limit != null && !limit.tryEnter()) {
            handler.failed(new PeerFailure(
                    node.id(), true, ErrorCode.OVERLOADED, "overloaded: too many requests to it are outstanding"));
        } else if (isSelf(node)) {
            askSelf(node, outgoing, context, handler, limit);
        } else {
            if (!again) {
                budget.asked();
            }
            long now = now();
            send(new PendingRequest(node, outgoing, context, handler, limit, now, true), now);
        }
    }

    private void askSelf(
            Node node, Outgoing outgoing, CallContext context, ReplyHandler handler, @Nullable PeerLimit limit) {
        CallLiveness demand = new CallLiveness(context::isExpired, () -> !handler.isWanted() || context.isCancelled());
        if (limit == null) {
            PendingRequest ask = new PendingRequest(node, outgoing, context, handler, null, 0, true);
            replica.serve(outgoing.request, demand, reply -> ask.deliver(reply, 0));
        } else {
            PendingRequest ask = new PendingRequest(node, outgoing, context, handler, limit, now(), true);
            replica.serve(outgoing.request, demand, reply -> ask.deliver(reply, now()));
        }
    }

    private long now() {
        return nanoTime.getAsLong();
    }

    private void send(PendingRequest ask, long now) {
        noticeSent(ask.node(), now);
        Lanes to = lanes.get(ask.node().id());
        if (to == null || ask.outgoing().kind == Outgoing.Kind.ALONE) {
            sendAlone(ask, null);
            return;
        }
        Batcher batcher = ask.outgoing().kind == Outgoing.Kind.READ ? to.reads() : to.writes();
        if (batcher.isLarge(ask.outgoing())) {
            sendAlone(ask, null);
        } else {
            batcher.submit(ask);
        }
    }

    /** What goes wrong in this must not keep the request from being sent: nobody would hear of its end. */
    private void noticeSent(Node node, long now) {
        try {
            suspicion.sent(node.id(), now);
        } catch (RuntimeException | Error e) {
            LOG.debug("nobody looks whether {} answers", node.id(), e);
        }
    }

    /** Sends a frame of a batcher. */
    private void sendTogether(Batcher.Frame frame) {
        if (frame.asks.size() == 1) {
            sendAlone(frame.asks.get(0), frame);
            return;
        }
        // Not whenComplete: its stage would fail too, with an exception and a stack trace of its own.
        callTogether(frame.asks).handle((bytes, error) -> {
            boolean mine = cork.put();
            try {
                if (error == null) {
                    receiveTogether(frame.asks, bytes);
                } else {
                    failTogether(frame.asks, DhtException.unwrap(error));
                }
            } finally {
                frame.ended();
                if (mine) {
                    cork.pull();
                }
            }
            return error == null;
        });
    }

    private CompletionStage<byte[]> callTogether(List<PendingRequest> asks) {
        Node node = asks.get(0).node();
        Frame frame;
        CallContext context;
        try {
            List<Request.Part> requests = new ArrayList<>(asks.size());
            long latest = 1;
            for (PendingRequest ask : asks) {
                long remaining = Math.max(1, ask.context().remainingNanos());
                latest = Math.max(latest, remaining);
                requests.add(new Request.Part(ask.outgoing().request, remaining));
            }
            int maxBytes = limits.batching().maxBytes();
            Request.Batch batch = new Request.Batch(requests, 4 * maxBytes, maxBytes / 4);
            context = new CallContext(nanoTime, latest);
            if (limits.cancellation() == CancellationPolicy.PROPAGATE) {
                cancelWithAll(asks, context);
            }
            frame = FrameCodec.encode(header(node), batch);
        } catch (RuntimeException | Error e) {
            return unsent(node, e);
        }
        return call(node, frame, context);
    }

    /** Cancels a frame once none of its parts is wanted. */
    private static void cancelWithAll(List<PendingRequest> asks, CallContext frame) {
        if (asks.get(0).outgoing().kind == Outgoing.Kind.READ) {
            AtomicInteger wanted = new AtomicInteger(asks.size());
            for (PendingRequest ask : asks) {
                ask.context().onCancel(() -> {
                    if (wanted.decrementAndGet() == 0) {
                        frame.cancel();
                    }
                });
            }
        }
    }

    /** Sends a request in a frame of its own, which belongs to a batcher or, if that is null, to none. */
    private void sendAlone(PendingRequest ask, Batcher.@Nullable Frame frame) {
        callAlone(ask).handle((bytes, error) -> {
            boolean mine = cork.put();
            try {
                if (error == null) {
                    receive(ask, bytes);
                } else {
                    fail(ask, DhtException.unwrap(error));
                }
            } catch (RuntimeException | Error e) {
                notHandedOut(ask, e);
            } finally {
                if (frame != null) {
                    frame.ended();
                }
                if (mine) {
                    cork.pull();
                }
            }
            return error == null;
        });
    }

    private CompletionStage<byte[]> callAlone(PendingRequest ask) {
        Frame frame;
        try {
            frame = ask.outgoing().frame(header(ask.node()));
        } catch (RuntimeException | Error e) {
            return unsent(ask.node(), e);
        }
        return call(ask.node(), frame, ask.context());
    }

    /** A frame could not be made, mostly for lack of memory: its requests fail, and leave their room to others. */
    private static CompletionStage<byte[]> unsent(Node node, Throwable e) {
        LOG.error("a request to {} could not be encoded", node.id(), e);
        return CompletableFuture.failedFuture(
                new TransportException(Reason.NO_ROOM, "not sent: the request could not be encoded: " + e));
    }

    private FrameHeader header(Node node) {
        return own.to(Optional.of(node.id()));
    }

    private CompletionStage<byte[]> call(Node node, Frame frame, CallContext context) {
        try {
            return parts.transport().call(node, frame, context);
        } catch (RuntimeException | Error e) {
            // Against its contract, or for lack of memory; a throwing plug-in must not leave a caller without an
            // answer.
            LOG.error("transport {} threw", parts.transport().name(), e);
            return CompletableFuture.failedFuture(
                    new TransportException(Outcome.UNKNOWN, "the transport threw " + e, e));
        }
    }

    private void failTogether(List<PendingRequest> asks, Throwable cause) {
        if (!(cause instanceof TransportException)) {
            LOG.warn(
                    "call to {} failed in an unexpected way", asks.get(0).node().id(), cause);
        }
        for (PendingRequest ask : asks) {
            guarded(ask, () -> fail(ask, cause));
        }
    }

    private void fail(PendingRequest ask, Throwable cause) {
        boolean notSent = cause instanceof TransportException e && e.outcome() == Outcome.NOT_SENT;
        Reason reason = notSent ? ((TransportException) cause).reason() : Reason.OTHER;
        // A node that has no room is there all the same. Not every transport gives that as the reason.
        boolean mayLackRoom = reason == Reason.NO_ROOM
                || (reason == Reason.OTHER && ask.outgoing().isLarge());
        if (notSent
                && !mayLackRoom
                && !ask.context().isExpired()
                && !ask.context().isCancelled()) {
            suspicion.unreachable(ask.node().id());
        }
        long now = now();
        if (!notSent && ask.mayRepeat() && budget.mayRetry()) {
            send(ask.again(now), now);
            return;
        }
        String message = cause.getMessage() == null ? cause.toString() : cause.getMessage();
        if (reason == Reason.REFUSED) {
            ask.refused(message);
        } else if (reason == Reason.NO_ROOM) {
            ask.fail(true, ErrorCode.OVERLOADED, message);
        } else if (notSent) {
            ask.fail(true, ErrorCode.NOT_SENT, message);
        } else {
            ask.fail(ErrorCode.INTERNAL, message, now);
        }
    }

    private void receive(PendingRequest ask, byte[] bytes) {
        long now = now();
        boolean wanted = ask.isWanted();
        FrameHeader header;
        Optional<Reply> reply;
        try {
            if (wanted) {
                Decoded<Reply> frame = FrameCodec.decodeReply(bytes, ask.outgoing().request, names);
                header = frame.header();
                reply = Optional.of(frame.message());
            } else {
                header = FrameCodec.header(bytes, names);
                reply = Optional.empty();
            }
        } catch (FrameException | RuntimeException | Error e) {
            failUnreadable(ask, e);
            return;
        }
        Node node = ask.node();
        if (!isFrom(node, header)) {
            failWrongNode(ask, header.sender(), reply);
        } else if (reply.isPresent()) {
            clock.observe(header.clock());
            clocks.told(node.id(), header.wallMillis(), ask.since(), now);
            heard.from(node.id(), now);
            deliver(ask, notice(node, reply.get()), now);
        } else {
            learn(ask, now);
            // A sign of life all the same.
            heard.from(node.id(), now);
            ask.fail(ErrorCode.INTERNAL, "its reply was dropped unread", now);
        }
    }

    private static boolean isFrom(Node node, FrameHeader header) {
        return header.sender().equals(node.id());
    }

    /** Takes note of what a reply says of its sender; returns it as those who asked understand it. */
    private Reply notice(Node node, Reply reply) {
        if (reply instanceof Reply.OtherSettings other) {
            return new Reply.Failed(ErrorCode.PLACEMENT_MISMATCH, disagreements.settings(node, other.settings()));
        }
        disagreements.settled(node.id());
        return reply;
    }

    /** Somebody else answers at the node's address. Who does so properly has done nothing. */
    private void failWrongNode(PendingRequest ask, NodeId actual, Optional<Reply> reply) {
        disagreements.wrongNode(ask.node(), actual);
        suspicion.unreachable(ask.node().id());
        boolean refused = reply.isPresent()
                && (reply.get() instanceof Reply.Failed || reply.get() instanceof Reply.OtherSettings);
        ask.fail(
                refused,
                ErrorCode.WRONG_RECIPIENT,
                "the node at its address " + ask.node().address() + " is " + actual);
    }

    private void receiveTogether(List<PendingRequest> asks, byte[] bytes) {
        BatchReader in;
        try {
            in = FrameCodec.openReplies(bytes, asks.size(), names);
        } catch (FrameException | RuntimeException | Error e) {
            asks.forEach(ask -> guarded(ask, () -> failUnreadable(ask, e)));
            return;
        }
        long now = now();
        Node node = asks.get(0).node();
        if (!isFrom(node, in.header())) {
            asks.forEach(
                    ask -> guarded(ask, () -> failWrongNode(ask, in.header().sender(), in.refusal())));
            return;
        }
        clock.observe(in.header().clock());
        clocks.told(node.id(), in.header().wallMillis(), asks.get(0).since(), now);
        heard.from(node.id(), now);
        Optional<Reply> refusal = in.refusal().map(reply -> notice(node, reply));
        if (refusal.isEmpty()) {
            disagreements.settled(node.id());
        }
        for (PendingRequest ask : asks) {
            try {
                if (refusal.isPresent()) {
                    ask.deliver(refusal.get(), now);
                } else {
                    receivePart(ask, in, now);
                }
            } catch (RuntimeException | Error e) {
                notHandedOut(ask, e);
            }
        }
    }

    private void receivePart(PendingRequest ask, BatchReader in, long now) {
        Reply reply;
        try {
            if (!ask.isWanted()) {
                in.skip();
                learn(ask, now);
                ask.fail(ErrorCode.INTERNAL, "its reply was dropped unread", now);
                return;
            }
            reply = in.next(ask.outgoing().request);
        } catch (FrameException | RuntimeException | Error e) {
            failUnreadable(ask, e);
            return;
        }
        deliver(ask, reply, now);
    }

    private void deliver(PendingRequest ask, Reply reply, long now) {
        // A refusal is quick whatever the node has to do.
        if (!(reply instanceof Reply.Failed)) {
            learn(ask, now);
        }
        ask.deliver(reply, now);
    }

    /** Neither hedges nor what is sent again: those are the few that are sent when others are slow. */
    private void learn(PendingRequest ask, long now) {
        // One that was cancelled is counted when it is reported as given up.
        if (readLatency.isPresent()
                && ask.handler().isFirst()
                && ask.first()
                && !ask.context().isCancelled()) {
            readLatency.get().add(now - ask.since());
        }
    }

    private static void failUnreadable(PendingRequest ask, Throwable e) {
        NodeId node = ask.node().id();
        if (e instanceof FrameException bad) {
            LOG.warn("{} sent a bad reply: {}", node, e.getMessage());
            ask.fail(false, bad.code(), String.valueOf(e.getMessage()));
        } else {
            LOG.error("reply of {} cannot be read", node, e);
            ask.fail(false, ErrorCode.INTERNAL, "its reply cannot be read: " + e);
        }
    }

    /** What goes wrong in handing out one reply must not keep the others from theirs. */
    private static void guarded(PendingRequest ask, Runnable delivery) {
        try {
            delivery.run();
        } catch (RuntimeException | Error e) {
            notHandedOut(ask, e);
        }
    }

    private static void notHandedOut(PendingRequest ask, Throwable e) {
        LOG.error("an answer of {} could not be handed out", ask.node().id(), e);
    }
}
