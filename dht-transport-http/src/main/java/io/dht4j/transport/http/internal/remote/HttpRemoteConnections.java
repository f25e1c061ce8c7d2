package io.dht4j.transport.http.internal.remote;

import io.dht4j.transport.common.options.WireSecurity;
import java.time.Duration;
import java.util.Optional;

/**
 * The options of a public API client's connections to nodes.
 *
 * @param security the trusted authorities and the own certificate, or plaintext and whether the token may be sent in it
 * @param token the token of every request
 * @param connectTimeout the time to connect
 * @param idleTimeout how long a connection may stay unused
 * @param perNode the maximum number of connections to a node
 */
public record HttpRemoteConnections(
        WireSecurity security, Optional<String> token, Duration connectTimeout, Duration idleTimeout, int perNode) {}
