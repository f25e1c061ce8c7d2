package io.dht4j.core.internal.membership.agreed.peer;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.NodeId;
import io.dht4j.PrintableText;
import io.dht4j.core.internal.membership.Remedies;
import io.dht4j.core.internal.wire.FrameException;
import io.dht4j.core.internal.wire.MembershipRequest;
import io.dht4j.core.internal.wire.NodeIds;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.core.internal.wire.codec.FrameCodec;
import io.dht4j.core.internal.wire.codec.FrameCodec.Opened;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.FrameHandler;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Receives the frames of a node: serves those about membership, also before the node belongs to a cluster, and passes
 * all others to the node once it serves. Does not block; safe for use by any number of threads.
 */
public final class MembershipEndpoint implements FrameHandler {

    private static final NodeIds NO_NAMES = new NodeIds(List.of());

    private final NodeId self;
    private final MembershipRequestSender frames;
    private final Service service;
    private volatile @Nullable FrameHandler node;

    /** Serves requests about membership. */
    public interface Service {

        /**
         * Serves a request. Does not block.
         *
         * @param sender the sender, whose name its certificate proves if the transport authenticates peers
         * @param request the request
         * @param context the deadline
         * @return the reply; a {@link DhtException} becomes a refusal
         */
        CompletionStage<? extends Reply> serve(NodeId sender, MembershipRequest request, CallContext context);

        /** Returns whether the bearer of a name may send requests about membership. */
        boolean mayCall(String name);

        /** Returns whether the bearer of a name may send requests for the state, to learn that it was removed. */
        boolean wasRemoved(String name);

        /** Returns whether nodes of unknown names may send requests for admission; they may send no others. */
        boolean admitsStrangers();

        /** Returns why the node does not serve yet, one line for people. */
        String waiting();
    }

    /**
     * Creates the endpoint of a node that does not serve yet.
     *
     * @param self the name of the node
     * @param frames creates the headers of replies
     * @param service serves requests about membership
     */
    public MembershipEndpoint(NodeId self, MembershipRequestSender frames, Service service) {
        this.self = self;
        this.frames = frames;
        this.service = service;
    }

    /** Passes other requests to the node from now on. */
    void serves(FrameHandler handler) {
        node = handler;
    }

    @Override
    public Optional<NodeId> self() {
        return Optional.of(self);
    }

    @Override
    public boolean mayCall(String name) {
        return service.admitsStrangers() || isKnown(name) || service.wasRemoved(name);
    }

    private boolean isKnown(String name) {
        FrameHandler handler = node;
        return (handler != null && handler.mayCall(name)) || service.mayCall(name);
    }

    /** Returns whether a certificate proves no name that may call, so that its bearer may send few requests. */
    private boolean isStranger(Set<String> proven) {
        FrameHandler handler = node;
        // Nodes first: a certificate may name hosts, too, and the search for members is linear.
        return !proven.isEmpty()
                && (handler == null || proven.stream().noneMatch(handler::mayCall))
                && proven.stream().noneMatch(service::mayCall);
    }

    private boolean mayAsk(Request request, Set<String> stranger) {
        return (request instanceof MembershipRequest.Admit && service.admitsStrangers())
                || (request instanceof MembershipRequest.State
                        && stranger.stream().anyMatch(service::wasRemoved));
    }

    @Override
    public CompletionStage<byte[]> handle(byte[] frame, CallContext context) {
        FrameHandler handler = node;
        Set<String> proven = context.callerNames();
        boolean stranger = isStranger(proven);
        if (handler != null && !stranger && !FrameCodec.isAboutMembership(frame)) {
            return handler.handle(frame, context);
        }
        Opened opened;
        try {
            opened = FrameCodec.open(frame, NO_NAMES);
        } catch (FrameException e) {
            return answer(Optional.empty(), new Reply.Failed(e.code(), MembershipRequestSender.message(e)));
        }
        NodeId sender = opened.header().sender();
        NodeId recipient = opened.header().recipient().orElseThrow();
        if (!proven.isEmpty() && !proven.contains(sender.value())) {
            return refuse(
                    sender,
                    ErrorCode.PERMISSION_DENIED,
                    "the certificate names " + PrintableText.of(new TreeSet<>(proven))
                            + ", and the frame says it is of " + sender);
        }
        if (!recipient.equals(self)) {
            return refuse(sender, ErrorCode.WRONG_RECIPIENT, "this is node " + self + ", not " + recipient);
        }
        if (!FrameCodec.isAboutMembership(frame)) {
            return stranger
                    ? deny(sender)
                    : refuse(
                            sender,
                            ErrorCode.NOT_SERVING,
                            "node " + self + " does not serve yet: " + service.waiting());
        }
        if (frame.length > FrameCodec.FRAME_OVERHEAD) {
            return refuse(
                    sender,
                    ErrorCode.FRAME_TOO_LARGE,
                    "such a frame has at most " + FrameCodec.FRAME_OVERHEAD + " bytes, not " + frame.length);
        }
        Request request;
        try {
            request = opened.request();
        } catch (FrameException e) {
            return refuse(sender, e.code(), MembershipRequestSender.message(e));
        }
        if (stranger && !mayAsk(request, proven)) {
            return deny(sender);
        }
        return service.serve(sender, (MembershipRequest) request, context)
                .handle((reply, error) ->
                        FrameCodec.encode(frames.header(Optional.of(sender)), error == null ? reply : failed(error)));
    }

    private static Reply failed(Throwable error) {
        Throwable cause = DhtException.unwrap(error);
        return new Reply.Failed(
                cause instanceof DhtException known ? known.code() : ErrorCode.INTERNAL,
                cause instanceof DhtException ? MembershipRequestSender.message(cause) : "internal error: " + cause);
    }

    private CompletionStage<byte[]> deny(NodeId stranger) {
        return refuse(
                stranger,
                ErrorCode.PERMISSION_DENIED,
                "the cluster knows no node " + stranger + ": " + Remedies.add(stranger));
    }

    private CompletionStage<byte[]> refuse(NodeId sender, ErrorCode code, String message) {
        return answer(Optional.of(sender), new Reply.Failed(code, message));
    }

    private CompletionStage<byte[]> answer(Optional<NodeId> sender, Reply reply) {
        return CompletableFuture.completedFuture(FrameCodec.encode(frames.header(sender), reply));
    }
}
