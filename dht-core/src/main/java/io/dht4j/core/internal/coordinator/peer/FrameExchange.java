package io.dht4j.core.internal.coordinator.peer;

import io.dht4j.CancellationPolicy;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.TraceContext;
import io.dht4j.core.internal.admission.RetryBudget;
import io.dht4j.core.internal.coordinator.config.NodeComponents;
import io.dht4j.core.internal.coordinator.config.NodeConfig;
import io.dht4j.core.internal.observation.LogInterval;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.view.NodeIdentity;
import io.dht4j.core.internal.wire.FrameException;
import io.dht4j.core.internal.wire.FrameHeader;
import io.dht4j.core.internal.wire.NodeIds;
import io.dht4j.core.internal.wire.OwnHeader;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.core.internal.wire.codec.BatchReader;
import io.dht4j.core.internal.wire.codec.FrameCodec;
import io.dht4j.core.internal.wire.codec.FrameCodec.Decoded;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Frame;
import io.dht4j.spi.Transport;
import io.dht4j.spi.TransportException;
import io.dht4j.spi.TransportException.Outcome;
import io.dht4j.spi.TransportException.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends requests to other nodes, one or several in a frame. Decodes the replies, checks their senders, and reports each
 * request's outcome to its handler. The requests of a frame that failed are sent a second time, in one frame, as far as
 * the retry budget allows it.
 *
 * <p>While it delivers replies, requests are held back, so that the requests that follow from the replies share frames
 * too. An error of one handler does not affect the others. Does not block; safe for use by any number of threads.
 */
final class FrameExchange {

    private static final Logger LOG = LoggerFactory.getLogger(FrameExchange.class);

    private static final String DROPPED = "its reply was dropped unread";

    private final Transport transport;
    private final LongSupplier nanoTime;
    private final NodeIds names;
    private final OwnHeader own;
    private final int maxBatchBytes;
    private final boolean cancels;
    private final RequestCoalescer coalescer;
    private final PeerMonitor monitor;
    private final PeerFeatures features;
    private final ReadHedging hedging;
    private final RetryBudget budget;
    private final LogInterval badReplies;

    FrameExchange(
            NodeComponents components,
            NodeConfig config,
            OwnHeader own,
            RequestCoalescer coalescer,
            PeerMonitor monitor,
            PeerFeatures features,
            ReadHedging hedging,
            RetryBudget budget) {
        this.transport = components.transport();
        this.nanoTime = components.environment()::nanoTime;
        this.names = components.names();
        this.own = own;
        this.maxBatchBytes = config.batching().maxBytes();
        this.cancels = config.calls().cancellation() == CancellationPolicy.PROPAGATE;
        this.coalescer = coalescer;
        this.monitor = monitor;
        this.features = features;
        this.hedging = hedging;
        this.budget = budget;
        this.badReplies = new LogInterval(nanoTime);
    }

    /** Sends the requests of a batch. */
    void send(Batcher.Batch batch) {
        send(batch.requests, batch);
    }

    /** Sends a request in a frame of its own. */
    void send(PendingRequest request) {
        send(List.of(request), null);
    }

    /**
     * Sends requests in one frame.
     *
     * @param batch the batch that ends with the frame; null if the frame has none
     */
    private void send(List<PendingRequest> requests, Batcher.@Nullable Batch batch) {
        // Not whenComplete: its stage would fail too, with an exception and a stack trace of its own.
        call(requests).handle((bytes, error) -> {
            boolean coalescing = coalescer.begin();
            List<PendingRequest> again = new ArrayList<>(0);
            try {
                if (error != null) {
                    failed(requests, DhtException.unwrap(error), again);
                } else if (requests.size() == 1) {
                    received(requests.get(0), bytes, again);
                } else {
                    received(requests, bytes, again);
                }
            } catch (RuntimeException | Error e) {
                logUndelivered(requests.get(0), e);
            } finally {
                try {
                    end(batch, again);
                } finally {
                    if (coalescing) {
                        coalescer.end();
                    }
                }
            }
            return error == null;
        });
    }

    /** Ends a batch, unless requests of its frame are sent again. */
    private void end(Batcher.@Nullable Batch batch, List<PendingRequest> again) {
        if (!again.isEmpty()) {
            repeat(again, batch);
        } else if (batch != null) {
            batch.ended();
        }
    }

    private void repeat(List<PendingRequest> requests, Batcher.@Nullable Batch batch) {
        monitor.sent(requests.get(0).node(), requests.get(0).since());
        send(requests, batch);
    }

