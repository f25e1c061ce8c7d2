package io.dht4j.core.internal.replica;

import io.dht4j.ErrorCode;
import io.dht4j.NodeId;
import io.dht4j.PrintableText;
import io.dht4j.core.internal.clock.HybridClock;
import io.dht4j.core.internal.membership.ViewRefresh;
import io.dht4j.core.internal.observation.Tracing;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.view.Epoch;
import io.dht4j.core.internal.view.NodeIdentity;
import io.dht4j.core.internal.wire.FrameException;
import io.dht4j.core.internal.wire.FrameHeader;
import io.dht4j.core.internal.wire.NodeIds;
import io.dht4j.core.internal.wire.OwnHeader;
import io.dht4j.core.internal.wire.RegisterReply;
import io.dht4j.core.internal.wire.RepairRequest;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.core.internal.wire.codec.FrameCodec;
import io.dht4j.core.internal.wire.codec.FrameCodec.Opened;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.FrameHandler;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers the frames of peers. The answer to any bytes is a frame; malformed ones get a numbered error. Does not block;
 * safe for use by any number of threads.
 */
public final class PeerEndpoint implements FrameHandler {

    private static final Logger LOG = LoggerFactory.getLogger(PeerEndpoint.class);

    private final Replica replica;
    private final OwnHeader own;
    private final NodeIds names;
    private final HybridClock clock;
    private final int maxFrameBytes;
    private final Predicate<String> callers;
    private final Complaints complaints;
    private final SlotHolders slots;
    private final ViewRefresh refresh;
    private final @Nullable Tracing tracing;

    /** The reason for refusing every request; empty while requests are served. */
    private volatile Optional<String> refusal = Optional.empty();

    /** Receives each request that is refused because of a misconfigured or unproven sender. */
    public interface Complaints {

        /**
         * A request named another node as its recipient.
         *
         * @param sender the sender
         * @param recipient the recipient that it named
         */
        void misdirected(NodeId sender, NodeId recipient);

        /**
         * A request came from a node with other settings than this node's.
         *
         * @param sender the sender
         * @param settings the fingerprint of its settings
         */
        void configuredOtherwise(NodeId sender, long settings);

        /**
         * A write came from a member without a store whose version slot another member holds.
         *
         * @param sender the sender
         * @param holder the holder of its slot
         */
        void sharesSlot(NodeId sender, NodeId holder);

        /**
         * A request named a sender that the certificate does not prove.
         *
         * @param sender the sender that it named
         * @param proven the names that the certificate proves
         */
        void impersonated(NodeId sender, Set<String> proven);
    }

    /**
     * Creates the endpoint of a replica.
     *
     * @param replica serves the requests
     * @param own creates the headers of this node's frames
     * @param names the expected names
     * @param clock observes the clocks of peers
     * @param maxFrameBytes the largest request that is decoded
     * @param callers decides which names proven by a certificate may call
     * @param complaints receives refused requests of misconfigured senders
     * @param slots the holders of version slots
     * @param refresh fetches newer views
     * @param tracing begins the spans of requests; null without a tracer
     */
    public PeerEndpoint(
            Replica replica,
            OwnHeader own,
            NodeIds names,
            HybridClock clock,
            int maxFrameBytes,
            Predicate<String> callers,
            Complaints complaints,
            SlotHolders slots,
            ViewRefresh refresh,
            @Nullable Tracing tracing) {
        this.replica = replica;
        this.own = own;
        this.names = names;
        this.clock = clock;
        this.maxFrameBytes = maxFrameBytes;
        this.callers = callers;
        this.complaints = complaints;
        this.slots = slots;
        this.refresh = refresh;
        this.tracing = tracing;
    }

