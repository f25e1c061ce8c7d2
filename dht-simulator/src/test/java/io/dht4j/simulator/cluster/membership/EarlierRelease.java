package io.dht4j.simulator.cluster.membership;

import io.dht4j.ErrorCode;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.core.internal.wire.FrameException;
import io.dht4j.core.internal.wire.FrameHeader;
import io.dht4j.core.internal.wire.MembershipRequest;
import io.dht4j.core.internal.wire.NodeIds;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.core.internal.wire.codec.FrameCodec;
import io.dht4j.core.internal.wire.codec.FrameCodec.Decoded;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.FrameHandler;
import io.dht4j.spi.Transport;
import io.dht4j.testkit.network.ForwardingTransport;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The transport of a node that knows neither silent members nor optional features, as 0.1.0 does not. */
final class EarlierRelease extends ForwardingTransport {

    private static final int FEATURES = 13;
    private static final List<NodeId> NODES =
            FormedCluster.list(0, 1, 2, 3, 4).stream().map(Node::id).toList();

    EarlierRelease(Transport wire) {
        super(wire);
    }

    @Override
    public CompletionStage<Void> start(FrameHandler handler) {
        return super.start(new FrameHandler() {
            @Override
            public CompletionStage<byte[]> handle(byte[] frame, CallContext context) {
                return refusal(handler, frame)
                        .<CompletionStage<byte[]>>map(CompletableFuture::completedFuture)
                        .orElseGet(() -> handler.handle(frame, context));
            }

            @Override
            public Optional<NodeId> self() {
                return handler.self();
            }

            @Override
            public boolean mayCall(String name) {
                return handler.mayCall(name);
            }
        });
    }

    private static Optional<byte[]> refusal(FrameHandler handler, byte[] frame) {
        if (!FrameCodec.isAboutMembership(frame) && frame[1] != FEATURES) {
            return Optional.empty();
        }
        try {
            Decoded<Request> decoded = FrameCodec.decodeRequest(frame, new NodeIds(NODES));
            if (!(decoded.message() instanceof MembershipRequest.Silence)
                    && !(decoded.message() instanceof Request.Features)) {
                return Optional.empty();
            }
            FrameHeader asked = decoded.header();
            FrameHeader header = new FrameHeader(
                    handler.self().orElseThrow(),
                    Optional.of(asked.sender()),
                    asked.settings(),
                    asked.epoch(),
                    asked.clock(),
                    asked.wallMillis(),
                    asked.agreed() == null
                            ? null
                            : new FrameHeader.Agreed(asked.agreed().recipient(), null, 0));
            return Optional.of(FrameCodec.encode(
                    header, new Reply.Failed(ErrorCode.MALFORMED_FRAME, "malformed frame: 24 bytes behind its end")));
        } catch (FrameException e) {
            throw new AssertionError(e);
        }
    }
}
