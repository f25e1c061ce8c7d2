package io.dht4j.transport.grpc.api;

import static java.util.Objects.requireNonNull;

import io.dht4j.Cluster;
import io.dht4j.spi.TransportException;
import io.dht4j.transport.common.ReadinessConditions;
import io.dht4j.transport.common.options.ListenAddress;
import io.dht4j.transport.grpc.api.internal.server.ApiServer;
import io.dht4j.transport.grpc.internal.GrpcVersions;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves a cluster's keys to clients over gRPC: the service {@code dht4j.v1.KeyValue}, and gRPC's own health and
 * reflection services. {@code docs/reference/grpc-api.md} is the contract.
 *
 * <p>An API does not own its cluster: close the API first, then the cluster. Safe for use by any number of threads.
 */
public final class GrpcApi implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(GrpcApi.class);

    private final ApiServer server;

    private GrpcApi(ApiServer server) {
        this.server = server;
    }

    /**
     * Starts an API on a port of its own. Blocks until it listens.
     *
     * @param host the address to bind
     * @param port the port to bind, 0 for any free one
     * @param cluster what to serve
     * @param options limits and timeouts, tokens and TLS
     * @return the API, serving
     * @throws IllegalArgumentException if the host is blank or has a port, the port is not 0 to 65535, if a file of
     *     tokens or for TLS is invalid, or if plaintext would go beyond loopback without being allowed
     * @throws TransportException if the port cannot be bound; the message names host and port
     * @throws IllegalStateException if the cluster is closed, or the class path has a gRPC that is too old; the message
     *     names the remedy
     */
    public static GrpcApi listening(String host, int port, Cluster cluster, GrpcApiOptions options) {
        requireNonNull(host, "host");
        requireNonNull(cluster, "cluster");
        requireNonNull(options, "options");
        GrpcVersions.check();
        ReadinessConditions.requireOpen(cluster);
        ListenAddress own = new ListenAddress(host, port);
        options.listener().security().requirePlaintextAllowed("gRPC", host, LOG::warn);
        return new GrpcApi(ApiServer.start(own, cluster, options, options.eventLoops()));
    }

    /**
     * Returns the port.
     *
     * @return the port that is bound, or was until it was closed
     */
    public int port() {
        return server.port();
    }

    /** Returns the server, whose counts tests compare. */
    ApiServer server() {
        return server;
    }

    /**
     * Reports that this API can no longer serve although it was not closed, because an event loop has ended.
     *
     * @return completes with the reason, one line for people, on any thread
     */
    public CompletionStage<String> failure() {
        return server.failure();
    }

    /**
     * Announces to clients that this API is about to close, and serves them as before. From now on the health service
     * reports {@code NOT_SERVING}, each answer has the metadata {@code dht-stopping}, and the connections that are open
     * receive a GOAWAY. A client that honours one of these calls another node before this one closes. Does not block;
     * may be called repeatedly.
     */
    public void announceStop() {
        server.announceStop();
    }

    /**
     * Stops accepting calls, waits for at most {@code drainTimeout} until those in flight have ended, and ends the
     * others with {@link io.dht4j.ErrorCode#INTERNAL}. Calls that arrive in the meantime over open connections are
     * refused with {@link io.dht4j.ErrorCode#NOT_SERVING}, and the health service reports the same. On return the port
     * is released and the threads have ended. Blocks; must not be called on an event loop. May be called repeatedly.
     *
     * @throws IllegalStateException if called on an event loop, or if an action of a stage, an observer or a listener
     *     calls this on a thread of the library; nothing is closed then
     */
    @Override
    public void close() {
        server.close();
    }
}