    private CompletionStage<byte[]> call(List<PendingRequest> requests) {
        PendingRequest first = requests.get(0);
        Node node = first.node();
        Frame frame;
        CallContext context;
        try {
            if (requests.size() == 1) {
                context = first.context();
                frame = first.outbound().frame(header(first, first.rowVersion(), first.trace()));
            } else {
                context = shared(requests);
                Request.Batch batch = new Request.Batch(requests, 4 * maxBatchBytes, maxBatchBytes / 4);
                frame = FrameCodec.encode(header(first, ClusterView.NO_VERSION, null), batch);
            }
        } catch (RuntimeException | Error e) {
            // Mostly for lack of memory. The requests fail, so that others have room.
            LOG.error("a request to {} could not be encoded", node.id(), e);
            return CompletableFuture.failedFuture(
                    new TransportException(Reason.NO_ROOM, "not sent: the request could not be encoded: " + e));
        }
        try {
            return transport.call(node, frame, context);
        } catch (RuntimeException | Error e) {
            // Against its contract, or for lack of memory. The callers still need an answer.
            LOG.error("transport {} threw an exception against its contract", transport.name(), e);
            return CompletableFuture.failedFuture(
                    new TransportException(Outcome.UNKNOWN, "the transport threw " + e, e));
        }
    }

    private FrameHeader header(PendingRequest request, long rowVersion, @Nullable TraceContext trace) {
        return own.to(Optional.of(request.node().id()), request.identity(), rowVersion, trace);
    }

    /** Returns the context of a frame of several requests, which ends with the last of them. */
    private CallContext shared(List<PendingRequest> requests) {
        long latest = 1;
        for (PendingRequest request : requests) {
            latest = Math.max(latest, request.remainingNanos());
        }
        CallContext frame = new CallContext(nanoTime, latest);
        if (cancels && requests.get(0).outbound().kind == OutboundRequest.Kind.READ) {
            AtomicInteger wanted = new AtomicInteger(requests.size());
            for (PendingRequest request : requests) {
                request.context().onCancel(() -> {
                    if (wanted.decrementAndGet() == 0) {
                        frame.cancel();
                    }
                });
            }
        }
        return frame;
    }

    private void failed(List<PendingRequest> requests, Throwable cause, List<PendingRequest> again) {
        if (requests.size() > 1 && !(cause instanceof TransportException)) {
            LOG.warn(
                    "call to {} failed in an unexpected way",
                    requests.get(0).node().id(),
                    cause);
        }
        for (PendingRequest request : requests) {
            guarded(request, () -> failed(request, cause, again));
        }
    }

    private void failed(PendingRequest request, Throwable cause, List<PendingRequest> again) {
        boolean notSent = cause instanceof TransportException e && e.outcome() == Outcome.NOT_SENT;
        Reason reason = notSent ? ((TransportException) cause).reason() : Reason.OTHER;
        String message = cause.getMessage() == null ? cause.toString() : cause.getMessage();
        // A node without room is still reachable. What ends at its deadline tells something only of a silent node.
        if (notSent
                && reason != Reason.NO_ROOM
                && (reason == Reason.SILENT || !request.context().isExpired())
                && !request.context().isCancelled()) {
            monitor.unreachable(request.node(), message);
        }
        if (reason != Reason.NO_ROOM && !request.isOver()) {
            features.forget(request.node().id());
        }
        long now = nanoTime.getAsLong();
        if (!notSent && request.mayRepeat() && budget.mayRetry()) {
            again.add(request.again(now));
            return;
        }
        if (reason == Reason.REFUSED) {
            request.refused(message);
        } else if (reason == Reason.NO_ROOM) {
            request.fail(true, ErrorCode.OVERLOADED, message);
        } else if (notSent) {
            request.fail(true, ErrorCode.NOT_SENT, message);
        } else {
            request.fail(ErrorCode.NO_REPLY, message, now);
        }
    }

    /** Handles the reply to a frame of one request. */
    private void received(PendingRequest request, byte[] bytes, List<PendingRequest> again) {
        long now = nanoTime.getAsLong();
        boolean wanted = request.isWanted();
        FrameHeader header;
        Optional<Reply> reply;
        try {
            if (wanted) {
                Decoded<Reply> frame = FrameCodec.decodeReply(bytes, request.outbound().request, names);
                header = frame.header();
                reply = Optional.of(frame.message());
            } else {
                header = FrameCodec.header(bytes, names);
                reply = Optional.empty();
            }
        } catch (FrameException | RuntimeException | Error e) {
            failUnreadable(request, e);
            return;
        }
        Node node = request.node();
        if (!isFrom(request, header)) {
            failWrongNode(request, header, reply);
        } else if (reply.isPresent()) {
            // First: a write that waits for the first answer begins only after a refusal is known.
            Reply checked = monitor.checked(node, reply.get());
            monitor.answered(node, header, request.since(), now);
            deliver(request, checked, now, again);
        } else {
            hedging.answered(request, now);
            monitor.alive(node, now);
            request.fail(ErrorCode.INTERNAL, DROPPED, now);
        }
    }