    /**
     * Refuses every request as not serving from now on.
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
            return CompletableFuture.completedFuture(FrameCodec.encode(own.to(Optional.empty()), failed(e)));
        }
        FrameHeader peer = opened.header();
        Set<String> proven = context.callerNames();
        if (!proven.isEmpty() && !proven.contains(peer.sender().value())) {
            complaints.impersonated(peer.sender(), proven);
            return answer(
                    peer,
                    new Reply.Failed(
                            ErrorCode.PERMISSION_DENIED,
                            "the certificate names " + PrintableText.of(new TreeSet<>(proven))
                                    + ", and the frame says it is of " + peer.sender()));
        }
        if (FrameCodec.isAboutMembership(bytes)) {
            return answer(
                    peer,
                    new Reply.Failed(
                            ErrorCode.NOT_SERVING,
                            "node " + own.self() + " is started as one of a static cluster: start it with the options"
                                    + " of its membership, Membership.bootstrap or Membership.join"));
        }
        // First: a request for another node needs no further check.
        Optional<Reply> refused = refusal(peer);
        if (refused.isPresent()) {
            return answer(peer, refused.get());
        }
        if (bytes.length > maxFrameBytes) {
            return answer(
                    peer,
                    new Reply.Failed(
                            ErrorCode.FRAME_TOO_LARGE,
                            "a frame has at most " + maxFrameBytes + " bytes here, not " + bytes.length));
        }
        Request request;
        try {
            request = opened.request();
        } catch (FrameException e) {
            return answer(peer, failed(e));
        }
        Optional<Reply> taken = slotTaken(peer.sender(), request);
        if (taken.isPresent()) {
            return answer(peer, taken.get());
        }
        if (request instanceof RepairRequest.Watermarks watermarks
                && !watermarks.from().equals(peer.sender().value())) {
            return answer(
                    peer,
                    new Reply.Failed(
                            ErrorCode.BAD_REQUEST,
                            "a node reports its own purge watermarks only: " + peer.sender() + " cannot do so for "
                                    + watermarks.from()));
        }
        clock.observe(peer.clock());
        refresh.noticed(peer.epoch(), peer.sender());
        CompletableFuture<byte[]> answer = new CompletableFuture<>();
        // Not the header, which would live until the reply.
        NodeId sender = peer.sender();
        long epoch = peer.epoch();
        ServedSpans spans = ServedSpans.begin(tracing, sender, request, peer.trace());
        replica.serve(request, peer.rowVersion(), context, spans, reply -> {
            // First, since in a static cluster it does not examine replies.
            if (own.view().epoch() >= epoch || !isBehind(reply)) {
                complete(answer, sender, context, reply);
                return;
            }
            boolean waits = isBehindAsAWhole(reply);
            refresh.newerThan(epoch - 1, sender).whenComplete((newer, error) -> {
                if (error != null) {
                    LOG.debug("no view of epoch {} comes of {}", epoch, sender, error);
                }
                if (waits) {
                    complete(answer, sender, context, reply);
                }
            });
            if (!waits) {
                complete(answer, sender, context, reply);
            }
        });
        return answer;
    }

    /**
     * Returns whether every part of a reply shows that this node's view is older than the sender's. Such a reply waits
     * for a newer view, for a limited time: the sender repeats the request when it gets the reply. A batch with other
     * parts does not wait, since it would delay them; the repeated request has a frame of its own.
     */
    private static boolean isBehindAsAWhole(Reply reply) {
        return !(reply instanceof Reply.Batch batch) || batch.replies().stream().allMatch(PeerEndpoint::isBehind);
    }

    /** Returns whether a reply, or a part of it, shows that this node's view is older than the sender's. */
    private static boolean isBehind(Reply reply) {
        return reply instanceof Reply.Failed failed
                ? failed.code() == ErrorCode.TOPOLOGY_BEHIND
                : reply instanceof Reply.Batch batch && batch.replies().stream().anyMatch(PeerEndpoint::isBehind);
    }

