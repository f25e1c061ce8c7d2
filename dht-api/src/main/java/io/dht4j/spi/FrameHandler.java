package io.dht4j.spi;

import io.dht4j.NodeId;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** Answers the frames that a transport receives. Safe for use by any number of threads. */
@FunctionalInterface
public interface FrameHandler {

    /**
     * Handles a request. Does not block. If it throws or its stage fails, the transport answers the caller with a
     * failure of unknown outcome and goes on.
     *
     * @param request the frame as received: untrusted bytes
     * @param context the time that the caller left for the reply, whether it has lost interest, and the names that its
     *     certificate proves, if the transport authenticates its peers
     * @return completes with the reply, on any thread
     */
    CompletionStage<byte[]> handle(byte[] request, CallContext context);

    /**
     * Whether someone who has proved to bear a name may send frames. Transports that authenticate their peers ask
     * before they hand on a connection's first frame; others never do. Does not block.
     *
     * @param name a name from the peer's certificate
     * @return true by default; a node says true to the other nodes of its topology and to the members it was told to
     *     trust
     */
    default boolean mayCall(String name) {
        return true;
    }

    /**
     * Whose frames these are. Transports that authenticate themselves ask when they start, so that the certificate of
     * another node never takes the place of this one's. Does not block.
     *
     * @return empty by default; a node answers with its own name
     */
    default Optional<NodeId> self() {
        return Optional.empty();
    }
}
