package io.dht4j.transport.grpc.internal.server;

import io.dht4j.transport.common.BoundedWait;
import io.dht4j.transport.common.PeerAdmission;
import io.dht4j.transport.common.RateLimitedLog;
import io.dht4j.transport.common.options.PeerTransportOptions;
import io.dht4j.transport.grpc.internal.wire.PeerMethods;
import io.grpc.Grpc;
import io.grpc.ServerCall;
import io.grpc.Status;
import java.time.Duration;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The admission of peers' requests, with the statuses of gRPC. Safe for use by any number of threads. */
final class RequestAdmission {

    private static final Logger LOG = LoggerFactory.getLogger(RequestAdmission.class);

    /** For failures that any number of requests may have. */
    final RateLimitedLog failures = new RateLimitedLog(LOG::warn);

    /** Returns whether a reply fits into the bounds. */
    final LongPredicate replyRoom;

    private final PeerAdmission requests;

    RequestAdmission(PeerTransportOptions<?> options) {
        this.requests = new PeerAdmission(options.limits());
        this.replyRoom = requests.replyRoom();
    }

    /**
     * Counts a request. Returns null if it is admitted, and then {@link #leave} must follow; else returns the reason of
     * the refusal, with {@link PeerMethods#NO_ROOM its code} if a later attempt may be admitted.
     */
    @Nullable
    Status enter(int length) {
        String why = requests.enter(length);
        if (why == null) {
            return null;
        }
        if (length < 0 || length > requests.maxFrameBytes()) {
            return Status.INVALID_ARGUMENT.withDescription(why);
        }
        return (requests.isDraining() ? Status.UNAVAILABLE : PeerMethods.NO_ROOM.toStatus()).withDescription(why);
    }

    /** Adds the bytes of a reply to the count until its request leaves. */
    void grow(int bytes) {
        requests.grow(bytes);
    }

    /** Counts the end of a request, with any outcome. */
    void leave(long bytes) {
        requests.leave(bytes);
    }

    /**
     * Refuses all further requests, and blocks until those in flight have ended. Returns false if they have not in
     * time.
     */
    boolean drain(Duration timeout) {
        return BoundedWait.upTo(timeout, requests.drain());
    }

    /** Logs that a handler failed. Any request may run out of memory: a stack trace would only show a victim. */
    void logFailed(ServerCall<?, ?> call, Throwable cause) {
        if (cause instanceof OutOfMemoryError) {
            failures.log(() -> "no memory to answer a frame from " + caller(call));
        } else {
            LOG.warn("answering a frame from {} failed", caller(call), cause);
        }
    }

    /** Logs a request for whose frame there is no memory, and returns the reason of the refusal. */
    Status noMemory(ServerCall<?, ?> call) {
        failures.log(() -> "no memory for a frame from " + caller(call));
        return PeerMethods.NO_ROOM.toStatus().withDescription("no memory for the frame");
    }

    /** Returns the caller's address, for the log. */
    static String caller(ServerCall<?, ?> call) {
        return String.valueOf(call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR));
    }

    int inFlight() {
        return requests.inFlight();
    }

    long inFlightBytes() {
        return requests.inFlightBytes();
    }

    int maxFrameBytes() {
        return requests.maxFrameBytes();
    }
}
