package io.dht4j.transport.tcp.internal.server;

import io.dht4j.NodeId;
import io.dht4j.spi.FrameHandler;
import io.dht4j.transport.common.PeerAdmission;
import io.dht4j.transport.common.RateLimitedLog;
import io.dht4j.transport.common.options.PeerTransportOptions;
import io.dht4j.transport.tcp.internal.tls.TransportTls;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The services that all connections of a listener share. Safe for use by any number of threads. */
final class PeerRequests {

    private static final Logger LOG = LoggerFactory.getLogger(PeerRequests.class);

    private final FrameHandler handler;
    private final Optional<NodeId> self;
    private final PeerAdmission admission;
    private final ConnectionPlaces places;
    private final @Nullable TransportTls tls;
    private final long idleNanos;
    private final long helloNanos;
    private final RateLimitedLog malformed = new RateLimitedLog(LOG::warn);
    private final RateLimitedLog strange = new RateLimitedLog(LOG::warn);
    private final RateLimitedLog noMemory = new RateLimitedLog(LOG::warn);

    PeerRequests(
            FrameHandler handler,
            PeerTransportOptions<?> options,
            Duration helloTimeout,
            ConnectionPlaces places,
            @Nullable TransportTls tls) {
        this.handler = handler;
        this.self = handler.self();
        this.admission = new PeerAdmission(options.limits());
        this.places = places;
        this.tls = tls;
        this.idleNanos = options.listener().idleTimeout().toNanos();
        this.helloNanos = Math.min(idleNanos, helloTimeout.toNanos());
    }

    FrameHandler handler() {
        return handler;
    }

    /** Returns the name of this node, if it has one. */
    Optional<NodeId> self() {
        return self;
    }

    PeerAdmission admission() {
        return admission;
    }

    ConnectionPlaces places() {
        return places;
    }

    @Nullable
    TransportTls tls() {
        return tls;
    }

    /** Returns the time after which a connection without traffic is closed. */
    long idleNanos() {
        return idleNanos;
    }

    /** Returns the time for TLS and hello, and for the rest of a head that has begun. */
    long helloNanos() {
        return helloNanos;
    }

    /** Logs bytes that the protocol does not allow. */
    void logMalformed(String caller, String why) {
        malformed.log(() -> "closing the connection of " + caller + ": it sent " + why);
    }

    /** Logs a caller that means another node. */
    void logMistaken(String caller, String called) {
        strange.log(() -> caller + " calls " + called + " here, and this is "
                + self.map(NodeId::value).orElse("a node without a name") + ": are its addresses right?");
    }

    /** Logs that a handler failed. Any request may run out of memory: a stack trace would only show a victim. */
    void logFailed(String caller, Throwable cause) {
        if (cause instanceof OutOfMemoryError) {
            noMemory.log(() -> "no memory to answer a frame from " + caller);
        } else {
            LOG.warn("answering a frame from {} failed", caller, cause);
        }
    }

    /** Logs a request for whose frame there is no memory. */
    void logNoMemory(String caller) {
        noMemory.log(() -> "no memory for a frame from " + caller);
    }
}
