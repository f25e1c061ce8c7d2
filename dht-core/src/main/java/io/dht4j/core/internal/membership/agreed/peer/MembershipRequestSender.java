package io.dht4j.core.internal.membership.agreed.peer;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Version;
import io.dht4j.core.internal.membership.WrongAddresses;
import io.dht4j.core.internal.observation.Observations;
import io.dht4j.core.internal.observation.ObservedRequest;
import io.dht4j.core.internal.wire.FrameException;
import io.dht4j.core.internal.wire.FrameHeader;
import io.dht4j.core.internal.wire.MembershipReply;
import io.dht4j.core.internal.wire.MembershipRequest;
import io.dht4j.core.internal.wire.NodeIds;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.codec.FrameCodec;
import io.dht4j.core.internal.wire.codec.FrameCodec.Decoded;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Environment;
import io.dht4j.spi.Observer;
import io.dht4j.spi.Transport;
import io.dht4j.spi.TransportException;
import io.dht4j.spi.TransportException.Reason;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests about membership, each in a frame of its own. Does not block; safe for use by any number of threads.
 */
public final class MembershipRequestSender {

    public static final Duration TIMEOUT = Duration.ofSeconds(2);

    private static final NodeIds NO_NAMES = new NodeIds(List.of());
    /** The error codes of a node that has the name of a member but is not one. With TLS it denies permission. */
    private static final Set<ErrorCode> OF_STRANGERS =
            Set.of(ErrorCode.WRONG_RECIPIENT, ErrorCode.PLACEMENT_MISMATCH, ErrorCode.PERMISSION_DENIED);

    private final NodeId self;
    private final Transport transport;
    private final Environment environment;
    private final LongSupplier epoch;
    private final Supplier<Optional<UUID>> cluster;
    private final Observations observations;
    private final PeerSilence silence;
    private final ForeignNodes foreign;
    private final WrongAddresses wrongAddresses;
    /** Whether any node has sent a frame. */
    private volatile boolean heard;
    /** Whether a call has failed although a process may listen at the address. */
    private volatile boolean unheard;

    /**
     * Creates a client.
     *
     * @param self the name of this node
     * @param transport a transport that is started before the first request
     * @param environment clocks
     * @param epoch returns the epoch of this node's state
     * @param cluster returns the cluster of this node; empty until it belongs to one
     * @param observations receives the end of each request
     */
    public MembershipRequestSender(
            NodeId self,
            Transport transport,
            Environment environment,
            LongSupplier epoch,
            Supplier<Optional<UUID>> cluster,
            Observations observations) {
        this.observations = observations;
        this.self = self;
        this.transport = transport;
        this.environment = environment;
        this.epoch = epoch;
        this.cluster = cluster;
        this.silence = new PeerSilence(environment::nanoTime);
        this.foreign = new ForeignNodes(self);
        this.wrongAddresses = new WrongAddresses(transport, environment::nanoTime);
    }

    /** Returns the silences of other nodes. */
    public PeerSilence silence() {
        return silence;
    }

    /** Returns the nodes of other clusters at the addresses of members. */
    public ForeignNodes foreign() {
        return foreign;
    }

    /** Returns the header of a frame. */
    FrameHeader header(Optional<NodeId> recipient) {
        return new FrameHeader(self, recipient, 0, epoch.getAsLong(), new Version(0), environment.currentTimeMillis());
    }

    /** Returns a context of the usual time limit. */
    public CallContext context(Duration timeout) {
        return new CallContext(environment::nanoTime, timeout.toNanos());
    }

    /**
     * Sends a request.
     *
     * @param node the recipient
     * @param request the request
     * @param type the type of its reply
     * @param <T> the type of its reply
     * @return the reply; fails with a {@link DhtException} that names the node if it has refused the request, has not
     *     received it ({@link ErrorCode#NOT_SENT}), or has not answered in time ({@link ErrorCode#NO_REPLY})
     */
    public <T extends MembershipReply> CompletableFuture<T> ask(Node node, MembershipRequest request, Class<T> type) {
        return ask(node, request, type, TIMEOUT);
    }

    /**
     * Sends a request whose reply may take longer.
     *
     * @param timeout the time for the reply
     * @return as {@link #ask(Node, MembershipRequest, Class)}
     */
    public <T extends MembershipReply> CompletableFuture<T> ask(
            Node node, MembershipRequest request, Class<T> type, Duration timeout) {
        CompletableFuture<T> result = new CompletableFuture<>();
        ObservedRequest observed = observations.begin(node, false, Observer.Request.MEMBERSHIP, null);
        try {
            transport
                    .call(node, FrameCodec.encode(header(Optional.of(node.id())), request), context(timeout))
                    .whenComplete((bytes, error) -> {
                        try {
                            T answer = type.cast(answer(node, request, bytes, error));
                            report(observed, null);
                            result.complete(answer);
                        } catch (RuntimeException | Error e) {
                            report(observed, e);
                            result.completeExceptionally(e);
                        }
                    });
        } catch (RuntimeException | Error e) {
            // The transport throws against its contract: the waiting caller needs an answer.
            report(observed, e);
            result.completeExceptionally(e);
        }
        return result;
    }

