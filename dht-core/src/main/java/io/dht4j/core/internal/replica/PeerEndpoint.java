package io.dht4j.core.internal.replica;

import io.dht4j.ErrorCode;
import io.dht4j.NodeId;
import io.dht4j.PrintableText;
import io.dht4j.core.internal.clock.HybridClock;
import io.dht4j.core.internal.wire.FrameCodec;
import io.dht4j.core.internal.wire.FrameCodec.Opened;
import io.dht4j.core.internal.wire.FrameException;
import io.dht4j.core.internal.wire.FrameHeader;
import io.dht4j.core.internal.wire.NodeIds;
import io.dht4j.core.internal.wire.OwnHeader;
import io.dht4j.core.internal.wire.RepairRequest;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.FrameHandler;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;

/**
 * Answers the frames of peers. Whatever the bytes are, the answer is a frame: bad ones get a numbered error. Does not
 * block; safe for use by any number of threads.
 */
public final class PeerEndpoint implements FrameHandler {

    private final Replica replica;
    private final OwnHeader own;
    private final NodeIds names;
    private final HybridClock clock;
    private final int maxFrameBytes;
    private final Predicate<String> callers;
    private final Complaints complaints;
    private final SlotHolders slots;

    /** Why every request is refused; empty while requests are served. */
    private volatile Optional<String> refusal = Optional.empty();

    /** Told of requests that are refused since the sender is wrong about this node, with each of them. */
    public interface Complaints {

        /**
         * A request was for another node.
         *
         * @param sender who sent it here
         * @param recipient whom it was for
         */
        void misdirected(NodeId sender, NodeId recipient);

        /**
         * A request came from a node whose settings are not this node's.
         *
         * @param sender who sent it
         * @param settings the fingerprint of its settings
         */
        void configuredOtherwise(NodeId sender, long settings);

        /**
         * A write came from a member without a store whose version slot another one holds.
         *
         * @param sender who sent it
         * @param holder who holds its slot
         */
        void sharesSlot(NodeId sender, NodeId holder);

        /**
         * A request came in somebody else's name.
         *
         * @param sender the name that it bears
         * @param proven the names that the certificate proves of who sent it
         */
        void impersonated(NodeId sender, Set<String> proven);
    }

    /**
     * An endpoint before a replica.
     *
     * @param replica serves the requests
     * @param own makes the headers of this node's frames
     * @param names the names that are expected
     * @param clock takes note of the peers' clocks
     * @param maxFrameBytes the largest request that is decoded
     * @param callers tells who may call, by the name that a certificate proves
     * @param complaints told of those who are wrong about this node
     * @param slots who gives which versions
     */
    public PeerEndpoint(
            Replica replica,
            OwnHeader own,
            NodeIds names,
            HybridClock clock,
            int maxFrameBytes,
            Predicate<String> callers,
            Complaints complaints,
            SlotHolders slots) {
        this.replica = replica;
        this.own = own;
        this.names = names;
        this.clock = clock;
        this.maxFrameBytes = maxFrameBytes;
        this.callers = callers;
        this.complaints = complaints;
        this.slots = slots;
    }

    /**
     * From now on every request is refused as not serving.
     *
     * @param why one line for people
     */
    public void stop(String why) {
        refusal = Optional.of(why);
    }

    @Override
    public Optional<NodeId> self() {
        return Optional.of(own.self());
    }

    @Override
    public boolean mayCall(String name) {
        return callers.test(name);
    }