    /** Handles the reply to a frame of several requests to one node. */
    private void received(List<PendingRequest> requests, byte[] bytes, List<PendingRequest> again) {
        BatchReader in;
        try {
            in = FrameCodec.openReplies(bytes, requests.size(), names);
        } catch (FrameException | RuntimeException | Error e) {
            requests.forEach(request -> guarded(request, () -> failUnreadable(request, e)));
            return;
        }
        long now = nanoTime.getAsLong();
        Node node = requests.get(0).node();
        if (!isFrom(requests.get(0), in.header())) {
            requests.forEach(request -> guarded(request, () -> failWrongNode(request, in.header(), in.refusal())));
            return;
        }
        Optional<Reply> refusal = in.refusal().map(reply -> monitor.checked(node, reply));
        if (refusal.isEmpty()) {
            monitor.agrees(node);
        }
        monitor.answered(node, in.header(), requests.get(0).since(), now);
        boolean forTrace =
                refusal.isPresent() && requests.stream().anyMatch(request -> request.isRefusedForTrace(refusal.get()));
        if (forTrace) {
            features.refused(node.id());
        }
        for (PendingRequest request : requests) {
            try {
                if (forTrace) {
                    again.add(request.withoutTrace(now));
                } else if (refusal.isPresent()) {
                    request.deliver(refusal.get(), now);
                } else {
                    receiveNext(request, in, now, again);
                }
            } catch (RuntimeException | Error e) {
                logUndelivered(request, e);
            }
        }
    }

    private void receiveNext(PendingRequest request, BatchReader in, long now, List<PendingRequest> again) {
        Reply reply;
        try {
            if (!request.isWanted()) {
                in.skip();
                hedging.answered(request, now);
                request.fail(ErrorCode.INTERNAL, DROPPED, now);
                return;
            }
            reply = in.next(request.outbound().request);
        } catch (FrameException | RuntimeException | Error e) {
            failUnreadable(request, e);
            return;
        }
        deliver(request, reply, now, again);
    }

    private static boolean isFrom(PendingRequest request, FrameHeader header) {
        if (!header.sender().equals(request.node().id())) {
            return false;
        }
        NodeIdentity expected = request.identity();
        FrameHeader.Agreed agreed = header.agreed();
        return expected == null || (agreed != null && expected.equals(agreed.sender()));
    }

    private void deliver(PendingRequest request, Reply reply, long now, List<PendingRequest> again) {
        if (request.isRefusedForTrace(reply)) {
            // The node does not know the trace context in the frame, and has not carried out the requests.
            features.refused(request.node().id());
            again.add(request.withoutTrace(now));
            return;
        }
        if (request.mayFollowRefresh(reply)) {
            // Its next refusal waits for a view, and others in the frame would wait with it.
            repeat(List.of(request.afterRefresh(now)), null);
            return;
        }
        // A refusal is quick under any load.
        if (!(reply instanceof Reply.Failed)) {
            hedging.answered(request, now);
        }
        request.deliver(reply, now);
    }

    /** A node that refuses a request for another one has not carried it out. */
    private void failWrongNode(PendingRequest request, FrameHeader header, Optional<Reply> reply) {
        NodeId actual = header.sender();
        boolean isOther = !actual.equals(request.node().id());
        boolean refused = reply.isPresent()
                && (reply.get() instanceof Reply.Failed || reply.get() instanceof Reply.OtherSettings);
        request.fail(
                refused,
                ErrorCode.WRONG_RECIPIENT,
                "the node at its address " + request.node().address() + " is "
                        + (isOther ? actual.value() : otherwise(header)));
        // After the end of the request: this closes the connection, which ends other requests.
        if (isOther) {
            monitor.wrongNode(request.node(), actual);
        } else if (header.agreed() != null) {
            monitor.wrongIncarnation(request.node());
        }
    }

    /** Describes a node that has the recipient's name but is another node. */
    private static String otherwise(FrameHeader header) {
        return header.agreed() == null ? "starting, or in no agreed cluster" : "another incarnation of it";
    }

    private void failUnreadable(PendingRequest request, Throwable e) {
        NodeId node = request.node().id();
        if (e instanceof FrameException bad) {
            if (badReplies.begin()) {
                LOG.warn("{} sent a bad reply: {}", node, e.getMessage());
            }
            request.fail(false, bad.code(), String.valueOf(e.getMessage()));
        } else {
            LOG.error("reply of {} cannot be read", node, e);
            request.fail(false, ErrorCode.INTERNAL, "its reply cannot be read: " + e);
        }
    }

    private static void guarded(PendingRequest request, Runnable delivery) {
        try {
            delivery.run();
        } catch (RuntimeException | Error e) {
            logUndelivered(request, e);
        }
    }

    /** Logs an error of a handler, the only report of it. */
    private static void logUndelivered(PendingRequest request, Throwable e) {
        LOG.error("an answer of {} could not be delivered", request.node().id(), e);
    }
}
