package io.dht4j.core.internal.coordinator;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.core.internal.clock.HybridClock;
import io.dht4j.core.internal.replica.Replica;
import io.dht4j.core.internal.wire.FrameCodec;
import io.dht4j.core.internal.wire.FrameCodec.Frame;
import io.dht4j.core.internal.wire.FrameException;
import io.dht4j.core.internal.wire.FrameHeader;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Transport;
import io.dht4j.spi.TransportException;
import io.dht4j.spi.TransportException.Outcome;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks replicas: the local one by a plain call, the others through the transport. A request whose connection broke is sent
 * once more, which is safe because requests are idempotent; so a peer that restarted is used by the next request even
 * before its old connections are known to be dead. Does not block; safe for use by any number of threads.
 */
final class Peers {

    private static final Logger LOG = LoggerFactory.getLogger(Peers.class);

    private final NodeId self;
    private final Replica replica;
    private final Transport transport;
    private final Supplier<FrameHeader> header;
    private final HybridClock clock;

    Peers(NodeId self, Replica replica, Transport transport, Supplier<FrameHeader> header, HybridClock clock) {
        this.self = self;
        this.replica = replica;
        this.transport = transport;
        this.header = header;
        this.clock = clock;
    }

    /** A request on its way to several replicas: encoded once, and not at all if only the local one is asked. */
    final class Outgoing {

        private final Request request;
        private volatile byte @Nullable [] frame;

        private Outgoing(Request request) {
            this.request = request;
        }

        private byte[] frame() {
            byte[] encoded = frame;
            if (encoded == null) {
                encoded = FrameCodec.encode(header.get(), request);
                frame = encoded;
            }
            return encoded;
        }
    }

    Outgoing outgoing(Request request) {
        return new Outgoing(request);
    }

    boolean isSelf(Node node) {
        return node.id().equals(self);
    }

    void ask(Node node, Outgoing outgoing, CallContext context, ReplyHandler handler) {
        if (isSelf(node)) {
            replica.serve(outgoing.request, context, reply -> deliver(node, reply, handler, true));
        } else {
            send(node, outgoing, context, handler, true);
        }
    }

    private void send(Node node, Outgoing outgoing, CallContext context, ReplyHandler handler, boolean mayRepeat) {
        CompletionStage<byte[]> answer;
        try {
            answer = transport.call(node, outgoing.frame(), context);
        } catch (RuntimeException e) {
            // Against its contract; a throwing plug-in must not leave a caller without an answer.
            LOG.error("transport {} threw", transport.name(), e);
            handler.failed(new PeerFailure(node.id(), false, ErrorCode.INTERNAL, "the transport threw " + e));
            return;
        }
        answer.whenComplete((frame, error) -> {
            if (error == null) {
                receive(node, outgoing, frame, handler, mayRepeat);
                return;
            }
            Throwable cause = DhtException.unwrap(error);
            boolean notSent = cause instanceof TransportException e && e.outcome() == Outcome.NOT_SENT;
            if (!notSent && mayRepeat && !context.isCancelled() && !context.isExpired()) {
                send(node, outgoing, context, handler, false);
                return;
            }
            if (!(cause instanceof TransportException)) {
                LOG.warn("call to {} failed in an unexpected way", node.id(), cause);
            }
            ErrorCode code = notSent ? ErrorCode.NOT_SENT : ErrorCode.INTERNAL;
            String message = cause.getMessage() == null ? cause.toString() : cause.getMessage();
            // If it was sent twice, the first time may have reached the node.
            handler.failed(new PeerFailure(node.id(), notSent && mayRepeat, code, message));
        });
    }

    private void receive(Node node, Outgoing outgoing, byte[] bytes, ReplyHandler handler, boolean sentOnce) {
        Frame<Reply> frame;
        try {
            frame = FrameCodec.decodeReply(bytes, outgoing.request);
        } catch (FrameException e) {
            LOG.warn("{} sent a bad reply: {}", node.id(), e.getMessage());
            handler.failed(new PeerFailure(node.id(), false, e.code(), String.valueOf(e.getMessage())));
            return;
        } catch (RuntimeException e) {
            LOG.error("reply of {} cannot be read", node.id(), e);
            handler.failed(new PeerFailure(node.id(), false, ErrorCode.INTERNAL, "its reply cannot be read: " + e));
            return;
        }
        clock.observe(frame.header().clock());
        deliver(node, frame.message(), handler, sentOnce);
    }

    private static void deliver(Node node, Reply reply, ReplyHandler handler, boolean sentOnce) {
        if (reply instanceof Reply.Failed failed) {
            // A store that failed may have kept a part, an unknown error may mean anything, and a refusal of the second
            // try says nothing about the first.
            boolean nothingDone =
                    sentOnce && failed.code() != ErrorCode.STORE_FAILED && failed.code() != ErrorCode.INTERNAL;
            handler.failed(new PeerFailure(node.id(), nothingDone, failed.code(), failed.message()));
        } else {
            handler.replied(reply);
        }
    }
}
