package io.dht4j.transport.http;

import io.dht4j.Ranges;
import io.dht4j.transport.common.options.RemoteApiOptions;
import io.dht4j.transport.http.internal.remote.HttpRemoteConnections;
import java.time.Duration;

/**
 * The options of an {@link HttpRemote}. Immutable. Every {@code with} method returns a copy, and throws an
 * {@link IllegalArgumentException} that names option, value and allowed range. The token appears in no message.
 */
public final class HttpRemoteOptions extends RemoteApiOptions<HttpRemoteOptions> {

    private static final HttpRemoteOptions DEFAULTS =
            new HttpRemoteOptions(Settings.defaults(), Duration.ofSeconds(30), 64);

    private final Duration idleTimeout;
    private final int connectionsPerNode;

    private HttpRemoteOptions(Settings settings, Duration idleTimeout, int connectionsPerNode) {
        super(settings);
        Ranges.require("idleTimeout", idleTimeout, Duration.ofSeconds(1), Duration.ofHours(2));
        Ranges.require("connectionsPerNode", connectionsPerNode, 1, 10_000);
        this.idleTimeout = idleTimeout;
        this.connectionsPerNode = connectionsPerNode;
    }

    /**
     * Returns the defaults: plaintext to loopback, no token, 64 connections to each node, 10,000 calls in flight,
     * values up to 16 MiB.
     *
     * @return the defaults
     */
    public static HttpRemoteOptions defaults() {
        return DEFAULTS;
    }

    @Override
    protected HttpRemoteOptions with(Settings changed) {
        return new HttpRemoteOptions(changed, idleTimeout, connectionsPerNode);
    }

    /**
     * Returns a copy with this time after which an unused connection is closed. It should be less than the nodes' own.
     *
     * @param timeout 1 second to 2 hours; by default 30 seconds
     * @return new options
     */
    public HttpRemoteOptions withIdleTimeout(Duration timeout) {
        return new HttpRemoteOptions(settings(), timeout, connectionsPerNode);
    }

    /**
     * Returns a copy with this bound on connections to a node. Each carries one call at a time; further calls wait.
     *
     * @param connections 1 to 10,000; by default 64
     * @return new options
     */
    public HttpRemoteOptions withConnectionsPerNode(int connections) {
        return new HttpRemoteOptions(settings(), idleTimeout, connections);
    }

    HttpRemoteConnections connections() {
        return new HttpRemoteConnections(security(), token(), connectTimeout(), idleTimeout, connectionsPerNode);
    }
}
