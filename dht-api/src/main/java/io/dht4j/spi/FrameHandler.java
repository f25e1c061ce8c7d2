package io.dht4j.spi;

import java.util.concurrent.CompletionStage;

/** Answers the frames that a transport receives. Safe for use by any number of threads. */
@FunctionalInterface
public interface FrameHandler {

    /**
     * Handles a request. Does not block. If it throws or its stage fails, the transport answers the caller with a failure
     * of unknown outcome and goes on.
     *
     * @param request the frame as received: untrusted bytes
     * @param context the time that the caller left for the reply, and whether it has lost interest
     * @return completes with the reply, on any thread
     */
    CompletionStage<byte[]> handle(byte[] request, CallContext context);
}
