package io.dht4j.core.internal.replica;

import io.dht4j.ErrorCode;
import io.dht4j.core.internal.clock.HybridClock;
import io.dht4j.core.internal.wire.FrameCodec;
import io.dht4j.core.internal.wire.FrameCodec.Frame;
import io.dht4j.core.internal.wire.FrameException;
import io.dht4j.core.internal.wire.FrameHeader;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.FrameHandler;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers the frames of peers. Whatever the bytes are, the answer is a frame: bad ones get a numbered error. Does not
 * block; safe for use by any number of threads.
 */
public final class PeerEndpoint implements FrameHandler {

    private static final Logger LOG = LoggerFactory.getLogger(PeerEndpoint.class);

    private final Replica replica;
    private final Supplier<FrameHeader> self;
    private final HybridClock clock;
    private final int maxFrameBytes;
    /** The last fingerprint that was refused, so that each is logged once and not with every request. */
    private final AtomicLong lastMismatch = new AtomicLong();

    private final Predicate<String> callers;

    /** Why every request is refused; empty while requests are served. */
    private volatile Optional<String> refusal = Optional.empty();

    /**
     * An endpoint before a replica.
     *
     * @param replica serves the requests
     * @param self what this node's frames say of it
     * @param clock takes note of the peers' clocks
     * @param maxFrameBytes the largest request that is decoded
     * @param callers tells who may call, by the name that a certificate proves
     */
    public PeerEndpoint(
            Replica replica,
            Supplier<FrameHeader> self,
            HybridClock clock,
            int maxFrameBytes,
            Predicate<String> callers) {
        this.replica = replica;
        this.self = self;
        this.clock = clock;
        this.maxFrameBytes = maxFrameBytes;
        this.callers = callers;
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
    public boolean mayCall(String name) {
        return callers.test(name);
    }

    @Override
    public CompletionStage<byte[]> handle(byte[] bytes, CallContext context) {
        CompletableFuture<byte[]> answer = new CompletableFuture<>();
        Frame<Request> frame;
        try {
            if (bytes.length > maxFrameBytes) {
                return refuse(
                        answer,
                        ErrorCode.FRAME_TOO_LARGE,
                        "a frame has at most " + maxFrameBytes + " bytes here, not " + bytes.length);
            }
            frame = FrameCodec.decodeRequest(bytes);
        } catch (FrameException e) {
            return refuse(answer, e.code(), String.valueOf(e.getMessage()));
        }
        FrameHeader own = self.get();
        FrameHeader peer = frame.header();
        Optional<String> stopped = refusal;
        if (stopped.isPresent()) {
            return refuse(answer, ErrorCode.NOT_SERVING, stopped.get());
        }
        if (peer.epoch() < own.epoch()) {
            return refuse(
                    answer,
                    ErrorCode.STALE_TOPOLOGY,
                    "the request's topology has epoch " + peer.epoch() + ", this node's has " + own.epoch());
        }
        if (peer.epoch() == own.epoch() && peer.placement() != own.placement()) {
            if (lastMismatch.getAndSet(peer.placement()) != peer.placement()) {
                LOG.warn(
                        "refused a peer that places keys differently: peers, partitions, placement and hash must be the"
                                + " same on each node");
            }
            return refuse(
                    answer,
                    ErrorCode.PLACEMENT_MISMATCH,
                    "the nodes place keys differently: peers, partitions, placement and hash must be the same on each");
        }
        clock.observe(peer.clock());
        replica.serve(frame.message(), context, reply -> answer.complete(FrameCodec.encode(self.get(), reply)));
        return answer;
    }

    private CompletionStage<byte[]> refuse(CompletableFuture<byte[]> answer, ErrorCode code, String message) {
        answer.complete(FrameCodec.encode(self.get(), new Reply.Failed(code, message)));
        return answer;
    }
}
