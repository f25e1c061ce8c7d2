package io.dht4j.core.internal.coordinator.peer;

import io.dht4j.ErrorCode;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.core.internal.admission.RetryBudget;
import io.dht4j.core.internal.observation.LogInterval;
import io.dht4j.core.internal.view.NodeIdentity;
import io.dht4j.core.internal.wire.FrameException;
import io.dht4j.core.internal.wire.FrameHeader;
import io.dht4j.core.internal.wire.NodeIds;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.codec.BatchReader;
import io.dht4j.core.internal.wire.codec.FrameCodec;
import io.dht4j.core.internal.wire.codec.FrameCodec.Decoded;
import io.dht4j.spi.TransportException;
import io.dht4j.spi.TransportException.Outcome;
import io.dht4j.spi.TransportException.Reason;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends requests by what the transport returns for their frames: decodes replies, checks their senders, and reports each
 * request's outcome to its handler. A request whose frame failed is sent a second time if the retry budget allows it.
 * An error of one handler does not keep the others from their outcomes. Does not block; safe for use by any number of
 * threads.
 */
final class ReplyReceiver {

    private static final Logger LOG = LoggerFactory.getLogger(ReplyReceiver.class);

    private static final String DROPPED = "its reply was dropped unread";

    private final LongSupplier nanoTime;
    private final NodeIds names;
    private final PeerMonitor monitor;
    private final PeerFeatures features;
    private final ReadHedging hedging;
    private final RetryBudget budget;
    private final Consumer<PendingRequest> retry;
    private final LogInterval badReplies;

    ReplyReceiver(
            LongSupplier nanoTime,
            NodeIds names,
            PeerMonitor monitor,
            PeerFeatures features,
            ReadHedging hedging,
            RetryBudget budget,
            Consumer<PendingRequest> retry) {
        this.nanoTime = nanoTime;
        this.names = names;
        this.monitor = monitor;
        this.features = features;
        this.hedging = hedging;
        this.budget = budget;
        this.retry = retry;
        this.badReplies = new LogInterval(nanoTime);
    }

    /** Handles the failure of a frame of one request. */
    void failed(PendingRequest request, Throwable cause) {
        boolean notSent = cause instanceof TransportException e && e.outcome() == Outcome.NOT_SENT;
        Reason reason = notSent ? ((TransportException) cause).reason() : Reason.OTHER;
        // A node without room is reachable all the same.
        if (notSent
                && reason != Reason.NO_ROOM
                && !request.context().isExpired()
                && !request.context().isCancelled()) {
            monitor.unreachable(request.node());
        }
        if (reason != Reason.NO_ROOM && !request.isOver()) {
            features.forget(request.node().id());
        }
        long now = nanoTime.getAsLong();
        if (!notSent && request.mayRepeat() && budget.mayRetry()) {
            retry.accept(request.again(now));
            return;
        }
        String message = cause.getMessage() == null ? cause.toString() : cause.getMessage();
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

    /** Handles the failure of a frame of several requests. */
    void failed(List<PendingRequest> requests, Throwable cause) {
        if (!(cause instanceof TransportException)) {
            LOG.warn(
                    "call to {} failed in an unexpected way",
                    requests.get(0).node().id(),
                    cause);
        }
        for (PendingRequest request : requests) {
            guarded(request, () -> failed(request, cause));
        }
    }

    /** Handles the reply to a frame of one request. */
    void received(PendingRequest request, byte[] bytes) {
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
            // First: a write that waits for the first answer must not begin before a refusal is known.
            Reply checked = monitor.checked(node, reply.get());
            monitor.answered(node, header, request.since(), now);
            deliver(request, checked, now);
        } else {
            hedging.answered(request, now);
            monitor.alive(node, now);
            request.fail(ErrorCode.INTERNAL, DROPPED, now);
        }
    }

    /** Handles the reply to a frame of several requests to one node. */
    void received(List<PendingRequest> requests, byte[] bytes) {
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
                    retry.accept(request.withoutTrace(now));
                } else if (refusal.isPresent()) {
                    request.deliver(refusal.get(), now);
                } else {
                    receiveNext(request, in, now);
                }
            } catch (RuntimeException | Error e) {
                logUndelivered(request, e);
            }
        }
    }

    /** Sends a request again to a node that does not know the trace context in its frame, and has done nothing. */
    private boolean isSentWithoutTrace(PendingRequest request, Reply reply, long now) {
        if (!request.isRefusedForTrace(reply)) {
            return false;
        }
        features.refused(request.node().id());
        retry.accept(request.withoutTrace(now));
        return true;
    }

    private void receiveNext(PendingRequest request, BatchReader in, long now) {
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
        deliver(request, reply, now);
    }

    private static boolean isFrom(PendingRequest request, FrameHeader header) {
        if (!header.sender().equals(request.node().id())) {
            return false;
        }
        NodeIdentity expected = request.identity();
        FrameHeader.Agreed agreed = header.agreed();
        return expected == null || (agreed != null && expected.equals(agreed.sender()));
    }

    private void deliver(PendingRequest request, Reply reply, long now) {
        if (isSentWithoutTrace(request, reply, now)) {
            return;
        }
        if (request.mayFollowRefresh(reply)) {
            retry.accept(request.afterRefresh(now));
            return;
        }
        // A refusal is quick whatever the load of the node.
        if (!(reply instanceof Reply.Failed)) {
            hedging.answered(request, now);
        }
        request.deliver(reply, now);
    }

    /** A node that refuses a request for another one has done nothing. */
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
        // After the end of the request: it closes the connection, with which other requests end.
        if (isOther) {
            monitor.wrongNode(request.node(), actual);
        } else if (header.agreed() != null) {
            monitor.wrongIncarnation(request.node());
        }
    }

    /** Returns what a node is that has the name of the recipient and is not the recipient. */
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

    /** Logs an error of a handler, which nothing else reports. */
    static void logUndelivered(PendingRequest request, Throwable e) {
        LOG.error("an answer of {} could not be delivered", request.node().id(), e);
    }
}
