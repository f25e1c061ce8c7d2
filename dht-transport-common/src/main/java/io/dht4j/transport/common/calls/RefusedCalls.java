package io.dht4j.transport.common.calls;

import io.dht4j.Node;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Frame;
import io.dht4j.spi.TransportException;
import io.dht4j.spi.TransportException.Outcome;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Fails the calls that a transport refuses. */
public final class RefusedCalls {

    private RefusedCalls() {}

    /**
     * Checks a call before it is made.
     *
     * @param peer the called node
     * @param request the frame
     * @param context the call's context
     * @param remainingNanos the time until its deadline
     * @param maxFrameBytes the longest frame
     * @return the failed call; null if it may be made
     */
    public static @Nullable CompletableFuture<byte[]> check(
            Node peer, Frame request, CallContext context, long remainingNanos, int maxFrameBytes) {
        if (request.length() > maxFrameBytes) {
            return notSent(peer, "a frame of " + request.length() + " bytes is over the limit of " + maxFrameBytes);
        }
        if (context.isCancelled()) {
            return notSent(peer, "cancelled before it was sent");
        }
        return remainingNanos <= 0 ? notSent(peer, "deadline passed before it was sent") : null;
    }

    /**
     * Returns a call that a transport cannot make now.
     *
     * @param peer the called node
     * @param isClosed whether the transport is closed; else it is not started
     * @return the failed call
     */
    public static CompletableFuture<byte[]> unavailable(Node peer, boolean isClosed) {
        return notSent(peer, isClosed ? PeerCalls.CLOSED : "the transport is not started");
    }

    /**
     * Returns a call that was not sent.
     *
     * @param peer the called node
     * @param why the reason
     * @return the failed call
     */
    public static CompletableFuture<byte[]> notSent(Node peer, String why) {
        return CompletableFuture.failedFuture(new TransportException(Outcome.NOT_SENT, peer.address() + ": " + why));
    }
}