    private static void report(@Nullable ObservedRequest observed, @Nullable Throwable error) {
        if (observed != null) {
            observed.ended(Observer.Outcome.of(error));
        }
    }

    /** Returns the reply, or throws the failure of the call. */
    private Reply answer(Node node, MembershipRequest request, byte[] bytes, @Nullable Throwable error) {
        if (error == null) {
            return reply(node, request, bytes);
        }
        silence.failed(node.id());
        foreign.gone(node.id());
        Throwable cause = DhtException.unwrap(error);
        throw DhtException.of(isNotSent(cause) ? ErrorCode.NOT_SENT : ErrorCode.NO_REPLY, unanswered(node, cause));
    }

    private static boolean isNotSent(Throwable error) {
        return error instanceof TransportException failure && failure.outcome() == TransportException.Outcome.NOT_SENT;
    }

    private String unanswered(Node node, Throwable failure) {
        boolean isRefused = failure instanceof TransportException known && known.reason() == Reason.REFUSED;
        if (!isRefused) {
            unheard = true;
        }
        return node.id() + " at " + node.address() + " does not answer: " + message(failure)
                + (isRefused || heard ? "" : "; if it runs, does it use another Transport?");
    }

    /** Returns whether any node has answered. */
    public boolean hears() {
        return heard;
    }

    /** Returns whether processes may listen at the addresses of other nodes but no node has sent a frame. */
    public boolean hearsNoFrames() {
        return unheard && !heard;
    }

    private Reply reply(Node node, MembershipRequest request, byte[] bytes) {
        Decoded<Reply> decoded;
        try {
            decoded = FrameCodec.decodeReply(bytes, request, NO_NAMES);
        } catch (FrameException e) {
            silence.failed(node.id());
            throw DhtException.of(e.code(), node.id() + " sends an answer that cannot be read: " + message(e));
        }
        heard = true;
        if (!decoded.header().sender().equals(node.id())) {
            silence.failed(node.id());
            wrongAddresses.answeredByOther(node);
            throw DhtException.of(
                    ErrorCode.WRONG_RECIPIENT,
                    "the node at " + node.address() + " is " + decoded.header().sender() + ", not " + node.id()
                            + ": correct the addresses, if that lasts");
        }
        if (isOfMember(decoded.message())) {
            silence.answered(node.id());
            foreign.gone(node.id());
        } else {
            silence.failed(node.id());
        }
        if (decoded.message() instanceof Reply.Failed failed) {
            if (failed.code() == ErrorCode.PLACEMENT_MISMATCH) {
                askForCluster(node);
            }
            throw DhtException.of(failed.code(), failed.message());
        }
        if (decoded.message() instanceof Reply.OtherSettings) {
            throw DhtException.of(ErrorCode.PLACEMENT_MISMATCH, node.id() + " has other settings");
        }
        return decoded.message();
    }

    /** Asks whether a node that is no member here belongs to another cluster. */
    private void askForCluster(Node node) {
        Optional<UUID> own = cluster.get();
        if (own.isPresent() && foreign.begin(node.id())) {
            clusterOf(node).whenComplete((theirs, error) -> {
                foreign.end(node.id());
                if (error == null && theirs.isPresent() && !theirs.equals(own)) {
                    foreign.answered(node, theirs.get(), own.get());
                    wrongAddresses.answeredByOther(node);
                }
            });
        }
    }

    /** Asks a node for the cluster to which it belongs; empty if it belongs to none yet. */
    public CompletableFuture<Optional<UUID>> clusterOf(Node node) {
        return ask(
                        node,
                        new MembershipRequest.State(Optional.empty(), Long.MAX_VALUE, 0, 0),
                        MembershipReply.StatePart.class)
                .thenApply(MembershipReply.StatePart::cluster);
    }

    /** Returns whether an answer can be that of a member, not of a node with its name and another data directory. */
    private boolean isOfMember(Reply reply) {
        if (reply instanceof Reply.Failed failed) {
            return !OF_STRANGERS.contains(failed.code());
        }
        if (!(reply instanceof MembershipReply.StatePart part)) {
            return true;
        }
        Optional<UUID> own = cluster.get();
        return part.cluster().isPresent() && (own.isEmpty() || own.equals(part.cluster()));
    }

    public static String message(Throwable error) {
        return error.getMessage() == null ? error.toString() : error.getMessage();
    }
}
