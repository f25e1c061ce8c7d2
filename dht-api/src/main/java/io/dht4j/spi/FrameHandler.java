package io.dht4j.spi;

import io.dht4j.NodeId;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** Answers the frames that a transport receives. Safe for use by any number of threads. */
@FunctionalInterface
public interface FrameHandler {

    /**
     * Handles a request. Does not block. If the method throws or its stage fails, the transport answers the caller with
     * a failure of unknown outcome and continues.
     *
     * @param request the frame as received: untrusted bytes
     * @param context the remaining time and the cancellation of the call, and the names in the caller's certificate if
     *     the transport authenticates its peers
     * @return a stage that completes with the reply, on any thread
     */
    CompletionStage<byte[]> handle(byte[] request, CallContext context);

    /**
     * Returns whether the bearer of an authenticated name may send frames. Transports that authenticate their peers
     * call this before the first frame of a connection; other transports never do. Does not block.
     *
     * @param name a name from the peer's certificate
     * @return true by default; a node returns true for the other nodes of its topology and for its trusted members
     */
    default boolean mayCall(String name) {
        return true;
    }

    /**
     * Returns the name of the local node. Transports that present a certificate call this at their start, to refuse the
     * certificate of another node as a replacement. Does not block.
     *
     * @return empty by default; a node returns its name
     */
    default Optional<NodeId> self() {
        return Optional.empty();
    }
}