    @Override
    public CompletionStage<byte[]> handle(byte[] bytes, CallContext context) {
        Opened opened;
        try {
            opened = FrameCodec.open(bytes, names);
        } catch (FrameException e) {
            return answer(Optional.empty(), failed(e));
        }
        FrameHeader peer = opened.header();
        Optional<NodeId> sender = Optional.of(peer.sender());
        Set<String> proven = context.callerNames();
        if (!proven.isEmpty() && !proven.contains(peer.sender().value())) {
            complaints.impersonated(peer.sender(), proven);
            return answer(
                    sender,
                    new Reply.Failed(
                            ErrorCode.PERMISSION_DENIED,
                            "the certificate names " + PrintableText.of(new TreeSet<>(proven))
                                    + ", and the frame says it is of " + peer.sender()));
        }
        // First of all: nothing that is meant for somebody else is anybody's business here.
        Optional<Reply> refused = refusal(peer);
        if (refused.isPresent()) {
            return answer(sender, refused.get());
        }
        if (bytes.length > maxFrameBytes) {
            return answer(
                    sender,
                    new Reply.Failed(
                            ErrorCode.FRAME_TOO_LARGE,
                            "a frame has at most " + maxFrameBytes + " bytes here, not " + bytes.length));
        }
        Request request;
        try {
            request = opened.request();
        } catch (FrameException e) {
            return answer(sender, failed(e));
        }
        Optional<Reply> taken = slotTaken(peer.sender(), request);
        if (taken.isPresent()) {
            return answer(sender, taken.get());
        }
        if (request instanceof RepairRequest.Purged told
                && !told.from().equals(peer.sender().value())) {
            return answer(
                    sender,
                    new Reply.Failed(
                            ErrorCode.BAD_REQUEST,
                            "a node tells how far it has purged by itself: " + peer.sender() + " cannot do so for "
                                    + told.from()));
        }
        clock.observe(peer.clock());
        CompletableFuture<byte[]> answer = new CompletableFuture<>();
        replica.serve(request, context, reply -> complete(answer, sender, context, reply));
        return answer;
    }

    private void complete(CompletableFuture<byte[]> answer, Optional<NodeId> sender, CallContext context, Reply reply) {
        try {
            long bytes = reply.valueBytes();
            Reply given = bytes == 0 || context.hasRoomForReply(bytes)
                    ? reply
                    : new Reply.Failed(
                            ErrorCode.OVERLOADED, "overloaded: too many bytes of replies wait for the network");
            answer.complete(FrameCodec.encode(own.to(sender), given));
        } catch (RuntimeException | Error e) {
            // Without it whoever asked would wait for nothing.
            answer.completeExceptionally(e);
        }
    }

    /** Why nothing of this sender is carried out, if so. */
    private Optional<Reply> refusal(FrameHeader peer) {
        NodeId recipient = peer.recipient().orElseThrow();
        if (!recipient.equals(own.self())) {
            complaints.misdirected(peer.sender(), recipient);
            return Optional.of(
                    new Reply.Failed(ErrorCode.WRONG_RECIPIENT, "this is node " + own.self() + ", not " + recipient));
        }
        Optional<String> stopped = refusal;
        if (stopped.isPresent()) {
            return Optional.of(new Reply.Failed(ErrorCode.NOT_SERVING, stopped.get()));
        }
        if (peer.epoch() < own.epoch()) {
            return Optional.of(new Reply.Failed(
                    ErrorCode.STALE_TOPOLOGY,
                    "the request's topology has epoch " + peer.epoch() + ", this node's has " + own.epoch()));
        }
        if (peer.epoch() == own.epoch() && peer.settings() != own.fingerprint()) {
            complaints.configuredOtherwise(peer.sender(), peer.settings());
            return Optional.of(new Reply.OtherSettings(own.settings()));
        }
        return Optional.empty();
    }

    /** Why what a sender writes is not carried out, if so: another one gives the same versions. */
    private Optional<Reply> slotTaken(NodeId sender, Request request) {
        Optional<NodeId> holder = slots.otherHolder(sender);
        if (holder.isEmpty() || !writes(request)) {
            return Optional.empty();
        }
        complaints.sharesSlot(sender, holder.get());
        return Optional.of(new Reply.Failed(
                ErrorCode.VERSION_SLOT_TAKEN,
                "members " + holder.get() + " and " + sender
                        + " have one version slot, which their names decide: rename one of them"));
    }

    private static boolean writes(Request request) {
        return request instanceof Request.ApplyEntries
                || (request instanceof Request.Batch batch
                        && batch.parts().stream().anyMatch(part -> part.request() instanceof Request.ApplyEntries));
    }

    private static Reply failed(FrameException e) {
        return new Reply.Failed(e.code(), String.valueOf(e.getMessage()));
    }

    private CompletionStage<byte[]> answer(Optional<NodeId> sender, Reply reply) {
        return CompletableFuture.completedFuture(FrameCodec.encode(own.to(sender), reply));
    }
}