    private void complete(CompletableFuture<byte[]> answer, NodeId sender, CallContext context, Reply reply) {
        try {
            long bytes = reply.valueBytes();
            // What an operation has changed stays changed without its reply.
            ErrorCode lost = reply instanceof RegisterReply.Outcome ? ErrorCode.NO_REPLY : ErrorCode.OVERLOADED;
            Reply given = bytes == 0 || context.hasRoomForReply(bytes)
                    ? reply
                    : new Reply.Failed(lost, "overloaded: too many bytes of replies wait for the network");
            answer.complete(FrameCodec.encode(own.to(Optional.of(sender)), given));
        } catch (RuntimeException | Error e) {
            // Without a completion the caller would wait for its timeout.
            answer.completeExceptionally(e);
        }
    }

    /** Returns the refusal of every request of a sender, if there is one. */
    private Optional<Reply> refusal(FrameHeader peer) {
        NodeId recipient = peer.recipient().orElseThrow();
        if (!recipient.equals(own.self())) {
            complaints.misdirected(peer.sender(), recipient);
            return Optional.of(
                    new Reply.Failed(ErrorCode.WRONG_RECIPIENT, "this is node " + own.self() + ", not " + recipient));
        }
        ClusterView view = own.view();
        FrameHeader.Agreed agreed = peer.agreed();
        NodeIdentity meant = agreed == null ? null : agreed.recipient();
        NodeIdentity mine = view.identity(own.self());
        if (meant != null && !meant.equals(mine)) {
            return Optional.of(new Reply.Failed(
                    ErrorCode.WRONG_RECIPIENT,
                    "this is node " + own.self() + " of " + (mine == null ? "no agreed cluster" : mine) + ", not of "
                            + meant));
        }
        Optional<Reply> outdated = outdated(peer, view);
        if (outdated.isPresent()) {
            return outdated;
        }
        Optional<String> stopped = refusal;
        if (stopped.isPresent()) {
            return Optional.of(new Reply.Failed(ErrorCode.NOT_SERVING, stopped.get()));
        }
        // In an agreed cluster each row is fenced separately, and the settings do not depend on the epoch.
        boolean isFenced = view.hasRowVersions();
        if (!isFenced && peer.epoch() < view.epoch()) {
            return Optional.of(new Reply.Failed(
                    ErrorCode.STALE_TOPOLOGY,
                    "the request's topology has epoch " + peer.epoch() + ", this node's has " + view.epoch()));
        }
        if ((isFenced || peer.epoch() == view.epoch()) && peer.settings() != own.fingerprint()) {
            complaints.configuredOtherwise(peer.sender(), peer.settings());
            return Optional.of(new Reply.OtherSettings(own.settings()));
        }
        return Optional.empty();
    }

    /**
     * Returns the refusal of a sender that was removed or replaced in this node's view. The sender then fetches a newer
     * view, and learns of its removal. A sender with a newer epoch is not refused, since it may have joined since.
     */
    private static Optional<Reply> outdated(FrameHeader peer, ClusterView view) {
        NodeIdentity identity = identity(peer);
        if (identity == null
                || !view.hasRowVersions()
                || peer.epoch() > view.epoch()
                || identity.equals(view.identity(peer.sender()))) {
            return Optional.empty();
        }
        return Optional.of(new Reply.Failed(
                ErrorCode.STALE_TOPOLOGY,
                "node " + peer.sender() + " of " + identity + " is no member any more as of epoch "
                        + Epoch.text(view.epoch())));
    }

    /** Returns the refusal of a sender's write, if another member issues the same versions. */
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

    private CompletionStage<byte[]> answer(FrameHeader peer, Reply reply) {
        return CompletableFuture.completedFuture(FrameCodec.encode(own.to(Optional.of(peer.sender())), reply));
    }

    private static @Nullable NodeIdentity identity(FrameHeader peer) {
        FrameHeader.Agreed agreed = peer.agreed();
        return agreed == null ? null : agreed.sender();
    }
}
